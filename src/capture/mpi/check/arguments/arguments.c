/* What the standard calls erroneous in the arguments of a call: by the kind of each parameter, and by function where
 * the kind does not say enough. What a library would answer does not matter; what is not significant is not looked at. */
#include "capture/mpi/check/arguments/look.h"

/* Calls that had nothing wrong with the same arguments do not again, as long as no handle ends: by a hash of all of
 * them. Two calls with the same hash would be taken for one; that costs at most a finding. */
#define CLEAN 256u
static __thread void *clean __attribute__((tls_model("initial-exec"))); /* uint64_t [CLEAN] */

enum plan { UNKNOWN, NOTHING, REQUESTS, MESSAGE, ONCE, EVERY };
static uint8_t plans[HB_FN_COUNT];

/* Arguments whose meaning lies behind a pointer or ends without hb__epoch are looked at every time. */
static bool by_value(unsigned kind)
{
	if (hb__is_array(kind))
		return false;
	switch (kind) {
	case HB_P_NEWTYPES:
	case HB_P_REQS:
	case HB_P_REQUEST:
	case HB_P_REQVAL:
	case HB_P_MESSAGE:
	case HB_P_TYPEPTR:
	case HB_P_COMMPTR:
	case HB_P_OPPTR:
	case HB_P_WINPTR:
	case HB_P_FILEPTR:
	case HB_P_INFOPTR:
	case HB_P_GROUPPTR:
	case HB_P_ERRHPTR:
	case HB_P_GROUP:
	case HB_P_INFO:
	case HB_P_KEYS:
	case HB_P_ERRH:
	case HB_P_AS:
		return false;
	default:
		return true;
	}
}

/* With one buffer of its own: a count more or less, or another address, makes nothing wrong that was right (but where elements
 * overlap each other: then the first count of a datatype tells). */
static bool one_buffer(const struct hb__fn *fn)
{
	unsigned n = 0;
	for (unsigned i = 0; i < fn->nargs; i++)
		n += fn->param[i].kind == HB_P_SBUF || fn->param[i].kind == HB_P_RBUF;
	bool elsewhere = fn->means->mode == HB_MODE_BUFFERED; /* these need room there, too */
	return n == 1 && (fn->cls == HB_SEND || fn->cls == HB_RECV) && !elsewhere;
}

static enum plan plan_of(const struct hb__fn *fn)
{
	if (!fn->nargs || fn->means->tool)
		return NOTHING;
	if (fn->cls == HB_COMPLETE || fn->flags & HB_START || fn->means->does == HB_DOES_CANCEL)
		return REQUESTS;
	for (unsigned i = 0; i < fn->nargs; i++)
		if (!by_value(fn->param[i].kind))
			return EVERY;
	return one_buffer(fn) ? MESSAGE : ONCE;
}

/* What stands for an argument in the hash: of those that any usual value of may follow, that it is a usual one. */
static uintptr_t essence(const struct hb__call *c, unsigned i)
{
	uintptr_t value = c->a[i];
	switch (c->fn->param[i].kind) {
	case HB_P_SBUF:
	case HB_P_RBUF:
	case HB_P_NEWREQ:
	case HB_P_STATUS:
		return value > 4096 && value < UINTPTR_MAX - 4096 ? 4096 : value;
	case HB_P_COUNT:
		return !c->fn->wide && (int)value > 0 ? 1 : value;
	case HB_P_TAG:
		return value <= 32767 ? 0 : value;
	default:
		return value;
	}
}

static void look(struct hb__look *l)
{
	l->root = -1;
	for (unsigned i = 0; i < l->fn->nargs; i++)
		if (hb__kind(l, i) == HB_P_ROOT)
			l->root = (int)i;
	hb__look_handles(l);
	hb__look_pointers(l);
	hb__look_counts(l);
	hb__look_ranks(l);
	hb__look_types(l);
	hb__look_twice(l);
	hb__look_operation(l);
	hb__look_buffers(l);
	hb__look_constructor(l);
	hb__look_group(l);
	hb__look_other(l);
}

static enum plan plan_for(const struct hb__fn *fn)
{
	if (unlikely(plans[fn->id] == UNKNOWN))
		plans[fn->id] = plan_of(fn);
	return plans[fn->id];
}

bool hb__arguments_of_message(const struct hb__fn *fn) { return plan_for(fn) == MESSAGE; }

uint64_t hb__arguments_alike(const struct hb__call *c)
{
	const struct hb__fn *fn = c->fn;
	enum plan plan = plan_for(fn);
	if (plan != MESSAGE && plan != ONCE)
		return 0;
	uint64_t h = hb__epoch ^ (uint64_t)fn->id << 48;
	for (unsigned i = 0; i < fn->nargs; i++)
		h = (h ^ h >> 29 ^ (plan == MESSAGE ? essence(c, i) : c->a[i])) * 0x9e3779b97f4a7c15u;
	return h;
}

bool hb__check_arguments(struct hb__call *c, uint64_t alike)
{
	const struct hb__fn *fn = c->fn;
	enum plan plan = plan_for(fn);
	if (plan == NOTHING)
		return false;
	struct hb__look l = {.c = c, .fn = fn, .root = -1};
	if (plan == EVERY)
		hb__live_enter(c);
	if (plan == REQUESTS) {
		hb__look_requests(&l);
		return false;
	}
	if (plan == EVERY) {
		look(&l);
		return false;
	}
	uint64_t *known = hb__thread_room(&clean, CLEAN * sizeof *known), none = 0;
	uint64_t *at = known ? &known[alike >> 56] : &none;
	if (likely(*at == alike))
		return true;
	look(&l);
	*at = l.faulty ? 0 : alike;
	return false;
}

void hb__check_arguments_leave(struct hb__call *c, int code)
{
	if (unlikely(hb__has(c, HB_R_COMM) && c->fn->nargs == 2))
		hb__fatal_asked(c);
	if (unlikely(code != MPI_SUCCESS))
		hb__check_failed(c, code);
	else if (c->fn->cls == HB_RMA || c->fn->cls == HB_LOCAL || c->fn->cls == HB_SPECIAL)
		hb__live_leave(c);
}

/* ---- reading ---- */

int hb__find_param(const struct hb__look *l, const char *name)
{
	for (unsigned i = 0; i < l->fn->nargs; i++)
		if (hb__named(l, i, name))
			return (int)i;
	return -1;
}

int hb__find_kind(const struct hb__look *l, unsigned kind)
{
	for (unsigned i = 0; i < l->fn->nargs; i++)
		if (hb__kind(l, i) == kind)
			return (int)i;
	return -1;
}

int64_t hb__value(const struct hb__look *l, unsigned i)
{
	switch (hb__kind(l, i)) {
	case HB_P_COUNT:
	case HB_P_DISP:
		if (l->fn->wide || hb__kind(l, i) == HB_P_DISP)
			return (int64_t)l->c->a[i];
		return (int)l->c->a[i];
	case HB_P_CNT:
	case HB_P_AINT:
	case HB_P_OFFSET:
		return (int64_t)l->c->a[i];
	default:
		return (int)l->c->a[i];
	}
}

int64_t hb__element(const struct hb__look *l, unsigned i, int64_t k)
{
	const void *p = (const void *)l->c->a[i];
	unsigned kind = hb__kind(l, i);
	bool wide = l->fn->wide && (kind == HB_P_COUNTS || kind == HB_P_DISPLS);
	return wide || kind == HB_P_AINTS || kind == HB_P_CNTS ? ((const int64_t *)p)[k] : ((const int *)p)[k];
}
