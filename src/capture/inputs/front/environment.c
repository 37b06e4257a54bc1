/* The environment. What the process began with is recorded as a whole; in a replay the program's getenv says what it said then. MPI and
 * other libraries see the real one: their launcher speaks to them by it. */
#include <string.h>

#include "capture/inputs/front/front.h"

static char *recorded(const char *name)
{
	const struct hb__piece *all = hb__door->start(HB_START_ENVIRONMENT);
	const char *p = (const char *)all->p, *end = p + all->bytes;
	size_t n = strlen(name);
	while (p < end) {
		if (!strncmp(p, name, n) && p[n] == '=')
			return (char *)p + n + 1;
		p += strlen(p) + 1;
	}
	return NULL;
}

static char *value(const void *pc, const char *name, char *now)
{
	enum hb_inputs what = hb__enter(pc);
	if (what == HB_INPUTS_PASS)
		return now;
	bool from_start = !now || hb__door->is_from_start(now);
	if (what == HB_INPUTS_GIVE && from_start && hb__door->start(HB_START_ENVIRONMENT)->bytes)
		now = recorded(name);
	hb__door->leave();
	return now;
}

SEEN char *getenv(const char *name) { return value(CALLER, name, NEXT(getenv)(name)); }
SEEN char *secure_getenv(const char *name) { return value(CALLER, name, NEXT(secure_getenv)(name)); }
