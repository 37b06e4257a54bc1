/* Clocks of all events in one pass. Each line is run until its next exit needs an enter that was not reached
 * yet; then it sleeps until that enter wakes it. */
#include "model/clock/run.h"

static void push(struct hb__clock_run *run, uint32_t line)
{
	if (run->lines[line].queued)
		return;
	run->lines[line].queued = true;
	run->lines[line].next = HB_NO;
	if (run->first == HB_NO)
		run->first = line;
	else
		run->lines[run->last].next = line;
	run->last = line;
}

void hb__clock_wake(struct hb__clock_run *run, uint32_t line) { push(run, line); }

void hb__wake_chain(struct hb__clock_run *run, uint32_t *chain)
{
	for (uint32_t l = *chain, next; l != HB_NO; l = next) {
		next = run->lines[l].chain;
		push(run, l);
	}
	*chain = HB_NO;
}

static bool tell_point(struct hb__clock_run *run, uint32_t line, bool exit)
{
	struct hb__runner *r = &run->lines[line];
	hb_reach reach = {line, r->event, exit, r->clock};
	if (run->ask.reached && r->event && !run->ask.reached(run->ask.user, &reach))
		run->stopped = true;
	return !run->stopped;
}

/* ---- messages ---- */

void hb__learn(struct hb__clock_run *run, uint32_t line, uint32_t version)
{
	struct hb__runner *r = &run->lines[line];
	hb__clock_merge(r->clock, hb__version(&run->versions, version), run->versions.width);
	r->clock[line] = r->event;
	hb__version_drop(&run->versions, r->version);
	r->version = HB_NO;
}

/* A version of the line's clock, with a reference for the caller. */
uint32_t hb__clock_snapshot(struct hb__clock_run *run, uint32_t line)
{
	struct hb__runner *r = &run->lines[line];
	if (r->version == HB_NO)
		r->version = hb__version_new(&run->versions, r->clock);
	if (r->version == HB_NO) {
		run->no_memory = true;
		return HB_NO;
	}
	return hb__version_share(&run->versions, r->version);
}

static void note_seen(struct hb__clock_run *run, hb_send *s, const uint32_t *clock)
{
	hb_model *m = run->m;
	uint32_t dest = m->channels.at[s->channel].dest;
	if (run->ask.seen) {
		const hb_process *to = dest == HB_NO ? NULL : &m->processes.at[dest];
		run->ask.seen[s - m->sends.at] = to && to->nlines == 1 ? clock[to->first_line] : 0;
		return;
	}
	const hb_process *p = dest == HB_NO ? NULL : &m->processes.at[dest];
	if (!p || !p->nlines) {
		s->seen = 0;
	} else if (p->nlines == 1) {
		s->seen = clock[p->first_line];
	} else if (HB_GROW(m->seen_more, m->seen_room, m->seen_used + p->nlines)) {
		s->seen = (uint32_t)m->seen_used;
		memcpy(m->seen_more + m->seen_used, clock + p->first_line, p->nlines * sizeof *clock);
		m->seen_used += p->nlines;
	} else {
		run->no_memory = true;
	}
}

static void answer(struct hb__clock_run *run, uint32_t id, const uint32_t *clock)
{
	for (uint32_t i = run->asked[id]; i && i <= run->ask.nasks && run->ask.asks[i - 1].send == id; i++)
		run->ask.asks[i - 1].ret_seen = clock[run->ask.asks[i - 1].line];
}

static void on_send(struct hb__clock_run *run, uint32_t line, uint32_t id)
{
	struct hb__runner *r = &run->lines[line];
	hb_send *s = &run->m->sends.at[id];
	uint32_t was = run->flight[id];
	note_seen(run, s, r->clock);
	if (run->ask.nasks)
		answer(run, id, r->clock);
	if (run->send_time)
		run->send_time[id] = (uint32_t)r->lamport_enter;
	if (s->receive == HB_NO && !(s->flags & HB__PROBED)) {
		run->flight[id] = HB__GONE;
	} else {
		uint32_t version = hb__clock_snapshot(run, line);
		run->flight[id] = version == HB_NO ? HB__GONE : version + 1;
	}
	if (was & HB__SLEEPER)
		push(run, was & ~HB__SLEEPER);
}

