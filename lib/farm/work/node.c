#include "node.h"

#include <stdlib.h>
#include <string.h>

#include "../spec/tree.h"
#include "../wire/said.h"
#include "lost.h"

struct node node;

/* Tasks: ahead for each node on the way to node 0; and those kept that are computed before the next look for messages. */
enum { REACH = 2, KEPT_AT_ONCE = 32 };

static uint32_t new_slot(struct entry entry, int child)
{
	if (!node.slots_free) {
		uint32_t slots = node.slots ? 2 * node.slots : 64;
		struct slot *more = realloc(node.slot, slots * sizeof *more);
		if (!more)
			farm_no_memory();
		node.slot = more;
		/* number 0 is the end of the list of free ones */
		for (uint32_t i = node.slots ? node.slots : 1; i < slots; i++) {
			more[i] = (struct slot){.child = -1, .next = node.slots_free};
			node.slots_free = i;
		}
		node.slots = slots;
	}
	uint32_t number = node.slots_free;
	node.slots_free = node.slot[number].next;
	node.slot[number].entry = entry;
	node.slot[number].child = child;
	node.slot[number].stale = 0;
	return number;
}

void free_slot(uint32_t number)
{
	node.slot[number].child = -1;
	node.slot[number].next = node.slots_free;
	node.slots_free = number;
}

void node_give(struct entry entry, int child)
{
	struct link *link = &node.child[child];
	struct item *item = link_item(link, entry.item->size);
	memcpy(item, entry.item, sizeof *item + entry.item->size);
	item->ticket = new_slot(entry, child);
	link->open--;
	link->out++;
}

/* The child that has least, for the size of its subtree, of those that want more; -1: none. */
static int hungriest(void)
{
	int best = -1;
	for (int i = 0; i < node.children; i++) {
		const struct link *a = &node.child[i], *b = &node.child[best < 0 ? i : best];
		if (a->open > 0 && !a->tries && (best < 0 || a->out * b->weight < b->out * a->weight))
			best = i;
	}
	return best;
}

static int is_farm(void) { return !farm.settings.number[KEY_DEPTH]; }

static int can_split(const struct item *item) { return item->level < farm.settings.number[KEY_DEPTH]; }

/* Only there: what node 0 gives away is worth its way for all below. */
int node_may_keep(void) { return !farm.node && is_farm() && !window_is_fixed(); }

/* Whether tasks stay here. When they become longer, or only seem so because another program had the processor, small windows begin anew:
 * the children get few until it is clear. */
static void weigh(void)
{
	int kept = node.keeps;
	if (!node_may_keep())
		return;
	node.keeps = cost_is_small(&node.cost, kept);
	if (kept && !node.keeps)
		window_shrink(&node.window, WINDOW_FIRST, node.finished, farm.settings.number[KEY_NODES]);
}

/* What a child and those below it may have: not all that they have asked for, when windows are smaller now. */
static int64_t child_most(const struct link *child)
{
	int64_t each = node.ready.count - 1, window = node.window.size + node.reach_most;
	return child->weight * (each < window || window_is_fixed() ? each : window);
}

/* A farm: what is ready flows to where there is less. A child gets a task while it would not have more for each of its nodes than
 * stay here; the last one stays. */
static int decide_farm(struct entry *ret_mine)
{
	while (node.incoming.count)
		queue_move(&node.ready, &node.incoming);
	while (node.ready.count > 1 && !node.keeps) {
		int child = hungriest();
		if (child < 0 || node.child[child].out >= child_most(&node.child[child]))
			break;
		node_give(queue_get(&node.ready), child);
	}
	if (!node.ready.count)
		return 0;
	*ret_mine = queue_get(&node.ready);
	return 1;
}

/* What an idle node computes: a task as it came; where no other has come and those below have nothing, a part of it. Parts are for the
 * children; a node without any, and one with nothing else, computes them itself. */
