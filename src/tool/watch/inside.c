/* What one log says of the calls of its process: the one that a thread is in, and how often each function was called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/row.h"
#include "calls/neutral.h"
#include "lanes.h"

bool hb__call_of_log(
	const char *path, uint32_t lane, uint64_t event, uint32_t slot, bool by_slot, char *ret, size_t size)
{
	hb_log *log;
	hb_cursor *cursor = NULL;
	hb_row row;
	if (hb_log_open(path, &log, NULL))
		return false;
	bool found = !hb_cursor_open(log, lane, event, &cursor, NULL) &&
		     (by_slot ? !hb_cursor_slot(cursor, slot, &row) : hb_cursor_next(cursor, &row, NULL) == 1);
	hb_lane_info ends;
	if (!found && !by_slot && cursor && !hb_log_lane(log, lane, &ends) && ends.inside && ends.events + 1 == event)
		/* the call that its thread never returned from: it has no row of its own */
		by_slot = found = !hb_cursor_slot(cursor, ends.inside_slot, &row);
	const hb_function *f = found ? hb_log_function(log, row.function) : NULL;
	if (f)
		snprintf(ret, size, "%s", f->name);
	for (uint32_t i = 0; f && i < f->nargs; i++) {
		bool source = !strcmp(f->arg_name[i], "source"), dest = !strcmp(f->arg_name[i], "dest");
		size_t n = strlen(ret);
		if (by_slot && (source || dest) && row.arg[i] >= 0)
			snprintf(ret + n, size - n, " %s %lld", source ? "from" : "to", (long long)row.arg[i]);
		else if (by_slot && source && row.arg[i] == HB_ANY_SOURCE)
			snprintf(ret + n, size - n, " from any");
	}
	hb_cursor_close(cursor);
	hb_log_close(log);
	return f != NULL;
}

hb_called *hb__calls_of_log(const char *path, size_t *ret_n)
{
	hb_log *log;
	*ret_n = 0;
	if (hb_log_open(path, &log, NULL))
		return NULL;
	size_t n = hb_log_get_info(log)->functions;
	hb_called *calls = hb__alloc((n + 1) * sizeof *calls);
	for (size_t i = 0; i < n; i++) {
		const hb_function *f = hb_log_function(log, (uint32_t)i);
		calls[i] = (hb_called){hb__copy(f && f->name ? f->name : ""), f ? f->calls : 0};
	}
	*ret_n = n;
	hb_log_close(log);
	return calls;
}

void hb__calls_free(hb_called *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(calls[i].name);
	free(calls);
}
