/* Communicators, one identity for all their members. Each process numbers them in its own
 * way; the same one is known by its parent, by how many the parent had made before
 * and by who its rank 0 is. An intercommunicator made of two communicators has two
 * parents: it is known by its two groups, and by how many there were with these; one between worlds by where it
 * leads (world/). */
#include <stdio.h>

#include "model/internal.h"

enum { KEY_CHILD = 1, KEY_PAIR, KEY_ORPHAN, KEY_CROSSING };

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t digest(const hb_model *m, uint32_t process, const int32_t *member, uint32_t n)
{
	uint64_t h = n;
	for (uint32_t i = 0; i < n; i++)
		h = mix(h, (uint64_t)hb__name_of(m, process, member[i]));
	return h;
}

static uint32_t *members(const hb_model *m, uint32_t process, const int32_t *member, uint32_t n)
{
	uint32_t *at = malloc(((size_t)n + 1) * sizeof *at);
	for (uint32_t i = 0; at && i < n; i++)
		at[i] = hb__process_called(m, process, member[i]);
	return at;
}

static bool strange(const uint32_t *member, uint32_t n)
{
	for (uint32_t i = 0; member && i < n; i++)
		if (member[i] == HB_NO)
			return true;
	return false;
}

/* Not all of the world of that process, as far as is known. */
static bool mixed(const hb_model *m, uint32_t process, const uint32_t *member, uint32_t n)
{
	for (uint32_t i = 0; member && i < n; i++)
		if (member[i] == HB_NO || m->world_of[member[i]] != m->world_of[process])
			return true;
	return false;
}

static uint32_t add(hb_model *m, uint32_t process, hb_group g)
{
	size_t all = (size_t)g.size + g.remote_size;
	struct hb__group_more more = {.known_as = malloc((all + 1) * sizeof(uint32_t)),
		.mixed = mixed(m, process, g.member, g.size) || mixed(m, process, g.remote, g.remote_size)};
	if (!more.known_as || !g.member || (g.remote_size && !g.remote) || !VEC_PUSH(&m->groups, g) ||
		!VEC_PUSH(&m->group_more, more)) {
		m->no_memory = true;
		return HB_NO;
	}
	memset(more.known_as, 0xff, (all + 1) * sizeof(uint32_t));
	return (uint32_t)m->groups.n - 1;
}

static void name_child(const hb_model *m, uint32_t process, hb_group *g, uint64_t index, int64_t head)
{
	const char *parent = g->parent == HB_NO ? "?" : m->groups.at[g->parent].name;
	long long leader = head < 0 ? head : head & 0xffffffff;
	char text[96];
	if (g->parent == HB_NO && m->processes.at[process].world) /* of a spawned world whose makers are not recorded */
		snprintf(text, sizeof text, "?@%u.%llu", m->processes.at[process].world, (unsigned long long)index);
	else if (index >> 40) /* made by its members alone */
		snprintf(text, sizeof text, "%s.g%llx", parent, (unsigned long long)(index & 0xffffffffff));
	else
		snprintf(text, sizeof text, leader > 0 ? "%s.%llu:%lld" : "%s.%llu", parent, (unsigned long long)index,
			leader);
	snprintf(g->name, sizeof g->name, "%.*s", (int)sizeof g->name - 1, text);
}

/* Of two processes that joined: both of these, and how many times they had before. */
static void name_joined(const hb_model *m, int64_t a, int64_t b, uint64_t before, hb_group *g)
{
	int64_t both[2] = {a < b ? a : b, a < b ? b : a};
	hb_process_name name[2];
	char text[96];
	for (int i = 0; i < 2; i++)
		hb_process_range(m->world[both[i] >> 32].number, (int32_t)both[i], (int32_t)both[i], name[i]);
	snprintf(text, sizeof text, "JOIN.%s-%s.%llu", name[0], name[1], (unsigned long long)before);
	snprintf(g->name, sizeof g->name, "%.*s", (int)sizeof g->name - 1, text);
}

/* The same processes, strangers who are not known among them. */
static bool same_members(const hb_model *m, uint32_t process, const int32_t *a, const int32_t *b, uint32_t n)
{
	if (!n || !memcmp(a, b, n * sizeof *a))
		return true;
	for (uint32_t i = 0; i < n; i++)
		if (a[i] != b[i] &&
			((a[i] >= 0 && b[i] >= 0) || hb__name_of(m, process, a[i]) != hb__name_of(m, process, b[i])))
			return false;
	return true;
}