static int take_mine(struct entry *ret_mine)
{
	if (node.incoming.count && (node.children || !node.ready.count)) {
		struct entry entry = queue_get(&node.incoming);
		int is_only = !node.incoming.count && !node.ready.count && hungriest() >= 0;
		if (!is_only || !can_split(entry.item)) {
			*ret_mine = entry;
			return 1;
		}
		task_split(entry);
	}
	if (!node.ready.count)
		return 0;
	*ret_mine = queue_get(&node.ready);
	return 1;
}

static void give_parts(void)
{
	for (int child; node.ready.count && (child = hungriest()) >= 0;)
		node_give(queue_get(&node.ready), child);
}

/* Divide and conquer: an idle node computes a task; one that has a task splits the next ones, as long as parts are wanted below, and
 * one ahead. */
static int decide_divide(struct entry *ret_mine)
{
	int has = take_mine(ret_mine);
	give_parts();
	while (has && node.incoming.count && (!node.ready.count || hungriest() >= 0)) {
		if (can_split(queue_first(&node.incoming)->item))
			task_split(queue_get(&node.incoming));
		else
			queue_move(&node.ready, &node.incoming);
		give_parts();
	}
	return has;
}

static int64_t most_ahead(void) { return window_of_time(node.cost.typical); }

/* What it wants to have ahead for itself. What node 0 has from a generator elsewhere is nobody's yet. */
static int64_t ahead(void)
{
	int64_t size = node.window.size;
	return node.up.node == NODE_GENERATOR && node.kept.size > size ? node.kept.size : size;
}

/* Results to gather: of a farm as many more as there are nodes to bring them. No more than are computed soon, where the specification has
 * a window that takes long. */
static int64_t portion_back(void)
{
	int64_t size = node.window.size, portion;
	if (node.keeps)
		return window_portion(node.kept.size);
	portion = window_portion(window_is_fixed() && size > most_ahead() ? most_ahead() : size);
	return portion > 1 && is_farm() ? portion * node.weight : portion;
}

/* What it and those below want to have ahead. */
static int64_t wanted(void)
{
	int64_t want = ahead() + node.reach;
	for (int i = 0; i < node.children && !node.keeps; i++)
		want += node.child[i].open;
	return want;
}

/* Asks the parent for it, when it is worth a message. */
static void ask(int idle)
{
	int64_t more = wanted() - node.ready.count - node.incoming.count - node.asked,
		portion = window_portion(ahead());
	if (more >= portion || (idle && more > 0 && node.asked < portion)) {
		node.up.credits += (uint32_t)more;
		node.up.window = (uint32_t)(2 * portion_back()); /* the generator sends half of it at once */
		node.asked += more;
	}
}

int node_is_full(void) { return node.ready.count + node.incoming.count >= wanted(); }

/* Results that the receiver had no room for. */
static void send_results(void)
{
	while (node.back == &node.keeper && node.results.count && node.back->open > 0) {
		struct entry entry = queue_get(&node.results);
		struct item *item = link_item(node.back, entry.item->size);
		memcpy(item, entry.item, sizeof *item + entry.item->size);
		node.back->open--;
		parcel_drop(entry.parcel);
	}
}

enum { BUSY, IDLE, IDLE_FOR_LONGER };

/* Whether a batch for a child may wait for more: it is small, and the child has enough. */
static int may_wait(const struct link *child)
{
	int64_t portion = window_portion(node.window.size), items = link_items(child);
	return items < portion && child->out - items >= portion * child->weight && is_farm();
}

static void flush(int idle)
{
	for (int i = 0; i < node.children; i++) {
		struct link *child = &node.child[i];
		if (idle == BUSY && !child->flags && may_wait(child))
			continue;
		if (child->batch)
			child->window = (uint32_t)node.window.size;
		link_flush(child);
	}
	if (farm.node > 0 || rank_of(NODE_GENERATOR) >= 0)
		ask(idle >= IDLE);
	struct link *back = node.back;
	if (back == &node.keeper)
		send_results();
	if (back && back->batch && (idle == IDLE_FOR_LONGER || link_items(back) >= portion_back()))
		link_flush(back);
	if (node.up.credits)
		link_flush(&node.up);
}