/* The message is in: its sender's enter happened before. False: not sent yet. */
static bool arrived(struct hb__clock_run *run, uint32_t line, uint32_t id, bool last)
{
	struct hb__runner *r = &run->lines[line];
	hb_send *s = &run->m->sends.at[id];
	uint32_t at = run->flight[id];
	if (!at || at & HB__SLEEPER) {
		if (!r->force) {
			if (!at)
				run->flight[id] = HB__SLEEPER | line;
			else if ((at & ~HB__SLEEPER) != line) { /* another thread waits for the same message */
				run->idle++;
				push(run, line);
			}
			return false;
		}
		if (at == (HB__SLEEPER | line))
			run->flight[id] = 0;
		r->force = false;
		return true;
	}
	uint32_t entered = hb_entered(run->m, (hb_at){s->line, s->event}).event;
	if (at != HB__GONE && r->clock[s->line] < entered) {
		hb__learn(run, line, at - 1);
		r->clock[s->line] = entered;
	}
	if (run->send_time) {
		uint64_t t = run->send_time[id] + (s->flags & HB_SYNCHRONOUS ? 0u : 1u);
		r->lamport = t > r->lamport ? t : r->lamport;
	}
	if (last && at != HB__GONE && !(s->flags & HB__PROBED)) {
		hb__version_drop(&run->versions, at - 1);
		run->flight[id] = HB__GONE;
	}
	return true;
}

/* ---- synchronous sends: the receive was posted ---- */

static void on_post(struct hb__clock_run *run, uint32_t line, uint32_t id)
{
	hb_model *m = run->m;
	uint32_t send = m->receives.at[id].send;
	bool elsewhere = m->receives.at[id].flags & HB_ELSEWHERE;
	if (!elsewhere && (send == HB_NO || !(m->sends.at[send].flags & HB_SYNCHRONOUS)))
		return;
	struct hb__cell *cell = hb__place(&run->posted, (struct hb__key){id, 0});
	if (cell && cell->value != HB_NO && !(cell->value & HB__SLEEPER))
		return; /* a call that slept comes by again */
	uint32_t sleeper = cell ? cell->value : HB_NO;
	struct hb__post post = {hb__clock_snapshot(run, line), run->lines[line].lamport_enter};
	if (!cell || !VEC_PUSH(&run->posts, post)) {
		run->no_memory = true;
		return;
	}
	cell->value = (uint32_t)run->posts.n - 1;
	if (sleeper != HB_NO)
		push(run, sleeper & ~HB__SLEEPER);
}

/* The receive was posted: by the process that a synchronous send went to, or by another thread of this one. */
static bool posted(struct hb__clock_run *run, uint32_t line, uint32_t receive)
{
	struct hb__runner *r = &run->lines[line];
	if (!run->m->receives.at[receive].post) /* before all that is kept */
		return true;
	struct hb__cell *cell = hb__place(&run->posted, (struct hb__key){receive, 0});
	if (!cell)
		return true;
	if (cell->value == HB_NO || cell->value & HB__SLEEPER) {
		if (!r->force) {
			cell->value = HB__SLEEPER | line;
			return false;
		}
		if (cell->value == HB_NO)
			hb__erase(&run->posted, (struct hb__key){receive, 0});
		r->force = false;
		return true;
	}
	struct hb__post *post = &run->posts.at[cell->value];
	const hb_receive *v = &run->m->receives.at[receive];
	uint32_t entered = hb_entered(run->m, (hb_at){v->line, v->post}).event;
	if (post->version != HB_NO && r->clock[v->line] < entered) {
		hb__learn(run, line, post->version);
		r->clock[v->line] = entered;
	}
	r->lamport = post->lamport > r->lamport ? post->lamport : r->lamport;
	if (v->flags & HB_ELSEWHERE)
		return true; /* the version has two readers */
	hb__version_drop(&run->versions, post->version);
	post->version = HB_NO;
	return true;
}

static bool sent(struct hb__clock_run *run, uint32_t line, uint32_t id)
{
	uint32_t receive = run->m->sends.at[id].receive;
	if (receive == HB_NO || (run->ask.drop_receive && run->ask.drop_receive[receive]))
		return true;
	return posted(run, line, receive);
}

/* ---- lines ---- */

