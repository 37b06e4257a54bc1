/* The attributes of a stream that is to be made. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../state.h"

enum { STREAM = 1 << 18, LOG = 1 << 20, DATA = 256 };

static bool good(const hb_trace_attr_t *a) { return a && a->magic == HB__ATTR_MAGIC; }

int hb_posix_trace_attr_init(hb_trace_attr_t *a)
{
	if (!a)
		return EINVAL;
	*a = (hb_trace_attr_t){.magic = HB__ATTR_MAGIC,
		.inheritance = HB_POSIX_TRACE_CLOSE_FOR_CHILD,
		.log_full_policy = HB_POSIX_TRACE_LOOP,
		.stream_size = STREAM,
		.log_size = LOG,
		.max_data_size = DATA};
	clock_getres(CLOCK_REALTIME, &a->resolution);
	snprintf(a->version, sizeof a->version, "hbdb-self %u", HB_STREAM_VERSION);
	return 0;
}

int hb_posix_trace_attr_destroy(hb_trace_attr_t *a)
{
	if (!good(a))
		return EINVAL;
	a->magic = 0;
	return 0;
}

int hb_posix_trace_attr_getclockres(const hb_trace_attr_t *a, struct timespec *ret)
{
	if (!good(a))
		return EINVAL;
	*ret = a->resolution;
	return 0;
}

int hb_posix_trace_attr_getcreatetime(const hb_trace_attr_t *a, struct timespec *ret)
{
	if (!good(a))
		return EINVAL;
	*ret = a->created;
	return 0;
}

int hb_posix_trace_attr_getgenversion(const hb_trace_attr_t *a, char *ret)
{
	if (!good(a))
		return EINVAL;
	memcpy(ret, a->version, strlen(a->version) + 1);
	return 0;
}

int hb_posix_trace_attr_getname(const hb_trace_attr_t *a, char *ret)
{
	if (!good(a))
		return EINVAL;
	memcpy(ret, a->name, strlen(a->name) + 1);
	return 0;
}

int hb_posix_trace_attr_setname(hb_trace_attr_t *a, const char *name)
{
	if (!good(a) || !name)
		return EINVAL;
	memset(a->name, 0, sizeof a->name);
	memcpy(a->name, name, strnlen(name, sizeof a->name - 1));
	return 0;
}

static int get_int(const hb_trace_attr_t *a, int value, int *ret)
{
	if (!good(a))
		return EINVAL;
	*ret = value;
	return 0;
}

static int get_size(const hb_trace_attr_t *a, size_t value, size_t *ret)
{
	if (!good(a))
		return EINVAL;
	*ret = value;
	return 0;
}

int hb_posix_trace_attr_getinherited(const hb_trace_attr_t *HB_RESTRICT a, int *HB_RESTRICT ret)
{
	return get_int(a, good(a) ? a->inheritance : 0, ret);
}

int hb_posix_trace_attr_setinherited(hb_trace_attr_t *a, int policy)
{
	if (!good(a) || (policy != HB_POSIX_TRACE_CLOSE_FOR_CHILD && policy != HB_POSIX_TRACE_INHERITED))
		return EINVAL;
	a->inheritance = policy;
	return 0;
}

int hb_posix_trace_attr_getlogfullpolicy(const hb_trace_attr_t *HB_RESTRICT a, int *HB_RESTRICT ret)
{
	return get_int(a, good(a) ? a->log_full_policy : 0, ret);
}

int hb_posix_trace_attr_setlogfullpolicy(hb_trace_attr_t *a, int policy)
{
	if (!good(a) || (policy != HB_POSIX_TRACE_LOOP && policy != HB_POSIX_TRACE_UNTIL_FULL &&
				policy != HB_POSIX_TRACE_APPEND))
		return EINVAL;
	a->log_full_policy = policy;
	return 0;
}

/* What was not set depends on whether the stream has a log; until it is made, it is that of one without. */
int hb_posix_trace_attr_getstreamfullpolicy(const hb_trace_attr_t *HB_RESTRICT a, int *HB_RESTRICT ret)
{
	return get_int(a, good(a) && a->stream_full_policy ? a->stream_full_policy : HB_POSIX_TRACE_LOOP, ret);
}

int hb_posix_trace_attr_setstreamfullpolicy(hb_trace_attr_t *a, int policy)
{
	if (!good(a) || (policy != HB_POSIX_TRACE_LOOP && policy != HB_POSIX_TRACE_UNTIL_FULL &&
				policy != HB_POSIX_TRACE_FLUSH))
		return EINVAL;
	a->stream_full_policy = policy;
	return 0;
}

int hb_posix_trace_attr_getlogsize(const hb_trace_attr_t *HB_RESTRICT a, size_t *HB_RESTRICT ret)
{
	return get_size(a, good(a) ? a->log_size : 0, ret);
}

int hb_posix_trace_attr_setlogsize(hb_trace_attr_t *a, size_t size)
{
	if (!good(a))
		return EINVAL;
	a->log_size = size;
	return 0;
}

int hb_posix_trace_attr_getstreamsize(const hb_trace_attr_t *HB_RESTRICT a, size_t *HB_RESTRICT ret)
{
	return get_size(a, good(a) ? a->stream_size : 0, ret);
}

int hb_posix_trace_attr_setstreamsize(hb_trace_attr_t *a, size_t size)
{
	if (!good(a))
		return EINVAL;
	a->stream_size = size;
	return 0;
}

int hb_posix_trace_attr_getmaxdatasize(const hb_trace_attr_t *HB_RESTRICT a, size_t *HB_RESTRICT ret)
{
	return get_size(a, good(a) ? a->max_data_size : 0, ret);
}

int hb_posix_trace_attr_setmaxdatasize(hb_trace_attr_t *a, size_t size)
{
	if (!good(a) || size > HB_TRACE_DATA_MAX)
		return EINVAL;
	a->max_data_size = size;
	return 0;
}

/* The greatest is that of a changed filter. */
int hb_posix_trace_attr_getmaxsystemeventsize(const hb_trace_attr_t *HB_RESTRICT a, size_t *HB_RESTRICT ret)
{
	return get_size(a, hb__cells(2 * sizeof(hb_trace_event_set_t)) * (size_t)HB_STREAM_CELL, ret);
}

int hb_posix_trace_attr_getmaxusereventsize(const hb_trace_attr_t *HB_RESTRICT a, size_t bytes, size_t *HB_RESTRICT ret)
{
	size_t most = good(a) && bytes > a->max_data_size ? a->max_data_size : bytes;
	return get_size(a, hb__cells(most) * (size_t)HB_STREAM_CELL, ret);
}
