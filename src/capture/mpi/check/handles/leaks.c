/* What still lives when MPI_Finalize is called. */
#include <stdlib.h>

#include "capture/mpi/check/handles/handles.h"
#include "capture/mpi/family/family.h"

/* Attributes of MPI_COMM_SELF are deleted in MPI_Finalize: libraries free what they have there, so one looks later. */
static bool later;

void hb__leaks_enter(struct hb__call *c)
{
	bool sets = c->fn->means->does == HB_DOES_SET_ATTRIBUTE && hb__has(c, HB_R_COMM);
	if (sets && (MPI_Comm)hb__arg(c, HB_R_COMM) == hb__known.comm_self)
		later = true;
}

/* Leaks of one place are one remark. */
#define KINDS 512
#define NAMED 4 /* of one place, whose names the reader can say */
struct leaks {
	uint32_t n;
	struct leak {
		enum hb__what what;
		uint32_t site;
		const struct hb__fn *fn;
		uint64_t count;
		uint16_t lane; /* of the first request */
		uint64_t posting;
		uint32_t over, cancel;
		bool active, cancelled, unsure;
		uintptr_t value[NAMED]; /* the first ones */
	} at[KINDS];
};

static struct leak *leak_of(struct leaks *l, const struct leak *key)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].what == key->what && l->at[i].site == key->site && l->at[i].fn == key->fn &&
			l->at[i].active == key->active && l->at[i].cancelled == key->cancelled)
			return &l->at[i];
	if (l->n == KINDS)
		return NULL;
	l->at[l->n] = *key;
	return &l->at[l->n++];
}

static void handle_seen(void *user, const struct hb__held *h)
{
	if (h->what == HB__H_REQUEST)
		return;
	for (const struct hb__making *m = h->made; m; m = m->before) {
		struct leak key = {.what = h->what, .site = m->site, .fn = m->fn};
		struct leak *l = m->quiet ? NULL : leak_of(user, &key);
		if (l && l->count < NAMED)
			l->value[l->count] = h->value;
		if (l)
			l->count++;
	}
}

static bool earlier(const struct leak *a, const struct leak *b)
{
	return a->lane != b->lane ? a->lane < b->lane : a->posting < b->posting;
}

static void request_seen(void *user, const struct hb__request *r)
{
	const struct hb__watch *w = r->watch;
	if (!w)
		return;
	struct leak key = {.what = HB__H_REQUEST,
		.site = w->site,
		.fn = w->fn,
		.lane = w->lane,
		.posting = w->posting,
		.over = w->over_site,
		.cancel = w->cancel_site,
		.active = r->active,
		.cancelled = r->active && r->cancelling};
	struct leak *l = leak_of(user, &key);
	if (!l)
		return;
	key.count = l->count + 1;
	key.unsure = l->unsure | w->unsure;
	if (l->count && !earlier(&key, l)) {
		l->count = key.count;
		l->unsure = key.unsure;
	} else {
		*l = key;
	}
}

/* Requests are visited in no order. */
static int by_posting(const void *a, const void *b) { return earlier(a, b) ? -1 : 1; }

static int number_of(enum hb__what what, uintptr_t value)
{
	const struct hb__comm *comm = what == HB__H_COMM ? hb__comm_find(value) : NULL;
	return comm                     ? comm->number
	       : what == HB__H_DATATYPE ? hb__type_find(value)->number /* it gets one now, and its name is told */
	       : what == HB__H_WIN      ? hb__win_number(value)
					: -1;
}

static void told_object(struct hb__call *c, const struct leak *l)
{
	int64_t at[NAMED];
	hb_numbers numbers = {0, at};
	for (uint64_t i = 0; i < l->count && i < NAMED; i++) {
		int number = number_of(l->what, l->value[i]);
		if (number >= 0)
			at[numbers.n++] = number;
	}
	hb__remark(c, LEAK, .what = hb__what_word(l->what), .made = l->site, .madefn = l->fn,
		.count = (int64_t)l->count, .numbers = numbers, .active = true);
}

static void tell(struct hb__call *c)
{
	static struct leaks all; /* MPI_Finalize is called once */
	if (all.n)
		return;
	hb__handles_alive(handle_seen, &all);
	uint32_t objects = all.n;
	hb__requests_alive(request_seen, &all);
	qsort(all.at + objects, all.n - objects, sizeof *all.at, by_posting);
	for (uint32_t i = 0; i < all.n; i++) {
		const struct leak *l = &all.at[i];
		if (l->what != HB__H_REQUEST)
			told_object(c, l);
		else
			hb__remark(c, LEAK, .what = HB_WHAT_REQUEST, .made = l->site, .madefn = l->fn,
				.count = (int64_t)l->count, .req = {true, l->lane, (int64_t)l->posting},
				.active = l->active, .over = l->over, .unsure = l->unsure, .cancelled = l->cancelled,
				.cancel = l->cancelled ? l->cancel : 0);
	}
}

void hb__check_finalize(struct hb__call *c)
{
	if (!later)
		tell(c);
}

void hb__check_finalized(struct hb__call *c)
{
	if (later)
		tell(c);
}

#define LATE 500 /* told of a process */

int hb__check_freed_late(const struct hb__fn *fn, uintptr_t *a, hb__function next)
{
	static int told;
	bool pointer;
	enum hb__what what = fn->means->frees && fn->means->anytime ? hb__handle_of_param(fn, 0, &pointer) : HB__H_NONE;
	const struct hb__held *h = what && a[0] ? hb__handle_find(what, hb__handle_at(what, (const void *)a[0])) : NULL;
	int code = fn->invoke(next, a);
	if (code != MPI_SUCCESS || !h || !h->made || !hb__definitions_room() || ++told > LATE)
		return code;
	struct hb__making *m = h->made;
	hb__remark_process(FREED_LATE, NULL, .what = hb__what_word(what), .made = m->site, .madefn = m->fn);
	hb__track_lock();
	((struct hb__held *)h)->made = m->before;
	hb__track_unlock();
	return code;
}

void hb__check_left(void)
{
	if (hb__self && hb__self->depth) /* the library ends processes by exit, too */
		hb__remark_process(LEFT_INSIDE, NULL, .text = NULL);
}
