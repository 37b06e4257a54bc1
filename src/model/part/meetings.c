/* Collectives, whose parts are spread over the members: each tells what it has read of them, and all put that together in the order
 * of members, which is that of processes. So they have the numbers that the whole model gives them. */
#include "model/match/read.h"
#include "model/part/inside.h"

/* What one member knows of a collective. */
struct told {
	struct hb__key key; /* as in the table of odd ones; of a regular one what is HB_NO */
	uint32_t what;      /* of an odd one: the own number of the collective that its key names; HB_NO: none */
	uint32_t group, number, root, enters, exits;
	uint32_t from[2];
	uint32_t function, process;
	uint16_t base;
	uint8_t kind, order;
	bool both_sides, differs, fence, root_enters;
};

/* The number of the collective that an odd one's key names. */
static uint32_t what_of(struct hb__key key)
{
	uint64_t what = key.a >> 8;
	if ((key.a & 0xff) == HB__ODD_START)
		return (uint32_t)what;
	return what ? (uint32_t)what - 1 : HB_NO;
}

static struct hb__key key_with(struct hb__key key, uint32_t what)
{
	uint64_t kind = key.a & 0xff;
	return (struct hb__key){(uint64_t)(kind == HB__ODD_START ? what : what + 1) << 8 | kind, key.b};
}

/* The keys of odd ones, from the table that finds them. */
static bool take_keys(const hb_model *m, struct told *told)
{
	for (size_t i = 0; i < m->odd_collective.size; i++) {
		const struct hb__cell *cell = &m->odd_collective.at[i];
		if (cell->value == HB_NO)
			continue;
		told[cell->value].key = cell->key;
		told[cell->value].what = what_of(cell->key);
		told[cell->value].fence = (cell->key.a & 0xff) == HB__ODD_FENCE;
	}
	return true;
}

/* Who of those whom this member speaks for enters: of each side, and the root. */
static void count_enters(hb_model *m, const struct hb__part *p, uint32_t id, struct told *t)
{
	const hb_collective *c = &m->collectives.at[id];
	const hb_group *g = &m->groups.at[c->group];
	if (c->root != HB_NO && hb__speaks(p, c->root))
		t->root_enters = hb_collective_enter(m, id, c->root).line != HB_NO;
	if (!g->remote_size)
		return;
	for (uint32_t i = 0; i < g->size + g->remote_size; i++) {
		uint32_t process = i < g->size ? g->member[i] : g->remote[i - g->size];
		if (process != HB_NO && hb__speaks(p, process) && hb_collective_enter(m, id, process).line != HB_NO)
			t->from[i >= g->size]++;
	}
}

static struct told *tell(hb_model *m, const struct hb__part *p)
{
	struct told *told = calloc(m->collectives.n + 1, sizeof *told);
	for (uint32_t i = 0; told && i < m->collectives.n; i++) {
		const hb_collective *c = &m->collectives.at[i];
		told[i] = (struct told){.what = HB_NO,
			.group = c->group,
			.number = c->number,
			.root = c->root,
			.enters = c->enters,
			.exits = c->exits,
			.function = c->function,
			.process = c->process,
			.base = c->base,
			.kind = m->collective_kind.at[i],
			.order = (uint8_t)c->order,
			.both_sides = c->both_sides,
			.differs = c->differs};
		count_enters(m, p, i, &told[i]);
	}
	if (told)
		take_keys(m, told);
	return told;
}

/* ---- putting them together ---- */

struct together {
	hb_model *m;
	struct hb__table of; /* by key; of a regular one the kind 0, with group and number */
	VEC(struct told) all;
	uint32_t *number; /* of one member's: in `all` */
};

static void add(struct told *a, const struct told *b)
{
	if (a->base != b->base || (b->root != HB_NO && a->root != HB_NO && a->root != b->root))
		a->differs = true;
	a->differs |= b->differs;
	a->root = a->root == HB_NO ? b->root : a->root;
	if (a->fence ? b->order == HB_ORDER_NONE : a->order == HB_ORDER_NONE)
		a->order = b->order;
	a->enters += b->enters;
	a->exits += b->exits;
	a->from[0] += b->from[0];
	a->from[1] += b->from[1];
	a->root_enters |= b->root_enters;
}

static bool put(struct together *t, const struct told *one, uint32_t i)
{
	struct hb__key key = {0, (uint64_t)one->number << 32 | one->group};
	if (one->kind != HB__REGULAR)
		key = one->what == HB_NO ? one->key : key_with(one->key, t->number[one->what]);
	struct hb__cell *cell = hb__place(&t->of, key);
	if (!cell)
		return false;
	if (cell->value != HB_NO) {
		add(&t->all.at[cell->value], one);
	} else {
		if (t->all.n >> 28 || !VEC_PUSH(&t->all, *one))
			return false;
		cell->value = (uint32_t)t->all.n - 1;
	}
	t->number[i] = cell->value;
	return true;
}

static bool put_all(struct together *t, struct hb__part *p, const struct told *told, const size_t *bytes)
{
	for (uint32_t i = 0; i < p->team->size; i++) {
		size_t n = bytes[i] / sizeof *told;
		free(t->number);
		t->number = malloc((n + 1) * sizeof *t->number);
		for (uint32_t k = 0; t->number && k < n; k++)
			if (!put(t, &told[k], k))
				return false;
		if (!t->number)
			return false;
		told += n;
		if (i == p->team->rank) {
			p->collective = t->number;
			t->number = NULL;
		}
	}
	return true;
}

static bool all_here(const hb_group *g)
{
	for (uint32_t i = 0; i < g->size; i++)
		if (g->member[i] == HB_NO)
			return false;
	return true;
}

static bool keep(hb_model *m, struct hb__part *p, const struct together *t)
{
	p->nmeetings = (uint32_t)t->all.n;
	p->meetings = calloc(t->all.n + 1, sizeof *p->meetings);
	for (size_t i = 0; p->meetings && i < t->all.n; i++) {
		const struct told *c = &t->all.at[i];
		const hb_group *g = &m->groups.at[c->group];
		p->meetings[i] =
			(struct hb__meeting){c->group, c->root, c->enters, c->exits, {c->from[0], c->from[1]}, c->order,
				g->remote_size != 0, c->both_sides, c->root_enters, c->number, c->function, c->process};
		bool fewer = c->order == HB_ORDER_ALL && c->exits && !g->remote_size && c->enters < g->size;
		p->differ += c->differs;
		p->absent += fewer && all_here(g);
	}
	return p->meetings != NULL;
}

bool hb__part_collectives(hb_model *m, struct hb__part *p)
{
	struct together t = {.m = m};
	size_t *bytes = calloc(p->team->size, sizeof *bytes);
	struct told *own = tell(m, p), *all = NULL;
	bool good = bytes && own;
	if (good)
		all = p->team->gather(p->team->user, own, m->collectives.n * sizeof *own, bytes);
	good = good && all && put_all(&t, p, all, bytes) && keep(m, p, &t);
	free(all);
	free(own);
	free(bytes);
	free(t.number);
	free(t.of.at);
	free(t.all.at);
	return good;
}
