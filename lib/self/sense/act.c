/* What is done when a sensor trips. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "sense.h"

#define RESTARTS "HBDB_SELF_RESTARTS" /* how often the program began again */

int hb_self_on(hb_sensor *s, int what, hb_self_action *function, void *user)
{
	if (!s || what < HB_SELF_CALL || what > HB_SELF_DEBUG || (what == HB_SELF_CALL && !function))
		return EINVAL;
	pthread_mutex_lock(&s->lock);
	unsigned n = atomic_load(&s->actions);
	if (n < HB__ACTIONS) {
		s->action[n] = (struct hb__action){what, function, user};
		atomic_store(&s->actions, n + 1);
	}
	pthread_mutex_unlock(&s->lock);
	return n < HB__ACTIONS ? 0 : ENOSPC;
}

/* ---- notifications ---- */

/* One word, or one line. */
static void tame(char *text, bool word)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127 || (word && *text == ' '))
			*text = word ? '_' : ' ';
}

int hb_self_notify(const char *kind, const char *name, double value, const char *text)
{
	const char *to = getenv("HBDB_SELF_NOTIFY");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char word[32], who[HB_TRACE_EVENT_NAME_MAX + 1], more[256], line[512];
	if (!to || !*to)
		return ENOENT;
	if (strlen(to) >= sizeof address.sun_path)
		return ENAMETOOLONG;
	snprintf(address.sun_path, sizeof address.sun_path, "%s", to);
	snprintf(word, sizeof word, "%s", kind && *kind ? kind : "-");
	snprintf(who, sizeof who, "%s", name && *name ? name : "-");
	snprintf(more, sizeof more, "%s", text ? text : "");
	tame(word, true);
	tame(who, true);
	tame(more, false);
	int n = snprintf(line, sizeof line, "hbdb-self 1 %d %s %s %.9g %s", (int)getpid(), word, who, value, more);
	int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (file < 0)
		return errno;
	int error = sendto(file, line, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address,
			    sizeof address) < 0
			    ? errno
			    : 0;
	close(file);
	return error;
}

/* ---- stops ---- */

static _Atomic uint32_t gone_on; /* how often hb_self_go was called */
static _Atomic int stopped;      /* threads */

static void stop_thread(void)
{
	uint32_t was = atomic_load(&gone_on);
	atomic_fetch_add(&stopped, 1);
	while (atomic_load(&gone_on) == was)
		syscall(SYS_futex, &gone_on, FUTEX_WAIT_PRIVATE, was, NULL, NULL, 0);
	atomic_fetch_sub(&stopped, 1);
}

int hb_self_go(void)
{
	int n = atomic_load(&stopped);
	atomic_fetch_add(&gone_on, 1);
	syscall(SYS_futex, &gone_on, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	return n;
}

static void debug(struct hb_sensor *s, double value)
{
	/* where the system lets a process be debugged by those that it names only: any of the same user */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	if (hb_self_notify("debug", s->name, value, "waits for a debugger"))
		dprintf(2, "hbdb-self: %s tripped (%.9g); process %d waits for a debugger: gdb -p %d\n", s->name, value,
			(int)getpid(), (int)getpid());
	raise(SIGSTOP);
}

/* ---- again ---- */

/* The arguments that the program was started with. NULL: not known. */
static char **arguments(void)
{
	int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char *text = NULL, **argument = NULL;
	size_t n = 0, words = 0, cap = 0;
	while (file >= 0) {
		if (n == cap) {
			char *more = realloc(text, (cap = cap * 2 + 4096) + 1);
			if (!more)
				break;
			text = more;
		}
		ssize_t got = read(file, text + n, cap - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (file >= 0)
		close(file);
	for (size_t i = 0; i < n; i++)
		words += !text[i];
	if (words)
		argument = calloc(words + 1, sizeof *argument);
	for (size_t i = 0, word = 0; argument && word < words; i += strlen(text + i) + 1)
		argument[word++] = text + i;
	if (!argument)
		free(text);
	return argument;
}

static void restart(struct hb_sensor *s, double value)
{
	const char *before = getenv(RESTARTS);
	char count[32];
	char **argument = arguments();
	if (!argument)
		return;
	snprintf(count, sizeof count, "%lu", (before ? strtoul(before, NULL, 10) : 0) + 1);
	setenv(RESTARTS, count, 1);
	hb_self_notify("restart", s->name, value, count);
	hb__end();
	sigset_t none;
	sigemptyset(&none); /* the thread that noticed may hold them all back, and a mask goes through exec */
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv("/proc/self/exe", argument);
}

/* ---- in their order ---- */

static void act(struct hb_sensor *s, const struct hb__action *a, double value)
{
	switch (a->what) {
	case HB_SELF_CALL:
		a->function(s, s->name, value, a->user);
		break;
	case HB_SELF_NOTIFY:
		hb_self_notify("tripped", s->name, value, "");
		break;
	case HB_SELF_STOP_THREAD:
		hb_self_notify("stopped-thread", s->name, value, "");
		stop_thread();
		break;
	case HB_SELF_STOP_PROCESS:
		hb_self_notify("stopped", s->name, value, "");
		raise(SIGSTOP);
		break;
	case HB_SELF_ABORT:
		hb_self_notify("abort", s->name, value, "");
		abort();
	case HB_SELF_RESTART:
		restart(s, value);
		break;
	default:
		debug(s, value);
	}
}

void hb__act(struct hb_sensor *s, double value)
{
	for (unsigned i = 0; i < atomic_load(&s->actions); i++)
		act(s, &s->action[i], value);
}

void hb__act_recovered(struct hb_sensor *s, double value)
{
	for (unsigned i = 0; i < atomic_load(&s->actions); i++)
		if (s->action[i].what == HB_SELF_NOTIFY)
			hb_self_notify("recovered", s->name, value, "");
}
