/* A history against a model: which key an event belongs to, what is left of its pattern behind it, and what that says in the end. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/pattern/check/first.h"
#include "rules/pattern/check/keys.h"

#define NODES 4000000             /* that one event may cost */
#define ANSWERS 2000000           /* of whether there is a way through a call: then they are forgotten */
#define LARGE (32 * HB__CHUNK)    /* expressions: then those of keys that wait are packed */
#define LARGEST (512 * HB__CHUNK) /* the same, when it turns out that they did not wait long */
#define FEW 1000                  /* states: that tell nothing of the others */

struct open { /* a key whose state must be kept as an expression */
	uint32_t part, task;
	bool used; /* since expressions were copied last */
};
struct hb_pattern_check {
	struct hb__engine e;
	struct hb__keys *part; /* of each part of run */
	struct open *open;
	struct hb__note *note;
	size_t nopen, open_room, nnote, note_room;
	struct hb__packer packer;
	size_t large, packed,
		unpacked; /* bytes (0: any, after each event); how many states, since `large` is as it is */
	hb_pattern_sum sum;
	struct hb__first first;
};

/* ---- states ---- */

/* Out of the list of those whose state must be kept. */
static void leave(hb_pattern_check *c, struct hb__task *t, uint32_t open)
{
	struct open last = c->open[--c->nopen];
	c->open[t->open] = last;
	c->part[last.part].task[last.task].open = t->open;
	t->open = open;
}

static bool set_state(hb_pattern_check *c, uint32_t part, uint32_t number, hb__node *state)
{
	struct hb__task *t = &c->part[part].task[number];
	bool keep = state && state != &hb__empty;
	t->state = state;
	if (keep == (t->open != HB_NO)) {
		if (keep)
			c->open[t->open].used = true;
		return true;
	}
	if (keep) {
		if (!HB_GROW(c->open, c->open_room, c->nopen + 1))
			return hb__pattern_no_memory(c->e.p);
		t->open = (uint32_t)c->nopen;
		c->open[c->nopen++] = (struct open){part, number, true};
		return true;
	}
	leave(c, t, HB_NO);
	return true;
}

static const hb__value *key_of(const hb_pattern_check *c, uint32_t part, uint32_t number)
{
	return c->part[part].key + (size_t)number * c->part[part].nkeys;
}

/* False: out of memory; then the key is as one that is wrong, and the model has failed. */
static bool pack(hb_pattern_check *c, struct open at)
{
	struct hb__task *t = &c->part[at.part].task[at.task];
	struct hb__packed *packed =
		hb__pack_state(&c->packer, t->state, key_of(c, at.part, at.task), c->part[at.part].nkeys);
	t->packed = packed;
	leave(c, t, packed ? HB__PACKED : HB_NO);
	c->packed++;
	return packed || hb__pattern_no_memory(c->e.p);
}

static bool unpack(hb_pattern_check *c, uint32_t part, uint32_t number)
{
	struct hb__task *t = &c->part[part].task[number];
	struct hb__packed *packed = t->packed;
	hb__node *state = hb__unpack_state(&c->e, &c->packer, packed, key_of(c, part, number));
	if (c->e.p->failed)
		return false;
	c->unpacked++;
	t->open = HB_NO;
	hb__packed_free(&c->packer, packed);
	return set_state(c, part, number, state);
}

/* Forgets what no state needs any more. When there are many expressions, those of keys without an event since the last time are packed, so
 * that they are no more than what the events since then made. Where every second one is wanted again, it pays to keep more. */
static bool tidy(hb_pattern_check *c)
{
	struct hb__arena old;
	if (c->large && c->e.arena.used < c->e.arena.limit)
		return true;
	if (c->large < LARGEST && c->unpacked > c->packed / 2 + FEW) {
		c->large *= 2;
		c->packed = c->unpacked = 0;
	}
	bool packing = c->e.arena.used >= c->large;
	c->e.budget = UINT32_MAX;
	hb__copy_begin(&c->e, &old);
	for (size_t i = 0; i < c->nopen && !c->e.p->failed;) {
		struct open *o = &c->open[i];
		struct hb__task *t = &c->part[o->part].task[o->task];
		if (packing && (!o->used || !c->large)) {
			pack(c, *o);
			continue;
		}
		o->used = false;
		t->state = hb__copy_node(&c->e, t->state);
		i++;
	}
	hb__copy_end(&c->e, &old);
	return !c->e.p->failed;
}

static struct hb__note *note_of(hb_pattern_check *c, struct hb__task *t)
{
	if (t->note == HB_NO) {
		if (!HB_GROW(c->note, c->note_room, c->nnote + 1))
			return hb__pattern_no_memory(c->e.p);
		c->note[c->nnote] = (struct hb__note){HB_PATTERN_NONE, HB_PATTERN_NONE, HB_PATTERN_NONE, false, false};
		t->note = (uint32_t)c->nnote++;
	}
	return &c->note[t->note];
}

