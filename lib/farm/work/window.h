/* How many items a process wants to have ahead. A window of the specification (`credits`) stays as it is. Else it begins small, as is
 * right for long tasks; it grows when the process has run dry although who sends had more, and shrinks slowly
 * when it has not for long: additive and multiplicative by turns, as a sender's window in TCP. */
#ifndef FARM_WINDOW_H
#define FARM_WINDOW_H

#include "../state.h"

enum { WINDOW_START = 2, WINDOW_LIMIT = 1024 };

static inline int64_t window_first(void)
{
	int64_t said = farm.settings.number[KEY_CREDITS];
	return said > 0 ? said : WINDOW_START;
}

static inline void window_dry(int64_t *window, int64_t *since_dry, int limited)
{
	*since_dry = 0;
	if (!limited || farm.settings.number[KEY_CREDITS] > 0)
		return;
	*window += *window / 2 > 2 ? *window / 2 : 2;
	if (*window > WINDOW_LIMIT)
		*window = WINDOW_LIMIT;
}

static inline void window_used(int64_t *window, int64_t *since_dry)
{
	if (++*since_dry < 16 * *window || farm.settings.number[KEY_CREDITS] > 0)
		return;
	*since_dry = 0;
	*window -= *window / 8;
}

#endif
