/* Processes that make others, and wait for their end. */
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>

#include "capture/sockets/front/again/again.h"

/* Who waits for processes that nothing is told of tells nothing of that either; who makes one tells it, for that may be recorded. */
static bool begins(struct hb_talk *t, enum hb_socket_function function, const void *pc, const void *cfa)
{
	bool makes = function <= HB_SOCKET_FAMILY_posix_spawn;
	hb__called_by(pc);
	if (!hb__door || !(makes || hb__door->began()) || !hb__door->enter(t, hb__from ? hb__from : pc, cfa))
		return false;
	t->function = function;
	hb__door->begin(t);
	return true;
}

/* ---- replay: a process of the record, and which one it is now ---- */

#define CHILDREN 4096
static struct {
	pid_t then, now;
} children[CHILDREN];
static unsigned nchildren;
#define NOBODY 0 /* in the place of a process that is not made */

static void made(int64_t then, pid_t now)
{
	children[nchildren % CHILDREN].then = (pid_t)then;
	children[nchildren++ % CHILDREN].now = now;
}

static pid_t now_of(int64_t then)
{
	for (unsigned i = 0; i < CHILDREN && i < nchildren; i++)
		if (children[(nchildren - 1 - i) % CHILDREN].then == then)
			return children[(nchildren - 1 - i) % CHILDREN].now;
	return -1;
}

/* As the program is to know it: beside the other numbers that it had, by the one that it had. */
static pid_t as_told(int64_t then, pid_t now) { return hb__door->inputs() ? (pid_t)then : now; }

/* True: *ret_got is the answer. Else, of one that is followed: *ret_pid is the process that it is about now. */
static bool said_again(struct hb_talk *t, bool told, bool may_say_no, struct hb_told *as, pid_t *ret_got)
{
	int64_t got = 0;
	*ret_got = 0;
	if (!told || likely(!t->again) || hb__again(t, may_say_no, as, &got))
		return false;
	*ret_got = errno == EAGAIN ? 0 : (pid_t)got;
	return t->again;
}

/* ---- making one ----
 *
 * A child may end at once, and its parent's handler run before the event is over: that would be told as from before it, and what the handler does would be done
 * in a replay when there is no child yet, or be the child's, too. It runs when the event is over. */

struct held {
	bool is;
	sigset_t before;
};

static void hold_signals(struct held *h, bool told)
{
	sigset_t all;
	sigfillset(&all);
	h->is = told && !pthread_sigmask(SIG_SETMASK, &all, &h->before);
}

static void let_signals_go(const struct held *h)
{
	int e = errno;
	if (h->is)
		pthread_sigmask(SIG_SETMASK, &h->before, NULL);
	errno = e;
}

SEEN pid_t fork(void)
{
	struct hb_talk t;
	struct held held;
	struct hb_told as;
	pid_t got;
	bool told = begins(&t, HB_SOCKET_FAMILY_fork, CALLER, FRAME);
	if (said_again(&t, told, false, &as, &got))
		return got;
	bool alone = told && t.again && hb__door->alone();
	if (alone && !hb__door->child((uint32_t)as.results[0])) {
		made(as.results[0], NOBODY);
		return (pid_t)hb__again_over(&t, &as, as.results[0]);
	}
	if (told && t.again) {
		hb__door->child((uint32_t)as.results[0]);
		hold_signals(&held, true);
		got = NEXT(fork)();
		if (!got) {
			hb__recorded_none();
			let_signals_go(&held);
			return 0;
		}
		hb__door->child(0);
		if (alone)
			hb__door->becomes(got);
		made(as.results[0], got);
		got = (pid_t)hb__again_over(&t, &as, as_told(as.results[0], got));
		let_signals_go(&held);
		return got;
	}
	hold_signals(&held, told);
	got = NEXT(fork)();
	int64_t result = got < 0 ? -errno : got;
	if (told && got) /* the child has another log */
		hb__door->end(&t, &result, 1);
	let_signals_go(&held);
	return got;
}

/* The recorder stands in front of this one, too, where it is loaded before us: then it is its call that comes here. */
static const void *spawner(const void *pc)
{
	const void *above = hb__door ? hb__door->above() : NULL;
	return above ? above : pc;
}

