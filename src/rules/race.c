/* Receives and probes with MPI_ANY_SOURCE that race. The receives of a process are gone through in the order of
 * posting, with the next message of each channel in front (race/front.h): at a receive, the next messages of the other
 * senders are what it could have got, when they were not sent because of it. A message m was sent
 * because of receive r exactly when the sender of m knew, at its enter, of an event of r's line after
 * the one that completed r: one comparison with hb_send.seen. */
#include "base/grow.h"
#include "rules/race/parts.h"

#define WINDOW 4096 /* receives that are looked at behind one that is pending */
#define AHEAD 16    /* receives: their messages are fetched into the cache in time */

const char *const hb_race_words[HB_RACE_KINDS] = {[HB_RACE_RECEIVE] = "receive",
	[HB_RACE_PROBE] = "probe",
	[HB_RACE_CHOICE] = "choice",
	[HB_RACE_READY] = "ready",
	[HB_RACE_PART] = "part"};

bool hb__found(struct hb__racing *r, uint32_t send, bool dependent)
{
	if (!HB_GROW(r->found, r->room, r->nfound + 1)) {
		r->no_memory = true;
		return false;
	}
	r->found[r->nfound++] = (hb_alternative){send, hb_model_sends(r->m)[send].receive, dependent, false};
	return true;
}

static uint32_t source_of(const hb_model *m, uint32_t send)
{
	return hb_model_channels(m)[hb_model_sends(m)[send].channel].source;
}

/* A process that takes locks of windows may have waited for the unlock of another one. Which waited for which older recordings do not tell, and where a run
 * is checked turns order nothing. */
static bool locks(const hb_process *p)
{
	const hb_log_info *info = p->log ? hb_log_get_info(p->log) : NULL;
	bool seen = info && info->turns && !info->remarks;
	return info && !seen &&
	       (hb_log_calls(p->log, HB_DOES_WINDOW_LOCK) || hb_log_calls(p->log, HB_DOES_WINDOW_LOCK_ALL));
}

static bool uncertain(const struct hb__racing *r, const hb_race *race)
{
	const hb_send *sends = hb_model_sends(r->m);
	if (hb_model_get_info(r->m)->open || (race->got != HB_NO && sends[race->got].flags & HB_AMBIGUOUS))
		return true;
	bool locked = r->locks[hb_model_lines(r->m)[race->done.line].process];
	for (uint32_t i = 0; i < race->nalternatives; i++) {
		uint32_t send = race->alternative[i].send;
		if (sends[send].flags & HB_AMBIGUOUS || (locked && r->locks[source_of(r->m, send)]))
			return true;
	}
	return false;
}

void hb__race_told(struct hb__racing *r, hb_race *race)
{
	race->nalternatives = r->nfound;
	race->alternative = r->found;
	if (!r->nfound && !race->several)
		return;
	race->dependent = race->same_sender = r->nfound != 0;
	for (uint32_t i = 0; i < r->nfound; i++) {
		race->dependent = race->dependent && r->found[i].dependent;
		race->same_sender = race->same_sender && r->found[i].same_sender;
	}
	race->uncertain = r->open || uncertain(r, race);
	r->sum.alternatives += race->kind == HB_RACE_PART ? 0 : r->nfound;
	if (race->kind == HB_RACE_PART)
		r->sum.racing_parts++;
	else if (hb_race_is_choice(race->kind))
		r->sum.racing_choices++;
	else if (race->dependent)
		r->sum.dependent++;
	else
		r->sum.racing++;
	bool wanted = race->kind != HB_RACE_PART || r->flags & HB_RACES_PARTS;
	if (r->visit && wanted && !r->visit(r->user, race))
		r->stopped = true;
}

/* ---- receives posted earlier that still wait ---- */

/* A wildcard receive is put down when its message could only be sent after something that had not happened yet. */
static void put_down(struct hb__racing *r, uint32_t id)
{
	const hb_receive *v = &hb_model_receives(r->m)[id];
	bool open = v->flags & HB_PENDING && v->send == HB_NO;
	uint32_t until = open ? HB_NO : v->send == HB_NO ? 0 : hb_send_seen(r->m, v->send, v->line);
	if (until <= v->post || v->flags & HB_CANCELLED)
		return;
	if (!HB_GROW(r->waiting, r->waiting_room, r->nwaiting + 1)) {
		r->no_memory = true;
		return;
	}
	r->waiting[r->nwaiting++] = (struct hb__waiting){id, until};
}

