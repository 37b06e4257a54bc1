/* Handlers of signals. When one runs is kept: behind which event of its thread, and behind how many of its calls that brought something in. A
 * replay runs it as soon as the thread stands there; a signal that comes by itself is dropped, for it was told, or will be. Only those that come
 * from outside: a fault comes again by itself. What a handler asks for has a stream of its own. */
#include <errno.h>
#include <string.h>

#include "capture/inputs/front/front.h"

#define MOST 65

static struct hb__source of_signal = {"inputs:signal", 0};
static struct sigaction of_program[MOST];
static bool ours[MOST];

/* Somebody wants something of the process of now. */
static bool is_for_now(int sig)
{
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT || sig == SIGTSTP || sig == SIGCONT ||
	       sig == SIGWINCH;
}

static bool is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGTRAP || sig == SIGSYS ||
	       sig == SIGABRT;
}

__thread bool hb__in_handler __attribute__((tls_model("initial-exec")));

static __thread unsigned ran __attribute__((tls_model("initial-exec"))); /* how many handlers */

static void run(int sig, siginfo_t *info, void *context)
{
	struct sigaction a = of_program[sig];
	bool before = hb__in_handler;
	ran++;
	const void *caller = hb__sockets ? hb__sockets->caller() : NULL; /* of the call that it came into */
	hb__in_handler = true;
	if (a.sa_flags & SA_SIGINFO)
		a.sa_sigaction(sig, info, context);
	else
		a.sa_handler(sig);
	hb__in_handler = before;
	if (hb__sockets)
		hb__sockets->calls(caller);
}

/* ---- replay ---- */

static __thread bool no_more
	__attribute__((tls_model("initial-exec"))); /* all that came in the recorded run was told */

/* How many more were told than came by themselves: who sent them in the recorded run may do so again, later. */
static int told[MOST];

/* The next signal of this thread, where it was told where the thread stands now; 0: else. In the stream of its handlers. */
static int next_here(uint64_t now)
{
	struct hb__item item;
	struct hb__piece piece;
	int64_t value[3] = {0, 0, 0}; /* which; behind how many calls; inside of one of MPI */
	no_more = !hb__door->peek(of_signal.name, &item);
	if (no_more)
		return 0;
	uint64_t event = item.event;
	for (int i = 0; i < 3 && hb__door->item_piece(&item, &piece); i++)
		value[i] = hb__door->piece_number(&piece);
	bool here = event < now || (event == now && hb__door->calls() >= (uint64_t)(value[1] + value[2]));
	return here && value[0] > 0 && value[0] < MOST && ours[value[0]] ? (int)value[0] : 0;
}

static int
	came_anew; /* one more than in the recorded run: told outside of the handler, which may have come into anything */

static void due(void)
{
	struct hb__item item;
	uint8_t before;
	int anew = __atomic_exchange_n(&came_anew, 0, __ATOMIC_RELAXED);
	if (unlikely(anew))
		hb__differs(HB__SIGNALS, NULL,
			"signal %d comes, and no further one came in the recorded run; its handler runs", anew);
	uint64_t now = hb__door->event();
	int e = errno, sig = no_more ? 0 : 1;
	while (sig && hb__door->handler_begins(&before)) {
		sig = next_here(now);
		if (sig) {
			hb__door->next(of_signal.name, &item);
			hb__door->given();
			__atomic_fetch_add(&told[sig], 1, __ATOMIC_RELAXED);
			hb__door->others();
			siginfo_t info = {.si_signo = sig, .si_code = SI_USER};
			run(sig, &info, NULL);
		}
		hb__door->handler_ends(before);
	}
	errno = e;
}

/* ---- a signal comes ---- */

