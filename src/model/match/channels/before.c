/* What rings gave up (hbdb-recording.5, RINGS), and what stays matched all the same. An account says of each channel how many messages its
 * process had sent and received in the events that are not there any more: so it is known which place in the channel each send
 * and each receive has that is there, and messages whose other side was given up are told from others. Receives under way at the beginning
 * were posted before all others; one that was overtaken got a message of a channel that is known, and nobody knows which one. Where counts do not tell,
 * as where several threads share a channel, nothing of it is matched. */
#include "format/ring.h"
#include "model/match/read.h"

static const hb_before *before_of(const hb_model *m, uint32_t process)
{
	return process < m->processes.n && m->processes.at[process].log ? hb_log_before(m->processes.at[process].log)
									: NULL;
}

/* ---- channels ---- */

static struct hb__key key_of(uint32_t group, uint32_t source, uint32_t dest, int64_t tag)
{
	return (struct hb__key){(uint64_t)group << 32 | source, (uint64_t)dest << 32 | (uint32_t)tag};
}

static struct hb__channel_before *at(hb_model *m, struct hb__key key)
{
	struct hb__cell *cell = hb__place(&m->before_of, key);
	struct hb__channel_before none = {0, 0, HB_NO, HB_NO};
	if (cell && cell->value == HB_NO && VEC_PUSH(&m->before, none))
		cell->value = (uint32_t)m->before.n - 1;
	if (!cell || cell->value == HB_NO) {
		m->no_memory = true;
		return NULL;
	}
	return &m->before.at[cell->value];
}

static void take_counts(hb_model *m, uint32_t process, const hb_before *b)
{
	for (uint64_t i = 0; i < b->counts && !m->no_memory; i++) {
		const hb_before_count *c = &b->count[i];
		struct hb__member *part = hb__part(m, process, c->comm);
		if (!part || c->kind == HB_BEFORE_COLLECTIVES)
			continue;
		bool sends = c->kind == HB_BEFORE_SENDS;
		uint32_t peer = hb__peer(m, part, c->peer);
		struct hb__channel_before *to =
			at(m, key_of(part->group, sends ? process : peer, sends ? peer : process, c->tag));
		if (!to)
			return;
		*(sends ? &to->sent : &to->received) += c->count;
		*(sends ? &to->send_lane : &to->receive_lane) = c->lane;
	}
}

/* ---- collectives ---- */

/* Of each group the fewest that one of its processes gave up: there its numbers begin. */
static bool take_bases(hb_model *m)
{
	uint32_t *told = calloc(m->groups.n + 1, sizeof *told);
	m->group_base = malloc((m->groups.n + 1) * sizeof *m->group_base);
	m->group_bases = m->groups.n;
	if (!told || !m->group_base) {
		free(told);
		return false;
	}
	memset(m->group_base, 0xff, (m->groups.n + 1) * sizeof *m->group_base);
	for (uint32_t p = 0; p < m->processes.n; p++) {
		const hb_before *b = before_of(m, p);
		for (uint64_t i = 0; b && i < b->counts; i++) {
			struct hb__member *part =
				b->count[i].kind == HB_BEFORE_COLLECTIVES ? hb__part(m, p, b->count[i].comm) : NULL;
			if (!part)
				continue;
			uint64_t *base = &m->group_base[part->group];
			*base = b->count[i].count < *base ? b->count[i].count : *base;
			told[part->group]++;
		}
	}
	for (size_t g = 0; g < m->groups.n; g++) {
		const hb_group *is = &m->groups.at[g];
		uint32_t logs = 0;
		for (uint32_t i = 0; i < is->size + is->remote_size; i++) {
			uint32_t p = i < is->size ? is->member[i] : is->remote[i - is->size];
			logs += p < m->processes.n && m->processes.at[p].log;
		}
		if (told[g] < logs || m->group_base[g] == UINT64_MAX)
			m->group_base[g] = 0;
	}
	free(told);
	return true;
}

bool hb__before_groups(hb_model *m)
{
	for (uint32_t p = 0; p < m->processes.n; p++)
		m->rings += before_of(m, p) != NULL;
	for (uint32_t p = 0; p < m->processes.n && m->rings; p++)
		if (m->processes.at[p].log && !hb__groups_of_process(m, p))
			return false;
	for (uint32_t p = 0; p < m->processes.n && m->rings; p++) {
		const hb_before *b = before_of(m, p);
		m->process_more[p].broken = b && b->broken;
		if (b)
			take_counts(m, p, b);
	}
	return !m->no_memory && (!m->rings || take_bases(m));
}

