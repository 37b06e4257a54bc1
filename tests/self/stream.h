/* What the tests of streams share. */
#ifndef TESTS_SELF_STREAM_H
#define TESTS_SELF_STREAM_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include <hbdb/self/trace.h>

#include "tests/unit/check.h"

#define IS(call, code) check((call) == (code), "%s is " #code, #call)

/* A stream of so many bytes; policy 0: the default. */
static inline trace_id_t stream_of(int policy, size_t bytes, int inherited)
{
	trace_attr_t a;
	trace_id_t trid = 0;
	posix_trace_attr_init(&a);
	posix_trace_attr_setstreamsize(&a, bytes);
	if (policy)
		posix_trace_attr_setstreamfullpolicy(&a, policy);
	if (inherited)
		posix_trace_attr_setinherited(&a, POSIX_TRACE_INHERITED);
	int error = posix_trace_create(0, &a, &trid);
	if (error)
		check(false, "a stream is made: %s", strerror(error));
	return trid;
}

/* The next event without waiting: its type, 0: there is none. */
static inline trace_event_id_t next_of(
	trace_id_t trid, struct posix_trace_event_info *info, void *data, size_t room, size_t *n)
{
	int unavailable = 1;
	return posix_trace_trygetnext_event(trid, info, data, room, n, &unavailable) || unavailable
		       ? 0
		       : info->posix_event_id;
}

/* The same of a log. */
static inline trace_event_id_t next_in(
	trace_id_t trid, struct posix_trace_event_info *info, void *data, size_t room, size_t *n)
{
	int unavailable = 1;
	return posix_trace_getnext_event(trid, info, data, room, n, &unavailable) || unavailable ? 0
												 : info->posix_event_id;
}

static inline struct posix_trace_status_info status_of(trace_id_t trid)
{
	struct posix_trace_status_info status = {0};
	posix_trace_get_status(trid, &status);
	return status;
}

#endif
