/* Streams of C. The C library reads for them inside of itself, so one that leads to no file gets another one in its place, whose bytes it asks
 * us for: the standard input, pipes, devices. Those of files stay as they are. */
#include <errno.h>
#include <string.h>

#include "capture/inputs/front/streams/descriptors.h"

#define MOST 256

/* Ours: what is asked for by it. */
struct stream {
	FILE *is, *behind; /* behind: what popen made, or the first standard input; NULL: none */
	int fd;
	bool kept; /* its descriptor is not ours to close */
};
static struct stream stream[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The C library asks for the program, of which no place is known. */
#define PROGRAM ((const void *)1)

static ssize_t on_read(void *s, char *p, size_t bytes)
{
	int fd = ((struct stream *)s)->fd;
	return hb__sockets ? hb__sockets->read(fd, p, bytes) : hb__read(PROGRAM, fd, p, bytes);
}

static ssize_t on_write(void *s, const char *p, size_t bytes)
{
	ssize_t n = NEXT(write)(((struct stream *)s)->fd, p, bytes);
	return n < 0 ? 0 : n;
}

static int on_seek(void *s, off64_t *offset, int whence)
{
	off_t at = hb__seek(PROGRAM, ((struct stream *)s)->fd, *offset, whence);
	if (at < 0)
		return -1;
	*offset = at;
	return 0;
}

static int on_close(void *p)
{
	struct stream *s = p;
	FILE *behind = s->behind;
	int fd = s->kept ? -1 : s->fd;
	pthread_mutex_lock(&lock);
	*s = (struct stream){0};
	pthread_mutex_unlock(&lock);
	if (behind)
		return fclose(behind);
	return fd >= 0 ? close(fd) : 0;
}

static struct stream *of_stream(const FILE *f)
{
	for (int i = 0; f && i < MOST; i++)
		if (__atomic_load_n(&stream[i].is, __ATOMIC_RELAXED) == f)
			return &stream[i];
	return NULL;
}

static FILE *new_stream(int fd, const char *mode, FILE *behind, bool kept)
{
	const cookie_io_functions_t ways = {.read = on_read, .write = on_write, .seek = on_seek, .close = on_close};
	struct stream *s = NULL;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < MOST && !s; i++)
		if (!stream[i].is && !stream[i].kept)
			s = &stream[i];
	if (s) {
		*s = (struct stream){.behind = behind, .fd = fd, .kept = kept};
		s->is = fopencookie(s, mode, ways);
		if (!s->is)
			*s = (struct stream){0};
	}
	pthread_mutex_unlock(&lock);
	return s ? s->is : NULL;
}

void hb__stdin_start(void)
{
	FILE *ours = new_stream(0, "r", stdin, true);
	if (ours)
		stdin = ours;
}

SEEN int fileno(FILE *f)
{
	const struct stream *s = of_stream(f);
	return s ? s->fd : NEXT(fileno)(f);
}

SEEN int fileno_unlocked(FILE *f)
{
	const struct stream *s = of_stream(f);
	return s ? s->fd : NEXT(fileno_unlocked)(f);
}

/* ---- opening ---- */

static bool reads(const char *mode) { return *mode == 'r' || strchr(mode, '+'); }

static int flags_of(const char *mode)
{
	int flags = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
	return flags | (*mode == 'w' ? O_TRUNC : 0) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

/* The stream that the program gets for one that leads to no file. */
static FILE *ours_for(FILE *f, const char *mode)
{
	int fd = NEXT(fileno)(f);
	enum hb__leads to = hb__leads(fd);
	if (to == HB__TO_FILE || !reads(mode))
		return f;
	int copy = NEXT(dup)(fd);
	FILE *ours = copy >= 0 ? new_stream(copy, mode, NULL, false) : NULL;
	if (!ours)
		return f;
	/* it has the number of the one whose place it takes */
	NEXT(fclose)(f);
	NEXT(dup3)(copy, fd, strchr(mode, 'e') ? O_CLOEXEC : 0);
	NEXT(close)(copy);
	of_stream(ours)->fd = fd;
	hb__leads_set(fd, HB__UNKNOWN_YET);
	return ours;
}

static FILE *opened(const void *pc, const char *path, const char *mode, FILE *f)
{
	int e = errno, fd = f ? NEXT(fileno)(f) : -1, now;
	hb__leads_set(fd, HB__UNKNOWN_YET);
	enum hb_inputs what = hb__enter(pc);
	if (what == HB_INPUTS_PASS)
		return f;
	errno = e;
	now = hb__file_opened(what, pc, path, flags_of(mode), fd);
	e = errno;
	if (f && now < 0) {
		/* the descriptor is closed already */
		NEXT(dup2)(2, fd);
		NEXT(fclose)(f);
		f = NULL;
	} else {
		f = !f && now >= 0 ? NEXT(fdopen)(now, mode) : f;
		f = f ? ours_for(f, mode) : NULL;
	}
	hb__door->leave();
	errno = e;
	return f;
}

SEEN FILE *fopen(const char *restrict path, const char *restrict mode)
{
	return opened(CALLER, path, mode, NEXT(fopen)(path, mode));
}

SEEN FILE *fopen64(const char *restrict path, const char *restrict mode)
{
	return opened(CALLER, path, mode, NEXT(fopen64)(path, mode));
}

/* The C library's own function takes only streams that it made itself. */
static FILE *first_of(FILE *f)
{
	struct stream *s = of_stream(f);
	if (!s || !s->behind)
		return f;
	FILE *behind = s->behind;
	s->behind = NULL;
	if (stdin == f)
		stdin = behind;
	return behind;
}

SEEN FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict f)
{
	return NEXT(freopen)(path, mode, first_of(f));
}

SEEN FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict f)
{
	return NEXT(freopen64)(path, mode, first_of(f));
}

SEEN FILE *fdopen(int fd, const char *mode)
{
	enum hb_inputs what = hb__enter(CALLER);
	if (what == HB_INPUTS_PASS)
		return NEXT(fdopen)(fd, mode);
	enum hb__leads to = hb__leads(fd);
	bool talks = hb__sockets && (to == HB__TO_SOCKET || to == HB__TO_PEER);
	FILE *ours = reads(mode) && to != HB__TO_FILE && !talks ? new_stream(fd, mode, NULL, false) : NULL;
	hb__door->leave();
	return ours ? ours : NEXT(fdopen)(fd, mode);
}

SEEN FILE *popen(const char *command, const char *mode)
{
	enum hb_inputs what = hb__enter_wait(CALLER);
	FILE *f = NEXT(popen)(command, mode), *ours = NULL;
	if (what == HB_INPUTS_PASS)
		return f;
	if (f && *mode == 'r')
		ours = new_stream(NEXT(fileno)(f), "r", f, true);
	hb__door->leave();
	return ours ? ours : f;
}

SEEN int pclose(FILE *f)
{
	struct stream *s = of_stream(f);
	FILE *behind = s ? s->behind : NULL;
	if (!behind)
		return NEXT(pclose)(f);
	s->behind = NULL;
	NEXT(fclose)(f);
	return NEXT(pclose)(behind);
}