/* False: the line sleeps; something will wake it. */
static bool step(struct hb__clock_run *run, uint32_t line, const hb_op *o)
{
	hb_model *m = run->m;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_SEND:
		on_send(run, line, o->id);
		return true;
	case HB_OP_POST:
		on_post(run, line, o->id);
		return true;
	case HB_OP_ENTER:
		hb__collective_entered(run, line, o->id);
		return true;
	case HB_OP_RECEIVED: {
		const hb_receive *v = &m->receives.at[o->id];
		if (v->post == o->event && v->line == line)
			on_post(run, line, o->id);
		if (v->line != line && !posted(run, line, o->id))
			return false;
		bool dropped = run->ask.drop_receive && run->ask.drop_receive[o->id];
		return v->send == HB_NO || dropped || arrived(run, line, v->send, true);
	}
	case HB_OP_SENT:
		return sent(run, line, o->id);
	case HB_OP_PROBED: {
		uint32_t send = m->probes.at[o->id].send;
		bool dropped = run->ask.drop_probe && run->ask.drop_probe[o->id];
		return send == HB_NO || dropped || arrived(run, line, send, false);
	}
	case HB_OP_LEAVE:
		return hb__collective_left(run, line, o->id);
	case HB_OP_PASS: /* others may go on from this exit */
		if (!tell_point(run, line, true))
			return false;
		/* fall through */
	case HB_OP_TELL:
		hb__edge_begun(run, line, o->id);
		return true;
	case HB_OP_TOLD:
		return hb__edge_ended(run, line, o->id);
	}
	return true;
}

static bool show(struct hb__clock_run *run, uint32_t line)
{
	struct hb__runner *r = &run->lines[line];
	if (!run->ask.visit || !r->event)
		return true;
	hb_stamp stamp = {{line, r->event}, r->lamport_enter, r->lamport, r->clock};
	if (!run->ask.visit(run->ask.user, &stamp))
		run->stopped = true;
	return !run->stopped;
}

/* Goes on to event `to`; with a visitor it sees each one on the way. */
static bool advance(struct hb__clock_run *run, uint32_t line, uint32_t to)
{
	struct hb__runner *r = &run->lines[line];
	uint32_t step_by = run->ask.visit ? 1 : to - r->event;
	while (r->event < to) {
		if (!show(run, line) || !tell_point(run, line, true))
			return false;
		r->event += step_by;
		r->clock[line] = r->event;
		r->lamport_enter = r->lamport += step_by;
		if (!tell_point(run, line, false))
			return false;
	}
	if (r->starters != HB_NO && r->event > run->init[line])
		hb__wake_chain(run, &r->starters);
	return true;
}

static bool is_enter(const hb_op *o)
{
	return o->kind == HB_OP_SEND || o->kind == HB_OP_POST || o->kind == HB_OP_ENTER || o->kind == HB_OP_TELL;
}

/* A call inside of which others are made begins before them: what it sends, posts or enters. */
static void enter_around(struct hb__clock_run *run, uint32_t line, uint32_t event)
{
	const struct hb__line *l = &run->m->line_more.at[line];
	for (size_t i = hb__first_op(l, event); i < l->ops.n && l->ops.at[i].event == event; i++) {
		const hb_op *o = &l->ops.at[i];
		const hb_receive *v = o->kind == HB_OP_RECEIVED ? &run->m->receives.at[o->id] : NULL;
		if (is_enter(o))
			step(run, line, o); /* an enter waits for nobody */
		else if (v && v->post == event && v->line == line)
			on_post(run, line, o->id);
	}
}

/* Goes on to event `to`, into the calls around what is on the way. */
static bool go_to(struct hb__clock_run *run, uint32_t line, uint32_t to)
{
	const struct hb__line *l = &run->m->line_more.at[line];
	struct hb__runner *r = &run->lines[line];
	for (; r->around < l->around.n && l->by_first[r->around].first <= to; r->around++) {
		const struct hb__around *a = &l->by_first[r->around];
		if (a->first > r->event && !advance(run, line, a->first))
			return false;
		enter_around(run, line, a->event);
	}
	return to <= r->event || advance(run, line, to);
}

/* Its call began before, with what was done inside of it. */
static bool entered_before(const struct hb__clock_run *run, uint32_t line, const hb_op *o)
{
	return run->m->line_more.at[line].around.n && is_enter(o) &&
	       hb_entered(run->m, (hb_at){line, o->event}).event != o->event;
}

/* What had to be before anything of the line: the process was made. */
static bool born(struct hb__clock_run *run, uint32_t line)
{
	const struct hb__line *l = &run->m->line_more.at[line];
	for (uint32_t i = 0; i < l->borns; i++)
		if (!hb__edge_ended(run, line, l->born + i))
			return false;
	return true;
}

