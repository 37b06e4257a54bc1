/* Views of files: what a process writes or reads through a view of its part of an array is that part of it. */
#include <string.h>

#include "capture/core/layer.h"
#include "capture/mpi/tell/tell.h"

#define MOST 64 /* views at a time; those beyond tell nothing */

static struct view {
	uintptr_t file;
	struct hb__told_type part;
} view[MOST];
static unsigned views;

static struct view *view_of(uintptr_t file)
{
	for (unsigned i = 0; i < views; i++)
		if (view[i].file == file)
			return &view[i];
	return NULL;
}

void hb__tell_view(const struct hb__call *c)
{
	struct hb__told_type part;
	uintptr_t file = hb__arg(c, HB_R_FILE);
	struct view *v = view_of(file);
	hb__told_type((MPI_Datatype)hb__arg(c, HB_R_LAST_TYPE), &part);
	if (part.how != HB__TOLD_BOX && part.how != HB__TOLD_SHARE) {
		if (v)
			*v = view[--views];
		return;
	}
	if (!v && views < MOST)
		v = &view[views++];
	if (v)
		*v = (struct view){file, part};
}

static int64_t elements(const struct hb__told_type *t)
{
	int64_t n = 1;
	for (unsigned d = 0; d < t->rank; d++)
		n *= t->count[d];
	return n;
}

/* How what is in memory lies there: the whole of it, in its storage. False: it is another part, or in another order. */
static bool storage(
	const struct hb__told_type *memory, int64_t times, const struct hb__told_type *part, struct hb__spread *s)
{
	size_t bytes = part->rank * sizeof *part->count;
	if (memory->how == HB__TOLD_PIECES && memory->blocks == 1)
		return memory->length * times == elements(part);
	if (times != 1)
		return false;
	if (memory->how == HB__TOLD_PIECES) { /* rows of a larger array */
		unsigned fast = part->columns ? 0 : 1;
		s->loose = true;
		s->above[fast] = memory->stride - memory->length;
		return part->rank == 2 && part->count[fast] == memory->length && part->count[!fast] == memory->blocks;
	}
	if (memory->how != HB__TOLD_BOX || memory->rank != part->rank || memory->columns != part->columns ||
		memcmp(memory->count, part->count, bytes))
		return false;
	for (unsigned d = 0; d < part->rank; d++) {
		s->below[d] = memory->start[d];
		s->above[d] = memory->sizes[d] - memory->start[d] - memory->count[d];
	}
	return true;
}

void hb__tell_moved(const struct hb__call *c)
{
	const struct view *v = view_of(hb__arg(c, HB_R_FILE));
	struct hb__told_type memory;
	uintptr_t at = hb__arg(c, hb__has(c, HB_R_SBUF) ? HB_R_SBUF : HB_R_RBUF);
	int64_t times = c->fn->wide ? (int64_t)hb__arg(c, HB_R_COUNT) : (int)hb__arg(c, HB_R_COUNT);
	if (!v || !at || times < 1)
		return;
	const struct hb__told_type *part = &v->part;
	hb__told_type((MPI_Datatype)hb__arg(c, HB_R_LAST_TYPE), &memory);
	struct hb__spread s = {
		.at = (const void *)at, .element = part->element, .rank = part->rank, .columns = part->columns};
	if (memory.how == HB__TOLD_NOTHING || memory.element.kind != part->element.kind ||
		memory.element.bytes != part->element.bytes || !storage(&memory, times, part, &s))
		return;
	memcpy(s.global, part->sizes, sizeof s.global);
	memcpy(s.first, part->start, sizeof s.first);
	memcpy(s.count, part->count, sizeof s.count);
	memcpy(s.block, part->block, sizeof s.block);
	memcpy(s.over, part->over, sizeof s.over);
	memcpy(s.place, part->place, sizeof s.place);
	hb__tracing->spread(&s, c->pc);
}
