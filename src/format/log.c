/* Opening a log of either form, and what is known of it as a whole. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "format/clock.h"
#include "format/internal.h"
#include "format/remark/remark.h"
#include "format/row.h"

struct hb__lane_rows *hb__log_lane(hb_log *log, uint32_t number)
{
	if (number >= log->lanes) {
		struct hb__lane_rows *l = realloc(log->lane, ((size_t)number + 1) * sizeof *l);
		if (!l)
			return NULL;
		memset(l + log->lanes, 0, (number + 1 - log->lanes) * sizeof *l);
		log->lane = l;
		log->lanes = number + 1;
	}
	return &log->lane[number];
}

void hb__trouble(hb_log *log, uint64_t offset, const char *format, ...)
{
	if (log->info.recovered)
		return;
	log->info.recovered = 1;
	char *s = log->info.trouble;
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(s, sizeof log->info.trouble, format, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof log->info.trouble)
		snprintf(s + n, sizeof log->info.trouble - (size_t)n, " (offset %llu)", (unsigned long long)offset);
}

#define NAMES_MOST (1u << 20) /* objects of a kind: a greater number is not one */

/* "name comm 2 ocean" */
static bool take_name(hb_log *log, char *text)
{
	static const char *const whats[HB_NAMED] = {"comm ", "type ", "win "};
	char *end;
	for (int w = 0; w < HB_NAMED; w++) {
		size_t n = strlen(whats[w]);
		if (strncmp(text, whats[w], n) != 0 || text[n] < '0' || text[n] > '9')
			continue;
		unsigned long long number = strtoull(text + n, &end, 10);
		if (*end != ' ' || number >= NAMES_MOST)
			return true;
		for (; log->names[w] <= number; log->names[w]++) {
			if (!HB_GROW(log->name[w], log->names_cap[w], log->names[w] + 1))
				return false;
			log->name[w][log->names[w]] = NULL;
		}
		log->name[w][number] = end[1] ? end + 1 : NULL;
		return true;
	}
	return true;
}

const char *hb_log_name(const hb_log *log, hb_named what, int64_t number)
{
	return number >= 0 && (uint64_t)number < log->names[what] ? log->name[what][number] : NULL;
}

bool hb__note_add(hb_log *log, uint32_t lane, uint64_t event, const uint8_t *text, size_t n)
{
	char *s = hb__arena_get(&log->defs.arena, n + 1);
	if (!s || !HB_GROW(log->note, log->notes_cap, log->notes + 1))
		return false;
	memcpy(s, text, n);
	s[n] = 0;
	log->note[log->notes++] = (hb_note){.lane = lane, .event = event, .text = s};
	return strncmp(s, HB_NAME_BEGIN, strlen(HB_NAME_BEGIN)) != 0 || take_name(log, s + strlen(HB_NAME_BEGIN));
}

/* The recorder could not write a note any more: it is made of what it left in the header. */
bool hb__signal_note(hb_log *log, const struct hb_log_header *h)
{
	char text[64];
	if (!h->signal || h->state != HB_STATE_RUNNING)
		return true;
	int n = snprintf(text, sizeof text, HB_REMARK_BEGIN "crash signal=%u lane=%d", h->signal,
		h->signal_lane ? (int)h->signal_lane - 1 : -1);
	return hb__note_add(log, HB_NO, 0, (const uint8_t *)text, (size_t)n);
}

static hb_status map_file(hb_log *log, hb_error *err)
{
	/* The number of units first, then the size: a log that grows meanwhile does not look cut. */
	hb_status s = hb__map(log->path, log->head, sizeof log->head, &log->file, err);
	log->map = log->file.at;
	log->size = log->file.bytes;
	return s;
}

/* Maps what a living process has added. False: out of memory. */
bool hb__log_remap(hb_log *log)
{
	struct stat st;
	hb_mapped *f = &log->file;
	if (f->fd < 0 || fstat(f->fd, &st) || (uint64_t)st.st_size <= log->size)
		return true;
	void *p = mremap(f->whole, f->mapped, (size_t)st.st_size, MREMAP_MAYMOVE);
	if (p == MAP_FAILED)
		return false;
	*f = (hb_mapped){.at = p, .bytes = (uint64_t)st.st_size, .fd = f->fd, .whole = p, .mapped = (size_t)st.st_size};
	log->map = f->at;
	log->size = f->bytes;
	return true;
}

static double tick_ns(const struct hb_log_header *h)
{
	double estimate = (double)h->tick_fs / 1e6;
	if (h->last_tick == 0 || h->last_mono <= h->origin_mono)
		return estimate;
	return (double)(h->last_mono - h->origin_mono) / (double)h->last_tick;
}

