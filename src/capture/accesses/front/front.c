/* The library itself: what is asked for, the recorder beside it, threads, forks. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/accesses/front/front.h"

const struct hb_accesses_door *hb__door;
int hb__tracing_state;
hb_trace_settings hb__wanted;
struct hb__watcher hb__watcher;
struct hb__teller hb__teller;
uint32_t hb__watched, hb__threads_seen;

struct hb__thread *hb__first;
static struct hb__thread *threads;
static __thread struct hb__thread *self __attribute__((tls_model("initial-exec")));
static __thread bool inside __attribute__((tls_model("initial-exec")));
static pthread_key_t ends;

bool hb__mute;
const hb_trace_settings *hb__settings(void) { return &hb__wanted; }
void *hb__trace_pages(size_t bytes) { return hb__door->pages(bytes); }
bool hb__may_read(const void *p, size_t bytes) { return hb__door->readable(p, bytes); }

uint64_t hb__now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

const char *hb__last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path ? path : "";
}

void *hb__room_for(size_t bytes)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static uint8_t *at;
	static size_t left;
	bytes = (bytes + 15) & ~(size_t)15;
	pthread_mutex_lock(&lock);
	if (bytes > left) {
		size_t more = bytes > 65536 ? bytes : 65536;
		at = hb__trace_pages(more);
		left = at ? more : 0;
	}
	void *room = left >= bytes ? at : NULL;
	if (room) {
		at += bytes;
		left -= bytes;
	}
	pthread_mutex_unlock(&lock);
	return room;
}

char *hb__text_copy(const char *s, size_t most)
{
	size_t n = s ? strnlen(s, most) : 0;
	char *to = hb__room_for(n + 1);
	return to && n ? memcpy(to, s, n) : to;
}

void hb__trace_stop(void)
{
	__atomic_store_n(&hb__tracing_state, HB__TRACE_OFF, __ATOMIC_RELAXED);
	hb__watched = 0;
	hb__iterations = false;
}

/* ---- what is asked for ---- */

