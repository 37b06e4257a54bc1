/* Sets of types of events. */
#include <errno.h>
#include <string.h>

#include "../state.h"

static bool is_one(hb_trace_event_id_t id) { return id > 0 && id < HB_TRACE_EVENT_IDS; }

int hb_posix_trace_eventset_add(hb_trace_event_id_t id, hb_trace_event_set_t *set)
{
	if (!is_one(id) || !set)
		return EINVAL;
	set->word[id / 64] |= (uint64_t)1 << id % 64;
	return 0;
}

int hb_posix_trace_eventset_del(hb_trace_event_id_t id, hb_trace_event_set_t *set)
{
	if (!is_one(id) || !set)
		return EINVAL;
	set->word[id / 64] &= ~((uint64_t)1 << id % 64);
	return 0;
}

int hb_posix_trace_eventset_empty(hb_trace_event_set_t *set)
{
	if (!set)
		return EINVAL;
	memset(set, 0, sizeof *set);
	return 0;
}

/* There are no types of the system but the standard's; each belongs to a process. All types: those that get a name later, too. */
int hb_posix_trace_eventset_fill(hb_trace_event_set_t *set, int what)
{
	if (!set || what < HB_POSIX_TRACE_WOPID_EVENTS || what > HB_POSIX_TRACE_ALL_EVENTS)
		return EINVAL;
	memset(set, what == HB_POSIX_TRACE_ALL_EVENTS ? 255 : 0, sizeof *set);
	for (uint32_t id = HB_POSIX_TRACE_ERROR;
		what == HB_POSIX_TRACE_SYSTEM_EVENTS && id <= HB_POSIX_TRACE_FLUSH_STOP; id++)
		set->word[0] |= (uint64_t)1 << id;
	return 0;
}

int hb_posix_trace_eventset_ismember(
	hb_trace_event_id_t id, const hb_trace_event_set_t *HB_RESTRICT set, int *HB_RESTRICT ret)
{
	if (!is_one(id) || !set)
		return EINVAL;
	*ret = (int)(set->word[id / 64] >> id % 64 & 1);
	return 0;
}
