/* What the recorder's layer of MPI tells becomes arrays. */
#include <string.h>

#include "capture/accesses/front/omp/omp.h"
#include "capture/accesses/told/told.h"
#include "capture/accesses/watch/watch.h"

bool hb__told_element(const struct hb__spread_element *e, hb_element *ret)
{
	*ret = e->kind == 'r'   ? e->bytes == 8 ? HB_REAL8 : HB_REAL4
	       : e->kind == 'c' ? e->bytes == 16 ? HB_COMPLEX16 : HB_COMPLEX8
	       : e->bytes == 8  ? HB_INTEGER8
	       : e->bytes == 4  ? HB_INTEGER4
				: HB_INTEGER1;
	return hb_element_bytes(*ret) == e->bytes;
}

/* Its name and place are those of its allocation or its declaration; where these are not known, of the call that told of it. */
void hb__memory_of(const void *at, const void *pc, struct hb__memory *ret)
{
	static struct hb__identity what;
	uintptr_t low = 0;
	size_t bytes = 0;
	*ret = (struct hb__memory){.bytes = 0};
	bool known = hb__seen_memory(at, &what, &low, &bytes);
	ret->low = known ? low : (uintptr_t)at;
	ret->bytes = bytes;
	if (known && *what.file) {
		memcpy(ret->name, what.name, sizeof ret->name);
		memcpy(ret->file, what.file, sizeof ret->file);
		ret->line = what.line;
		return;
	}
	const struct hb__source *source = pc ? hb__source_of((const char *)pc - 1) : NULL;
	memcpy(ret->name, "array", sizeof "array");
	if (source && source->line > 0) {
		strncpy(ret->file, hb__last_part(source->file), sizeof ret->file - 1);
		ret->line = (uint32_t)source->line;
	}
}

struct hb__array *hb__array_told_at(const void *at)
{
	uint64_t turn;
	struct hb__array *a = hb__array_at(at, &turn);
	return a && a->flags & HB_TRACE_ARRAY_TOLD && a->as.at == at ? a : NULL;
}

struct hb__array *hb__array_becomes(struct hb__thread *t, const hb_array *as, const struct hb__memory *memory)
{
	bool begins = memory->low == (uintptr_t)as->at;
	size_t room = memory->bytes ? memory->low + memory->bytes - (uintptr_t)as->at : 0;
	struct hb__array *a = hb__array_spread(t, memory->name, memory->file, memory->line, as, room, begins);
	if (!a)
		return NULL;
	hb__array_number(t, a);
	if (hb__watcher.array)
		hb__watcher.array(a);
	return a;
}

/* From its first owned element to the memory that it lies in, of rows that are `fast` apart. */
static void place_in_memory(hb_array *as, const struct hb__memory *m, unsigned fast)
{
	unsigned slow = !fast, bytes = hb_element_bytes(as->type);
	size_t offset = (uintptr_t)as->at - m->low;
	int64_t row = as->count[fast] + as->above[fast], n = (int64_t)(m->bytes / bytes),
		from = (int64_t)(offset / bytes);
	int64_t across = row > 0 ? from % row : 0, down = row > 0 ? from / row : 0;
	if (!m->bytes || offset % bytes || row <= 0 || n % row || across + as->count[fast] > row ||
		down + as->count[slow] > n / row)
		return;
	as->at = (const void *)m->low;
	as->below[fast] = across;
	as->above[fast] = row - across - as->count[fast];
	as->below[slow] = down;
	as->above[slow] = n / row - down - as->count[slow];
}

static bool same_box(const struct hb__array *a, const struct hb__spread *s)
{
	const hb_array *as = &a->as;
	size_t n = s->rank * sizeof(int64_t);
	return as->rank == s->rank && as->columns == s->columns && !memcmp(as->global, s->global, n) &&
	       !memcmp(as->first, s->first, n) && !memcmp(as->count, s->count, n) && !memcmp(as->below, s->below, n) &&
	       !memcmp(as->above, s->above, n) && !memcmp(as->block, s->block, n) && !memcmp(as->over, s->over, n) &&
	       !memcmp(as->place, s->place, n);
}

static void tell(struct hb__thread *t, const struct hb__spread *s, const void *pc)
{
	struct hb__array *a = hb__array_told_at(s->at);
	hb_array as = {.at = s->at, .rank = s->rank, .columns = s->columns};
	if ((a && same_box(a, s)) || !hb__told_element(&s->element, &as.type))
		return;
	memcpy(as.global, s->global, sizeof as.global);
	memcpy(as.first, s->first, sizeof as.first);
	memcpy(as.count, s->count, sizeof as.count);
	memcpy(as.below, s->below, sizeof as.below);
	memcpy(as.above, s->above, sizeof as.above);
	memcpy(as.block, s->block, sizeof as.block);
	memcpy(as.over, s->over, sizeof as.over);
	memcpy(as.place, s->place, sizeof as.place);
	struct hb__memory memory;
	hb__memory_of(s->at, pc, &memory);
	if (s->loose && s->rank == 2)
		place_in_memory(&as, &memory, s->columns ? 0 : 1);
	hb__array_becomes(t, &as, &memory);
}

static void spread(const struct hb__spread *s, const void *pc)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	uint8_t before = hb__door->aside();
	tell(t, s, pc);
	hb__door->back(before);
	hb__thread_leaves(t);
}

static void halo(const struct hb__spread_halo *h, const void *pc)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	uint8_t before = hb__door->aside();
	hb__told_halo(t, h, pc);
	hb__door->back(before);
	hb__thread_leaves(t);
}

static void says(struct hb__spread_saying *ret)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	hb__halos_say(ret);
	hb__thread_leaves(t);
}

static void said(const struct hb__spread_saying *saying, uint32_t processes)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	uint8_t before = hb__door->aside();
	hb__halos_said(t, saying, processes);
	hb__door->back(before);
	hb__thread_leaves(t);
}

/* Before front/ opens the door. */
__attribute__((constructor(102))) static void start(void)
{
	hb__teller.spread = spread;
	hb__teller.halo = halo;
	hb__teller.says = says;
	hb__teller.said = said;
}