static void skip_collectives(struct hb__reading *r, const hb_before *b)
{
	hb_model *m = r->m;
	struct hb__process_more *more = &m->process_more[r->process];
	for (size_t i = 0; i < more->parts.n; i++)
		more->parts.at[i].lost = !b->whole || b->broken;
	for (uint64_t i = 0; i < b->counts; i++) {
		const hb_before_count *c = &b->count[i];
		struct hb__member *part = c->kind == HB_BEFORE_COLLECTIVES ? hb__part(m, r->process, c->comm) : NULL;
		uint64_t base = part ? m->group_base[part->group] : 0;
		if (!part || b->broken)
			continue;
		part->lane = c->lane;
		part->lost = c->lane == HB_LANE_DEFINITIONS || c->count - base >= HB_NO;
		part->skip = part->lost ? 0 : (uint32_t)(c->count - base);
		for (uint32_t k = 0; k < part->skip && !m->no_memory; k++)
			if (!VEC_PUSH(&part->enters, ((hb_at){HB_NO, 0})))
				m->no_memory = true;
	}
}

/* ---- requests ---- */

static int64_t argument(const hb_before_request *q, const hb_function *f, const char *a, const char *b)
{
	for (uint32_t i = 0; i < q->nargs && i < f->nargs; i++)
		if (!strcmp(f->arg_name[i], a) || (b && !strcmp(f->arg_name[i], b)))
			return q->arg[i];
	return HB_ABSENT;
}

static uint32_t spec_of(struct hb__reading *r, const hb_before_request *q, const hb_function *f)
{
	int64_t source = argument(q, f, "source", NULL);
	struct hb__member *part = hb__part(r->m, r->process, argument(q, f, "comm", NULL));
	if (!part || source < HB_ANY_SOURCE)
		return HB_NO;
	bool any = source == HB_ANY_SOURCE;
	return hb__spec_of(
		r, part->group, any ? HB_NO : hb__peer(r->m, part, source), argument(q, f, "tag", "recvtag"), any);
}

static int64_t bytes_of(const hb_log *log, const hb_before_request *q, const hb_function *f)
{
	int64_t count = argument(q, f, "count", NULL), type = argument(q, f, "datatype", NULL);
	const hb_datatype *is = type >= 0 && type < HB_NO ? hb_log_datatype(log, (uint32_t)type) : NULL;
	return is && count >= 0 ? (int64_t)((uint64_t)count * is->size) : 0;
}

static void persistent(struct hb__reading *r, const hb_before_request *q, const hb_function *f, const hb_meaning *means,
	struct hb__followed_request *ret)
{
	struct hb__member *part = hb__part(r->m, r->process, argument(q, f, "comm", NULL));
	if (means->does == HB_DOES_RECEIVE) {
		uint32_t spec = spec_of(r, q, f);
		if (spec != HB_NO)
			*ret = (struct hb__followed_request){
				.type = HB__R_PRECV, .id = spec, .comm = (uint32_t)argument(q, f, "comm", NULL)};
	} else if (means->does == HB_DOES_SEND && part && argument(q, f, "dest", NULL) >= 0) {
		*ret = (struct hb__followed_request){.type = HB__R_PSEND,
			.id = hb__channel(r->m, part->group, r->process,
				hb__peer(r->m, part, argument(q, f, "dest", NULL)),
				(int32_t)argument(q, f, "tag", NULL)),
			.flag = means->mode == HB_MODE_SYNCHRONOUS,
			.buffered = means->mode == HB_MODE_BUFFERED,
			.bytes = bytes_of(r->m->processes.at[r->process].log, q, f)};
	}
}

