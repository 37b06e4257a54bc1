/* Functions that allocate for others (xmalloc and its like): their own line says neither a name nor a type. A block of theirs is known by the
 * nearest caller whose line does. */
#include <unwind.h>

#include "capture/accesses/watch/watch.h"
#include "capture/heap/heap.h"

#define SITES 4096u
#define STOREYS 6u /* of callers above who called malloc */
enum { UNKNOWN, LEFT, ASKS_CALLERS };

static struct {
	const void *made;
	uint32_t state;
} sites[SITES]; /* under the lock of identity.c, but for looking */

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
			hb_heap_made(p, c.caller[i]);
			return;
		}
	}
}

void hb__site_of(void *p, const void *made)
{
	static struct hb__identity what;
	unsigned i = (unsigned)(((uintptr_t)made * 0x9e3779b97f4a7c15u) >> 52);
	if (__atomic_load_n(&sites[i].made, __ATOMIC_ACQUIRE) == made && sites[i].state == LEFT)
		return;
	if (!hb__trace_possible() || !hb__identity_lock())
		return;
	if (sites[i].made != made || sites[i].state == UNKNOWN) {
		hb__identity_block(made, &what);
		__atomic_store_n(&sites[i].made, NULL, __ATOMIC_RELAXED);
		/* libraries without debugging information are not the program's */
		sites[i].state = what.typed || !*what.file ? LEFT : ASKS_CALLERS;
		__atomic_store_n(&sites[i].made, made, __ATOMIC_RELEASE);
	}
	if (sites[i].state == ASKS_CALLERS)
		by_callers(p, made);
	hb__identity_unlock();
}
