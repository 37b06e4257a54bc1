/* Processes that make others, and wait for their end. */
#include <spawn.h>
#include <sys/wait.h>

#include "capture/sockets/front/front.h"

/* A process whose only event would be that it made another one tells nothing: it is not between anybody. */
static bool begins(struct hb_talk *t, enum hb_socket_function function, const void *pc, const void *cfa)
{
	if (!hb__door || !hb__door->began() || !hb__door->enter(t, pc, cfa))
		return false;
	t->function = function;
	hb__door->begin(t);
	return true;
}

SEEN pid_t fork(void)
{
	struct hb_talk t;
	bool told = begins(&t, HB_SOCKET_FAMILY_fork, CALLER, FRAME);
	pid_t got = NEXT(fork)();
	int64_t result = got < 0 ? -errno : got;
	if (told && got) /* the child has another log */
		hb__door->end(&t, &result, 1);
	return got;
}

#define SPAWNS(name)                                                                                                 \
	SEEN int name(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,                       \
		const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])             \
	{                                                                                                            \
		struct hb_talk t;                                                                                    \
		pid_t own;                                                                                           \
		pid = pid ? pid : &own;                                                                              \
		bool told = begins(&t, HB_SOCKET_FAMILY_posix_spawn, CALLER, FRAME);                                 \
		int got = NEXT(name)(pid, path, actions, attributes, arguments, environment);                        \
		int64_t result = got ? -got : *pid;                                                                  \
		if (told)                                                                                            \
			hb__door->end(&t, &result, 1);                                                               \
		return got;                                                                                          \
	}
SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

/* none: the call did not wait, and no child had ended. */
static pid_t waited(struct hb_talk *t, bool told, pid_t got, int status)
{
	int error = errno;
	int64_t results[] = {got < 0 ? -error : got, status};
	if (told && !got)
		hb__door->no(t);
	else if (told)
		hb__door->end(t, results, got < 0 ? 1 : 2);
	errno = error;
	return got;
}

#define WAITS(name, params, ...)                                                     \
	SEEN pid_t name params                                                       \
	{                                                                            \
		struct hb_talk t;                                                    \
		int own = 0;                                                         \
		status = status ? status : &own;                                     \
		bool told = begins(&t, HB_SOCKET_FAMILY_##name, CALLER, FRAME);      \
		pid_t got = NEXT(name)(__VA_ARGS__);                                 \
		return waited(&t, told, got, got > 0 ? *status : 0);                 \
	}
WAITS(wait, (int *status), status)
WAITS(waitpid, (pid_t pid, int *status, int options), pid, status, options)
WAITS(wait3, (int *status, int options, struct rusage *usage), status, options, usage)
WAITS(wait4, (pid_t pid, int *status, int options, struct rusage *usage), pid, status, options, usage)

SEEN int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	struct hb_talk t;
	siginfo_t own;
	info = info ? info : &own;
	info->si_pid = 0;
	bool told = begins(&t, HB_SOCKET_FAMILY_waitid, CALLER, FRAME);
	int got = NEXT(waitid)(type, id, info, options);
	if (told && options & WNOWAIT && !got) /* it is told when it is taken */
		hb__door->none(&t);
	else
		waited(&t, told, got ? got : info->si_pid, got ? 0 : info->si_status);
	return got;
}