/* How many communicators of this process before `comm` have the same two groups and two parents. */
static uint64_t pairs_before(const hb_model *m, uint32_t process, uint32_t comm, const hb_comm *c)
{
	uint64_t n = 0;
	for (uint32_t i = 2; i < comm; i++) {
		const hb_comm *o = hb_log_comm(m->processes.at[process].log, i);
		if (o && o->flags == c->flags && o->size == c->size && o->remote_size == c->remote_size &&
			same_members(m, process, o->member, c->member, c->size) &&
			same_members(m, process, o->remote, c->remote, c->remote_size))
			n++;
	}
	return n;
}

static struct hb__key key_of(
	const hb_model *m, uint32_t process, uint32_t comm, const hb_comm *c, uint32_t parent, int64_t head)
{
	bool inter = c->flags & 1, parent_inter = parent != HB_NO && m->groups.at[parent].remote_size;
	if (m->world[m->world_of[process]].lone && m->processes.at[process].world)
		return (struct hb__key){KEY_ORPHAN, mix(mix(1, process), comm)}; /* its peers are not known */
	const hb_way *way = inter ? hb_worlds_way(m->worlds, process, comm) : NULL;
	if (way && way->crossing != HB_NO)
		return (struct hb__key){KEY_CROSSING, way->crossing};
	if (parent == HB_NO || (inter && !parent_inter)) {
		uint64_t a = digest(m, process, c->member, c->size),
			 b = inter ? digest(m, process, c->remote, c->remote_size) : 0,
			 both = a < b ? mix(a, b) : mix(b, a);
		return (struct hb__key){KEY_PAIR | pairs_before(m, process, comm, c) << 8, both};
	}
	return (struct hb__key){KEY_CHILD | (uint64_t)parent << 8, mix(mix(7, c->index), (uint64_t)head)};
}

/* The group of a communicator that the process defines; *ret_side: which of its two groups the process is in. */
static uint32_t group_of(hb_model *m, uint32_t process, uint32_t comm, const hb_comm *c, uint8_t *ret_side)
{
	const struct hb__process_more *more = &m->process_more[process];
	uint32_t parent =
		c->parent >= 0 && (uint64_t)c->parent < more->parts.n ? more->parts.at[c->parent].group : HB_NO;
	bool inter = c->flags & 1;
	int64_t other = inter && c->remote_size ? hb__name_of(m, process, c->remote[0]) : INT64_MAX;
	int64_t own = c->size ? hb__name_of(m, process, c->member[0]) : c->leader, head = own < other ? own : other;
	*ret_side = inter && other < own;
	struct hb__cell *cell = hb__place(&m->group_of, key_of(m, process, comm, c, parent, head));
	if (!cell) {
		m->no_memory = true;
		return HB_NO;
	}
	if (cell->value != HB_NO)
		return cell->value;
	hb_group g = {.size = c->size, .parent = parent};
	g.member = members(m, process, c->member, c->size);
	if (inter) {
		g.remote_size = c->remote_size;
		g.remote = members(m, process, c->remote, c->remote_size);
	}
	if (*ret_side) {
		hb_group t = g;
		g.size = t.remote_size, g.remote_size = t.size;
		g.member = t.remote, g.remote = t.member;
	}
	const hb_way *way = inter ? hb_worlds_way(m->worlds, process, comm) : NULL;
	m->info.strange += inter && !way && (strange(g.member, g.size) || strange(g.remote, g.remote_size));
	if (way && way->kind == HB_BRIDGE_JOINED && head >= 0 && other != INT64_MAX)
		name_joined(m, own, other, pairs_before(m, process, comm, c), &g);
	else
		name_child(m, process, &g, c->index, head);
	return cell->value = add(m, process, g);
}

