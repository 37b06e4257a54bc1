/* Processes that met each other: which MPI_Comm_accept and which MPI_Comm_connect, and which two MPI_Comm_join, were one. Both
 * sides recorded the same text, the port or the connection. What more they must have in common: each other's sizes, time, and,
 * of processes that are known already, each other's members. */
#include <stdlib.h>
#include <string.h>

#include "model/world/crossing.h"

#define SKEW_NS UINT64_C(60000000000) /* by which the clocks of two hosts may differ */

static const struct hb__bridge_at *at(const struct hb__crossings *x, size_t door) { return &x->bridge[x->door[door]]; }
static bool open(const struct hb__crossings *x, size_t door) { return at(x, door)->crossing == HB_NO; }
static bool joins(const struct hb__bridge_at *b) { return b->b->kind == HB_BRIDGE_JOINED; }

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* Doors of one name stand together, those who accept before those who connect. */
static int by_name(const void *a, const void *b, void *user)
{
	const struct hb__crossings *x = user;
	const struct hb__bridge_at *p = &x->bridge[*(const uint32_t *)a], *q = &x->bridge[*(const uint32_t *)b];
	int c = order(joins(p), joins(q));
	c = c ? c : strcmp(p->b->port, q->b->port);
	c = c ? c : order(p->b->kind, q->b->kind);
	c = c ? c : order(p->b->entered, q->b->entered);
	return c ? c : order(*(const uint32_t *)a, *(const uint32_t *)b);
}

bool hb__list_doors(struct hb__crossings *x)
{
	x->door = malloc((x->bridges + 1) * sizeof *x->door);
	for (size_t i = 0; x->door && i < x->bridges; i++) {
		const hb_bridge *b = x->bridge[i].b;
		bool meets =
			b->kind == HB_BRIDGE_ACCEPTED || b->kind == HB_BRIDGE_CONNECTED || b->kind == HB_BRIDGE_JOINED;
		if (meets && *b->port) /* it is known at the root alone */
			x->door[x->doors++] = (uint32_t)i;
	}
	if (x->door)
		qsort_r(x->door, x->doors, sizeof *x->door, by_name, x);
	return x->door;
}

/* ---- whether two can be one ---- */

/* Of a large group the first 1000 remote members are recorded, or 4000 local ones. */
static bool sizes_fit(const hb_comm *a, const hb_comm *b)
{
	return a->remote_size == b->size || (a->remote_size == 1000 && b->size >= 1000);
}

static bool members_fit(const struct hb__crossings *x, const struct hb__bridge_at *a, const struct hb__bridge_at *b)
{
	for (uint32_t i = 0; i < a->c->remote_size && i < b->c->size; i++) {
		hb_named_process there = hb_worlds_member(x->w, a->log, a->c->remote[i]),
				 here = hb_worlds_member(x->w, b->log, b->c->member[i]);
		if (there.world != HB_NO && here.world != HB_NO && !hb__same_name(there, here))
			return false;
	}
	return true;
}

/* Neither returns before the other one was entered. */
static bool times_fit(const struct hb__crossings *x, const struct hb__bridge_at *a, const struct hb__bridge_at *b)
{
	const hb_log_info *p = hb_log_get_info(x->logs[a->log].log), *q = hb_log_get_info(x->logs[b->log].log);
	uint64_t slack = strcmp(p->host, q->host) ? SKEW_NS : 0;
	return a->b->entered <= b->b->returned + slack && b->b->entered <= a->b->returned + slack;
}

static bool fit(const struct hb__crossings *x, size_t i, size_t k)
{
	const struct hb__bridge_at *a = at(x, i), *b = at(x, k);
	return a != b && times_fit(x, a, b) && sizes_fit(a->c, b->c) && sizes_fit(b->c, a->c) && members_fit(x, a, b) &&
	       members_fit(x, b, a);
}

/* ---- those of one name ---- */

struct name {
	size_t from, other,
		to; /* doors: those who accept, and from `other` on those who connect; of joins all are both */
};

