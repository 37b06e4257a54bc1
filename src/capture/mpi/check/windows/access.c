/* Accesses: what Put, Get and their kin touch at the target, and with which types. */
#include "capture/mpi/check/windows/windows.h"

#include <string.h>

static const char *const basic_names[] = {
#define HB_DATATYPE(name) "MPI_" #name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
};
#define BASICS ((int)(sizeof basic_names / sizeof *basic_names))

enum {
#define HB_OPERATION(name) HB__OP_##name,
#include "calls/operations.def"
#undef HB_OPERATION
};

static uint64_t accesses; /* numbers of accesses, from 1 */

/* ---- arguments ---- */

static int64_t count_of(const struct hb__call *c, int i) { return c->fn->wide ? (int64_t)c->a[i] : (int)c->a[i]; }

/* The part that all of the larger ones end with: rank, disp, count, type, from argument `i` on. */
static void target_of(const struct hb__call *c, int i, struct hb__access *ret)
{
	ret->target = (int)c->a[i];
	ret->disp = (int64_t)c->a[i + 1];
	ret->target_count = count_of(c, i + 2);
	ret->target_type = c->a[i + 3];
}

static bool read_large(const struct hb__call *c, struct hb__access *ret)
{
	uint8_t does = c->fn->means->does;
	bool put = does == HB_DOES_PUT, get = does == HB_DOES_GET;
	bool acc = does == HB_DOES_ACCUMULATE, both = does == HB_DOES_GET_ACCUMULATE;
	if (!put && !get && !acc && !both)
		return false;
	int target = both ? 6 : 3;
	ret->op = put ? HB_ACCESS_PUT : get ? HB_ACCESS_GET : acc ? HB_ACCESS_ACC : HB_ACCESS_GACC;
	ret->origin = get ? NULL : (const char *)c->a[0];
	ret->origin_count = get ? 0 : count_of(c, 1);
	ret->origin_type = c->a[2];
	if (get || both) {
		ret->result = (const char *)c->a[both ? 3 : 0];
		ret->result_count = count_of(c, both ? 4 : 1);
		ret->result_type = c->a[both ? 5 : 2];
	}
	target_of(c, target, ret);
	ret->has_operation = acc || both;
	ret->operation = c->a[target + 4];
	if (c->fn->flags & HB_NONBLOCKING)
		ret->request = (MPI_Request *)hb__arg(c, HB_R_NEWREQ);
	return true;
}

static bool read_access(const struct hb__call *c, struct hb__access *ret)
{
	*ret = (struct hb__access){.origin_count = 1, .result_count = 1, .target_count = 1};
	if (read_large(c, ret))
		return true;
	bool fetch = c->fn->means->does == HB_DOES_FETCH_AND_OP, swap = c->fn->means->does == HB_DOES_COMPARE_AND_SWAP;
	if (!fetch && !swap)
		return false;
	int i = swap ? 1 : 0;
	ret->op = swap ? HB_ACCESS_CAS : HB_ACCESS_FAO;
	ret->origin = (const char *)c->a[0];
	ret->compare = swap ? (const char *)c->a[1] : NULL;
	ret->result = (const char *)c->a[1 + i];
	ret->origin_type = ret->result_type = ret->target_type = c->a[2 + i];
	ret->target = (int)c->a[3 + i];
	ret->disp = (int64_t)c->a[4 + i];
	ret->has_operation = fetch;
	ret->operation = c->a[5 + i];
	return true;
}

/* ---- types ---- */

static const char *name_of(int basic) { return basic >= 0 && basic < BASICS ? basic_names[basic] : "several types"; }