static void under_way(struct hb__reading *r, const hb_before_request *q)
{
	hb_model *m = r->m;
	const hb_log *log = m->processes.at[r->process].log;
	const hb_function *f = hb_log_function(log, q->function);
	if (!f || !f->name || q->lane >= m->processes.at[r->process].nlines)
		return;
	hb_row row = {.lane = q->lane, .function = q->function};
	hb_event event = {.row = &row, .function = f};
	r->event = &event;
	r->line = m->processes.at[r->process].first_line + q->lane;
	struct hb__followed_request it = {.type = HB__R_OTHER};
	int64_t comm = argument(q, f, "comm", NULL);
	struct hb__member *part = hb__part(m, r->process, comm);
	if (q->kind == HB_UNDER_WAY_PERSISTENT) {
		persistent(r, q, f, hb_meaning_of(f->name, f->cls), &it);
	} else if (q->kind == HB_UNDER_WAY_COLLECTIVE) {
		uint64_t number = part && !part->lost ? q->number - m->group_base[part->group] : UINT64_MAX;
		uint32_t id = number < HB_NO && number < part->skip ? hb__collective_numbered(r, part, (uint32_t)number)
								    : HB_NO;
		if (id != HB_NO)
			it = (struct hb__followed_request){.type = HB__R_COLL, .id = id};
	} else if (q->kind == HB_UNDER_WAY_RECEIVE) {
		uint32_t spec = spec_of(r, q, f);
		if (spec != HB_NO)
			it = (struct hb__followed_request){
				.type = HB__R_RECV, .id = hb__receive_of(r, spec), .comm = (uint32_t)comm};
		/* among threads it is not known which was posted first */
		it.shifts = spec != HB_NO && (q->overtaken || r->threads);
	}
	if (!m->no_memory)
		*hb__request_at(r, (hb_reference){q->lane, q->posting}) = it;
	r->event = NULL;
}

void hb__before_read_process(struct hb__reading *r)
{
	const hb_before *b = before_of(r->m, r->process);
	skip_collectives(r, b);
	for (uint64_t i = 0; i < b->requests && !r->m->no_memory; i++)
		under_way(r, &b->request[i]);
}

static void received(hb_model *m, uint32_t channel)
{
	const hb_channel *c = &m->channels.at[channel];
	struct hb__channel_before *to = at(m, key_of(c->group, c->source, c->dest, c->tag));
	if (to)
		to->received++;
}

void hb__before_shift(struct hb__reading *r, uint32_t receive)
{
	hb_receive *v = &r->m->receives.at[receive];
	if (v->send != HB_NO)
		received(r->m, v->send);
	v->send = HB_NO;
}

void hb__before_completed(struct hb__reading *r, const struct hb__followed_request *q, const hb_answer *a)
{
	const hb_before *b = before_of(r->m, r->process);
	hb_lane_info lane;
	bool old = b && a->request.posting >= 0 &&
		   !hb_log_lane(r->m->processes.at[r->process].log, a->request.lane, &lane) &&
		   (uint64_t)a->request.posting < lane.posted_before;
	/* a send that was counted, and took no place in its channel */
	if (!q && old && a->code == HB_ST_CANCELLED)
		r->m->process_more[r->process].broken = true;
}

/* ---- sends and receives ---- */

/* By channel: a line of the process that sends, or receives; HB_NO none, HB_NO - 1 several. */
static void note_line(uint32_t *line, uint32_t is) { *line = *line == HB_NO || *line == is ? is : HB_NO - 1; }

static bool one_line(const hb_model *m, uint32_t process, uint32_t lane, uint32_t line)
{
	return lane == HB_NO || (lane < m->processes.at[process].nlines &&
					(line == HB_NO || line == m->processes.at[process].first_line + lane));
}

/* Whether the process can tell of the channel; lane: of those of its events that it gave up. */
static bool side_known(const hb_model *m, uint32_t process, uint32_t lane, uint32_t line)
{
	const hb_before *b = before_of(m, process);
	if (!b)
		return true;
	return !m->process_more[process].broken && (b->whole || lane != HB_NO) && one_line(m, process, lane, line);
}

static void settle(hb_model *m, uint32_t channel, const uint32_t *sends, const uint32_t *receives, uint64_t *skip)
{
	const hb_channel *c = &m->channels.at[channel];
	struct hb__channel_before b = {0, 0, HB_NO, HB_NO};
	uint32_t place = hb__look(&m->before_of, key_of(c->group, c->source, c->dest, c->tag));
	if (m->groups.at[c->group].keyed || m->groups.at[c->group].untagged)
		return;
	if (place != HB_NO)
		b = m->before.at[place];
	if (!side_known(m, c->source, b.send_lane, sends[channel]) ||
		!side_known(m, c->dest, b.receive_lane, receives[channel])) {
		skip[channel] = m->owed[channel] = UINT64_MAX;
		m->info.open = true;
	} else if (c->source < m->processes.n && m->processes.at[c->source].log && b.sent > b.received) {
		m->owed[channel] = b.sent - b.received;
	} else if (b.received > b.sent) {
		skip[channel] = b.received - b.sent;
	}
}

