/* Starts the job, hands signals on, ends it when asked to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/task.h"
#include "run.h"

#define GRACE_S 3.0 /* from SIGTERM to SIGKILL */
#define SHORT_GRACE_S \
	0.05 /* the same for the processes of a job under control, which is never ended for its own sake */

static bool has_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static _Noreturn void become(const hb_job *job, bool own_group, const sigset_t *mask, int report)
{
	int random = 0, code;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (own_group)
		setpgid(0, 0);
	sigprocmask(SIG_SETMASK, mask, NULL);
	for (char **v = job->variables; v && *v; v++)
		putenv(*v);
	int input = job->input ? open(job->input, O_RDONLY) : 0;
	if (input > 0 && dup2(input, 0) == 0)
		close(input);
	if (job->out && (dup2(job->out, 1) < 0 || dup2(job->out, 2) < 0))
		_exit(126);
	if (!job->aslr && personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE) < 0)
		random = -1;
	if (random && write(report, &random, sizeof random) < 0)
		_exit(127);
	if (!job->folder || !chdir(job->folder))
		execvp(job->argv[0], job->argv);
	code = errno;
	if (write(report, &code, sizeof code) < 0)
		_exit(127);
	_exit(code == ENOENT ? 127 : 126);
}

struct family {
	pid_t pid, parent;
	bool below, dead; /* dead: a zombie that nobody has reaped */
};

static size_t list_processes(struct family **ret)
{
	struct family *all = NULL;
	size_t n = 0, room = 0;
	DIR *proc = opendir("/proc");
	for (struct dirent *e; proc && (e = readdir(proc));) {
		hb_task task;
		int pid = atoi(e->d_name); /* 0: it is not about a process */
		if (!pid || !hb_task_read(pid, 0, &task))
			continue;
		if (n == room)
			all = hb__resize(all, (room = room * 2 + 256) * sizeof *all);
		all[n++] = (struct family){pid, task.parent, false, task.state == 'Z'};
	}
	if (proc)
		closedir(proc);
	*ret = all;
	return n;
}

/* Every process below `root`, or only those that are not dead; free *ret. */
static size_t list_below(pid_t root, bool living, pid_t **ret)
{
	struct family *all;
	size_t n = list_processes(&all), found = 0;
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; !all[i].below && k < n; k++)
				if (all[i].parent == root || (all[k].below && all[k].pid == all[i].parent))
					more = all[i].below = true;
	}
	*ret = hb__alloc((n + 1) * sizeof **ret);
	for (size_t i = 0; i < n; i++)
		if (all[i].below && !(living && all[i].dead))
			(*ret)[found++] = all[i].pid;
	free(all);
	return found;
}

size_t hb__processes_below(pid_t root, pid_t **ret) { return list_below(root, true, ret); }

/* What was below this process before the job began is none of it: who keeps connections to nodes, or sends the recording. */
static pid_t *beside;
static size_t nbeside;

static void begin_beside(void)
{
	free(beside);
	nbeside = list_below(getpid(), false, &beside);
}

static bool is_beside(pid_t pid)
{
	for (size_t i = 0; i < nbeside; i++)
		if (beside[i] == pid)
			return true;
	return false;
}

/* Every process of the job below this one: orphans come to us, as we are their reaper. */
static void signal_below(int sig)
{
	pid_t *pids;
	size_t n = list_below(getpid(), false, &pids);
	for (size_t i = 0; i < n; i++)
		if (!is_beside(pids[i]))
			kill(pids[i], sig);
	free(pids);
}

/* The state of a job under way. */
struct running {
	const hb_job *job;
	pid_t pid;
	bool own_group, gone, ending, killed, told;
	int status, interrupted;
	double asked; /* when it was asked to end */
	double alone; /* since when an interrupted launcher has had no processes; 0: it has some */
};

static void reap(struct running *r)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
		if (pid == r->pid) {
			r->status = status;
			r->gone = true;
		}
}

static void tell_ending(struct running *r)
{
	if (r->job->ending && !r->told)
		r->job->ending(r->job->user);
	r->told = true;
}

/* A signal typed at the terminal reached the job without us; others did not. */
static void hand_on(struct running *r, const siginfo_t *info)
{
	if (info->si_signo == SIGINT || info->si_signo == SIGTERM || info->si_signo == SIGHUP ||
		info->si_signo == SIGQUIT)
		r->interrupted = info->si_signo;
	if (r->interrupted)
		tell_ending(r);
	if (info->si_signo == SIGCHLD || (!r->own_group && info->si_code == SI_KERNEL))
		return;
	kill(r->own_group ? -r->pid : r->pid, info->si_signo);
}

static void end_job(struct running *r)
{
	if (!r->ending) {
		r->ending = true;
		r->asked = hb_seconds();
		tell_ending(r);
		/* a launcher takes its processes with it; a script would leave them behind */
		if (r->job->launcher)
			kill(r->pid, SIGTERM);
		else
			signal_below(SIGTERM);
	} else if (!r->killed && hb_seconds() - r->asked > GRACE_S) {
		r->killed = true;
		signal_below(SIGKILL);
	}
}

/* Open MPI's launcher, interrupted, now and then waits for ever for processes that are dead. */
static void look_after_launcher(struct running *r)
{
	pid_t *pids;
	size_t n = list_below(r->pid, true, &pids);
	free(pids);
	if (n)
		r->alone = 0;
	else if (r->alone == 0)
		r->alone = hb_seconds();
	else if (hb_seconds() - r->alone > GRACE_S)
		kill(r->pid, SIGKILL);
}