static void before_work(hb_pattern_check *c)
{
	c->e.p->steps = 0;
	c->e.depth = c->e.asking = 0;
	c->e.budget = NODES;
	c->e.undecided = c->e.assumed = false;
	if (c->e.nknown > ANSWERS) {
		free(c->e.known);
		c->e.known = NULL;
		c->e.nknown = c->e.known_slots = 0;
	}
}

/* What a key begins with. */
static bool start(hb_pattern_check *c, uint32_t part, uint32_t number)
{
	const struct hb__part *of = &c->e.p->parts[part];
	struct hb__env *env = hb__cell(&c->e, HB__N_ENV, sizeof *env + of->nslots * sizeof *env->slot);
	if (!env)
		return false;
	memset(env->slot, 0, of->nslots * sizeof *env->slot);
	if (of->nkeys)
		memcpy(env->slot, key_of(c, part, number), of->nkeys * sizeof *env->slot);
	hb__node *state = hb__expand(&c->e, of->body, hb__finish_env(env, of->nslots), NULL);
	if (c->e.undecided) {
		struct hb__note *n = note_of(c, &c->part[part].task[number]);
		if (n)
			n->undecided = true;
		state = NULL;
	}
	return !c->e.p->failed && set_state(c, part, number, state);
}

/* ---- feeding ---- */

static bool values_of(hb_pattern_check *c, const hb_pattern_event *event, hb__value *to)
{
	for (uint32_t i = 0; i < c->e.nkeys; i++) {
		to[i] = event->key[i].text ? HB__TEXTS + (event->key[i].number & UINT32_MAX) : event->key[i].number;
		if (!event->key[i].text && !hb__is_number(to[i]))
			return hb__wrong(c->e.p, c->e.p->bindings[event->binding].line, 1,
				"key %u of an event is too low for a model", i + 1);
	}
	return true;
}

/* The task of the event's keys. HB_NO: they are of none, or it failed. */
static uint32_t task_of(hb_pattern_check *c, const struct hb__route *r, const hb__value *value)
{
	const struct hb__part *part = &c->e.p->parts[r->part];
	hb__value key[HB__SLOTS];
	bool new;
	for (uint32_t i = 0; i < part->nkeys; i++) {
		key[i] = value[r->at[i]];
		if (!part->in[i])
			continue;
		hb__value set = hb__eval_set(c->e.p, part->in[i], NULL);
		if (c->e.p->failed || !hb__is_number(key[i]) || !hb__member(&c->e.p->values, set, key[i]))
			return HB_NO;
	}
	uint32_t number = hb__key(&c->part[r->part], key, &new);
	if (number == HB_NO)
		hb__pattern_no_memory(c->e.p);
	else if (new)
		start(c, r->part, number);
	return c->e.p->failed ? HB_NO : number;
}

/* What is left behind the event. Whether a receive comes behind its send is asked only when several sends could be meant. */
static hb__node *step(struct hb__engine *e, hb__node *state)
{
	e->several_sent = e->misordered = false;
	e->ask_sent = e->peer < 0; /* it may be of another sender */
	e->sent = HB_PATTERN_NONE;
	hb__node *next = hb__derive(e, state);
	if (!e->several_sent || e->ask_sent || e->p->failed || e->undecided)
		return next;
	e->ask_sent = true;
	e->misordered = false;
	return hb__derive(e, state);
}

static bool fit(hb_pattern_check *c, uint32_t part, uint32_t number)
{
	struct hb__engine *e = &c->e;
	struct hb__task *t = &c->part[part].task[number];
	struct hb__note *known = t->note == HB_NO ? NULL : &c->note[t->note];
	if (known && (known->undecided || known->wrong != HB_PATTERN_NONE))
		return true;
	if (t->open == HB__PACKED && !unpack(c, part, number))
		return false;
	before_work(c);
	hb__node *next = t->state ? step(e, t->state) : NULL;
	if (e->p->failed)
		return false;
	if (next && !e->undecided) {
		t->events++;
		struct hb__note *n = next->cell.several ? note_of(c, t) : known;
		if (n && (!next->cell.several || n->ambiguous_at == HB_PATTERN_NONE))
			n->ambiguous_at = next->cell.several ? e->id : HB_PATTERN_NONE;
		return set_state(c, part, number, next);
	}
	struct hb__note *n = note_of(c, t);
	if (!n)
		return false;
	n->undecided = e->undecided;
	if (n->undecided)
		return set_state(c, part, number, NULL);
	n->wrong = e->id;
	n->misordered = e->misordered;
	if (e->misordered)
		n->misordered_by = e->misordered_by;
	return true;
}