static uint32_t world(hb_model *m, uint32_t process)
{
	const struct hb__world *w = &m->world[m->world_of[process]];
	struct hb__cell *cell = hb__place(&m->group_of, (struct hb__key){0, m->world_of[process]});
	if (!cell || cell->value != HB_NO)
		return cell ? cell->value : HB_NO;
	hb_group g = {.size = w->ranks, .parent = HB_NO, .name = "WORLD"};
	if (w->number)
		snprintf(g.name, sizeof g.name, "WORLD@%u", w->number);
	uint32_t *at = malloc(((size_t)w->ranks + 1) * sizeof *at);
	if (at)
		memcpy(at, m->rank_process + w->first, w->ranks * sizeof *at);
	g.member = at;
	return cell->value = add(m, process, g);
}

static uint32_t self(hb_model *m, uint32_t process)
{
	hb_group g = {.size = 1, .parent = HB_NO, .self = true, .name = "SELF"};
	uint32_t *at = malloc(sizeof *at);
	if (at)
		*at = process;
	g.member = at;
	return add(m, process, g);
}

static void remember(hb_model *m, uint32_t process, uint32_t comm, uint32_t group, uint8_t side)
{
	const hb_group *g = &m->groups.at[group];
	const uint32_t *member = side ? g->remote : g->member;
	uint32_t n = side ? g->remote_size : g->size, *as = m->group_more.at[group].known_as + (side ? g->size : 0);
	/* in the world a process stands at its own rank */
	uint32_t rank = (uint32_t)m->processes.at[process].rank;
	if (rank < n && member[rank] == process) {
		as[rank] = comm;
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (member[i] == process)
			as[i] = comm;
}

/* The first process that gave it a name decides; MPI_COMM_SELF is another for each. */
static bool entitle(hb_model *m, uint32_t group, const char *name)
{
	hb_group *g = &m->groups.at[group];
	if (!name || g->title)
		return true;
	size_t room = sizeof g->name + strlen(name) + 4;
	g->title = malloc(room);
	m->no_memory = m->no_memory || !g->title;
	if (g->title)
		snprintf(g->title, room, "%s \"%s\"", g->name, name);
	return g->title != NULL;
}

bool hb__groups_of_process(hb_model *m, uint32_t process)
{
	struct hb__process_more *more = &m->process_more[process];
	const hb_log *log = m->processes.at[process].log;
	uint32_t comms = hb_log_get_info(log)->comms;
	bool ranked = *hb_rank_word(
		m->processes.at[process].name); /* others have neither a world nor themselves as communicators */
	for (uint32_t i = 0; i < comms || i < 2; i++) {
		struct hb__member part = {.group = HB_NO};
		const hb_comm *c = i > 1 ? hb_log_comm(log, i) : NULL;
		if (i < 2 && ranked)
			part.group = i ? self(m, process) : world(m, process);
		else if (c)
			part.group = group_of(m, process, i, c, &part.side);
		if (m->no_memory || !VEC_PUSH(&more->parts, part))
			return false;
		if (part.group == HB_NO)
			continue;
		remember(m, process, i, part.group, part.side);
		if (!entitle(m, part.group, hb_log_name(log, HB_NAMED_COMM, i)))
			return false;
	}
	return true;
}

bool hb_model_shares(const hb_model *m, uint32_t group, uint32_t process)
{
	const hb_group *g = &m->groups.at[group];
	const struct hb__group_more *more = &m->group_more.at[group];
	if (process == HB_NO || m->world[m->world_of[process]].lone)
		return false;
	if (!more->mixed)
		return true;
	for (uint32_t i = 0; !m->worlds->by_time && i < g->size + g->remote_size; i++)
		if ((i < g->size ? g->member[i] : g->remote[i - g->size]) == process && more->known_as[i] != HB_NO)
			return true;
	return false;
}

struct hb__member *hb__part(hb_model *m, uint32_t process, int64_t comm)
{
	struct hb__process_more *more = &m->process_more[process];
	if (comm < 0 || (uint64_t)comm >= more->parts.n || more->parts.at[comm].group == HB_NO)
		return NULL;
	return &more->parts.at[comm];
}

uint32_t hb__peer(const hb_model *m, const struct hb__member *part, int64_t rank)
{
	const hb_group *g = &m->groups.at[part->group];
	bool remote = g->remote_size && !part->side;
	const uint32_t *member = remote ? g->remote : g->member;
	uint32_t n = remote ? g->remote_size : g->size;
	return rank >= 0 && rank < (int64_t)n ? member[rank] : HB_NO;
}