static void forget_waiting(struct hb__racing *r, uint32_t post)
{
	size_t n = 0;
	for (size_t i = 0; i < r->nwaiting; i++)
		if (r->waiting[i].until > post)
			r->waiting[n++] = r->waiting[i];
	r->nwaiting = n;
}

/* A receive posted earlier would take the message before this one can: its own comes only after this one is done. */
static bool intercepted(struct hb__racing *r, uint32_t send, hb_at done)
{
	const hb_channel *c = &hb_model_channels(r->m)[hb_model_sends(r->m)[send].channel];
	uint32_t taker = hb_model_sends(r->m)[send].receive, limit = done.event;
	hb_at taken = taker == HB_NO ? (hb_at){HB_NO, 0} : hb_receive_done(r->m, taker);
	if (taken.event && taken.line == done.line && taken.event < limit)
		limit = taken.event;
	for (size_t i = 0; i < r->nwaiting; i++) {
		const hb_receive *v = &hb_model_receives(r->m)[r->waiting[i].receive];
		const hb_spec *s = &hb_model_specs(r->m)[v->spec];
		if (r->waiting[i].until > limit && s->group == c->group && (s->tag == HB_ANY_TAG || s->tag == c->tag) &&
			(s->any_source || s->source == c->source)) {
			if (r->waiting[i].until != HB_NO)
				return true;
			r->open = true; /* it took one message at most, and which is not known */
		}
	}
	return false;
}

/* ---- one receive or probe ---- */

/* A receive was matched at the latest when one that was posted later was done with a message that it could have
 * taken, whenever it was completed itself. `sure`: only where that holds whatever the later one gets. */
uint32_t hb__matched_by(const hb_model *m, uint32_t receive, uint32_t done, bool sure)
{
	const hb_receive *v = &hb_model_receives(m)[receive];
	const hb_spec *specs = hb_model_specs(m), *s = &specs[v->spec];
	uint32_t all = hb_model_get_info(m)->receives;
	for (uint32_t i = receive + 1; i < all && i - receive < WINDOW && v[i - receive].post < done; i++) {
		const hb_receive *w = &v[i - receive];
		const hb_spec *o = &specs[w->spec];
		if (o->process != s->process)
			break;
		if (o->group != s->group || w->line != v->line || w->send == HB_NO || !w->done || w->done >= done ||
			w->flags & HB_ELSEWHERE)
			continue;
		int32_t tag = sure ? o->tag : hb_model_channels(m)[hb_model_sends(m)[w->send].channel].tag;
		if (s->tag == HB_ANY_TAG || s->tag == tag)
			done = w->done;
	}
	return done;
}

static void first_messages(struct hb__racing *r, const hb_race *race, uint32_t limit)
{
	const hb_at matched = {race->done.line, limit};
	struct hb__row_of row = hb__front_row(&r->front, race->spec);
	uint32_t own = source_of(r->m, race->got);
	bool ack = hb_model_sends(r->m)[race->got].flags & HB_SYNCHRONOUS && race->kind == HB_RACE_RECEIVE;
	/* without a visitor pairs are gathered for hb__acks_answer: all that may be asked for */
	uint32_t enough = r->flags & HB_RACES_FEW && r->visit ? HB_RACE_FEW : UINT32_MAX;
	for (uint32_t i = 0; i < row.n && r->nfound < enough; i++) {
		if (row.seen[i] > limit && r->front.line != HB_NO)
			continue;
		uint32_t send = hb__row_send(&r->front, &row, i);
		if (send == HB_NO || hb__row_source(&r->front, &row, i) == own)
			continue;
		if (r->front.line == HB_NO && hb_send_seen(r->m, send, race->done.line) > limit)
			continue;
		if ((r->nwaiting && intercepted(r, send, matched)) || (ack && hb__acked(r->acks, race->got, send)))
			continue;
		hb__found(r, send, false);
	}
}