hb_status hb_pattern_feed(hb_pattern_check *c, const hb_pattern_event *event, hb_error *err)
{
	struct hb__engine *e = &c->e;
	const struct hb__route *r = &e->p->routes[event->binding];
	hb__value value[HB__SLOTS];
	if (r->part == HB_NO) {
		c->sum.foreign++;
		return HB_OK;
	}
	before_work(c);
	e->nkeys = e->p->bindings[event->binding].nkeys;
	if (!tidy(c) || !values_of(c, event, value))
		return hb__pattern_failure(e->p, err);
	before_work(c);
	uint32_t number = task_of(c, r, value);
	if (number == HB_NO) {
		c->sum.foreign += !e->p->failed;
		return hb__pattern_failure(e->p, err);
	}
	c->sum.events++;
	e->binding = event->binding;
	e->half = event->half;
	e->process = event->process;
	e->peer = event->peer;
	e->key = value;
	e->id = event->id;
	e->label = hb__label(event->binding, value, e->nkeys);
	e->bits = hb__event_bits(e->label, event->half, event->process);
	e->process_bit = hb__process_bit(event->process);
	fit(c, r->part, number);
	return hb__pattern_failure(e->p, err);
}

/* ---- beginning and end ---- */

/* Without a way to ask, the order in which they were fed. */
static bool fed_order(void *user, uint64_t a, uint64_t b)
{
	(void)user;
	(void)a;
	(void)b;
	return true;
}

hb_status hb_pattern_begin(
	hb_pattern *p, hb_pattern_before *before, void *user, hb_pattern_check **ret_check, hb_error *err)
{
	hb_pattern_check *c = calloc(1, sizeof *c);
	if (!c || !(c->part = calloc(p->nparts + 1, sizeof *c->part))) {
		free(c);
		hb__pattern_no_memory(p);
		return hb__pattern_failure(p, err);
	}
	c->e = (struct hb__engine){.p = p, .before = before ? before : fed_order, .user = user};
	c->e.arena.limit = 8 * HB__CHUNK;
	c->large = LARGE;
	for (uint32_t i = 0; i < p->nparts && !p->failed; i++) {
		bool new;
		c->part[i].nkeys = p->parts[i].nkeys;
		if (p->parts[i].nkeys)
			continue;
		before_work(c);
		if (hb__key(&c->part[i], NULL, &new) == HB_NO)
			hb__pattern_no_memory(p);
		else if (start(c, i, 0) && !c->part[i].task[0].state && c->part[i].task[0].note == HB_NO)
			hb__wrong(p, p->parts[i].line, 1,
				"no run can fit: conditions and sets leave no way through the pattern");
	}
	if (!p->failed) {
		*ret_check = c;
		return HB_OK;
	}
	hb_pattern_check_close(c);
	return hb__pattern_failure(p, err);
}

void hb__pack_always(hb_pattern_check *c) { c->large = 0; }

void hb_pattern_check_close(hb_pattern_check *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->e.p->nparts; i++) {
		for (size_t k = 0; k < c->part[i].n; k++)
			if (c->part[i].task[k].open == HB__PACKED)
				hb__packed_free(&c->packer, c->part[i].task[k].packed);
		hb__keys_free(&c->part[i]);
	}
	hb__packer_free(&c->packer);
	free(c->part);
	free(c->open);
	free(c->note);
	free(c->e.known);
	hb__nodes_free(&c->e.arena);
	hb__first_free(&c->first);
	free(c);
}

/* ---- verdicts ---- */

/* The keys of sets that never came. */
static bool add_missing(hb_pattern_check *c, uint32_t part)
{
	const struct hb__part *of = &c->e.p->parts[part];
	hb__value key[HB__SLOTS];
	size_t at[HB__SLOTS] = {0}, n[HB__SLOTS];
	if (!of->nkeys)
		return true;
	for (uint32_t i = 0; i < of->nkeys; i++) {
		hb__value set = of->in[i] ? hb__eval_set(c->e.p, of->in[i], NULL) : 0;
		if (!of->in[i] || c->e.p->failed)
			return !c->e.p->failed;
		if (!hb__members(&c->e.p->values, set, &n[i]) || !n[i])
			return true;
	}
	for (uint32_t k = 0; k < of->nkeys;) {
		for (uint32_t i = 0; i < of->nkeys; i++)
			key[i] = hb__members(&c->e.p->values, hb__eval_set(c->e.p, of->in[i], NULL), &n[i])[at[i]];
		bool new;
		before_work(c);
		uint32_t number = hb__key(&c->part[part], key, &new);
		if (number == HB_NO)
			return hb__pattern_no_memory(c->e.p);
		if (!tidy(c) || (new && !start(c, part, number)))
			return false;
		for (k = 0; k < of->nkeys && ++at[k] == n[k]; k++)
			at[k] = 0;
	}
	return true;
}