bool hb__before_channels(hb_model *m)
{
	size_t n = m->channels.n + 1;
	uint32_t *sends = malloc(n * sizeof *sends), *receives = malloc(n * sizeof *receives);
	uint64_t *skip = calloc(n, sizeof *skip);
	m->owed = calloc(n, sizeof *m->owed);
	bool good = sends && receives && skip && m->owed;
	if (good) {
		memset(sends, 0xff, n * sizeof *sends);
		memset(receives, 0xff, n * sizeof *receives);
	}
	for (size_t i = 0; good && i < m->sends.n; i++)
		note_line(&sends[m->sends.at[i].channel], m->sends.at[i].line);
	for (size_t i = 0; good && i < m->receives.n; i++)
		if (m->receives.at[i].send != HB_NO)
			note_line(&receives[m->receives.at[i].send], m->receives.at[i].line);
	for (uint32_t c = 0; good && c < m->channels.n; c++)
		settle(m, c, sends, receives, skip);
	for (size_t i = 0; good && i < m->sends.n; i++) {
		hb_send *s = &m->sends.at[i];
		if (s->flags & HB_CANCELLED || !skip[s->channel])
			continue;
		skip[s->channel] -= skip[s->channel] != UINT64_MAX;
		s->flags |= HB_EARLIER;
	}
	free(sends);
	free(receives);
	free(skip);
	return good;
}

/* ---- order: what others did before something that was given up is before all that was kept ---- */

struct lasts {
	hb_model *m;
	uint32_t *event; /* by line: the last event that is before the first one of the line at hand */
};

static void raise(struct lasts *l, hb_at at)
{
	if (at.line != HB_NO && at.event > l->event[at.line])
		l->event[at.line] = at.event;
}

static void raise_sends(struct lasts *l, uint32_t process, uint32_t lane)
{
	const hb_model *m = l->m;
	for (size_t i = 0; i < m->sends.n; i++) {
		const hb_send *s = &m->sends.at[i];
		const hb_channel *c = &m->channels.at[s->channel];
		if ((s->flags & HB_EARLIER) != HB_EARLIER || c->dest != process || m->owed[s->channel])
			continue;
		uint32_t place = hb__look(&m->before_of, key_of(c->group, c->source, c->dest, c->tag));
		if (place != HB_NO && m->before.at[place].receive_lane == lane)
			raise(l, hb_send_at(m, (uint32_t)i));
	}
}

/* Requests of collectives that are under way were not over. */
static uint64_t ended(const hb_model *m, uint32_t process, uint32_t comm, uint64_t skip, uint64_t base)
{
	const hb_before *b = before_of(m, process);
	const hb_log *log = m->processes.at[process].log;
	for (uint64_t i = 0; i < b->requests; i++) {
		const hb_before_request *q = &b->request[i];
		const hb_function *f = q->kind == HB_UNDER_WAY_COLLECTIVE ? hb_log_function(log, q->function) : NULL;
		if (f && argument(q, f, "comm", NULL) == comm && q->number >= base && q->number - base < skip)
			skip = q->number - base;
	}
	return skip;
}

static void raise_collectives(struct lasts *l, uint32_t process, uint32_t lane)
{
	hb_model *m = l->m;
	const struct hb__process_more *more = &m->process_more[process];
	for (uint32_t k = 0; k < more->parts.n; k++) {
		const struct hb__member *part = &more->parts.at[k];
		if (!part->skip || part->group == HB_NO)
			continue;
		const hb_group *g = &m->groups.at[part->group];
		const struct hb__group_more *known = &m->group_more.at[part->group];
		uint64_t over = ended(m, process, k, part->skip, m->group_base[part->group]);
		for (uint32_t n = 0; n < part->skip && n < known->collectives.n; n++) {
			hb_collective *c = &m->collectives.at[known->collectives.at[n]];
			c->before += part->lane == lane;
			if (n >= over || part->lane != lane || g->remote_size)
				continue;
			bool all = c->order == HB_ORDER_ALL || (c->order == HB_ORDER_IN && c->root == process);
			if (c->order == HB_ORDER_OUT && c->root != HB_NO && c->root != process)
				raise(l, hb_collective_enter(m, known->collectives.at[n], c->root));
			for (uint32_t i = 0; all && i < g->size; i++)
				if (g->member[i] != HB_NO && g->member[i] != process)
					raise(l, hb_collective_enter(m, known->collectives.at[n], g->member[i]));
		}
	}
}