static void take_items(struct parcel *parcel, int rank)
{
	struct item *item = parcel_first(parcel);
	for (uint32_t i = 0; i < parcel_head(parcel)->items; i++, item = item_next(item)) {
		if (item->kind == ITEM_TASK) {
			node.asked--;
			farm.counts.taken++;
			queue_put(item->deaths ? &node.dangerous : &node.incoming, parcel, item, NULL);
			continue;
		}
		struct slot slot = node.slot[item->ticket];
		struct link *child = link_of(rank);
		free_slot(item->ticket);
		child->out--;
		child->tries = 0;
		farm.counts.passed++;
		if (slot.stale)
			parcel_drop(slot.entry.parcel);
		else if (item->kind == ITEM_ASIDE)
			task_is_aside(slot.entry);
		else
			task_is_done(slot.entry, parcel, item);
	}
}

static void handle(struct parcel *parcel, int rank)
{
	if (!parcel)
		return;
	struct head *head = parcel_head(parcel);
	/* what a dead one has said may come later than what was said by who adopted after it */
	if (head->flags & FLAG_ADOPT && lives(rank))
		lost_adopted_by(rank);
	if (!link_of(rank)) { /* of a dead one */
		parcel_drop(parcel);
		return;
	}
	if (head->window && link_of(rank) == &node.up)
		node.window.size = window_is_fixed() || head->window < most_ahead() ? head->window : most_ahead();
	take_items(parcel, rank);
	if (head->flags & FLAG_END && farm.node > 0)
		node.stopped = 1;
	else if (head->flags & FLAG_END)
		node.total = (int64_t)head->total;
	if (head->flags & FLAG_LEFT)
		node.receiver_left = 1;
	parcel_drop(parcel);
}

/* Node 0: all that was generated has come back and gone on. */
static int all_is_done(void)
{
	if (farm.node || node.total < 0 || node.finished < node.total)
		return 0;
	return !node.back || node.receiver_left || !node.results.count;
}

void node_look(void)
{
	int rank;
	struct parcel *parcel;
	while ((parcel = take(&rank)))
		handle(parcel, rank);
}

static int is_idle(int is_long)
{
	int64_t buried = farm.counts.buried;
	if (is_long)
		lost_look();
	lost_give_suspects();
	flush(IDLE_FOR_LONGER);
	return farm.counts.buried != buried; /* there may be other tasks now, or none */
}

/* A task that nodes have died with is computed here and now, neither split nor handed on. */
static int take_dangerous(struct entry *ret_mine)
{
	if (node.suspects.count)
		lost_give_suspects();
	if (!node.dangerous.count)
		return lost_take_suspect(ret_mine);
	*ret_mine = queue_get(&node.dangerous);
	return 1;
}

/* Kept tasks are computed one after the other; the first that is long ends it. */
static void compute(struct entry mine)
{
	task_compute(mine);
	for (int left = KEPT_AT_ONCE; node.keeps && left && node.ready.count; left--) {
		task_compute(queue_get(&node.ready));
		weigh();
	}
}

static void set_windows(void)
{
	int64_t nodes = farm.settings.number[KEY_NODES];
	window_shrink(&node.window, most_ahead(), node.finished, nodes);
	window_grow(&node.window, node.finished, nodes, most_ahead());
	if (node_may_keep() && node.window.size < window_at_once(node.cost.typical))
		node.window.size = window_at_once(node.cost.typical);
	if (is_farm())
		window_grow(&node.kept, node.finished, 1, window_long(cost_bytes(&node.cost)));
}

