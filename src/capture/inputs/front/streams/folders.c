/* What the system says of files, and what is in folders. */
#include <errno.h>
#include <string.h>

#include "capture/inputs/front/streams/descriptors.h"

/* The result of a call that fills a structure, or none. */
static int answer(enum hb_inputs what, struct hb__source *source, const void *pc, int result, void *p, size_t bytes)
{
	int e = errno;
	struct hb__answer a;
	if (what == HB_INPUTS_KEEP) {
		hb__keep(source, result, e, p, result ? 0 : bytes);
	} else if (hb__give(source, HB__FILES, pc, &a)) {
		result = (int)a.result;
		e = a.error ? a.error : e;
		if (a.bytes == bytes && bytes)
			memcpy(p, a.p, bytes);
	}
	hb__door->leave();
	errno = e;
	return result;
}

#define STAT(name, type, parameters, arguments)                                                         \
	SEEN int name parameters                                                                        \
	{                                                                                               \
		static struct hb__source source = {"inputs:" #name, 0};                                 \
		enum hb_inputs what = hb__enter(CALLER);                                                \
		int e = NEXT(name) arguments;                                                           \
		return what == HB_INPUTS_PASS ? e : answer(what, &source, CALLER, e, st, sizeof(type)); \
	}
STAT(stat, struct stat, (const char *restrict path, struct stat *restrict st), (path, st))
STAT(stat64, struct stat64, (const char *restrict path, struct stat64 *restrict st), (path, st))
STAT(lstat, struct stat, (const char *restrict path, struct stat *restrict st), (path, st))
STAT(lstat64, struct stat64, (const char *restrict path, struct stat64 *restrict st), (path, st))
STAT(fstat, struct stat, (int fd, struct stat *st), (fd, st))
STAT(fstat64, struct stat64, (int fd, struct stat64 *st), (fd, st))
STAT(fstatat, struct stat, (int fd, const char *restrict path, struct stat *restrict st, int flags),
	(fd, path, st, flags))
STAT(fstatat64, struct stat64, (int fd, const char *restrict path, struct stat64 *restrict st, int flags),
	(fd, path, st, flags))

SEEN int access(const char *path, int how)
{
	static struct hb__source source = {"inputs:access", 0};
	enum hb_inputs what = hb__enter(CALLER);
	int e = NEXT(access)(path, how);
	return what == HB_INPUTS_PASS ? e : answer(what, &source, CALLER, e, NULL, 0);
}

/* ---- folders ---- */

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one is the other");

#define OPEN 16 /* folders that a thread may read at once and still have their last entries */

/* The C library's own entry is as long as its name: another one may not fit there. */
static void *entry(const void *pc, DIR *folder, void *now, struct hb__source *source)
{
	static __thread struct dirent *given __attribute__((tls_model("initial-exec")));
	struct dirent *d = now;
	struct hb__answer a;
	int e = errno;
	enum hb_inputs what = hb__enter(pc);
	if (what == HB_INPUTS_PASS)
		return now;
	if (what == HB_INPUTS_KEEP) {
		hb__keep(source, d != NULL, 0, d, d ? offsetof(struct dirent, d_name) + strlen(d->d_name) + 1 : 0);
	} else if (hb__give(source, HB__FILES, pc, &a)) {
		if (!given)
			given = hb__door->pages(OPEN * sizeof *given);
		d = a.result && given ? &given[(uintptr_t)folder / 64 % OPEN] : NULL;
		if (d && a.bytes <= sizeof *d)
			memcpy(d, a.p, a.bytes);
	}
	hb__door->leave();
	errno = e;
	return d;
}

SEEN struct dirent *readdir(DIR *folder)
{
	static struct hb__source source = {"inputs:readdir", 0};
	return entry(CALLER, folder, NEXT(readdir)(folder), &source);
}

SEEN struct dirent64 *readdir64(DIR *folder)
{
	static struct hb__source source = {"inputs:readdir64", 0};
	return entry(CALLER, folder, NEXT(readdir64)(folder), &source);
}
