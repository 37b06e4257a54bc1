/* Functions that allocate for others (xmalloc and its like): their own line says neither a name nor a type. A block of theirs is known by the
 * nearest caller whose line does. */
#include <unwind.h>

#include "capture/accesses/watch/watch.h"
#include "capture/heap/heap.h"

#define SITES 4096u
#define KINDS 4096u
#define STOREYS 6u /* of callers above who called malloc */
enum { LEFT, COUNTED, ASKS_CALLERS };

/* Under the lock of identity.c, but for looking at a site whose state does not change. */
static struct {
	const void *made;
	uint32_t state, kind;
} sites[SITES];
/* Names and places of blocks, by a hash of them; 0: free. Counts go on whether anybody looks at the blocks or not. */
static struct {
	uint64_t hash;
	uint32_t count;
} kinds[KINDS];

/* The number of a kind; KINDS: there is no room for it. */
static uint32_t kind_of(const struct hb__identity *what)
{
	uint64_t hash = 0xcbf29ce484222325u ^ what->line;
	for (const char *p = what->name; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 0x100000001b3u;
	for (const char *p = what->file; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 0x100000001b3u;
	hash |= 1;
	for (uint32_t i = (uint32_t)(hash >> 40) % KINDS, n = 0; n < KINDS; n++, i = (i + 1) % KINDS) {
		if (!kinds[i].hash)
			kinds[i].hash = hash;
		if (kinds[i].hash == hash)
			return i;
	}
	return KINDS;
}

static void count(void *p, const void *made, uint32_t kind)
{
	hb_heap_made(p, made,
		kind < KINDS ? __atomic_fetch_add(&kinds[kind].count, 1, __ATOMIC_RELAXED) : HB_HEAP_UNCOUNTED);
}

struct climb {
	const void *made, *caller[STOREYS];
	unsigned n;
	bool above;
};

static _Unwind_Reason_Code climb(struct _Unwind_Context *context, void *user)
{
	struct climb *c = user;
	const void *pc = (const void *)_Unwind_GetIP(context);
	if (c->above)
		c->caller[c->n++] = pc;
	c->above |= pc == c->made;
	return c->n == STOREYS ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void by_callers(void *p, const void *made)
{
	static struct hb__identity what;
	struct climb c = {.made = made};
	_Unwind_Backtrace(climb, &c);
	for (unsigned i = 0; i < c.n; i++) {
		hb__identity_block(c.caller[i], &what);
		if (what.typed) {
			count(p, c.caller[i], kind_of(&what));
			return;
		}
	}
}

void hb__site_of(void *p, size_t bytes, const void *made)
{
	static struct hb__identity what;
	unsigned i = (unsigned)(((uintptr_t)made * 0x9e3779b97f4a7c15u) >> 52);
	if (bytes < HB__BLOCK_LEAST || !hb__watcher.present || !hb_heap_made)
		return;
	if (__atomic_load_n(&sites[i].made, __ATOMIC_ACQUIRE) == made && sites[i].state == LEFT)
		return;
	if (!hb__trace_possible() || !hb__identity_lock())
		return;
	if (sites[i].made != made) {
		hb__identity_block(made, &what);
		__atomic_store_n(&sites[i].made, NULL, __ATOMIC_RELAXED);
		/* libraries without debugging information are not the program's */
		sites[i].state = what.typed ? COUNTED : *what.file ? ASKS_CALLERS : LEFT;
		sites[i].kind = what.typed ? kind_of(&what) : KINDS;
		__atomic_store_n(&sites[i].made, made, __ATOMIC_RELEASE);
	}
	if (sites[i].state == COUNTED)
		count(p, made, sites[i].kind);
	else if (sites[i].state == ASKS_CALLERS)
		by_callers(p, made);
	hb__identity_unlock();
}
