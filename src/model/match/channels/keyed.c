/* Messages that the program itself tells of (hbdb/event.h): told apart by channel and key, over any transport. A channel is a
 * group of all processes, a key a tag in it. Who sends to whom is known only when all processes are read: then the k-th
 * receive of a key gets the k-th message with it, in program order where one line sent and one received them, else by time,
 * and then it is uncertain (hbdb-recording.5, EVENTS OF THE PROGRAM). From here on such a message is like any other. */
#include <stdio.h>

#include "model/match/read.h"

/* A channel by its name, the same in all processes. */
static uint32_t group_of(hb_model *m, const char *name)
{
	for (size_t i = 0; i < m->keyed_groups.n; i++)
		if (!strcmp(m->groups.at[m->keyed_groups.at[i]].title, name))
			return m->keyed_groups.at[i];
	/* of the first world, and others that say something on it stand beside it */
	uint32_t ranks = m->nworlds ? m->world[0].ranks : 0, *member = malloc(((size_t)ranks + 1) * sizeof *member);
	hb_group g = {.size = ranks, .parent = HB_NO, .keyed = true, .member = member, .title = strdup(name)};
	struct hb__group_more more = {.known_as = malloc(((size_t)ranks + 1) * sizeof(uint32_t))};
	if (more.known_as)
		memset(more.known_as, 0xff, ((size_t)ranks + 1) * sizeof(uint32_t));
	if (member)
		memcpy(member, m->rank_process, ranks * sizeof *member);
	snprintf(g.name, sizeof g.name, "%.*s", (int)sizeof g.name - 1, name);
	if (!member || !g.title || !more.known_as || !VEC_PUSH(&m->groups, g) || !VEC_PUSH(&m->group_more, more) ||
		!VEC_PUSH(&m->keyed_groups, (uint32_t)m->groups.n - 1)) {
		m->no_memory = true;
		return HB_NO;
	}
	return (uint32_t)m->groups.n - 1;
}

/* The same, looked for once in each process. */
static uint32_t known_group(struct hb__reading *r, uint32_t text, const char *name)
{
	while (r->keyed_groups.n <= text)
		if (!VEC_PUSH(&r->keyed_groups, HB_NO)) {
			r->m->no_memory = true;
			return HB_NO;
		}
	uint32_t *at = &r->keyed_groups.at[text];
	return *at != HB_NO ? *at : (*at = group_of(r->m, name));
}

/* A key as a tag: itself where it fits, else a number of its own below all others. */
static int32_t tag_of(hb_model *m, uint64_t key)
{
	if (key <= INT32_MAX)
		return (int32_t)key;
	struct hb__cell *cell = hb__place(&m->key_of, (struct hb__key){key, 0});
	if (cell && cell->value == HB_NO && VEC_PUSH(&m->keys, key))
		cell->value = (uint32_t)m->keys.n - 1;
	if (!cell || cell->value == HB_NO) {
		m->no_memory = true;
		return INT32_MIN;
	}
	return INT32_MIN + (int32_t)(cell->value & 0x3fffffff);
}

const char *hb_model_tag_word(const hb_model *m, uint32_t group)
{
	const hb_group *g = &m->groups.at[group];
	return g->untagged ? NULL : g->keyed ? "key" : "tag";
}

int64_t hb_model_tag(const hb_model *m, uint32_t group, int32_t tag)
{
	uint32_t i = (uint32_t)tag - (uint32_t)INT32_MIN;
	if (m->groups.at[group].untagged)
		return HB_ABSENT;
	return m->groups.at[group].keyed && i < m->keys.n ? (int64_t)m->keys.at[i] : tag;
}

static double ns(const struct hb__reading *r, uint64_t tick)
{
	const hb_log_info *info = hb_log_get_info(r->m->processes.at[r->process].log);
	return (double)info->origin_mono + hb_ticks_ns(info, tick);
}

void hb__on_keyed(struct hb__reading *r, const struct hb__function *f)
{
	const hb_event *e = r->event;
	hb_model *m = r->m;
	const hb_log *log = m->processes.at[r->process].log;
	int64_t number = hb_event_argument(e, "channel");
	const char *name = number >= 0 && number < HB_NO ? hb_log_text(log, (uint32_t)number) : NULL;
	if (!name || r->inside || e->malformed || e->row->nresults < 2)
		return;
	uint32_t group = known_group(r, (uint32_t)number, name);
	struct hb__keyed k = {
		.group = group, .tag = tag_of(m, (uint64_t)e->row->results[0]), .time = ns(r, e->row->enter)};
	if (m->no_memory)
		return;
	bool sends = f->means->does == HB_DOES_KEYED_SEND;
	k.id = sends ? hb__add_send(r, group, HB_NO, k.tag, e->row->results[1])
		     : hb__add_receive(r, group, HB_NO, k.tag, false);
	if (!(sends ? VEC_PUSH(&m->keyed_sends, k) : VEC_PUSH(&m->keyed_receives, k)))
		m->no_memory = true;
}

static int by_key(const void *a, const void *b)
{
	const struct hb__keyed *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id; /* along a line ids grow */
}

static bool same_key(const struct hb__keyed *a, const struct hb__keyed *b)
{
	return a->group == b->group && a->tag == b->tag;
}

