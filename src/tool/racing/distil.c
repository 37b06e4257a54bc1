/* Level racing: rows that did not race are taken out of the logs, and the messages that raced are listed by sender. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "distil.h"
#include "format/growing/growing.h"
#include "format/row.h"

/* With so many receives kept, in more bytes than this, it may be shorter to keep those left out, too: what is left has less of a pattern. */
#define MANY 1000
#define SMALL 1024
#define PACKED 12 /* level of compression */

/* A message that raced. */
struct hb_sent {
	uint64_t number, event;
	uint32_t rank, to, lane;
};

/* Only what every process saw to its end tells that nothing else could have come. */
static const char *unfit(const hb_log_info *info)
{
	return info->recovered                     ? "a log is damaged"
	       : info->stopped                     ? "a process stopped recording"
	       : info->state != HB_STATE_FINALIZED ? "a process did not return from MPI_Finalize"
						   : NULL;
}

/* By the header alone: opening a log at level events reads all of it. */
static bool at_level_racing(const char *path)
{
	hb_log_head h;
	return !hb_log_head_read(path, &h, NULL) && h.level == HB_LEVEL_RACING && !h.sealed;
}

void hb__distillery_open(const hb_logs *logs, hb_distillery *ret)
{
	const char *why = NULL;
	int32_t size = 0;
	*ret = (hb_distillery){0};
	for (size_t i = 0; i < logs->n; i++)
		ret->racing = ret->racing || at_level_racing(logs->at[i].path);
	for (size_t i = 0; i < logs->n && ret->racing && !why; i++) {
		hb_log *log;
		if (hb_log_open(logs->at[i].path, &log, NULL)) {
			why = "a log cannot be read";
			break;
		}
		const hb_log_info *info = hb_log_get_info(log);
		size = info->size;
		why = logs->at[i].pid ? "the program started processes" : unfit(info);
		hb_log_close(log);
	}
	if (!why && (int64_t)logs->n != size)
		why = "a process has no log";
	if (ret->racing && why)
		ret->whole = hb__copy(why);
}

static void note_marks(hb_distillery *d, const hb_log *log)
{
	const hb_log_info *info = hb_log_get_info(log);
	const hb_mark *m;
	for (uint64_t i = 0; (m = hb_log_mark(log, i)); i++) {
		if (m->rank == HB_NO)
			continue;
		if (d->nsent == d->room) {
			d->room = d->room ? 2 * d->room : 256;
			d->sent = hb__resize(d->sent, d->room * sizeof *d->sent);
		}
		d->sent[d->nsent++] = (struct hb_sent){.number = m->sent,
			.event = m->event,
			.rank = m->rank,
			.to = (uint32_t)info->rank,
			.lane = m->lane};
	}
}

/* What the target could not watch, and threads, whose order is not recorded. */
static bool keep_whole(const hb_distillery *d, const hb_log *log)
{
	static const char unwatched[] = "racing: ";
	const hb_log_info *info = hb_log_get_info(log);
	bool whole = d->whole || info->lanes > 1;
	for (uint32_t i = 0; i < info->notes && !whole; i++)
		whole = !strncmp(hb_log_note(log, i)->text, unwatched, sizeof unwatched - 1);
	return whole;
}

static hb_status seal_once(hb_log *log, const hb_racers *racers, const char *to, hb_progress *progress, void *user,
	hb_log_info *ret_rows, hb_distilled *ret_kept, hb_error *err)
{
	char *raw = hb__format("%s.raw", to);
	hb_log *rows = NULL;
	hb_status status = hb_distil(log, raw, racers, ret_kept, err);
	status = status ? status : hb_log_open(raw, &rows, err);
	if (!status)
		*ret_rows = *hb_log_get_info(rows);
	hb_log_close(rows);
	status = status ? status : hb_log_seal(raw, to, progress, user, err);
	unlink(raw);
	free(raw);
	return status;
}

static int64_t size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) ? INT64_MAX : st.st_size;
}

hb_status hb__seal_racing(hb_log *log, const hb_racers *racers, const char *to, hb_progress *progress, void *user,
	hb_log_info *ret_rows, hb_distilled *ret_kept, hb_error *err)
{
	hb_status status = seal_once(log, racers, to, progress, user, ret_rows, ret_kept, err);
	if (status || ret_kept->kept < MANY || !ret_kept->skipped || size_of(to) <= SMALL)
		return status;
	hb_log_info rows;
	hb_distilled kept;
	char *all = hb__format("%s.all", to);
	status = seal_once(log, NULL, all, progress, user, &rows, &kept, err);
	if (!status && size_of(all) <= size_of(to) && !rename(all, to)) {
		*ret_rows = rows;
		ret_kept->kept = kept.kept;
		ret_kept->skipped = kept.skipped;
	}
	unlink(all);
	free(all);
	return status;
}

