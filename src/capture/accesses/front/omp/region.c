/* A parallel region of OpenMP is a parallel loop of the program. */
#include "capture/accesses/front/omp/omp.h"
#include "capture/accesses/front/omp/chunk.h"

static __thread unsigned depth __attribute__((tls_model("initial-exec")));
static __thread bool begun __attribute__((tls_model("initial-exec")));
static const void *place; /* of the construct; LLVM's library does not always know where one ended */

long hb__omp_step = 1;
__thread struct hb__omp_loop hb__omp_loop __attribute__((tls_model("initial-exec")));

void hb__region_begins(const void *code, long step, const void *pc, const void *cfa)
{
	if (depth++)
		return;
	struct hb__thread *t = hb__first_here();
	begun = t != NULL;
	if (!t)
		return;
	const struct hb__source *s = hb__source_of(code);
	hb__omp_step = step;
	place = pc ? pc : code;
	if (!s || s->foreign)
		hb__begin_ignored(t);
	else
		hb__begin(t, HB_CONSTRUCT_PARALLEL, s->function, s->file, s->line, s->function, place, cfa);
	hb__thread_leaves(t);
}

void hb__region_ends(const void *pc, const void *cfa)
{
	if (!depth || --depth || !begun)
		return;
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	hb__end(t, HB_CONSTRUCT_PARALLEL, NULL, pc ? pc : place, cfa);
	hb__thread_leaves(t);
}

void hb__chunk_told(long from, long to)
{
	struct hb__thread *t = hb__thread_here();
	if (!t)
		return;
	long step = hb__omp_loop.of == hb__parallel ? hb__omp_loop.step : hb__omp_step;
	unsigned told = 0;
	for (long i = from; step > 0 ? i < to : step < 0 ? i > to : i == from; i += step) {
		const int64_t index = i;
		hb__iterate(t, 1, &index);
		told += told < 2;
		if (!step)
			break;
	}
	if (told > 1)
		hb__iteration_unknown(t);
	hb__thread_leaves(t);
}
