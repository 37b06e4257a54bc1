/* Names and numbers of the process, its threads and its machine. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "capture/inputs/front/front.h"

static struct hb__sequence of_parent = {{"inputs:getppid", 0}, HB__SEQUENCES - 1, 0, HB__PROCESS},
			   of_thread = {{"inputs:gettid", 0}, HB__SEQUENCES - 2, 0, HB__PROCESS};

/* What the process has from its beginning: a number. */
static int64_t constant(const void *pc, unsigned what, int64_t now)
{
	if (hb__enter(pc) == HB_INPUTS_PASS)
		return now;
	const struct hb__piece *p = hb__door->start(what);
	now = p->bytes ? hb__door->piece_number(p) : now;
	hb__door->leave();
	return now;
}

/* ... a name of the machine. False: there is nothing recorded. */
static bool host(const void *pc, struct utsname *ret)
{
	if (hb__enter(pc) == HB_INPUTS_PASS)
		return false;
	const struct hb__piece *p = hb__door->start(HB_START_HOST);
	bool have = p->bytes == sizeof *ret;
	if (have)
		memcpy(ret, p->p, sizeof *ret);
	hb__door->leave();
	return have;
}

static int64_t changing(const void *pc, struct hb__sequence *s, int64_t now)
{
	enum hb_inputs what = hb__enter(pc);
	if (what == HB_INPUTS_PASS)
		return now;
	now = what == HB_INPUTS_KEEP ? hb__sequence_keep(s, now, pc) : hb__sequence_give(s, now, pc);
	hb__door->leave();
	return now;
}

SEEN pid_t getpid(void) { return (pid_t)constant(CALLER, HB_START_PID, NEXT(getpid)()); }
SEEN pid_t getppid(void) { return (pid_t)changing(CALLER, &of_parent, NEXT(getppid)()); }
SEEN pid_t gettid(void) { return (pid_t)changing(CALLER, &of_thread, NEXT(gettid)()); }
SEEN long gethostid(void) { return (long)constant(CALLER, HB_START_HOST_ID, NEXT(gethostid)()); }
SEEN int get_nprocs(void) { return (int)constant(CALLER, HB_START_ONLINE, NEXT(get_nprocs)()); }
SEEN int get_nprocs_conf(void) { return (int)constant(CALLER, HB_START_PROCESSORS, NEXT(get_nprocs_conf)()); }

/* Whom signals of a descriptor are for: the program says its own number as it knows it. */
static void *owner(enum hb_inputs what, int command, void *argument)
{
	const struct hb__piece *p = hb__door->start(HB_START_PID);
	int told = what == HB_INPUTS_GIVE && p->bytes ? (int)hb__door->piece_number(p) : 0, is = (int)(intptr_t)argument;
	if (command != F_SETOWN || !told || (is != told && is != -told))
		return argument;
	return (void *)(intptr_t)(is == told ? NEXT(getpid)() : -NEXT(getpid)());
}