hb_status hb__distil_log(hb_distillery *d, const char *path, const char *to, hb_progress *progress, void *user,
	hb_log_info *ret_rows, hb_error *err)
{
	hb_log *log;
	hb_distilled kept;
	hb_status status = hb_log_open(path, &log, err);
	if (status)
		return status;
	note_marks(d, log);
	if (keep_whole(d, log)) { /* with what it says of its end */
		*ret_rows = *hb_log_get_info(log);
		hb_log_close(log);
		return hb_log_seal(path, to, progress, user, err);
	}
	hb_racers *racers = hb_racers_create(log);
	if (racers) {
		hb_racers_add_marks(racers, log);
		status = hb__seal_racing(log, racers, to, progress, user, ret_rows, &kept, err);
	} else {
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
		status = HB_E_MEMORY;
	}
	hb_racers_free(racers);
	hb_log_close(log);
	return status;
}

/* ---- rank.N.ctf ---- */

static int by_sender(const void *a, const void *b)
{
	const struct hb_sent *x = a, *y = b;
	return x->rank != y->rank       ? (x->rank > y->rank) - (x->rank < y->rank)
	       : x->number != y->number ? (x->number > y->number) - (x->number < y->number)
	       : x->to != y->to         ? (x->to > y->to) - (x->to < y->to)
	       : x->lane != y->lane     ? (x->lane > y->lane) - (x->lane < y->lane)
					: (x->event > y->event) - (x->event < y->event);
}

/* Message `next` goes to the same thread as `first`, and is as far from the one before it as `first` is from `before`. */
static bool goes_on(const struct hb_sent *before, const struct hb_sent *first, const struct hb_sent *next)
{
	return next->to == first->to && next->lane == first->lane &&
	       next->number - next[-1].number == first->number - before->number &&
	       next->event - next[-1].event == first->event - before->event;
}

/* The runs of messages, hbdb-recording(5), into room for them. Returns how many bytes they take. */
static size_t runs(const struct hb_sent *sent, size_t n, uint8_t *to)
{
	struct hb_sent before = {0};
	uint8_t *w = hb_put_uv(to, n);
	for (size_t i = 0, next; i < n; before = sent[next - 1], i = next) {
		for (next = i + 1; next < n && goes_on(&before, sent + i, sent + next);)
			next++;
		w = hb_put_uv(w, next - i);
		w = hb_put_uv(w, sent[i].number - before.number);
		w = hb_put_uv(w, sent[i].to);
		w = hb_put_uv(w, sent[i].lane);
		w = hb_put_sv(w, (int64_t)(sent[i].event - before.event));
	}
	return (size_t)(w - to);
}

/* Errors: errno. */
static bool write_one(const char *recording, const struct hb_sent *sent, size_t n)
{
	uint8_t *plain = hb__alloc((1 + 5 * n) * HB_UV_MAX);
	size_t bytes = runs(sent, n, plain), room = ZSTD_compressBound(bytes);
	uint8_t *packed = hb__alloc(room);
	size_t left = ZSTD_compress(packed, room, plain, bytes, PACKED);
	char *path = hb__format("%s/rank.%u.ctf", recording, sent->rank);
	FILE *f = fopen(path, "we");
	bool good = f && !ZSTD_isError(left) && fwrite("HBDBCTF2", 1, 8, f) == 8 && fwrite(packed, 1, left, f) == left;
	good = (f && !fclose(f)) && good;
	int error = errno;
	free(path);
	free(plain);
	free(packed);
	errno = error;
	return good;
}

bool hb__distillery_close(hb_distillery *d, const char *recording)
{
	bool good = true;
	size_t n = 0;
	if (d->nsent)
		qsort(d->sent, d->nsent, sizeof *d->sent, by_sender);
	for (size_t i = 0; i < d->nsent; i++) /* a mark may come twice */
		if (!n || by_sender(&d->sent[n - 1], &d->sent[i]))
			d->sent[n++] = d->sent[i];
	for (size_t i = 0, next; i < n && good; i = next) {
		for (next = i + 1; next < n && d->sent[next].rank == d->sent[i].rank;)
			next++;
		good = write_one(recording, d->sent + i, next - i);
	}
	free(d->sent);
	free(d->whole);
	*d = (hb_distillery){0};
	return good;
}