/* Lines of further threads begin after MPI_Init of the first. */
static bool begun(struct hb__clock_run *run, uint32_t line)
{
	hb_model *m = run->m;
	struct hb__runner *r = &run->lines[line];
	uint32_t first = m->processes.at[m->lines.at[line].process].first_line, init = m->line_more.at[line].init;
	if (r->begun)
		return true;
	if (!born(run, line))
		return false;
	if (first == line || !init)
		return r->begun = true;
	struct hb__runner *f = &run->lines[first];
	if (f->event <= init && !f->ended && !r->force) {
		r->chain = f->starters;
		f->starters = line;
		return false;
	}
	r->force = false;
	r->clock[first] = init;
	/* nothing can come before MPI_Init but calls of its own line, or events of the program, which may have received something */
	r->lamport = init > 1 ? f->lamport : init;
	return r->begun = true;
}

static void run_line(struct hb__clock_run *run, uint32_t line)
{
	hb_model *m = run->m;
	struct hb__runner *r = &run->lines[line];
	const struct hb__line *l = &m->line_more.at[line];
	if (!begun(run, line))
		return;
	for (uint32_t left = run->quantum; r->op < l->ops.n; r->op++, run->done++, run->idle = 0) {
		const hb_op *o = &l->ops.at[r->op];
		if (!left--) {
			push(run, line);
			return;
		}
		if (!go_to(run, line, o->event))
			return;
		if (!entered_before(run, line, o) && !step(run, line, o))
			return;
		r->force = false;
	}
	if (!advance(run, line, m->lines.at[line].events) || !show(run, line) ||
		(!m->lines.at[line].inside && !tell_point(run, line, true)))
		return;
	r->ended = true;
	hb__wake_chain(run, &r->starters);
	hb__version_drop(&run->versions, r->version);
	r->version = HB_NO;
	run->ended++;
}

/* All sleep: what the logs say cannot have happened. One edge is given up, and all look again. */
static bool give_up_one(struct hb__clock_run *run)
{
	uint32_t forced = HB_NO;
	for (size_t i = 0; i < run->states.n; i++)
		run->states.at[i].sleepers = HB_NO;
	for (uint32_t l = 0; l < run->m->lines.n; l++)
		run->lines[l].starters = HB_NO;
	for (uint32_t l = 0; l < run->m->lines.n; l++) {
		if (run->lines[l].ended)
			continue;
		if (forced == HB_NO && !run->lines[l].force) {
			run->lines[l].force = true;
			forced = l;
		}
		push(run, l);
	}
	run->broken++;
	run->idle = 0;
	return forced != HB_NO;
}

static void run_all(struct hb__clock_run *run, hb_progress *progress, void *user)
{
	uint64_t told = 0, all = 1;
	for (size_t l = 0; l < run->m->lines.n; l++) {
		all += run->m->line_more.at[l].ops.n;
		push(run, (uint32_t)l);
	}
	while (!run->stopped && !run->no_memory && run->ended < run->m->lines.n) {
		if ((run->first == HB_NO || run->idle > 4 * run->m->lines.n) && !give_up_one(run))
			break;
		uint32_t line = run->first;
		run->first = run->lines[line].next;
		run->lines[line].queued = false;
		if (!run->lines[line].ended)
			run_line(run, line);
		if (progress && run->done - told > all / 100) {
			told = run->done;
			progress(user, (double)told / (double)all);
		}
	}
}