static void keep(int sig, uint64_t calls)
{
	if (!hb__door->call(&of_signal, 3))
		return;
	hb__door->number(0, sig);
	hb__door->number(1, (int64_t)calls);
	hb__door->number(2, hb__door->inside());
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	uint8_t before;
	int e = errno;
	enum hb_inputs what = hb__door->mode();
	if (what == HB_INPUTS_GIVE &&
		(__atomic_fetch_sub(&told[sig], 1, __ATOMIC_RELAXED) > 0 || !no_more || !is_for_now(sig)))
		return;
	bool aside = what == HB_INPUTS_KEEP && hb__door->handler_begins(&before);
	if (aside)
		keep(sig, hb__door->calls());
	run(sig, info, context);
	if (aside)
		hb__door->handler_ends(before);
	if (what == HB_INPUTS_GIVE)
		__atomic_store_n(&came_anew, sig, __ATOMIC_RELAXED);
	errno = e;
}

/* ---- who handles what ---- */

static bool handles(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO || (a->sa_handler != SIG_IGN && a->sa_handler != SIG_DFL);
}

static int set(int sig, const struct sigaction *a, struct sigaction *old)
{
	struct sigaction put, was = of_program[sig];
	bool had = ours[sig];
	if (a && handles(a)) {
		put = *a;
		put.sa_sigaction = on_signal;
		put.sa_flags |= SA_SIGINFO;
		of_program[sig] = *a;
		ours[sig] = true;
		a = &put;
		hb__door->after(hb__door->mode() == HB_INPUTS_GIVE ? due : NULL);
	}
	int e = NEXT(sigaction)(sig, a, old);
	if (!e && old && had && old->sa_sigaction == on_signal)
		*old = was;
	return e;
}

SEEN int sigaction(int sig, const struct sigaction *restrict a, struct sigaction *restrict old)
{
	enum hb_inputs what = sig > 0 && sig < MOST && !is_fault(sig) ? hb__enter(CALLER) : HB_INPUTS_PASS;
	if (what == HB_INPUTS_PASS)
		return NEXT(sigaction)(sig, a, old);
	int e = set(sig, a, old);
	hb__door->leave();
	return e;
}

SEEN sighandler_t signal(int sig, sighandler_t handler)
{
	enum hb_inputs what = sig > 0 && sig < MOST && !is_fault(sig) ? hb__enter(CALLER) : HB_INPUTS_PASS;
	if (what == HB_INPUTS_PASS)
		return NEXT(signal)(sig, handler);
	struct sigaction old, a = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigemptyset(&a.sa_mask);
	sigaddset(&a.sa_mask, sig);
	int e = set(sig, &a, &old);
	hb__door->leave();
	return e ? SIG_ERR : old.sa_handler;
}

/* Waiting for one: in a replay a handler that is due now runs without. */
#define SUSPENDS(name, parameters, arguments)                \
	SEEN int name parameters                             \
	{                                                    \
		unsigned before = ran;                       \
		enum hb_inputs what = hb__enter(CALLER);     \
		if (what == HB_INPUTS_GIVE) {                \
			hb__door->leave();                   \
			if (ran == before)                   \
				return NEXT(name) arguments; \
			errno = EINTR;                       \
			return -1;                           \
		}                                            \
		int e = WAITING(what, NEXT(name) arguments); \
		if (what != HB_INPUTS_PASS)                  \
			hb__door->leave();                   \
		return e;                                    \
	}
SUSPENDS(sigsuspend, (const sigset_t *mask), (mask))
SUSPENDS(pause, (void), ())

/* Timers and signals that the program sends: a handler may run as soon as they are set, so they are calls that count. */
#define COUNTED(type, name, parameters, arguments)                 \
	SEEN type name parameters                                  \
	{                                                          \
		enum hb_inputs what = hb__enter(CALLER);           \
		type result = WAITING(what, NEXT(name) arguments); \
		if (what != HB_INPUTS_PASS)                        \
			hb__door->leave();                         \
		return result;                                     \
	}
COUNTED(unsigned, alarm, (unsigned seconds), (seconds))
COUNTED(int, setitimer, (__itimer_which_t which, const struct itimerval *restrict new, struct itimerval *restrict old),
	(which, new, old))
COUNTED(int, timer_settime,
	(timer_t timer, int flags, const struct itimerspec *restrict new, struct itimerspec *restrict old),
	(timer, flags, new, old))
COUNTED(int, raise, (int sig), (sig))