static char *read_all(const char *path, size_t *ret_bytes)
{
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	if (fd >= 0 && !fstat(fd, &s) && s.st_size < 1 << 28 && (text = malloc((size_t)s.st_size + 1))) {
		size_t n = 0;
		for (ssize_t got = 1; got > 0 && n<(size_t)s.st_size; n += got> 0 ? (size_t)got : 0)
			got = read(fd, text + n, (size_t)s.st_size - n);
		*ret_bytes = n;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static bool read_settings(const char *path)
{
	size_t bytes = 0;
	char *text = read_all(path, &bytes), *why = NULL;
	hb_settings_default(&hb__wanted);
	bool good = text && hb_settings_read(text, bytes, &hb__wanted, &why);
	if (!text)
		hb__door->say("cannot read the settings %s: %s; the program goes on and is not traced", path,
			strerror(errno));
	else if (!good)
		hb__door->say("%s: %s; the program goes on and is not traced", path, why ? why : "out of memory");
	free(why);
	free(text);
	return good;
}

bool hb__trace_possible(void) { return hb__door && hb__tracing_state != HB__TRACE_OFF; }

bool hb__settings_early(void)
{
	const char *path = getenv("HBDB_TRACE");
	size_t bytes = 0;
	char *text = path && *path ? read_all(path, &bytes) : NULL, *why = NULL;
	hb_settings_default(&hb__wanted);
	bool good = text && hb_settings_read(text, bytes, &hb__wanted, &why);
	free(why);
	free(text);
	return good;
}

static void forked(void)
{
	if (!hb__first && !hb__file_is_there())
		return; /* a process as any other */
	hb__trace_stop();
	hb__file_forget();
	self = NULL;
}

static void thread_ends(void *of)
{
	struct hb__thread *t = of;
	if (hb__tracing_state == HB__TRACE_ON && t->number)
		hb__flush(t);
}

static void open_door(void)
{
	static struct hb_accesses_front front = {.named = hb__file_named, .over = hb__file_over};
	front.spread = hb__teller.spread;
	front.halo = hb__teller.halo;
	front.says = hb__teller.says;
	front.said = hb__teller.said;
	const struct hb_accesses_door *door = dlsym(RTLD_DEFAULT, HB_ACCESSES_DOOR);
	if (!hb__door && hb__settings_early() && hb__wanted.control)
		front.received = hb__watcher.received;
	if (!hb__door && door)
		door->opened(&front);
	hb__door = door;
}

/* In a replay only points are wanted. */
static bool asked(const char *path)
{
	hb__mute = hb__door->replays();
	if (!hb__mute)
		return hb__door->records() && read_settings(path);
	hb_settings_default(&hb__wanted);
	hb__wanted.level = HB_TRACE_NONE;
	return true;
}

/* At the first mark, or when the log gets its name. */
static void start(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	if (hb__tracing_state == HB__TRACE_UNKNOWN) {
		const char *path = getenv("HBDB_TRACE");
		open_door();
		uint8_t before = hb__door ? hb__door->aside() : 0;
		bool on = hb__door && path && *path && asked(path) && !pthread_key_create(&ends, thread_ends) &&
			  !pthread_atfork(NULL, NULL, forked);
		if (hb__door)
			hb__door->back(before);
		hb__tracing_state = on ? HB__TRACE_ON : HB__TRACE_OFF;
	}
	pthread_mutex_unlock(&lock);
}

bool hb__trace_starts(void)
{
	if (unlikely(hb__tracing_state == HB__TRACE_UNKNOWN))
		start();
	return hb__tracing_state == HB__TRACE_ON;
}

__attribute__((constructor)) static void begin(void) { open_door(); }

__attribute__((destructor)) static void leave(void)
{
	if (hb__tracing_state == HB__TRACE_ON)
		hb__file_over();
}

/* ---- threads ---- */

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;

struct hb__thread *hb__threads(void) { return __atomic_load_n(&threads, __ATOMIC_ACQUIRE); }

static struct hb__thread *thread_new(void)
{
	static bool told;
	struct hb__thread *t = hb__room_for(sizeof *t);
	uint8_t *buffer = t ? hb__trace_pages(HB__BUFFER) : NULL;
	if (!buffer) {
		if (!told)
			hb__door->say("there is no memory for the trace of a thread: it is not traced");
		told = true;
		return NULL;
	}
	t->buffer = t->w = t->done = t->complete = buffer;
	t->full = buffer + HB__BUFFER;
	pthread_mutex_lock(&threads_lock);
	t->number = hb__threads_seen++;
	t->next = threads;
	__atomic_store_n(&threads, t, __ATOMIC_RELEASE);
	if (!hb__first)
		hb__first = t;
	pthread_mutex_unlock(&threads_lock);
	pthread_setspecific(ends, t);
	return t;
}

static struct hb__thread *enter(void)
{
	if (unlikely(inside))
		return NULL;
	inside = true;
	if (unlikely(!self)) {
		uint8_t before = hb__door->aside();
		self = thread_new();
		hb__door->back(before);
	}
	inside = self != NULL;
	return self;
}

/* Threads that come before the first one has made a mark wait for it: nothing of theirs is in a construct. */
struct hb__thread *hb__thread_here(void)
{
	if (unlikely(hb__tracing_state != HB__TRACE_ON || !hb__first))
		return NULL;
	return enter();
}

struct hb__thread *hb__first_here(void)
{
	if (unlikely(!hb__trace_starts() || (hb__first && hb__first != self)))
		return NULL;
	struct hb__thread *t = enter();
	if (t && t->number) { /* two threads came at once: this is not the first one */
		hb__thread_leaves(t);
		return NULL;
	}
	return t;
}

void hb__thread_leaves(struct hb__thread *thread)
{
	(void)thread;
	inside = false;
}