#define FCNTL(name)                                                                                       \
	SEEN int name(int fd, int command, ...)                                                           \
	{                                                                                                 \
		va_list more;                                                                             \
		va_start(more, command);                                                                  \
		void *argument = va_arg(more, void *); /* or a number, which is passed alike */           \
		va_end(more);                                                                             \
		enum hb_inputs what = command == F_SETOWN ? hb__enter(CALLER) : HB_INPUTS_PASS;           \
		if (what == HB_INPUTS_PASS)                                                               \
			return NEXT(name)(fd, command, argument);                                         \
		argument = owner(what, command, argument);                                                \
		hb__door->leave();                                                                        \
		return NEXT(name)(fd, command, argument);                                                 \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

SEEN long sysconf(int name)
{
	long now = NEXT(sysconf)(name);
	return name == _SC_NPROCESSORS_CONF   ? (long)constant(CALLER, HB_START_PROCESSORS, now)
	       : name == _SC_NPROCESSORS_ONLN ? (long)constant(CALLER, HB_START_ONLINE, now)
					      : now;
}

/* A child of this process, or a group that one of them leads: it is there in a replay, too, by the number that fork gave. */
static bool is_of_child(pid_t pid)
{
	siginfo_t info;
	return !waitid(P_PID, (id_t)(pid < 0 ? -pid : pid), &info, WEXITED | WNOHANG | WNOWAIT);
}

/* To a process that is none of ours: in a replay another one may have its number, or none. So it gets nothing there, and the answer is that
 * of the recording. */
static int kill_other(enum hb_inputs what, pid_t pid, int sig, const void *pc)
{
	static struct hb__source source = {"inputs:kill", 0};
	struct hb__answer a;
	int e, error = ESRCH;
	if (what == HB_INPUTS_KEEP) {
		e = NEXT(kill)(pid, sig);
		error = errno;
		hb__keep(&source, e, e ? error : 0, NULL, 0);
	} else if (hb__give(&source, HB__PROCESS, pc, &a)) {
		e = (int)a.result;
		error = a.error;
	} else
		e = -1;
	hb__door->leave();
	if (e)
		errno = error;
	return e;
}

/* The number that the program knows this process by means this one. */
SEEN int kill(pid_t pid, int sig)
{
	pid_t real = NEXT(getpid)(), told = real;
	enum hb_inputs what = hb__enter(CALLER);
	if (what == HB_INPUTS_GIVE && hb__door->start(HB_START_PID)->bytes)
		told = (pid_t)hb__door->piece_number(hb__door->start(HB_START_PID));
	bool own = pid == told || pid == -told;
	if (what != HB_INPUTS_PASS && !own && pid != 0 && pid != -1 && !is_of_child(pid))
		return kill_other(what, pid, sig, CALLER);
	int e = WAITING(what, NEXT(kill)(pid == told ? real : pid == -told ? -real : pid, sig));
	if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return e;
}

SEEN int uname(struct utsname *ret)
{
	struct utsname recorded;
	int e = NEXT(uname)(ret);
	if (!e && host(CALLER, &recorded))
		*ret = recorded;
	return e;
}

SEEN int gethostname(char *name, size_t size)
{
	struct utsname recorded;
	int e = NEXT(gethostname)(name, size);
	if (!host(CALLER, &recorded))
		return e;
	size_t n = strnlen(recorded.nodename, sizeof recorded.nodename);
	if (n >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, recorded.nodename, n);
	name[n] = 0;
	return 0;
}

/* Where the process began, while it is there. A text that the C library allocates is as long as it has to be. */
SEEN char *getcwd(char *buffer, size_t size)
{
	char *now = NEXT(getcwd)(buffer, size);
	if (!now || hb__enter(CALLER) == HB_INPUTS_PASS)
		return now;
	const struct hb__piece *p = hb__door->start(HB_START_FOLDER);
	bool there = p->bytes && !strcmp(now, hb__door->real_folder());
	hb__door->leave();
	if (!there || (p->bytes == strlen(now) && !memcmp(now, p->p, p->bytes)))
		return now;
	if (size && p->bytes >= size) {
		if (!buffer)
			free(now);
		errno = ERANGE;
		return NULL;
	}
	char *to = buffer ? buffer : realloc(now, size > p->bytes ? size : p->bytes + 1);
	if (!to)
		return now;
	memcpy(to, p->p, p->bytes);
	to[p->bytes] = 0;
	return to;
}

SEEN int __gethostname_chk(char *name, size_t size, size_t room);
SEEN char *__getcwd_chk(char *buffer, size_t size, size_t room);
void __chk_fail(void) __attribute__((noreturn));

/* What a program that was compiled with _FORTIFY_SOURCE calls. */
int __gethostname_chk(char *name, size_t size, size_t room)
{
	if (size > room)
		__chk_fail();
	return gethostname(name, size);
}

char *__getcwd_chk(char *buffer, size_t size, size_t room)
{
	if (size > room)
		__chk_fail();
	return getcwd(buffer, size);
}
