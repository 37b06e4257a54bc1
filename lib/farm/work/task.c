#include "node.h"

#include <stdlib.h>
#include <string.h>

#include "../wire/said.h"

/* A task that was split here: what has come of its parts. */
struct join {
	struct entry whole;
	struct join *next;    /* in the list of free ones */
	struct join *earlier; /* in that of all */
	int parts, come;
	int is_aside; /* a part has no result */
	struct {
		struct parcel *parcel;
		struct item *item;
	} result[DEGREE_MOST];
};
static struct join *joins_free, *joins_all;

volatile uintptr_t hb_farm_calling;

struct hb_farm_out {
	const struct item *from; /* the task that is worked at */
	struct join *join;       /* split: of the parts; else: where the result is wanted; null: on the way back */
	int is_split;
	int most, count;
	uint64_t bytes;
	/* The result, when it is not in a batch of the way back. */
	struct parcel *parcel;
	struct item *item;
};

static struct join *new_join(struct entry whole)
{
	struct join *join = joins_free;
	if (join)
		joins_free = join->next;
	else if (!(join = malloc(sizeof *join)))
		farm_no_memory();
	else
		join->earlier = joins_all, joins_all = join;
	join->whole = whole;
	join->parts = join->come = join->is_aside = 0;
	return join;
}

void task_forget(void)
{
	while (joins_all) {
		struct join *earlier = joins_all->earlier;
		free(joins_all);
		joins_all = earlier;
	}
	joins_free = NULL;
}

/* Whether a result may go into the batch of the way back at once. */
static int goes_back(void) { return node.back && (farm.node > 0 || (!node.results.count && node.back->open > 0)); }

/* Room for the result of a task, on its way or in memory of this process. */
static struct item *result_item(const struct item *from, uint64_t size, struct join *join, struct parcel **ret_parcel)
{
	struct item *item;
	*ret_parcel = NULL;
	if (!join && goes_back()) {
		item = link_item(node.back, size);
		node.back->open--;
		node.finished += !farm.node;
	} else {
		item = node_item(size, ret_parcel);
	}
	*item = *from;
	item->kind = ITEM_RESULT;
	item->size = size;
	return item;
}

static void join_results(struct join *join);

/* A result that lies here goes to its join, or to those that wait for the way back. */
static void keep(struct join *join, uint64_t part, struct parcel *parcel, struct item *item)
{
	if (!join) {
		queue_put(&node.results, parcel, item, NULL);
		node.finished++;
		if (!node.back && farm.saying)
			said_of_message(RESULT_SENT, item, NODE_RECEIVER);
		return;
	}
	int at = (int)(part % (uint64_t)farm.settings.number[KEY_DEGREE]);
	join->result[at].parcel = parcel ? parcel_hold(parcel) : NULL;
	join->result[at].item = item;
	join->is_aside |= !parcel;
	if (++join->come == join->parts)
		join_results(join);
}

/* There is no result: the task is counted where it came from, and the farm goes on. */
static void no_result(struct entry entry)
{
	if (entry.join) {
		keep(entry.join, entry.item->part, NULL, NULL);
	} else if (farm.node > 0) {
		struct item *item = link_item(node.back, 0);
		*item = *entry.item;
		item->kind = ITEM_ASIDE;
		item->size = 0;
	} else {
		node.finished++;
		node.aside++;
	}
	parcel_drop(entry.parcel);
}

void task_put_aside(struct entry entry)
{
	struct counts *c = &farm.counts;
	if (c->aside < ASIDE_MOST) {
		c->aside_task[c->aside].task = entry.item->task;
		c->aside_task[c->aside].level = entry.item->level;
		c->aside_task[c->aside].part = entry.item->part;
	}
	c->aside++;
	no_result(entry);
}

void task_is_aside(struct entry entry) { no_result(entry); }

void task_is_done(struct entry entry, struct parcel *parcel, struct item *result)
{
	if (!entry.join && goes_back()) {
		struct parcel *none;
		struct item *item = result_item(entry.item, result->size, NULL, &none);
		memcpy(item_data(item), item_data(result), result->size);
	} else {
		result->ticket = entry.item->ticket;
		keep(entry.join, entry.item->part, parcel, result);
	}
	parcel_drop(entry.parcel);
}

/* Sees to it that there is a result, if an empty one, and hands it on. */
static void finish(struct hb_farm_out *out)
{
	if (!out->count)
		hb_farm_room(out, 0);
	if (out->parcel) {
		keep(out->join, out->from->part, out->parcel, out->item);
		parcel_drop(out->parcel);
	}
}

/* All whose cost decides where they are computed. Of the others some, for the report and for the windows. */
static int is_timed(void)
{
	return node_may_keep() || node.cost.typical > COST_LONG || farm.counts.computed < COST_FIRST ||
	       farm.counts.computed % COST_EVERY == 0;
}