static void assign(hb_model *m, const struct hb__keyed *s, const struct hb__keyed *v, bool uncertain, bool chosen)
{
	hb_send *send = &m->sends.at[s->id];
	hb_receive *receive = &m->receives.at[v->id];
	hb_spec *spec = &m->specs.at[receive->spec];
	uint32_t from = m->lines.at[send->line].process;
	uint32_t channel = hb__channel(m, s->group, from, m->lines.at[receive->line].process, s->tag);
	send->channel = receive->send = channel;
	spec->any_source = spec->any_source || chosen;
	spec->source = spec->any_source ? HB_NO : from;
	if (uncertain) {
		send->flags |= HB_AMBIGUOUS;
		receive->flags |= HB_AMBIGUOUS;
	}
}

static uint32_t sender(const hb_model *m, const struct hb__keyed *k) { return m->sends.at[k->id].line; }
static uint32_t receiver(const hb_model *m, const struct hb__keyed *k) { return m->receives.at[k->id].line; }

static uint32_t process_of(const hb_model *m, const struct hb__keyed *k, bool sends)
{
	return m->lines.at[sends ? sender(m, k) : receiver(m, k)].process;
}

static int by_process(const hb_model *m, const struct hb__keyed *x, const struct hb__keyed *y, bool sends)
{
	uint32_t a = process_of(m, x, sends), b = process_of(m, y, sends);
	return a != b ? (a < b ? -1 : 1) : by_key(x, y);
}
static int by_sender(const void *a, const void *b, void *m) { return by_process(m, a, b, true); }
static int by_receiver(const void *a, const void *b, void *m) { return by_process(m, a, b, false); }

/* Messages of one key, the k-th send and the k-th receive. Returns how many receives have none. */
static uint64_t link_in_order(
	hb_model *m, const struct hb__keyed *s, size_t sends, const struct hb__keyed *v, size_t receives)
{
	bool uncertain = false, processes = false;
	for (size_t i = 1; i < sends; i++) {
		uncertain = uncertain || sender(m, &s[i]) != sender(m, &s[0]);
		processes = processes || m->lines.at[sender(m, &s[i])].process != m->lines.at[sender(m, &s[0])].process;
	}
	for (size_t i = 1; i < receives; i++)
		uncertain = uncertain || receiver(m, &v[i]) != receiver(m, &v[0]);
	for (size_t i = 0; i < receives && i < sends; i++)
		assign(m, &s[i], &v[i], uncertain, processes);
	return receives > sends ? receives - sends : 0;
}

/* All messages of one key. Where each process received as many of them as it sent, they are its own: a queue between threads
 * has the same name in every process. */
static uint64_t link_key(hb_model *m, struct hb__keyed *s, size_t sends, struct hb__keyed *v, size_t receives)
{
	if (sends != receives || sends < 2)
		return link_in_order(m, s, sends, v, receives);
	qsort_r(s, sends, sizeof *s, by_sender, m);
	qsort_r(v, receives, sizeof *v, by_receiver, m);
	bool own = true;
	for (size_t i = 0; i < sends && own; i++)
		own = process_of(m, &s[i], true) == process_of(m, &v[i], false);
	if (!own) {
		qsort(s, sends, sizeof *s, by_key);
		qsort(v, receives, sizeof *v, by_key);
		return link_in_order(m, s, sends, v, receives);
	}
	for (size_t first = 0, last; first < sends; first = last) {
		for (last = first; last < sends && process_of(m, &s[last], true) == process_of(m, &s[first], true);)
			last++;
		link_in_order(m, s + first, last - first, v + first, last - first);
	}
	return 0;
}

/* Sorted by channel and key, messages that can be each other's lie side by side, and one pass over both lists pairs them. A receive
 * without its send is not left out in silence: some order is missing then, and `open` makes races that hang on it uncertain. */
bool hb__link_keyed(hb_model *m)
{
	struct hb__keyed *s = m->keyed_sends.at, *v = m->keyed_receives.at;
	size_t sends = m->keyed_sends.n, receives = m->keyed_receives.n;
	uint64_t orphans = 0;
	if (m->rings) /* how many of a key there were before is not known: hb__tell_before */
		return !m->no_memory;
	if (sends)
		qsort(s, sends, sizeof *s, by_key);
	if (receives)
		qsort(v, receives, sizeof *v, by_key);
	for (size_t i = 0, k = 0; k < receives;) {
		size_t end = k, first = i, last;
		while (end < receives && same_key(&v[end], &v[k]))
			end++;
		while (first < sends && !same_key(&s[first], &v[k]) && by_key(&s[first], &v[k]) < 0)
			first++;
		for (last = first; last < sends && same_key(&s[last], &v[k]);)
			last++;
		orphans += link_key(m, s + first, last - first, v + k, end - k);
		i = last;
		k = end;
	}
	if (orphans)
		hb__model_trouble(m,
			"%llu messages of the program's own channels were received and not sent: the order that results from them is not known",
			(unsigned long long)orphans);
	m->info.open = m->info.open || orphans;
	free(s);
	free(v);
	memset(&m->keyed_sends, 0, sizeof m->keyed_sends);
	memset(&m->keyed_receives, 0, sizeof m->keyed_receives);
	return !m->no_memory;
}
