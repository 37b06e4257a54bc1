/* The raw form written out, for a replay. A sealed file that is whole has it in its frames, as `walk.c` gave it to the one that sealed it: they
 * are decompressed once, several at a time, and nothing in them is read. Of any other file what is readable has to be found first. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/grow.h"
#include "format/data/data.h"

#define STEP ((size_t)1 << 20)
#define WORKERS 4 /* threads at most */

struct copying {
	const hb_data *d;
	size_t next; /* frame that nobody has taken yet */
	bool failed; /* a frame is damaged, or memory is gone */
};

struct worker {
	struct copying *copying;
	struct hb__out out; /* the file, with an error number of its own */
	pthread_t thread;
	bool runs;
};

static bool copy_frame(struct worker *w, ZSTD_DCtx *zstd, const struct hb__frame *f, uint8_t *p)
{
	size_t n = ZSTD_decompressDCtx(zstd, p, f->content, w->copying->d->map + f->at, f->bytes);
	if (n != f->content)
		return false;
	hb__out_patch(&w->out, f->raw, p, n);
	return true;
}

static void *copy_frames(void *user)
{
	struct worker *w = user;
	struct copying *k = w->copying;
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	uint8_t *p = NULL;
	size_t room = 0;
	bool good = zstd;
	while (good && !w->out.sys && !__atomic_load_n(&k->failed, __ATOMIC_RELAXED)) {
		size_t i = __atomic_fetch_add(&k->next, 1, __ATOMIC_RELAXED);
		if (i >= k->d->frames)
			break;
		const struct hb__frame *f = &k->d->frame[i];
		good = HB_GROW(p, room, f->content ? f->content : 1) && copy_frame(w, zstd, f, p);
	}
	if (!good)
		__atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
	free(p);
	ZSTD_freeDCtx(zstd);
	return NULL;
}

static size_t workers_for(const hb_data *d)
{
	cpu_set_t cores;
	size_t n = sched_getaffinity(0, sizeof cores, &cores) ? 1 : (size_t)CPU_COUNT(&cores);
	n = n < WORKERS ? n : WORKERS;
	return n < d->frames ? n : d->frames;
}

/* False: what is in the file cannot be taken as it is. An error of the system is in out->sys. */
static bool copy_all(const hb_data *d, struct hb__out *out)
{
	struct copying copying = {.d = d};
	struct worker worker[WORKERS];
	size_t n = workers_for(d);
	for (size_t i = 0; i < n; i++)
		worker[i] = (struct worker){.copying = &copying, .out = {.fd = out->fd}};
	for (size_t i = 1; i < n; i++)
		worker[i].runs = !pthread_create(&worker[i].thread, NULL, copy_frames, &worker[i]);
	copy_frames(&worker[0]);
	for (size_t i = 0; i < n; i++) {
		if (worker[i].runs)
			pthread_join(worker[i].thread, NULL);
		out->sys = out->sys ? out->sys : worker[i].out.sys;
	}
	out->offset = d->end;
	return !copying.failed;
}

/* Sealed, and its frames are all that there was. */
static bool is_whole(const hb_data *d)
{
	const struct hb__frame *last = d->frames ? &d->frame[d->frames - 1] : NULL;
	return d->info.sealed && !d->info.recovered && last && last->raw + last->content == d->end;
}

/* *ret_done: the file is written, or an error says why not; else it has to be done step by step. */
static hb_status unseal_whole(const char *from, const char *to, bool *ret_done, hb_error *err)
{
	hb_data *d;
	struct hb__out out;
	*ret_done = true;
	hb_status status = hb__data_begin(from, &d, err);
	if (status)
		return status;
	if (!is_whole(d))
		*ret_done = false;
	else if (!(status = hb__out_open(&out, to, err))) {
		*ret_done = copy_all(d, &out);
		if (*ret_done)
			status = hb__out_finish(&out, err);
		else
			hb__out_abandon(&out);
	}
	hb_data_close(d);
	return status;
}

static hb_status unseal_readable(const char *from, const char *to, hb_error *err)
{
	hb_data *d;
	struct hb__out out;
	hb_status status = hb_data_open(from, &d, err);
	if (status)
		return status;
	status = hb__out_open(&out, to, err);
	if (status) {
		hb_data_close(d);
		return status;
	}
	struct hb__walk w = {.d = d};
	size_t n = 1;
	while (!status && n) {
		uint8_t *p = hb__bytes_room(&out.b, STEP);
		if (!p)
			break;
		status = hb__data_walk(&w, p, STEP, &n, err);
		out.b.n += status ? 0 : n;
		hb__out_flush(&out);
	}
	if (status)
		hb__out_abandon(&out);
	else
		status = hb__out_finish(&out, err);
	hb_data_close(d);
	return status;
}

hb_status hb_data_unseal(const char *from, const char *to, hb_error *err)
{
	bool done;
	if (!to)
		return hb__fail(err, HB_E_ARGUMENT, from, 0, "no file to write");
	hb_status status = unseal_whole(from, to, &done, err);
	return done ? status : unseal_readable(from, to, err);
}
