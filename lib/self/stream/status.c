/* What streams say of themselves: attributes, status, filter; of logs, too. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../state.h"

int hb_posix_trace_get_attr(hb_trace_id_t trid, hb_trace_attr_t *attr)
{
	struct hb__stream *s = hb__stream_of(trid);
	struct hb__recorded *r = s ? NULL : hb__recorded_of(trid);
	if (!s && !r)
		return EINVAL;
	const struct hb_stream_head *h = s ? s->head : r->log.head;
	int turned = s ? 0 : r->log.turned;
	hb_posix_trace_attr_init(attr);
	attr->inheritance = (int)HB_STREAM_U32(h, inheritance, turned);
	attr->log_full_policy = (int)HB_STREAM_U32(h, log_policy, turned);
	attr->stream_full_policy = (int)HB_STREAM_U32(h, stream_policy, turned);
	attr->stream_size = (size_t)HB_STREAM_U64(h, stream_size, turned);
	attr->log_size = (size_t)HB_STREAM_U64(h, log_size, turned);
	attr->max_data_size = (size_t)HB_STREAM_U64(h, max_data, turned);
	attr->created.tv_sec = (time_t)HB_STREAM_U64(h, created_seconds, turned);
	attr->created.tv_nsec = (long)HB_STREAM_U64(h, created_nanoseconds, turned);
	attr->resolution.tv_nsec = (long)HB_STREAM_U64(h, resolution, turned);
	memcpy(attr->name, h->name, sizeof attr->name);
	memcpy(attr->version, h->written_by, sizeof attr->version);
	attr->name[sizeof attr->name - 1] = attr->version[sizeof attr->version - 1] = 0;
	return 0;
}

static void tell(const struct hb_stream_head *h, int turned, struct hb_posix_trace_status_info *ret)
{
	uint32_t run = HB_STREAM_U32(h, run, turned);
	bool loops = HB_STREAM_U32(h, stream_policy, turned) == HB_POSIX_TRACE_LOOP;
	bool over = HB_STREAM_U64(h, tail, turned) - HB_STREAM_U64(h, head, turned) >= HB_STREAM_U64(h, cells, turned);
	*ret = (struct hb_posix_trace_status_info){
		.posix_stream_status = run == HB_STREAM_RUNNING ? HB_POSIX_TRACE_RUNNING : HB_POSIX_TRACE_SUSPENDED,
		.posix_stream_full_status =
			run == HB_STREAM_FILLED || (loops && over) ? HB_POSIX_TRACE_FULL : HB_POSIX_TRACE_NOT_FULL,
		.posix_stream_overrun_status =
			HB_STREAM_U32(h, overrun, turned) ? HB_POSIX_TRACE_OVERRUN : HB_POSIX_TRACE_NO_OVERRUN,
		.posix_stream_flush_status =
			HB_STREAM_U32(h, flushing, turned) ? HB_POSIX_TRACE_FLUSHING : HB_POSIX_TRACE_NOT_FLUSHING,
		.posix_stream_flush_error = (int)HB_STREAM_U32(h, flush_error, turned),
		.posix_log_overrun_status =
			HB_STREAM_U32(h, log_overrun, turned) ? HB_POSIX_TRACE_OVERRUN : HB_POSIX_TRACE_NO_OVERRUN,
		.posix_log_full_status =
			HB_STREAM_U32(h, log_full, turned) ? HB_POSIX_TRACE_FULL : HB_POSIX_TRACE_NOT_FULL};
}

int hb_posix_trace_get_status(hb_trace_id_t trid, struct hb_posix_trace_status_info *ret)
{
	struct hb__recorded *r = hb__recorded_of(trid);
	struct hb__stream *s = hb__stream_of(trid);
	if (r)
		return tell(r->log.head, r->log.turned, ret), 0;
	if (!s)
		return EINVAL;
	tell(s->head, 0, ret);
	/* each is taken by one call only */
	ret->posix_stream_overrun_status = __atomic_exchange_n(&s->head->overrun, 0, __ATOMIC_ACQ_REL)
						   ? HB_POSIX_TRACE_OVERRUN
						   : HB_POSIX_TRACE_NO_OVERRUN;
	ret->posix_log_overrun_status = __atomic_exchange_n(&s->head->log_overrun, 0, __ATOMIC_ACQ_REL)
						? HB_POSIX_TRACE_OVERRUN
						: HB_POSIX_TRACE_NO_OVERRUN;
	ret->posix_stream_flush_error = __atomic_exchange_n(&s->head->flush_error, 0, __ATOMIC_ACQ_REL);
	return 0;
}

int hb_self_lost(hb_trace_id_t trid, uint64_t *ret)
{
	struct hb__stream *s = hb__stream_of(trid);
	if (!s)
		return EINVAL;
	*ret = HB__LOAD(s->head->lost);
	return 0;
}

int hb_posix_trace_get_filter(hb_trace_id_t trid, hb_trace_event_set_t *set)
{
	struct hb__stream *s = hb__stream_of(trid);
	if (!s)
		return EINVAL;
	for (size_t i = 0; i < sizeof set->word / sizeof *set->word; i++)
		set->word[i] = HB__LOAD(s->head->filter[i]);
	return 0;
}

int hb_posix_trace_set_filter(hb_trace_id_t trid, const hb_trace_event_set_t *set, int how)
{
	struct hb__stream *s = hb__stream_of(trid);
	hb_trace_event_set_t both[2]; /* before and after */
	uint32_t any = 0;
	if (!s || how < HB_POSIX_TRACE_SET_EVENTSET || how > HB_POSIX_TRACE_SUB_EVENTSET)
		return EINVAL;
	struct hb_stream_head *h = s->head;
	hb__lock(h);
	for (size_t i = 0; i < sizeof set->word / sizeof *set->word; i++) {
		uint64_t was = both[0].word[i] = h->filter[i], given = set->word[i];
		uint64_t now = how == HB_POSIX_TRACE_SET_EVENTSET   ? given
			       : how == HB_POSIX_TRACE_ADD_EVENTSET ? was | given
								    : was & ~given;
		both[1].word[i] = now;
		any |= now != 0;
	}
	if (HB__LOAD(h->run) == HB_STREAM_RUNNING)
		hb__put_own(s, HB_POSIX_TRACE_FILTER, both, sizeof both);
	for (size_t i = 0; i < sizeof set->word / sizeof *set->word; i++)
		HB__STORE(h->filter[i], both[1].word[i]);
	HB__STORE(h->filtered, any);
	hb__unlock(h);
	return 0;
}