static bool prepare(struct hb__clock_run *run)
{
	hb_model *m = run->m;
	size_t lines = m->lines.n;
	hb__versions_open(&run->versions, (uint32_t)lines);
	run->lines = calloc(lines + 1, sizeof *run->lines);
	run->init = calloc(lines + 1, sizeof *run->init);
	run->flight = calloc((size_t)m->info.sends + 1, sizeof *run->flight);
	run->state_of = calloc((size_t)m->info.collectives + 1, sizeof *run->state_of);
	run->clocks = calloc((lines + 1) * run->versions.width + 1, sizeof *run->clocks);
	if (run->ask.visit)
		run->send_time = calloc((size_t)m->info.sends + 1, sizeof *run->send_time);
	run->edges = calloc(m->edges.n + 1, sizeof *run->edges);
	if (!run->edges || !run->lines || !run->init || !run->flight || !run->state_of || !run->clocks ||
		(run->ask.visit && !run->send_time))
		return false;
	for (size_t i = 0; i < m->edges.n; i++)
		run->edges[i] = (struct hb__edge_state){.version = HB_NO, .sleeper = HB_NO};
	for (uint32_t l = 0; l < lines; l++) {
		run->lines[l] = (struct hb__runner){.clock = run->clocks + (size_t)l * run->versions.width,
			.version = HB_NO,
			.next = HB_NO,
			.starters = HB_NO};
		if (m->line_more.at[l].init)
			run->init[m->processes.at[m->lines.at[l].process].first_line] = m->line_more.at[l].init;
	}
	/* A probe that saw a message is ordered after its send. Where the same thread receives it afterwards that follows from the
	 * receive; of several threads, or of a message that nobody received, the probe itself has to be remembered. */
	for (uint32_t i = 0; i < m->info.probes; i++)
		if (m->probes.at[i].send != HB_NO &&
			(m->processes.at[m->lines.at[m->probes.at[i].line].process].nlines > 1 ||
				m->sends.at[m->probes.at[i].send].receive == HB_NO))
			m->sends.at[m->probes.at[i].send].flags |= HB__PROBED;
	run->first = HB_NO;
	run->free_state = HB_NO;
	run->quantum = 65536u / (uint32_t)(lines + 1);
	run->quantum = run->quantum < 8 || run->ask.reached ? 8 : run->quantum > 1024 ? 1024 : run->quantum;
	if (!run->ask.seen)
		m->seen_used = 0;
	return true;
}

static bool take_questions(struct hb__clock_run *run)
{
	if (!run->ask.nasks)
		return true;
	run->asked = calloc((size_t)run->m->info.sends + 1, sizeof *run->asked);
	for (size_t i = run->ask.nasks; run->asked && i-- > 0;) {
		run->asked[run->ask.asks[i].send] = (uint32_t)i + 1;
		run->ask.asks[i].ret_seen = 0;
	}
	return run->asked != NULL;
}

static void tell(hb_model *m, const struct hb__clock_run *run)
{
	bool plain = !run->ask.drop_receive && !run->ask.drop_probe && !run->ask.seen;
	if (run->stopped || run->no_memory || m->clocks_done || !plain)
		return;
	m->clocks_done = true;
	if (!run->broken)
		return;
	m->info.open = true;
	hb__model_trouble(m,
		"%llu pairs of events in the logs contradict each other in their order: results that depend on them are not certain",
		(unsigned long long)run->broken);
}

hb_status hb_clocks_run_with(
	hb_model *m, const hb_clock_options *options, hb_progress *progress, void *progress_user, hb_error *err)
{
	if (m->part)
		return hb__part_clocks(m, options, err);
	struct hb__clock_run run = {.m = m, .ask = *options};
	if (prepare(&run) && take_questions(&run))
		run_all(&run, progress, progress_user);
	else
		run.no_memory = true;
	tell(m, &run);
	hb__versions_close(&run.versions);
	hb__collectives_close(&run);
	free(run.edges);
	free(run.lines);
	free(run.init);
	free(run.flight);
	free(run.state_of);
	free(run.clocks);
	free(run.send_time);
	free(run.asked);
	free(run.posted.at);
	free(run.posts.at);
	return run.no_memory ? hb__no_memory(err) : HB_OK;
}

hb_status hb_clocks_run(
	hb_model *m, hb_visit *visit, void *user, hb_progress *progress, void *progress_user, hb_error *err)
{
	return hb_clocks_run_with(m, &(hb_clock_options){.visit = visit, .user = user}, progress, progress_user, err);
}

hb_status hb_model_clocks(hb_model *m, hb_progress *progress, void *user, hb_error *err)
{
	return m->clocks_done ? HB_OK : hb_clocks_run(m, NULL, NULL, progress, user, err);
}

uint32_t hb_send_seen(const hb_model *m, uint32_t send, uint32_t line)
{
	const hb_send *s = &m->sends.at[send];
	uint32_t process = m->lines.at[line].process;
	if (m->channels.at[s->channel].dest != process)
		return 0;
	const hb_process *p = &m->processes.at[process];
	return p->nlines == 1 ? s->seen : m->seen_more[s->seen + (line - p->first_line)];
}