/* The one door of [from, to) that is open and fits; HB_NO: there is none; HB_NO - 1: there are several. */
static size_t only(const struct hb__crossings *x, size_t door, size_t from, size_t to)
{
	size_t found = HB_NO;
	uint64_t end = at(x, door)->b->returned + SKEW_NS;
	for (size_t i = from; i < to && at(x, i)->b->entered <= end; i++) {
		if (!open(x, i) || !fit(x, door, i))
			continue;
		if (found != HB_NO)
			return HB_NO - 1;
		found = i;
	}
	return found;
}

static size_t count_open(const struct hb__crossings *x, size_t from, size_t to)
{
	size_t n = 0;
	for (; from < to; from++)
		n += open(x, from);
	return n;
}

static void meet(struct hb__crossings *x, size_t a, size_t b) { hb__cross(x, x->door[a], x->door[b], 0); }

/* Who accepted is recorded with all that he accepted at the port: each that connected belongs to one of these. The other
 * way round it holds when as many connected as were accepted. The last first: time leaves the fewest for it. */
static void find_certain(struct hb__crossings *x, const struct name *n)
{
	for (bool found = true; found && !x->no_memory;) {
		found = false;
		bool all = count_open(x, n->from, n->other) == count_open(x, n->other, n->to);
		for (size_t i = n->to; i-- > (all ? n->from : n->other) && !x->no_memory;) {
			bool connects = i >= n->other;
			size_t with = !open(x, i) ? HB_NO
				      : connects  ? only(x, i, n->from, n->other)
						  : only(x, i, n->other, n->to);
			if (with >= HB_NO - 1)
				continue;
			meet(x, connects ? with : i, connects ? i : with);
			found = true;
		}
	}
}

/* A connection has two ends, and is joined by them one time after the other. */
static void find_joined(struct hb__crossings *x, const struct name *n)
{
	for (size_t i = n->from; i < n->to && !x->no_memory; i++)
		for (size_t k = i + 1; k < n->to && open(x, i); k++)
			if (open(x, k) && fit(x, i, k))
				meet(x, i, k);
}

static int by_return(const void *a, const void *b, void *user)
{
	const struct hb__crossings *x = user;
	const hb_bridge *p = x->bridge[*(const uint32_t *)a].b, *q = x->bridge[*(const uint32_t *)b].b;
	int c = order(p->returned, q->returned);
	return c ? c : order(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* The k-th that returned with the k-th: nothing else tells them apart, and it is counted. */
static void find_by_time(struct hb__crossings *x, const struct name *n)
{
	uint32_t *left = malloc((n->to - n->from + 1) * sizeof *left);
	size_t accepts = 0, all = 0;
	for (size_t i = n->from; left && i < n->to; i++) {
		if (open(x, i))
			left[all++] = x->door[i];
		accepts = i < n->other ? all : accepts;
	}
	x->no_memory = x->no_memory || !left;
	if (left && all == 2 * accepts) {
		qsort_r(left, accepts, sizeof *left, by_return, x);
		qsort_r(left + accepts, accepts, sizeof *left, by_return, x);
		for (size_t i = 0; i < accepts && !x->no_memory; i++) {
			const struct hb__bridge_at *a = &x->bridge[left[i]], *b = &x->bridge[left[accepts + i]];
			if (!times_fit(x, a, b) || !sizes_fit(a->c, b->c) || !sizes_fit(b->c, a->c) ||
				!members_fit(x, a, b) || !members_fit(x, b, a))
				continue;
			hb__cross(x, left[i], left[accepts + i], 0);
			x->w->by_time++;
		}
	}
	free(left);
}

void hb__find_meetings(struct hb__crossings *x, bool late)
{
	struct name n = {0};
	for (; n.from < x->doors && !x->no_memory; n.from = n.to) {
		const struct hb__bridge_at *first = at(x, n.from);
		n.other = HB_NO;
		for (n.to = n.from; n.to < x->doors && joins(at(x, n.to)) == joins(first) &&
				    !strcmp(at(x, n.to)->b->port, first->b->port);
			n.to++)
			if (n.other == HB_NO && at(x, n.to)->b->kind != HB_BRIDGE_ACCEPTED)
				n.other = n.to;
		n.other = n.other == HB_NO ? n.to : n.other;
		if (joins(first))
			find_joined(x, &n);
		else if (late)
			find_by_time(x, &n);
		else
			find_certain(x, &n);
	}
}