void task_compute(struct entry entry)
{
	struct item *item = entry.item;
	struct hb_farm_out out = {.from = item, .join = entry.join, .most = 1};
	int timed = is_timed();
	double since = timed ? MPI_Wtime() : 0;
	hb_farm_calling = (uintptr_t)farm.program->compute;
	said_begin(SPAN_COMPUTE, item);
	farm.program->compute(item_data(item), item->size, &out);
	if (timed) {
		double took = MPI_Wtime() - since;
		farm.counts.timed++;
		farm.counts.timed_ns += (int64_t)(took * 1e9);
		cost_add(&node.cost, took, (double)item->size);
	}
	farm.counts.computed++;
	if (farm.saying)
		said_of_end(SPAN_COMPUTE, item->task, item->level, item->part, (int64_t)out.bytes);
	finish(&out);
	parcel_drop(entry.parcel);
}

void task_split(struct entry entry)
{
	struct item *item = entry.item;
	int degree = (int)farm.settings.number[KEY_DEGREE];
	struct hb_farm_out out = {.from = item, .join = new_join(entry), .is_split = 1, .most = degree};
	hb_farm_calling = (uintptr_t)farm.program->split;
	said_begin(SPAN_SPLIT, item);
	farm.program->split(item_data(item), item->size, degree, &out);
	farm.counts.split++;
	if (farm.saying)
		said_of_end(SPAN_SPLIT, item->task, item->level, item->part, (int64_t)out.bytes);
	out.join->parts = out.count;
	if (!out.count && farm.status >= 0)
		farm_fail(HB_FARM_BAD_PROGRAM, "split: no part of task %lld was put", (long long)item->task);
}

static void forget_join(struct join *join)
{
	for (int i = 0; i < join->parts; i++)
		if (join->result[i].parcel)
			parcel_drop(join->result[i].parcel);
	join->next = joins_free;
	joins_free = join;
}

static void join_results(struct join *join)
{
	struct entry whole = join->whole;
	if (join->is_aside) {
		forget_join(join);
		no_result(whole);
		return;
	}
	struct item *item = whole.item;
	hb_farm_bytes result[DEGREE_MOST];
	for (int i = 0; i < join->parts; i++)
		result[i] = (hb_farm_bytes){item_data(join->result[i].item), (size_t)join->result[i].item->size};
	struct hb_farm_out out = {.from = item, .join = whole.join, .most = 1};
	hb_farm_calling = (uintptr_t)farm.program->join;
	said_begin(SPAN_JOIN, item);
	farm.program->join(result, join->parts, &out);
	farm.counts.joined++;
	if (farm.saying)
		said_of_end(SPAN_JOIN, item->task, item->level, item->part, (int64_t)out.bytes);
	forget_join(join);
	finish(&out);
	parcel_drop(whole.parcel);
}

static int is_allowed(const struct hb_farm_out *out, size_t size)
{
	const struct settings *s = &farm.settings;
	int key = out->is_split ? KEY_TASK_BYTES : KEY_RESULT_BYTES;
	int64_t most = s->number[key];
	if (farm.status < 0)
		return 0;
	if (out->count == out->most) {
		farm_fail(HB_FARM_BAD_PROGRAM,
			out->is_split ? "split: more than degree = %d parts of task %lld"
				      : "more than %d result of task %lld",
			out->most, (long long)out->from->task);
		return 0;
	}
	if (size > (size_t)(most < 0 ? INT32_MAX / 2 : most)) {
		const char *what = out->is_split ? "a part" : "the result";
		farm_fail(HB_FARM_BAD_PROGRAM, "%s: %s of task %lld has %zu bytes, at most %lld are allowed",
			*s->origin[key] ? s->origin[key]
			: out->is_split ? "task-bytes"
					: "result-bytes",
			what, (long long)out->from->task, size, (long long)(most < 0 ? INT32_MAX / 2 : most));
		return 0;
	}
	return 1;
}

void *hb_farm_room(hb_farm_out *out, size_t size)
{
	if (!is_allowed(out, size))
		return NULL;
	struct parcel *parcel;
	struct item *item;
	if (out->is_split) {
		item = node_item(size, &parcel);
		*item = *out->from;
		item->size = size;
		item->level++;
		item->part = item->part * (uint64_t)farm.settings.number[KEY_DEGREE] + (uint64_t)out->count;
		queue_put(&node.ready, parcel, item, out->join);
	} else {
		item = result_item(out->from, size, out->join, &parcel);
		out->item = item;
		out->parcel = parcel ? parcel_hold(parcel) : NULL;
	}
	out->count++;
	out->bytes += size;
	return item_data(item);
}

int hb_farm_put(hb_farm_out *out, const void *data, size_t size)
{
	void *room = hb_farm_room(out, size);
	if (!room)
		return -1;
	if (size)
		memcpy(room, data, size);
	return 0;
}

int hb_farm_give(hb_farm_out *out, void *data, size_t size, void (*release)(void *))
{
	int failed = hb_farm_put(out, data, size);
	if (release)
		release(data);
	return failed;
}