/* The same type under two names: integers, floating point numbers of the same size. */
static bool same_basic(int a, int b)
{
	static const char *const families[] = {"LONG_LONG_INT INTEGER8 INT64_T LONG AINT OFFSET COUNT",
		"INT INTEGER INTEGER4 INT32_T", "SHORT INTEGER2 INT16_T", "SIGNED_CHAR INT8_T INTEGER1 CHAR CHARACTER",
		"UNSIGNED_CHAR UINT8_T", "UNSIGNED_SHORT UINT16_T", "UNSIGNED UINT32_T",
		"UNSIGNED_LONG UNSIGNED_LONG_LONG UINT64_T", "FLOAT REAL REAL4", "DOUBLE DOUBLE_PRECISION REAL8",
		"C_FLOAT_COMPLEX COMPLEX COMPLEX8 CXX_FLOAT_COMPLEX",
		"C_DOUBLE_COMPLEX DOUBLE_COMPLEX COMPLEX16 CXX_DOUBLE_COMPLEX", "C_BOOL CXX_BOOL"};
	if (a == b)
		return true;
	for (unsigned i = 0; i < sizeof families / sizeof *families; i++) {
		bool found[2] = {false, false};
		for (const char *p = families[i]; *p; p += strspn(p, " ")) {
			size_t n = strcspn(p, " ");
			for (int k = 0; k < 2; k++) {
				const char *name = basic_names[k ? b : a] + strlen("MPI_");
				found[k] |= strlen(name) == n && !strncmp(name, p, n);
			}
			p += n;
		}
		if (found[0] && found[1])
			return true;
	}
	return false;
}

static void compare(struct hb__call *c, const struct hb__window *w, const struct hb__flat *here,
	const struct hb__flat *there, int target)
{
	char text[200] = "";
	if (!here->n || !there->n)
		return;
	if (here->basic >= 0 && there->basic >= 0 && here->basic < BASICS && there->basic < BASICS &&
		!same_basic(here->basic, there->basic))
		snprintf(text, sizeof text, "%s here, %s at the target", name_of(here->basic), name_of(there->basic));
	else if (here->bytes != there->bytes)
		snprintf(text, sizeof text, "%lld bytes of %s here, %lld of %s at the target", (long long)here->bytes,
			name_of(here->basic), (long long)there->bytes, name_of(there->basic));
	if (*text)
		hb__remark(c, EPOCH, .error = HB_MISUSE_TYPE, .win = w->number, .target = target, .text = text);
}

/* ---- what is touched ---- */

/* A loop does the same again, somewhere else: only that is written then. Under the lock of the windows. */
#define ALIKE 8
static struct like {
	struct hb__lane *lane; /* NULL: free */
	const struct hb__fn *fn;
	uint32_t site, window, nruns;
	bool exact, exclusive;
	enum hb_epoch epoch;
	int32_t basic;
	int operation, target;
	int64_t disp;
	enum hb_access op;
	struct hb__run run[HB__RUNS];
} likes[ALIKE];
static const struct hb__lane *last_lane;
static uint64_t last_seq;

static bool alike(const struct like *a, const struct like *b)
{
	return a->lane == b->lane && a->fn == b->fn && a->site == b->site && a->window == b->window &&
	       a->nruns == b->nruns && a->exact == b->exact && a->exclusive == b->exclusive && a->epoch == b->epoch &&
	       a->basic == b->basic && a->operation == b->operation && a->op == b->op &&
	       !memcmp(a->run, b->run, a->nruns * sizeof *a->run);
}

/* True: it is written. *ret_k: the number by which another one may name it. */
static bool told_like(const struct like *now, uint64_t seq, unsigned *ret_k)
{
	unsigned k = *ret_k = now->site % ALIKE;
	struct like *like = &likes[k];
	bool same = last_lane == now->lane && last_seq + 1 == seq && alike(like, now);
	last_lane = now->lane;
	last_seq = seq;
	if (!same) {
		*like = *now;
		return false;
	}
	const struct hb_remark_rma_more more = {
		.k = k, .d = now->disp - like->disp, .t = now->target != like->target ? now->target : HB_REMARK_UNTOLD};
	like->disp = now->disp;
	like->target = now->target;
	hb__remark_write(now->lane, HB_REMARK_RMA_MORE, NULL, &more);
	return true;
}

static void told(struct hb__call *c, struct hb__window *w, const struct hb__access *a, const struct hb__flat *there,
	uint64_t seq, enum hb_epoch epoch, bool exclusive)
{
	unsigned k;
	struct like now = {.lane = c->lane,
		.fn = c->fn,
		.site = hb__check_site(c),
		.window = (uint32_t)w->number,
		.nruns = there->n,
		.exact = there->exact,
		.exclusive = exclusive,
		.epoch = epoch,
		.basic = there->basic,
		.operation = a->has_operation ? hb__op_number(a->operation) : -1,
		.op = a->op,
		.target = a->target,
		.disp = a->disp};
	memcpy(now.run, there->run, there->n * sizeof *now.run);
	if (told_like(&now, seq, &k))
		return;
	hb__remark(c, RMA, .seq = (int64_t)seq, .op = a->op, .win = w->number, .target = a->target, .disp = a->disp,
		.runs = {4 * there->n, &there->run[0].offset}, .inexact = !there->exact, .aop = now.operation,
		.type = there->basic, .ep = epoch, .x = exclusive, .k = k);
}