static hb_status read_head(hb_log *log, hb_error *err)
{
	struct hb_log_header h = {0};
	if (log->size < sizeof h.magic || memcmp(log->map, HB_LOG_MAGIC, sizeof h.magic) != 0)
		return hb__fail(err, HB_E_FOREIGN, log->path, 0, "%s is not an hbdb log", log->path);
	if (log->size < sizeof log->head)
		return hb__fail(err, HB_E_DAMAGED, log->path, log->size, "%s ends within its header", log->path);
	memcpy(&h, log->head, sizeof log->head);
	if (h.version < HB_LOG_OLDEST || h.version > HB_LOG_VERSION)
		return hb__fail(err, HB_E_VERSION, log->path, 8, "%s has format version %u, known are %u to %u",
			log->path, h.version, HB_LOG_OLDEST, HB_LOG_VERSION);
	if (h.incompatible & ~HB_LOG_KNOWN)
		return hb__fail(err, HB_E_VERSION, log->path, 12,
			"%s uses features this build does not know (flags %x)", log->path, h.incompatible);
	log->info = (hb_log_info){
		.version = h.version,
		.sealed = h.incompatible & HB_LOG_INCOMPAT_SEALED,
		.rank = h.rank,
		.size = h.size,
		.pid = h.pid,
		.level = h.level,
		.state = h.state,
		.stopped = h.stopped,
		.thread_level = h.thread_level,
		.library = h.library,
		.tick_ns = tick_ns(&h),
		.origin_real = h.origin_real,
		.origin_mono = h.origin_mono,
		.bytes = log->size,
		.postings = (h.compatible & HB_LOG_POSTINGS) != 0,
		.turns = h.compatible & HB_LOG_TURNS,
	};
	log->defs.version = h.version;
	if (h.level > HB_LEVEL_RACING)
		return hb__fail(err, HB_E_DAMAGED, log->path, 36, "%s has a level that does not exist", log->path);
	return HB_OK;
}

static void count(hb_log *log)
{
	hb_log_info *i = &log->info;
	struct hb__def_table *t = log->defs.table;
	hb__defs_layers(&log->defs);
	i->lanes = log->lanes;
	i->functions = t[HB_DEF_FUNCTION].n;
	i->sites = t[HB_DEF_SITE].n;
	i->modules = t[HB_DEF_MODULE].n;
	i->comms = t[HB_DEF_COMM].n;
	i->datatypes = t[HB_DEF_DATATYPE].n;
	i->ops = t[HB_DEF_OP].n;
	i->notes = (uint32_t)log->notes;
	i->remarks = log->remarks;
	i->marks = log->marks;
	i->events = 0;
	for (uint32_t l = 0; l < log->lanes; l++) {
		i->events += log->lane[l].info.events;
		for (uint32_t f = 0; f < log->lane[l].ncalls && f < i->functions; f++) {
			hb_function *fn = t[HB_DEF_FUNCTION].at[f];
			if (fn)
				fn->calls += log->lane[l].calls[f];
		}
	}
}

hb_status hb_log_open(const char *path, hb_log **ret_log, hb_error *err)
{
	if (ret_log)
		*ret_log = NULL;
	if (!path || !ret_log)
		return hb__fail(err, HB_E_ARGUMENT, path, 0, "no path, or nowhere to put the log");
	hb_log *log = calloc(1, sizeof *log);
	if (log)
		log->file.fd = -1;
	if (!log || !(log->path = strdup(path))) {
		free(log);
		return hb__fail(err, HB_E_MEMORY, path, 0, "out of memory");
	}
	hb_status s = map_file(log, err);
	if (!s)
		s = read_head(log, err);
	if (!s)
		s = log->info.sealed ? hb__sealed_open(log, err) : hb__raw_open(log, err);
	if (s) {
		hb_log_close(log);
		return s;
	}
	if (log->info.sealed &&
		log->file.fd >=
			0) { /* it does not grow; a recording may have more logs than a process may open files */
		close(log->file.fd);
		log->file.fd = -1;
	}
	count(log);
	*ret_log = log;
	return HB_OK;
}