static void add_edges(struct lasts *l, uint32_t line)
{
	hb_model *m = l->m;
	struct hb__line *more = &m->line_more.at[line];
	size_t first = m->edges.n;
	if (more->borns || !m->lines.at[line].events)
		return;
	for (uint32_t from = 0; from < m->lines.n && !m->no_memory; from++)
		if (l->event[from] &&
			!VEC_PUSH(&m->edges, ((hb_edge){{from, l->event[from]}, {line, 1}, HB_EDGE_BEFORE})))
			m->no_memory = true;
	more->born = (uint32_t)first;
	more->borns = (uint32_t)(m->edges.n - first);
	if (more->borns && !VEC_PUSH(&m->born_lines, line))
		m->no_memory = true;
}

bool hb__link_before(hb_model *m)
{
	struct lasts l = {.m = m, .event = NULL};
	if (!m->rings)
		return true;
	l.event = malloc((m->lines.n + 1) * sizeof *l.event);
	for (uint32_t p = 0; l.event && p < m->processes.n && !m->no_memory; p++) {
		const hb_process *is = &m->processes.at[p];
		for (uint32_t lane = 0; before_of(m, p) && lane < is->nlines; lane++) {
			memset(l.event, 0, (m->lines.n + 1) * sizeof *l.event);
			raise_sends(&l, p, lane);
			raise_collectives(&l, p, lane);
			add_edges(&l, is->first_line + lane);
		}
	}
	bool good = l.event && !m->no_memory;
	free(l.event);
	return good;
}

/* Several threads have events, and no operation by which they were ordered was recorded. */
static bool has_unordered_threads(const hb_process *is)
{
	const hb_log_info *info = is->log && is->nlines > 1 ? hb_log_get_info(is->log) : NULL;
	for (uint32_t i = 0; info && i < info->functions; i++) {
		const hb_function *f = hb_log_function(is->log, i);
		if (f && f->name && f->cls == HB_THREAD)
			return false;
	}
	return info;
}

void hb__tell_before(hb_model *m)
{
	uint64_t events = 0, unknown = 0;
	uint32_t unordered = 0;
	for (uint32_t p = 0; p < m->processes.n; p++) {
		events += before_of(m, p) ? before_of(m, p)->events : 0;
		unordered += before_of(m, p) && has_unordered_threads(&m->processes.at[p]);
	}
	for (size_t c = 0; m->owed && c < m->channels.n; c++)
		unknown += m->owed[c] == UINT64_MAX;
	if (m->rings)
		hb__model_trouble(m,
			"the recording is the last part of its run: %llu events of %u processes before it were given up, and what follows from them is not known",
			(unsigned long long)events, m->rings);
	if (unordered)
		hb__model_trouble(m,
			"%u processes have events of several threads and no order between these: hbdb record --ring keeps that only with --threads on; what one thread did before another one by a lock is shown as not ordered",
			unordered);
	if (unknown)
		hb__model_trouble(m,
			"messages of %llu channels (of one sender, receiver, communicator and tag) are not matched: it is not known how many there were before the recording begins",
			(unsigned long long)unknown);
	if (m->rings && m->keyed_sends.n + m->keyed_receives.n) {
		m->info.open = true;
		hb__model_trouble(m,
			"messages that the program itself tells of are not matched: it is not known how many there were before the recording begins");
	}
	if (m->streams_before)
		hb__model_trouble(m,
			"%u connections began before the recording does: what went through them is not matched",
			m->streams_before);
}

uint32_t hb_model_rings(const hb_model *m) { return m->rings; }

uint32_t hb_model_given_up(const hb_model *m, uint32_t process, int64_t comm)
{
	const struct hb__process_more *more = &m->process_more[process];
	if (comm < 0 || (uint64_t)comm >= more->parts.n)
		return 0;
	return more->parts.at[comm].lost ? HB_NO : more->parts.at[comm].skip;
}
