/* Logs are opened and read again; types of events, of streams and of logs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "../state.h"

struct hb__recorded hb__recorded[HB__RECORDED];

struct hb__recorded *hb__recorded_of(hb_trace_id_t trid)
{
	uint32_t i = (trid & 255) - HB_TRACE_SYS_MAX;
	if ((trid & 255) < HB_TRACE_SYS_MAX || i >= HB__RECORDED)
		return NULL;
	struct hb__recorded *r = &hb__recorded[i];
	uint32_t generation = HB__LOAD(r->generation);
	return generation & 1 && (generation & 0xffffff) == trid >> 8 ? r : NULL;
}

static int open_log(struct hb__recorded *r, int file)
{
	struct stat st;
	int flags = fcntl(file, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY || fstat(file, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return EINVAL;
	int own = fcntl(file, F_DUPFD_CLOEXEC, 3);
	if (own < 0)
		return ENOMEM;
	int error = hb_stream_file_open(own, (uint64_t)st.st_size, &r->file, &r->log);
	if (error)
		return error;
	r->listed = 0;
	HB__STORE(r->generation, r->generation + 1);
	return 0;
}

int hb_posix_trace_open(int file, hb_trace_id_t *ret)
{
	int cancel;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&hb__control);
	uint32_t i = 0;
	while (i < HB__RECORDED && hb__recorded[i].generation & 1)
		i++;
	int error = i < HB__RECORDED ? open_log(&hb__recorded[i], file) : ENOMEM;
	if (!error)
		*ret = hb__recorded[i].generation << 8 | (i + HB_TRACE_SYS_MAX);
	pthread_mutex_unlock(&hb__control);
	pthread_setcancelstate(cancel, NULL);
	return error;
}

int hb_posix_trace_rewind(hb_trace_id_t trid)
{
	pthread_mutex_lock(&hb__control);
	struct hb__recorded *r = hb__recorded_of(trid);
	if (r)
		hb_stream_log_rewind(&r->log);
	pthread_mutex_unlock(&hb__control);
	return r ? 0 : EINVAL;
}

int hb_posix_trace_close(hb_trace_id_t trid)
{
	pthread_mutex_lock(&hb__control);
	struct hb__recorded *r = hb__recorded_of(trid);
	if (r) {
		HB__STORE(r->generation, r->generation + 1);
		hb_stream_file_close(&r->file);
	}
	pthread_mutex_unlock(&hb__control);
	return r ? 0 : EINVAL;
}

/* ---- types of events ---- */

int hb_posix_trace_eventid_open(const char *HB_RESTRICT name, hb_trace_event_id_t *HB_RESTRICT ret)
{
	return hb__begin() ? hb__name_open(name, ret) : ENOMEM;
}

int hb_posix_trace_trid_eventid_open(
	hb_trace_id_t trid, const char *HB_RESTRICT name, hb_trace_event_id_t *HB_RESTRICT ret)
{
	return hb__stream_of(trid) ? hb__name_open(name, ret) : EINVAL;
}

int hb_posix_trace_eventid_equal(hb_trace_id_t trid, hb_trace_event_id_t a, hb_trace_event_id_t b)
{
	(void)trid; /* the same type has one identifier in all streams of a process */
	return a == b;
}

int hb_posix_trace_eventid_get_name(hb_trace_id_t trid, hb_trace_event_id_t id, char *ret)
{
	struct hb__recorded *r = hb__recorded_of(trid);
	if (r) {
		const char *name;
		size_t n = hb_stream_log_name(&r->log, id, &name);
		memcpy(ret, name, n);
		ret[n] = 0;
		return n ? 0 : EINVAL;
	}
	const char *name = hb__stream_of(trid) ? hb__name(id) : NULL;
	if (!name)
		return EINVAL;
	memcpy(ret, name, strlen(name) + 1);
	return 0;
}

int hb_posix_trace_eventtypelist_getnext_id(
	hb_trace_id_t trid, hb_trace_event_id_t *HB_RESTRICT ret, int *HB_RESTRICT unavailable)
{
	struct hb__recorded *r = hb__recorded_of(trid);
	struct hb__stream *s = hb__stream_of(trid);
	const char *name;
	if (!r && !s)
		return EINVAL;
	uint32_t id = r ? r->listed : hb__name_next(s->listed);
	while (r && id < HB_TRACE_EVENT_IDS && !hb_stream_log_name(&r->log, id, &name))
		id++;
	*unavailable = id >= HB_TRACE_EVENT_IDS;
	if (!*unavailable)
		*ret = id;
	*(r ? &r->listed : &s->listed) = *unavailable ? id : id + 1;
	return 0;
}

int hb_posix_trace_eventtypelist_rewind(hb_trace_id_t trid)
{
	struct hb__recorded *r = hb__recorded_of(trid);
	struct hb__stream *s = hb__stream_of(trid);
	if (!r && !s)
		return EINVAL;
	*(r ? &r->listed : &s->listed) = 0;
	return 0;
}
