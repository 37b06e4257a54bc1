/* In front of routines of ScaLAPACK, so that descriptors tell how the matrices are spread that go with them. A matrix is always four arguments:
 * its local part, the row and the column of a part of it, its descriptor (ScaLAPACK Users' Guide, section 4.3.3), so that a table says all
 * there is to know of a routine: how many arguments it has, those with the lengths of texts behind them, and where matrices begin. A descriptor
 * is looked at when a routine is called with it; descinit_ names no matrix. */
#include "capture/accesses/next.h"
#include "capture/accesses/told/told.h"

/* Places in a descriptor of a dense matrix. */
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD, DENSE = 1 };

struct routine {
	const char *name;
	void *real;
	hb_element type;
	signed char matrix[4]; /* places of arguments, from 0; -1: no more */
};

static __thread unsigned deep
	__attribute__((tls_model("initial-exec"))); /* routines call each other, with matrices of their own */

/* Elements of a dimension that process number `at` of `over` has, counted from the one with the first block. */
static int64_t numroc(int64_t n, int64_t block, int64_t at, int64_t over)
{
	int64_t blocks = n / block, mine = blocks / over * block;
	return mine + (at < blocks % over ? block : at == blocks % over ? n % block : 0);
}

static bool describe(const void *at, const int *d, hb_element type, hb_array *ret)
{
	static void (*grid)(const int *, int *, int *, int *, int *);
	int rows, columns, row, column;
	if (!grid)
		grid = (__typeof__(grid))dlsym(RTLD_DEFAULT, "blacs_gridinfo_");
	if (!at || !d || !grid || d[DTYPE] != DENSE || d[CTXT] < 0 || d[M] < 1 || d[N] < 1 || d[MB] < 1 || d[NB] < 1)
		return false;
	grid(&d[CTXT], &rows, &columns, &row, &column);
	if (row < 0 || column < 0 || d[RSRC] < 0 || d[CSRC] < 0 || d[RSRC] >= rows || d[CSRC] >= columns)
		return false; /* this process has none of it, or all have all of it */
	int64_t extent[] = {d[M], d[N]}, block[] = {d[MB], d[NB]}, over[] = {rows, columns};
	int64_t place[] = {(row - d[RSRC] + rows) % rows, (column - d[CSRC] + columns) % columns};
	*ret = (hb_array){.at = at, .type = type, .rank = 2, .columns = 1, .base = {1, 1}};
	for (unsigned i = 0; i < 2; i++) {
		ret->global[i] = extent[i];
		ret->block[i] = block[i];
		ret->over[i] = over[i];
		ret->place[i] = place[i];
		ret->count[i] = numroc(extent[i], block[i], place[i], over[i]);
		if (!ret->count[i])
			return false;
	}
	ret->above[0] = d[LLD] - ret->count[0];
	return ret->above[0] >= 0;
}

static void tell(struct hb__thread *t, const struct routine *r, void *const *a, const void *pc)
{
	hb_array as;
	for (unsigned i = 0; i < sizeof r->matrix && r->matrix[i] >= 0; i++) {
		if (!describe(a[r->matrix[i]], a[r->matrix[i] + 3], r->type, &as))
			continue;
		struct hb__array *known = hb__array_told_at(as.at);
		if (known && hb__same_array(&known->as, &as))
			continue;
		struct hb__memory memory;
		hb__memory_of(as.at, pc, &memory);
		hb__array_becomes(t, &as, &memory);
	}
}

/* The library's routine, after the matrices of the call have been looked at. */
static void *enter(struct routine *r, void *const *a, const void *pc)
{
	if (unlikely(!r->real))
		r->real = hb__next_of(r->name, pc);
	struct hb__thread *t = !deep && hb__trace_starts() ? hb__first_here() : NULL;
	if (t) {
		uint8_t before = hb__door->aside();
		tell(t, r, a, pc);
		hb__door->back(before);
		hb__thread_leaves(t);
	}
	return r->real;
}

/* Parameters and arguments by their number: all are addresses, but for lengths, which are as long. */
#define P5 void *a0, void *a1, void *a2, void *a3, void *a4
#define P8 P5, void *a5, void *a6, void *a7
#define P9 P8, void *a8
#define P10 P9, void *a9
#define P11 P10, void *a10
#define P12 P11, void *a11
#define P13 P12, void *a12
#define P14 P13, void *a13
#define P16 P14, void *a14, void *a15
#define P17 P16, void *a16
#define P19 P17, void *a17, void *a18
#define P20 P19, void *a19
#define P21 P20, void *a20
#define P22 P21, void *a21
#define A5 a0, a1, a2, a3, a4
#define A8 A5, a5, a6, a7
#define A9 A8, a8
#define A10 A9, a9
#define A11 A10, a10
#define A12 A11, a11
#define A13 A12, a12
#define A14 A13, a13
#define A16 A14, a14, a15
#define A17 A16, a16
#define A19 A17, a17, a18
#define A20 A19, a19
#define A21 A20, a20
#define A22 A21, a21

#define ROUTINE(name_, type_, n, ...)                                               \
	SEEN void name_(P##n);                                                      \
	SEEN void name_(P##n)                                                       \
	{                                                                           \
		static struct routine r = {#name_, NULL, type_, {__VA_ARGS__, -1}}; \
		void *const a[] = {A##n};                                           \
		void (*real)(P##n) = (__typeof__(real))enter(&r, a, CALLER);        \
		deep++;                                                             \
		real(A##n);                                                         \
		deep--;                                                             \
	}
#define REAL(rest, n, ...)                             \
	ROUTINE(ps##rest##_, HB_REAL4, n, __VA_ARGS__) \
	ROUTINE(pd##rest##_, HB_REAL8, n, __VA_ARGS__)
#define COMPLEX(rest, n, ...)                             \
	ROUTINE(pc##rest##_, HB_COMPLEX8, n, __VA_ARGS__) \
	ROUTINE(pz##rest##_, HB_COMPLEX16, n, __VA_ARGS__)
#define ALL(rest, n, ...)          \
	REAL(rest, n, __VA_ARGS__) \
	COMPLEX(rest, n, __VA_ARGS__)

ALL(elset, 5, 0)
ALL(getrf, 8, 2)
ALL(potrf, 8, 2)
ALL(geqrf, 10, 2)
ALL(laset, 10, 5)
ALL(gemr2d, 11, 2, 6)
ALL(gesv, 12, 2, 7)
ALL(lacpy, 12, 3, 7)
ALL(laprnt, 12, 2)
ALL(posv, 13, 3, 7)
ALL(potrs, 13, 3, 7)
ALL(getrs, 14, 3, 8)
ALL(geadd, 14, 4, 9)
ALL(syrk, 16, 5, 10)
ALL(trsm, 19, 7, 11)
ALL(trmm, 19, 7, 11)
ALL(gemv, 20, 4, 8, 14)
ALL(gemm, 21, 6, 10, 15)
REAL(tran, 12, 3, 8)
REAL(ger, 17, 3, 8, 13)
REAL(syev, 17, 3, 8)
REAL(syevd, 19, 3, 8)
REAL(gesvd, 22, 4, 9, 13)
COMPLEX(heev, 19, 3, 8)
COMPLEX(heevd, 21, 3, 8)