void hb_log_close(hb_log *log)
{
	if (!log)
		return;
	for (uint32_t i = 0; i < log->lanes; i++) {
		struct hb__lane_rows *l = &log->lane[i];
		free(l->calls);
		free(l->inside.arg);
		free(l->polling.arg);
		free(l->wait);
		free(l->unit);
		free(l->def);
		free(l->block);
		for (size_t k = 0; k < l->bases; k++)
			free(l->base[k].slot.arg);
		free(l->base);
	}
	free(log->before_bytes);
	free(log->lane);
	for (int w = 0; w < HB_NAMED; w++)
		free(log->name[w]);
	free(log->note);
	free(log->remark);
	free(log->mark);
	hb__defs_free(&log->defs);
	hb__unmap(&log->file);
	free(log->path);
	free(log);
}

void hb_log_set_clock(hb_log *log, int64_t shift_ns, double rate)
{
	log->info.origin_real += (uint64_t)shift_ns;
	log->info.tick_ns *= 1 + rate;
}

const hb_log_info *hb_log_get_info(const hb_log *log) { return &log->info; }

hb_status hb_log_lane(const hb_log *log, uint32_t lane, hb_lane_info *ret_lane)
{
	if (lane >= log->lanes)
		return HB_E_ARGUMENT;
	*ret_lane = log->lane[lane].info;
	return HB_OK;
}

static const void *defined(const hb_log *log, int kind, uint32_t number)
{
	const struct hb__def_table *t = &log->defs.table[kind];
	return number < t->n ? t->at[number] : NULL;
}

const hb_function *hb_log_function(const hb_log *log, uint32_t number) { return defined(log, HB_DEF_FUNCTION, number); }

const hb_module *hb_log_module(const hb_log *log, uint32_t number) { return defined(log, HB_DEF_MODULE, number); }
const hb_site *hb_log_site(const hb_log *log, uint32_t number) { return defined(log, HB_DEF_SITE, number); }
const hb_comm *hb_log_comm(const hb_log *log, uint32_t number) { return defined(log, HB_DEF_COMM, number); }

const hb_datatype *hb_log_datatype(const hb_log *log, uint32_t number) { return defined(log, HB_DEF_DATATYPE, number); }

const char *hb_log_op(const hb_log *log, uint32_t number) { return defined(log, HB_DEF_OP, number); }

const char *hb_log_text(const hb_log *log, uint32_t number)
{
	return number < log->defs.text.n ? log->defs.text.at[number] : NULL;
}

const hb_note *hb_log_note(const hb_log *log, uint32_t index) { return index < log->notes ? &log->note[index] : NULL; }

const hb_mark *hb_log_mark(const hb_log *log, uint64_t index) { return index < log->marks ? &log->mark[index] : NULL; }

hb_status hb_cursor_open(hb_log *log, uint32_t lane, uint64_t from, hb_cursor **ret_cursor, hb_error *err)
{
	*ret_cursor = NULL;
	if (lane >= log->lanes || from == 0)
		return hb__fail(
			err, HB_E_ARGUMENT, log->path, 0, "lane %u has no event %llu", lane, (unsigned long long)from);
	return log->ops->open(log, lane, from, ret_cursor, err);
}

int hb_cursor_next(hb_cursor *cursor, hb_row *ret_row, hb_error *err)
{
	return cursor->ops->next(cursor, ret_row, err);
}

hb_status hb_cursor_slot(hb_cursor *cursor, uint32_t slot, hb_row *ret_row)
{
	*ret_row = (hb_row){0};
	return cursor->ops->slot(cursor, slot, ret_row);
}

void hb_cursor_close(hb_cursor *cursor)
{
	if (cursor)
		cursor->ops->close(cursor);
}

void hb_cursor_skip_times(hb_cursor *cursor)
{
	if (cursor->ops->skip_times)
		cursor->ops->skip_times(cursor);
}

hb_status hb_log_stretch(const hb_log *log, uint32_t lane, uint64_t index, hb_stretch *ret, hb_error *err)
{
	*ret = (hb_stretch){0};
	if (lane >= log->lanes)
		return hb__fail(err, HB_E_ARGUMENT, log->path, 0, "there is no lane %u", lane);
	return log->ops->stretch(log, &log->lane[lane], index, ret, err);
}

hb_status hb_log_verify(const char *path, uint64_t *ret_events, hb_error *err)
{
	hb_log *log;
	hb_status s = hb_log_open(path, &log, err);
	if (ret_events)
		*ret_events = 0;
	if (s)
		return s;
	if (ret_events)
		*ret_events = log->info.events;
	if (log->info.recovered)
		s = hb__fail(err, HB_E_DAMAGED, path, 0, "%s", log->info.trouble);
	else if (log->info.sealed)
		s = hb__sealed_verify(log, err);
	hb_log_close(log);
	return s;
}
