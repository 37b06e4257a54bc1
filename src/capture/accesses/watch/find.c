/* What lies at an address: an array of the program's, a block of malloc, a static variable. What nobody registered becomes an array of its own
 * when it is accessed for the first time, if it holds numbers: addresses differ from run to run. */
#include <link.h>
#include <pthread.h>

#include "capture/accesses/watch/watch.h"
#include "capture/heap/heap.h"

#define PAGE ((uintptr_t)4096)

static const uint64_t always; /* what has not changed while it is 0 */

static void answer(struct hb__seen_place *e, struct hb__array *array, uintptr_t low, uintptr_t bytes,
	const uint64_t *valid, uint64_t was)
{
	e->array = array;
	e->nothing = false;
	e->shift = array ? (uint8_t)__builtin_ctz(hb_element_bytes(array->as.type)) : 0;
	e->low = low;
	e->bytes = bytes;
	e->valid = valid;
	e->was = was;
}

static bool registered(struct hb__seen_place *e, const void *p)
{
	uint64_t turn = 0;
	struct hb__array *a = hb__array_at(p, &turn);
	if (a)
		answer(e, a, a->low, a->high - a->low, &hb__arrays_turn, turn);
	return a != NULL;
}

/* ---- the stack: what the program keeps there is its own business, unless it is registered ---- */

static bool on_stack(struct hb__watch *w, uintptr_t at)
{
	if (!w->stack_bytes) {
		pthread_attr_t attr;
		void *low;
		size_t bytes;
		w->stack_low = 1;
		w->stack_bytes = 1;
		if (!pthread_getattr_np(pthread_self(), &attr)) {
			if (!pthread_attr_getstack(&attr, &low, &bytes)) {
				w->stack_low = (uintptr_t)low;
				w->stack_bytes = bytes;
			}
			pthread_attr_destroy(&attr);
		}
	}
	return at - w->stack_low < w->stack_bytes;
}

/* ---- arrays of nobody; one thread makes one at a time ---- */

static bool make(struct hb__watch *w, struct hb__seen_place *e, const void *p, const struct hb__identity *what,
	uintptr_t low, size_t bytes, uint32_t ordinal)
{
	bool good = registered(e, p); /* another thread was quicker */
	if (!good && hb__array_own(w->thread, what->name, what->file, what->line, ordinal, what->type,
			     (const void *)low, bytes))
		good = registered(e, p);
	return good;
}

static bool of_heap(struct hb__watch *w, struct hb__seen_place *e, const void *p)
{
	struct hb_heap_block block;
	static struct hb__identity what;
	if (!hb_heap_find || hb_heap_find(p, &block) == HB_HEAP_UNKNOWN)
		return false;
	if (block.state == HB_HEAP_LIVE && block.size >= HB__BLOCK_LEAST) {
		bool mine = hb__identity_lock();
		if (mine)
			hb__identity_block(block.made, &what);
		bool made = mine && what.typed && make(w, e, p, &what, block.start, block.size, block.nth);
		if (mine)
			hb__identity_unlock();
		if (made)
			return true;
	}
	answer(e, NULL, block.start, block.size ? block.size : 1, block.turn ? block.turn : &hb__arrays_turn,
		block.was);
	if (!block.turn)
		e->was = e->was + 1; /* it has changed meanwhile: ask again */
	return true;
}

/* ---- static variables ---- */

struct loaded {
	uintptr_t at, first; /* first: of the module, which is always a part of its file */
};

static int holds(struct dl_phdr_info *info, size_t size, void *user)
{
	struct loaded *l = user;
	bool found = false;
	(void)size;
	l->first = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, high = low + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		found |= l->at >= low && l->at < high;
		l->first = low < l->first ? low : l->first;
	}
	return found;
}

static void of_module(struct hb__watch *w, struct hb__seen_place *e, const void *p)
{
	static struct hb__identity what;
	uintptr_t at = (uintptr_t)p;
	struct loaded module = {.at = at};
	if (!dl_iterate_phdr(holds, &module)) { /* mapped by itself */
		answer(e, NULL, at / PAGE * PAGE, PAGE, &hb__arrays_turn,
			__atomic_load_n(&hb__arrays_turn, __ATOMIC_RELAXED));
		e->nothing = true;
		return;
	}
	bool mine = hb__identity_lock(), found = mine && hb__identity_static(p, module.first, &what);
	bool made = found && what.typed && make(w, e, p, &what, what.at, what.bytes, HB__ORDINAL_NEXT);
	if (mine)
		hb__identity_unlock();
	if (made)
		return;
	if (found)
		answer(e, NULL, what.at, what.bytes, &always, 0);
	else
		answer(e, NULL, at / 16 * 16, 16, &always, 0);
	e->nothing = !found;
}

bool hb__seen_memory(const void *p, struct hb__identity *ret, uintptr_t *ret_low, size_t *ret_bytes)
{
	struct hb_heap_block block;
	struct loaded module = {.at = (uintptr_t)p};
	bool heap = hb_heap_find && hb_heap_find(p, &block) == HB_HEAP_LIVE;
	bool loaded = !heap && dl_iterate_phdr(holds, &module);
	if ((!heap && !loaded) || !hb__identity_lock())
		return false;
	if (heap)
		hb__identity_block(block.made, ret);
	bool found = heap || hb__identity_static(p, module.first, ret);
	hb__identity_unlock();
	if (!found)
		return false;
	*ret_low = heap ? block.start : ret->at;
	*ret_bytes = heap ? block.size : ret->bytes;
	return true;
}

void hb__seen_find(struct hb__watch *w, struct hb__seen_place *e, const void *p)
{
	if (registered(e, p))
		return;
	if (on_stack(w, (uintptr_t)p))
		answer(e, NULL, w->stack_low, w->stack_bytes, &hb__arrays_turn,
			__atomic_load_n(&hb__arrays_turn, __ATOMIC_RELAXED));
	else if (!of_heap(w, e, p))
		of_module(w, e, p);
}