/* The child gets the signals that its parent had, where it is not to get others: attributes of our own, which have no more to be freed than those that were given. */
static const posix_spawnattr_t *with_signals(
	const posix_spawnattr_t *given, const struct held *held, posix_spawnattr_t *own)
{
	short flags = 0;
	if (given)
		*own = *given;
	else
		posix_spawnattr_init(own);
	posix_spawnattr_getflags(own, &flags);
	if (!held->is || flags & POSIX_SPAWN_SETSIGMASK)
		return given;
	posix_spawnattr_setflags(own, (short)(flags | POSIX_SPAWN_SETSIGMASK));
	posix_spawnattr_setsigmask(own, &held->before);
	return own;
}

#define SPAWNS(name)                                                                                     \
	SEEN int name(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,           \
		const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) \
	{                                                                                                \
		struct hb_talk t;                                                                        \
		pid_t own;                                                                               \
		pid = pid ? pid : &own;                                                                  \
		struct hb_told as;                                                                       \
		pid_t answer;                                                                            \
		struct held held;                                                                        \
		posix_spawnattr_t with;                                                                  \
		bool told = begins(&t, HB_SOCKET_FAMILY_posix_spawn, spawner(CALLER), FRAME);            \
		if (said_again(&t, told, false, &as, &answer))                                           \
			return errno;                                                                    \
		if (told && t.again && hb__door->alone()) {                                              \
			*pid = (pid_t)as.results[0];                                                     \
			made(*pid, NOBODY);                                                              \
			return (int)hb__again_over(&t, &as, 0);                                          \
		}                                                                                        \
		hold_signals(&held, told);                                                               \
		attributes = with_signals(attributes, &held, &with);                                     \
		int got = NEXT(name)(pid, path, actions, attributes, arguments, environment);            \
		int64_t result = got ? -got : *pid;                                                      \
		if (told && t.again) {                                                                   \
			made(as.results[0], *pid);                                                       \
			*pid = as_told(as.results[0], *pid);                                             \
			got = (int)hb__again_over(&t, &as, got);                                         \
		} else if (told) {                                                                       \
			hb__door->end(&t, &result, 1);                                                   \
		}                                                                                        \
		let_signals_go(&held);                                                                   \
		return got;                                                                              \
	}
SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

/* It has made a process; which one it was then, too. pid 0: it is not to, if the record says what comes of it. */
static int32_t vforked(int32_t pid, const void *pc, const void *cfa)
{
	struct hb_talk t;
	struct hb_told as;
	pid_t got;
	int64_t result = pid;
	bool told = begins(&t, HB_SOCKET_FAMILY_vfork, pc, cfa);
	if (!told)
		return pid;
	if (said_again(&t, told, false, &as, &got))
		return pid ? pid : got;
	if (!t.again) {
		if (pid)
			hb__door->end(&t, &result, 1);
		return pid;
	}
	made(as.results[0], pid ? pid : NOBODY);
	if (!pid) /* there is none, for this process is alone */
		return (int32_t)hb__again_over(&t, &as, as.results[0]);
	return (int32_t)hb__again_over(&t, &as, as_told(as.results[0], pid));
}

void hb__family_begin(void) { hb__door->vforks(vforked); }

/* Signals that come meanwhile are told where they came then. */
static pid_t await_now(int64_t then, int *status)
{
	pid_t got;
	do
		got = NEXT(waitpid)(now_of(then), status, 0);
	while (got < 0 && errno == EINTR && !hb__door->job_ends());
	return got;
}

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