struct sorting {
	const hb_pattern *p;
	const struct hb__keys *keys;
};

static int by_key(const void *a, const void *b, void *user)
{
	const struct sorting *s = user;
	const hb__value *x = s->keys->key + (size_t) * (const uint32_t *)a * s->keys->nkeys;
	const hb__value *y = s->keys->key + (size_t) * (const uint32_t *)b * s->keys->nkeys;
	int order = 0;
	for (uint32_t i = 0; !order && i < s->keys->nkeys; i++)
		order = hb__compare_values_of(&s->p->values, x[i], y[i]);
	return order;
}

static hb_pattern_state state_of(const struct hb__task *t, const struct hb__note *n)
{
	if (n && n->undecided)
		return HB_PATTERN_UNDECIDED;
	if (n && n->wrong != HB_PATTERN_NONE)
		return HB_PATTERN_WRONG;
	bool may_end = t->open == HB__PACKED ? hb__packed_nullable(t->packed) : t->state && t->state->cell.nullable;
	return may_end ? HB_PATTERN_COMPLETE : HB_PATTERN_STOPPED;
}

static void count(hb_pattern_sum *sum, hb_pattern_state state)
{
	sum->keys++;
	sum->complete += state == HB_PATTERN_COMPLETE;
	sum->stopped += state == HB_PATTERN_STOPPED;
	sum->wrong += state == HB_PATTERN_WRONG;
	sum->undecided += state == HB_PATTERN_UNDECIDED;
}

/* False: stop, or it failed. */
static bool judge(hb_pattern_check *c, uint32_t part, uint32_t number, bool all, hb_pattern_visit *visit, void *user)
{
	const struct hb__part *of = &c->e.p->parts[part];
	const struct hb__task *t = &c->part[part].task[number];
	const struct hb__note *n = t->note == HB_NO ? NULL : &c->note[t->note];
	hb_pattern_value key[HB__SLOTS];
	hb_pattern_verdict v = {.state = state_of(t, n),
		.nkeys = of->nkeys,
		.key = key,
		.key_name = of->key_name,
		.events = t->events,
		.ambiguous_at = n ? n->ambiguous_at : HB_PATTERN_NONE,
		.wrong = n ? n->wrong : HB_PATTERN_NONE,
		.misordered = n && n->misordered,
		.misordered_by = n ? n->misordered_by : HB_PATTERN_NONE};
	v.ambiguous = v.ambiguous_at != HB_PATTERN_NONE && v.state != HB_PATTERN_COMPLETE;
	count(&c->sum, v.state);
	if (!visit || (v.state == HB_PATTERN_COMPLETE && !all))
		return true;
	for (uint32_t i = 0; i < of->nkeys; i++) {
		hb__value k = c->part[part].key[(size_t)number * of->nkeys + i];
		key[i] = (hb_pattern_value){hb__is_text(k), hb__is_text(k) ? k - HB__TEXTS : k};
	}
	if (v.state == HB_PATTERN_STOPPED || v.state == HB_PATTERN_WRONG) {
		before_work(c);
		if (!tidy(c))
			return false;
		hb__node *state = t->open == HB__PACKED
					  ? hb__unpack_state(&c->e, &c->packer, t->packed, key_of(c, part, number))
					  : t->state;
		before_work(c);
		if (c->e.p->failed || !hb__first_of(&c->e, state, &c->first))
			return false;
		v.nnext = (uint32_t)c->first.n;
		v.next = c->first.next;
	}
	return visit(user, &v);
}

static bool judge_part(hb_pattern_check *c, uint32_t part, bool all, hb_pattern_visit *visit, void *user)
{
	struct hb__keys *k = &c->part[part];
	uint32_t *order = malloc((k->n + 1) * sizeof *order);
	if (!order)
		return hb__pattern_no_memory(c->e.p);
	for (uint32_t i = 0; i < k->n; i++)
		order[i] = i;
	struct sorting s = {c->e.p, k};
	qsort_r(order, k->n, sizeof *order, by_key, &s);
	bool go_on = true;
	for (size_t i = 0; i < k->n && go_on; i++)
		go_on = judge(c, part, order[i], all, visit, user);
	free(order);
	return go_on;
}

hb_status hb_pattern_end(
	hb_pattern_check *c, bool all, hb_pattern_visit *visit, void *user, hb_pattern_sum *ret_sum, hb_error *err)
{
	c->sum = (hb_pattern_sum){.events = c->sum.events, .foreign = c->sum.foreign};
	bool go_on = true;
	for (uint32_t i = 0; i < c->e.p->nparts && go_on; i++)
		go_on = add_missing(c, i) && judge_part(c, i, all, visit, user);
	*ret_sum = c->sum;
	return hb__pattern_failure(c->e.p, err);
}
