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
		const char *fn;
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

static void requests_seen(struct leaks *all)
{
	hb__track_lock();
	for (const struct hb__watch *w = hb__watches.next; w != &hb__watches; w = w->next) {
		struct leak key = {.what = HB__H_REQUEST,
			.site = w->site,
			.fn = w->fn->name,
			.lane = w->lane,
			.posting = w->posting,
			.over = w->over_site,
			.cancel = w->cancel_site,
			.active = w->active,
			.cancelled = w->active && w->cancelled};
		struct leak *l = leak_of(all, &key);
		if (!l)
			continue;
		l->count++;
		l->unsure |= w->unsure;
	}
	hb__track_unlock();
}

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
	char numbers[80] = "";
	size_t used = 0;
	for (uint64_t i = 0; i < l->count && i < NAMED; i++) {
		int number = number_of(l->what, l->value[i]);
		if (number >= 0)
			used += (size_t)snprintf(
				numbers + used, sizeof numbers - used, "%s%d", used ? "," : " numbers=", number);
	}
	hb__remark(c, HB_REMARK_LEAK, "what=%s made=%u madefn=%s count=%llu%s", hb__what_names[l->what], l->site, l->fn,
		(unsigned long long)l->count, numbers);
}

static void tell(struct hb__call *c)
{
	static struct leaks all; /* MPI_Finalize is called once */
	if (all.n)
		return;
	hb__handles_alive(handle_seen, &all);
	requests_seen(&all);
	for (uint32_t i = 0; i < all.n; i++) {
		const struct leak *l = &all.at[i];
		if (l->what != HB__H_REQUEST)
			told_object(c, l);
		else
			hb__remark(c, HB_REMARK_LEAK,
				"what=request made=%u madefn=%s count=%llu req=%u.%llu active=%d over=%u unsure=%d cancelled=%d cancel=%u",
				l->site, l->fn, (unsigned long long)l->count, l->lane, (unsigned long long)l->posting,
				l->active, l->over, l->unsure, l->cancelled, l->cancelled ? l->cancel : 0);
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
	char line[200];
	snprintf(line, sizeof line, HB_REMARK_BEGIN "freed-late what=%s made=%u madefn=%s", hb__what_names[what],
		m->site, m->fn);
	hb__row_note(line);
	hb__track_lock();
	((struct hb__held *)h)->made = m->before;
	hb__track_unlock();
	return code;
}

void hb__check_left(void)
{
	if (hb__self && hb__self->depth) /* the library ends processes by exit, too */
		hb__row_note(HB_REMARK_BEGIN "left-inside");
}