/* Without a visitor only the number counts. */
static bool only_count(struct hb__racing *r, const hb_race *race, uint32_t limit)
{
	const hb_send *got = &hb_model_sends(r->m)[race->got];
	if (r->visit || r->flags & HB_RACES_ALL || r->nwaiting || got->flags & HB_SYNCHRONOUS || r->front.line == HB_NO)
		return false;
	struct hb__row_of row = hb__front_row(&r->front, race->spec);
	uint32_t n = hb__count_at_most(row.seen, row.n, limit);
	if (n) { /* the sender's own next message is none */
		uint32_t place = r->front.place[got->channel];
		uint32_t at = row.send ? r->front.any_of[place] : place - row.first_place;
		n -= row.seen[at] <= limit;
	}
	r->sum.alternatives += n;
	r->sum.racing += n != 0;
	return true;
}

static void examine(struct hb__racing *r, hb_race *race)
{
	uint32_t limit = race->done.event;
	bool same_line = race->done.line == race->post.line;
	if (race->kind == HB_RACE_RECEIVE && same_line && race->post.event != limit)
		limit = hb__matched_by(r->m, race->id, limit, false);
	r->sum.wildcards++;
	if (only_count(r, race, limit))
		return;
	r->nfound = 0;
	r->open = false;
	first_messages(r, race, limit);
	if (r->weak)
		hb__weak_alternatives(r, race);
	hb__race_told(r, race);
}

static void on_receive(struct hb__racing *r, uint32_t id)
{
	const hb_receive *v = &hb_model_receives(r->m)[id];
	bool wild = hb_model_specs(r->m)[v->spec].any_source;
	if (r->nwaiting)
		forget_waiting(r, v->post);
	hb__front_take(&r->front, id);
	if (r->weak)
		hb__weak_take(r->weak, id);
	/* what else one could have got that was posted before the recording begins is not known */
	bool mine = id >= r->low && id < r->high;
	if (wild && mine && v->done && v->post && v->send != HB_NO && hb_model_covers_receive(r->m, id)) {
		hb_race race = {.kind = HB_RACE_RECEIVE, .id = id, .spec = v->spec, .got = v->send};
		race.post = hb_receive_post(r->m, id);
		race.done = hb_receive_done(r->m, id);
		examine(r, &race);
	}
	if (wild && !(r->flags & HB_RACES_REPLAY))
		put_down(r, id);
	if (r->weak)
		hb__weak_receive(r->weak, id);
}

static void on_probe(struct hb__racing *r, uint32_t id)
{
	const hb_probe *p = &hb_model_probes(r->m)[id];
	uint32_t after = hb_probe_after(r->m, id);
	if (!hb_model_specs(r->m)[p->spec].any_source || p->send == HB_NO || !hb_model_covers_probe(r->m, id))
		return;
	if (after < r->low || after >= r->high)
		return;
	hb_race race = {.kind = HB_RACE_PROBE, .id = id, .spec = p->spec, .got = p->send};
	race.post = race.done = (hb_at){p->line, p->event};
	examine(r, &race);
}

/* Receives and probes of a process in the order of posting; numbers of both grow with it. */
static void on_process(struct hb__racing *r, uint32_t process, uint32_t *receive, uint32_t *probe)
{
	const hb_model_info *info = hb_model_get_info(r->m);
	const hb_line *lines = hb_model_lines(r->m);
	const hb_receive *receives = hb_model_receives(r->m);
	const hb_probe *probes = hb_model_probes(r->m);
	const hb_send *sends = hb_model_sends(r->m);
	const uint32_t first = *receive;
	hb__front_process(&r->front, process);
	if (r->weak)
		hb__weak_process(r->weak, process);
	r->nwaiting = 0;
	while (!r->stopped && !r->no_memory) {
		bool more = *receive < info->receives && lines[receives[*receive].line].process == process;
		if (more && *receive + AHEAD < info->receives) {
			uint32_t soon = receives[*receive + AHEAD].send;
			if (soon != HB_NO)
				__builtin_prefetch(&sends[soon]);
		}
		bool probed = *probe < info->probes && lines[probes[*probe].line].process == process;
		if (!more && !probed)
			break;
		if (probed && (!more || hb_probe_after(r->m, *probe) <= *receive))
			on_probe(r, (*probe)++);
		else
			on_receive(r, (*receive)++);
	}
	if (!r->last || !hb_model_covers_rest(r->m, process))
		return;
	if (!r->stopped)
		hb__race_choices(r, process, first, *receive);
	if (!r->stopped)
		hb__race_parts(r, first, *receive);
}