static void follow(struct running *r, const sigset_t *signals)
{
	const struct timespec tick = {0, 50000000};
	while (!r->gone) {
		siginfo_t info;
		bool after = r->interrupted && r->job->launcher == HB_LAUNCHER_ORTE;
		int sig = sigtimedwait(signals, &info, r->job->watch || r->ending || after ? &tick : NULL);
		if (sig > 0)
			hand_on(r, &info);
		reap(r);
		if (!r->gone && after && sig < 0)
			look_after_launcher(r);
		if (!r->gone && (r->ending || (r->job->watch && r->job->watch(r->job->user))))
			end_job(r);
	}
	if (r->ending) /* what the launcher left */
		signal_below(SIGKILL);
	reap(r);
}

static void take_signals(sigset_t *ret_signals, sigset_t *ret_old)
{
	static const int taken[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};
	sigemptyset(ret_signals);
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		sigaddset(ret_signals, taken[i]);
	sigprocmask(SIG_BLOCK, ret_signals, ret_old);
}

static void read_report(int fd, hb_job_end *ret)
{
	for (int code; read(fd, &code, sizeof code) == sizeof code;) {
		if (code < 0)
			ret->random = true;
		else
			ret->error = code;
	}
	close(fd);
}

void hb__run(const hb_job *job, hb_job_end *ret)
{
	sigset_t signals, old;
	int report[2];
	struct running r = {.job = job, .own_group = !has_terminal()};
	*ret = (hb_job_end){.status = 127};
	double begin = hb_seconds();

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	take_signals(&signals, &old);
	begin_beside();
	if (pipe2(report, O_CLOEXEC) || (r.pid = fork()) < 0) {
		ret->error = errno;
		return;
	}
	if (!r.pid)
		become(job, r.own_group, &old, report[1]);
	if (r.own_group)
		setpgid(r.pid, r.pid);
	close(report[1]);
	read_report(report[0], ret);
	follow(&r, &signals);
	ret->seconds = hb_seconds() - begin;
	ret->ended = r.ending;
	ret->interrupted = r.interrupted;
	ret->signal = WIFSIGNALED(r.status) ? WTERMSIG(r.status) : 0;
	ret->status = ret->signal ? 128 + ret->signal : WEXITSTATUS(r.status);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* ---- a job beside us ---- */

struct hb_started {
	pid_t pid;
	bool over;
	hb_launcher_kind launcher;
	int status;
	double begin;
	pid_t *pids; /* below it, when that was looked for last */
	size_t npids;
};

hb_started *hb__job_start(const hb_job *job, hb_job_end *ret)
{
	int report[2];
	sigset_t mask;
	*ret = (hb_job_end){.status = 127};
	hb_started *s = hb__alloc(sizeof *s);
	*s = (hb_started){.begin = hb_seconds(), .launcher = job->launcher};
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	if (pipe2(report, O_CLOEXEC) || (s->pid = fork()) < 0) {
		ret->error = errno;
		free(s);
		return NULL;
	}
	if (!s->pid) {
		sigset_t none;
		sigemptyset(&none);
		become(job, true, &none, report[1]);
	}
	setpgid(s->pid, s->pid);
	close(report[1]);
	read_report(report[0], ret);
	if (!ret->error)
		return s;
	waitpid(s->pid, NULL, 0);
	free(s);
	return NULL;
}

bool hb__job_over(hb_started *s)
{
	if (!s->over && waitpid(s->pid, &s->status, WNOHANG) == s->pid)
		s->over = true;
	return s->over;
}

void hb__job_freeze(hb_started *s)
{
	if (hb__job_over(s))
		return;
	kill(s->launcher ? s->pid : -s->pid, SIGSTOP);
	free(s->pids);
	/* those that the launcher leaves behind are ours then; what else is below us is none of its */
	s->npids = list_below(s->pid, false, &s->pids);
}

/* Open MPI's launcher has files to clean up and is asked. It then sleeps for a second, twice, unless a process of its dies
 * meanwhile; those that it has are dead already, so it is told again. MPICH's has no files, and would only complain. */
static void take_down(hb_started *s)
{
	const struct timespec tick = {0, 10000000};
	double asked = hb_seconds();
	pid_t asks = s->launcher ? s->pid : -s->pid;
	if (s->launcher != HB_LAUNCHER_HYDRA) {
		kill(asks, SIGTERM);
		kill(asks, SIGCONT);
	}
	for (bool forced = false; !hb__job_over(s); nanosleep(&tick, NULL)) {
		double waited = hb_seconds() - asked;
		if (s->launcher != HB_LAUNCHER_HYDRA)
			kill(asks, SIGCHLD);
		/* the launcher first: it would tell of the others */
		if (s->launcher == HB_LAUNCHER_HYDRA || waited > GRACE_S)
			kill(s->pid, SIGKILL);
		if (!forced && (s->launcher == HB_LAUNCHER_HYDRA || waited > SHORT_GRACE_S))
			for (size_t i = 0; i < s->npids; i++)
				kill(s->pids[i], SIGKILL);
		forced = forced || waited > SHORT_GRACE_S;
	}
	for (size_t i = 0; i < s->npids; i++) {
		kill(s->pids[i], SIGKILL);
		waitpid(s->pids[i], NULL, WNOHANG);
	}
}

void hb__job_finish(hb_started *s, hb_job_end *ret)
{
	ret->ended = !hb__job_over(s);
	if (ret->ended)
		take_down(s);
	ret->seconds = hb_seconds() - s->begin;
	ret->signal = WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0;
	ret->status = ret->signal ? 128 + ret->signal : WEXITSTATUS(s->status);
	free(s->pids);
	free(s);
}