void node_step(void)
{
	struct entry mine;
	/* a look costs as much as a short task */
	if (!node.ready.count || ++node.steps >= node.window.size / 8) {
		node.steps = 0;
		node_look();
	}
	weigh();
	if (!farm.node)
		set_windows();
	int has = take_dangerous(&mine);
	if (!has)
		has = is_farm() ? decide_farm(&mine) : decide_divide(&mine);
	flush(BUSY);
	if (has) {
		compute(mine);
	} else if (all_is_done()) {
		node.stopped = 1;
	} else if (!node.stopped) {
		flush(IDLE);
		int rank;
		struct parcel *parcel = take_waiting(&rank, is_idle);
		handle(parcel, rank);
	}
}

void node_run(void)
{
	while (!node.stopped && farm.status >= 0)
		node_step();
	for (int i = 0; i < node.children; i++)
		if (!node.child[i].dead) {
			node.child[i].flags |= FLAG_END;
			link_flush(&node.child[i]);
		}
	if (node.back == &node.keeper) {
		node.back->flags |= FLAG_END;
		node.back->total = (uint64_t)(node.finished - node.aside);
		link_flush(node.back);
	}
	if (node.back)
		farm.counts.untaken = node.results.count;
	farm.counts.window = node.window.size;
}

struct item *node_item(uint64_t size, struct parcel **ret_parcel)
{
	struct item *item = node.arena ? parcel_append(node.arena, size) : NULL;
	if (!item) {
		if (node.arena)
			parcel_drop(node.arena);
		node.arena = parcel_message((size_t)size);
		if (!node.arena)
			farm_no_memory();
		item = parcel_append(node.arena, size);
	}
	*ret_parcel = node.arena;
	return item;
}

static int weight(int root)
{
	int weight = 0;
	for (int i = root; i < farm.settings.number[KEY_NODES]; i++) {
		int at = i;
		while (at > root)
			at = tree_parent(&farm.settings, at);
		weight += at == root;
	}
	return weight;
}

/* Above each node are nodes that compute, and look for messages between two tasks only: what it asks for comes some tasks later. */
static int64_t reach(int which)
{
	int64_t reach = 0;
	for (int i = which; i > 0 && !window_is_fixed(); i = tree_parent(&farm.settings, i))
		reach += REACH;
	return reach;
}

void node_start(void)
{
	const struct settings *s = &farm.settings;
	int nodes = (int)s->number[KEY_NODES];
	node = (struct node){.total = -1, .window = window_first(), .kept = window_first()};
	for (int i = farm.node + 1; i < nodes; i++)
		node.children += tree_parent(s, i) == farm.node;
	node.weight = weight(farm.node);
	node.reach = reach(farm.node);
	node.reach_most = reach(nodes - 1);
	node.child = calloc((size_t)nodes + 1, sizeof *node.child); /* it may adopt any */
	if (!node.child)
		farm_no_memory();
	for (int i = farm.node + 1, n = 0; i < nodes; i++)
		if (tree_parent(s, i) == farm.node) {
			link_start(&node.child[n], i);
			node.child[n++].weight = weight(i);
		}
	if (farm.node > 0 || s->number[KEY_HOST] == HOST_TWO)
		link_start(&node.up, farm.node > 0 ? tree_parent(s, farm.node) : NODE_GENERATOR);
	node.back = farm.node > 0 ? &node.up : NULL;
	if (!farm.node && s->number[KEY_HOST] == HOST_TWO) {
		link_start(&node.keeper, NODE_RECEIVER);
		node.back = &node.keeper;
		node.back->open = window_first().size;
	}
}

void node_end(void)
{
	for (int i = 0; i < node.children; i++)
		link_end(&node.child[i]);
	link_end(&node.up);
	link_end(&node.keeper);
	free(node.child);
	queue_end(&node.incoming);
	queue_end(&node.ready);
	queue_end(&node.results);
	queue_end(&node.suspects);
	queue_end(&node.dangerous);
	for (uint32_t i = 1; i < node.slots; i++)
		if (node.slot[i].child >= 0)
			parcel_drop(node.slot[i].entry.parcel);
	free(node.slot);
	if (node.arena)
		parcel_drop(node.arena);
	task_forget();
}