/* A buffer of this process, in its pieces when they are few. */
static void local(struct hb__call *c, struct hb__window *w, uint64_t seq, const struct hb__access *a, const char *arg,
	const char *at, const struct hb__flat *f, bool write)
{
	bool overlaps = false, told = false;
	if (!at || !f->n || !f->exact)
		return;
	for (uint32_t i = 0; i < f->n && !told; i++)
		for (int64_t k = 0; k < f->run[i].count && !told; k += k < 16 ? 1 : f->run[i].count - k) {
			uintptr_t low = (uintptr_t)at + (uintptr_t)(f->run[i].offset + k * f->run[i].stride);
			told = hb__memory_used(c, arg, low, low + (uintptr_t)f->run[i].length, write);
		}
	for (uint32_t i = 0; i < f->n; i++)
		for (int64_t k = 0; k < f->run[i].count && k < 16; k++) {
			const char *piece = at + f->run[i].offset + k * f->run[i].stride;
			overlaps |= hb__local_use(c, piece, f->run[i].length, write, seq);
		}
	for (uint32_t i = 0; i < f->n; i++)
		for (int64_t k = 0; k < f->run[i].count && k < 16; k++)
			hb__local_add(c, w, seq, a, at + f->run[i].offset + k * f->run[i].stride, f->run[i].length,
				write, overlaps);
}

void hb__access_enter(struct hb__call *c, struct hb__window *w)
{
	struct hb__access a;
	struct hb__flat here, result, there;
	if (!read_access(c, &a) || a.target == MPI_PROC_NULL)
		return;
	bool exclusive;
	enum hb_epoch epoch = hb__epoch_use(c, w, a.target, &exclusive);
	if (c->fn->flags & HB_NONBLOCKING && (epoch == HB_EPOCH_FENCE || epoch == HB_EPOCH_PSCW))
		hb__epoch_wrong(c, w, HB_MISUSE_NONE, a.target,
			"accesses with a request need a lock, and the epoch is one of %s",
			epoch == HB_EPOCH_FENCE ? "MPI_Win_fence" : "MPI_Win_start");
	bool reads_only = a.has_operation && (a.op == HB_ACCESS_GACC || a.op == HB_ACCESS_FAO) &&
			  hb__op_number(a.operation) == HB__OP_NO_OP;
	hb__flatten(a.target_type, a.target_count, &there);
	hb__flatten(a.origin_type, a.origin && !reads_only ? a.origin_count : 0, &here);
	hb__flatten(a.result_type, a.result ? a.result_count : 0, &result);
	if (!w->dynamic && a.disp < 0)
		hb__epoch_wrong(c, w, HB_MISUSE_RANGE, a.target, "the displacement is %lld", (long long)a.disp);
	compare(c, w, &here, &there, a.target);
	compare(c, w, &result, &there, a.target);
	if (!w->dynamic && a.disp * w->unit != w->watched && a.disp >= 0 && !w->accesses++) {
		w->watched = a.disp * w->unit;
		hb__watch_stop(w);
	}
	uint64_t seq = ++accesses;
	if (there.n && a.target >= 0 && a.target < w->n)
		told(c, w, &a, &there, seq, epoch, exclusive);
	if (epoch == HB_EPOCH_NONE)
		return; /* nothing will say when it is over */
	local(c, w, seq, &a, "origin_addr", a.origin, &here, false);
	if (a.compare)
		local(c, w, seq, &a, "compare_addr", a.compare, &there, false);
	local(c, w, seq, &a, a.op == HB_ACCESS_GET ? "origin_addr" : "result_addr", a.result, &result, true);
}

void hb__access_leave(struct hb__call *c, int code) { hb__locals_accessed(c, code); }