#define WAITS(name, params, no, ...)                                                                \
	SEEN pid_t name params                                                                      \
	{                                                                                           \
		struct hb_talk t;                                                                   \
		int own = 0;                                                                        \
		status = status ? status : &own;                                                    \
		struct hb_told as;                                                                  \
		pid_t got;                                                                          \
		bool told = begins(&t, HB_SOCKET_FAMILY_##name, CALLER, FRAME);                     \
		if (said_again(&t, told, no, &as, &got))                                            \
			return got;                                                                 \
		if (told && t.again && hb__door->alone()) {                                         \
			*status = as.n > 1 ? (int)as.results[1] : 0;                                \
			return (pid_t)hb__again_over(&t, &as, as.results[0]);                       \
		}                                                                                   \
		if (told && t.again)                                                                \
			return (pid_t)hb__again_over(                                               \
				&t, &as, as_told(as.results[0], await_now(as.results[0], status))); \
		got = NEXT(name)(__VA_ARGS__);                                                      \
		return waited(&t, told, got, got > 0 ? *status : 0);                                \
	}
WAITS(wait, (int *status), false, status)
WAITS(waitpid, (pid_t pid, int *status, int options), options &WNOHANG, pid, status, options)
WAITS(wait3, (int *status, int options, struct rusage *usage), options &WNOHANG, status, options, usage)
WAITS(wait4, (pid_t pid, int *status, int options, struct rusage *usage), options &WNOHANG, pid, status, options, usage)

SEEN int kill(pid_t pid, int signal)
{
	hb__called_by(CALLER);
	pid_t now = nchildren && hb__door->inputs() && pid > 0 ? now_of(pid) : -1;
	if (now == NOBODY)
		return NEXT(kill)(0, 0); /* as many calls as there were, and no signal */
	return NEXT(kill)(now > 0 ? now : pid, signal);
}

/* Its child is not there: what is known of its end is recorded. */
static int waited_alone(struct hb_talk *t, const struct hb_told *as, siginfo_t *info)
{
	info->si_signo = SIGCHLD;
	info->si_code = CLD_EXITED;
	info->si_pid = (pid_t)as->results[0];
	info->si_status = as->n > 1 ? (int)as->results[1] : 0;
	return (int)hb__again_over(t, as, 0);
}

/* What is only looked at is told when it is taken. */
static int looked_at(idtype_t type, id_t id, siginfo_t *info, int options)
{
	pid_t now = nchildren && type == P_PID ? now_of((pid_t)id) : -1;
	int got = NEXT(waitid)(type, now > 0 ? (id_t)now : id, info, options);
	for (unsigned i = 0; !got && info && info->si_pid && i < CHILDREN && i < nchildren; i++)
		if (children[i].now == info->si_pid) {
			info->si_pid = as_told(children[i].then, children[i].now);
			break;
		}
	return got;
}

SEEN int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	struct hb_talk t;
	struct hb_told as;
	siginfo_t own;
	pid_t answer;
	if (options & WNOWAIT)
		return looked_at(type, id, info, options);
	info = info ? info : &own;
	info->si_pid = 0;
	bool told = begins(&t, HB_SOCKET_FAMILY_waitid, CALLER, FRAME);
	if (said_again(&t, told, options & WNOHANG, &as, &answer))
		return answer ? -1 : 0;
	if (told && t.again && hb__door->alone())
		return waited_alone(&t, &as, info);
	if (told && t.again) {
		pid_t now = now_of(as.results[0]);
		int got;
		do
			got = now > 0 ? NEXT(waitid)(P_PID, (id_t)now, info, options & ~WNOHANG)
				      : NEXT(waitid)(type, id, info, options);
		while (got && errno == EINTR && !hb__door->job_ends());
		if (!got)
			info->si_pid = as_told(as.results[0], info->si_pid);
		return (int)hb__again_over(&t, &as, got);
	}
	int got = NEXT(waitid)(type, id, info, options);
	waited(&t, told, got ? got : info->si_pid, got ? 0 : info->si_status);
	return got;
}

/* ---- clone with a memory of its own is fork with a function and a stack ---- */

struct cloned {
	int (*function)(void *);
	void *argument;
	bool again;
	struct held held;
};

static int begin_cloned(void *user)
{
	struct cloned c = *(struct cloned *)user;
	hb__door->notice_fork();
	if (c.again)
		hb__recorded_none();
	let_signals_go(&c.held);
	return c.function(c.argument);
}

SEEN int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	struct hb_talk t;
	struct hb_told as;
	pid_t got;
	va_list more;
	va_start(more, argument);
	void *parent_tid = va_arg(more, void *), *tls = va_arg(more, void *), *child_tid = va_arg(more, void *);
	va_end(more);
	if (flags & CLONE_VM || !hb__door)
		return NEXT(clone)(function, stack, flags, argument, parent_tid, tls, child_tid);
	bool told = begins(&t, HB_SOCKET_FAMILY_fork, CALLER, FRAME);
	if (said_again(&t, told, false, &as, &got))
		return got;
	struct cloned c = {.function = function, .argument = argument, .again = told && t.again};
	hold_signals(&c.held, told);
	if (c.again)
		hb__door->child((uint32_t)as.results[0]);
	got = NEXT(clone)(begin_cloned, stack, flags, &c, parent_tid, tls, child_tid);
	if (c.again) {
		hb__door->child(0);
		made(as.results[0], got);
		got = (pid_t)hb__again_over(&t, &as, as_told(as.results[0], got));
		let_signals_go(&c.held);
		return got;
	}
	int64_t result = got < 0 ? -errno : got;
	if (told)
		hb__door->end(&t, &result, 1);
	let_signals_go(&c.held);
	return got;
}