static void on_all(struct hb__racing *r, hb_progress *progress, void *user)
{
	const hb_model_info *info = hb_model_get_info(r->m);
	uint32_t receive = 0, probe = 0, told = 0;
	for (uint32_t p = 0; p < info->processes && !r->stopped && !r->no_memory; p++) {
		on_process(r, p, &receive, &probe);
		if (progress && receive - told > info->receives / 100) {
			told = receive;
			progress(user, (double)receive / (double)(info->receives + 1));
		}
	}
}

static bool once(struct hb__racing *r, hb_progress *progress, void *user)
{
	r->sum = (hb_race_sum){0};
	r->stopped = false;
	if (r->weak)
		hb__weak_again(r->weak);
	if (hb__front_open(r->m, NULL, &r->front))
		on_all(r, progress, user);
	else
		r->no_memory = true;
	r->no_memory = r->no_memory || r->front.no_memory;
	hb__front_close(&r->front);
	return !r->no_memory;
}

static hb_status run(struct hb__racing *r, hb_progress *progress, void *user, hb_error *err)
{
	hb_status status = HB_OK;
	if (hb_model_any(r->m, hb__acks_needed(r->acks))) {
		hb_race_visit *visit = r->visit;
		r->visit = NULL;
		if (!once(r, NULL, NULL) || !hb__acks_answer(r->acks, err))
			status = HB_E_MEMORY;
		r->visit = visit;
	}
	return !status && once(r, progress, user) ? HB_OK : HB_E_MEMORY;
}

/* A share has as many receives from any source as the others. */
static void take_share(struct hb__racing *r, uint32_t nth, uint32_t shares)
{
	const hb_receive *v = hb_model_receives(r->m);
	uint32_t all = hb_model_get_info(r->m)->receives;
	uint64_t wild = 0, before = 0;
	for (uint32_t i = 0; i < all; i++)
		wild += hb_model_specs(r->m)[v[i].spec].any_source;
	r->low = r->high = 0;
	for (uint32_t i = 0; i < all; i++) {
		r->low += before < wild * nth / shares;
		r->high += before < wild * (nth + 1) / shares;
		before += hb_model_specs(r->m)[v[i].spec].any_source;
	}
	r->last = nth + 1 == shares;
	if (r->last)
		r->high = HB_NO;
}

static hb_status look(
	struct hb__racing *shared, hb_race_sum *ret_sum, hb_progress *progress, void *progress_user, hb_error *err)
{
	struct hb__racing r = *shared;
	hb_model *m = r.m;
	unsigned flags = r.flags;
	hb_status status = hb_model_clocks(m, progress, progress_user, err);
	if (status)
		return status;
	uint32_t processes = hb_model_get_info(m)->processes;
	r.acks = hb__acks_new(m);
	r.locks = calloc((size_t)processes + 1, sizeof *r.locks);
	for (uint32_t i = 0; r.locks && i < processes; i++)
		r.locks[i] = locks(&hb_model_processes(m)[i]);
	r.weak = flags & HB_RACES_ALL ? hb__weak_new(m, err) : NULL;
	if (!r.acks || !r.locks || (flags & HB_RACES_ALL && !r.weak))
		status = HB_E_MEMORY;
	status = status ? status : run(&r, progress, progress_user, err);
	hb__weak_free(r.weak);
	hb__acks_free(r.acks);
	free(r.locks);
	free(r.waiting);
	free(r.found);
	*ret_sum = r.sum;
	if (status && err)
		*err = (hb_error){.status = status, .message = "out of memory"};
	return status;
}

hb_status hb_races(hb_model *m, unsigned flags, hb_race_visit *visit, void *user, hb_race_sum *ret_sum,
	hb_progress *progress, void *progress_user, hb_error *err)
{
	struct hb__racing r = {.m = m, .flags = flags, .visit = visit, .user = user, .high = HB_NO, .last = true};
	return look(&r, ret_sum, progress, progress_user, err);
}

hb_status hb_races_share(hb_model *m, unsigned flags, uint32_t nth, uint32_t shares, hb_race_visit *visit, void *user,
	hb_race_sum *ret_sum, hb_error *err)
{
	struct hb__racing r = {.m = m, .flags = flags, .visit = visit, .user = user};
	take_share(&r, nth, shares);
	return look(&r, ret_sum, NULL, NULL, err);
}
