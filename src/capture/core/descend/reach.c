/* Servers give up what they need no more: their user, their root, most system calls. The file of the log is opened again whenever it
 * grows, so it is put within reach before that: it is handed over to the user who comes, the folder of the recording is held open, and
 * where opening files will be forbidden it grows ahead. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/core/data/data.h"
#include "capture/core/descend/descend.h"
#include "capture/core/file.h"
#include "capture/core/layer.h"
#include "capture/core/record/record.h"

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Less than this of a file may not be enough for what a log still needs. */
#define SMALL ((rlim_t)16 << 20)

static bool follows(void) { return hb__descends && !hb__vforks; }

/* A child by fork begins its log, or opens its record, with its first event, which may be behind all this. */
static void begin_child(void)
{
	bool follows_own = hb__config.mode == HB__REPLAY && hb__promised >= 0;
	if (hb__forked() || follows_own)
		hb__lane_now();
}

/* The next user must be able to open what this one made. */
static void hand_over(uid_t user)
{
	int error = errno;
	if (follows()) {
		begin_child();
		hb__file_hold_folder(hb__config.dir);
		hb__log_give(user);
		hb__data_give(user);
	}
	errno = error;
}

HB__EXPORT int setuid(uid_t user)
{
	hand_over(user);
	return NEXT(setuid)(user);
}

HB__EXPORT int seteuid(uid_t user)
{
	hand_over(user);
	return NEXT(seteuid)(user);
}

HB__EXPORT int setreuid(uid_t real, uid_t effective)
{
	hand_over(effective);
	return NEXT(setreuid)(real, effective);
}

HB__EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	hand_over(effective);
	return NEXT(setresuid)(real, effective, saved);
}

HB__EXPORT int setfsuid(uid_t user)
{
	hand_over(user);
	return NEXT(setfsuid)(user);
}

HB__EXPORT int chroot(const char *path)
{
	int error = errno;
	if (follows()) {
		begin_child();
		hb__file_hold_folder(hb__config.dir);
	}
	errno = error;
	return NEXT(chroot)(path);
}

static void limit(int what, rlim64_t most)
{
	int error = errno;
	if (what == RLIMIT_FSIZE && most < SMALL && follows()) {
		begin_child();
		hb__log_ahead();
		hb__data_ahead();
	}
	errno = error;
}

/* By both names, which the headers make one. */
struct limits {
	unsigned long now, most; /* of the first: 32 bits where a long has */
};
HB__EXPORT int hb_set_limit(__rlimit_resource_t what, const struct limits *new) __asm__("setrlimit");
HB__EXPORT int hb_set_limit_64(__rlimit_resource_t what, const struct rlimit64 *new) __asm__("setrlimit64");

int hb_set_limit(__rlimit_resource_t what, const struct limits *new)
{
	int (*next)(__rlimit_resource_t, const struct limits *) = (__typeof__(next))dlsym(RTLD_NEXT, "setrlimit");
	if (new)
		limit((int)what, new->now);
	return next(what, new);
}

int hb_set_limit_64(__rlimit_resource_t what, const struct rlimit64 *new)
{
	if (new)
		limit((int)what, new->rlim_cur);
	return NEXT(setrlimit64)(what, new);
}

void hb__calls_filtered(void)
{
	int error = errno;
	if (follows() && hb__lane_now()) {
		hb__log_ahead();
		hb__data_ahead();
		hb__layers_shut();
	}
	errno = error;
}

/* Also of a process that has no log: what it would say by itself needs calls, too. */
void hb__calls_are_filtered(void)
{
	if (!hb__vforks)
		hb__file_no_more();
}

HB__EXPORT int prctl(int what, ...)
{
	unsigned long a[4];
	va_list args;
	va_start(args, what);
	for (unsigned i = 0; i < 4; i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	/* a replay makes other calls of the system than the program would; it was not stopped by the filter then */
	if (what == PR_SET_SECCOMP && hb__config.mode == HB__REPLAY && follows())
		return 0;
	if (what == PR_SET_SECCOMP)
		hb__calls_filtered();
	int got = NEXT(prctl)(what, a[0], a[1], a[2], a[3]);
	if (what == PR_SET_SECCOMP && !got)
		hb__calls_are_filtered();
	return got;
}
