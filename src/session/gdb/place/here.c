/* gdb and gdbserver on this machine. Nothing may stay behind when this process dies, however that happens: gdb then gets an end of
 * file and a SIGHUP, and lets go of what it has; gdbserver ends with it (--once). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/socket/door.h"
#include "base/task.h"
#include "session/gdb/place/place.h"

extern char **environ;

struct child {
	hb_gdb_child c;
	pid_t pid; /* 0: not begun yet */
	bool kept; /* the keeper runs, and waits for it */
	pthread_t keeper;
	char **argv; /* a server that nobody has connected with yet; the strings are its own */
	hb_door door;
};

static hb_status fail(hb_error *err, hb_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static hb_status fail(hb_error *err, hb_status status, const char *format, ...)
{
	if (err) {
		va_list ap;
		*err = (hb_error){.status = status, .sys = status == HB_E_SYSTEM ? errno : 0};
		va_start(ap, format);
		vsnprintf(err->message, sizeof err->message, format, ap);
		va_end(ap);
	}
	return status;
}

/* ---- what is started ---- */

/* The path of a program; NULL: not there. */
static char *find_program(const char *name)
{
	char *path = NULL;
	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : strdup(name);
	const char *folders = getenv("PATH");
	for (const char *p = folders ? folders : "/usr/bin:/bin"; *p; p += *p == ':') {
		size_t n = strcspn(p, ":");
		if (asprintf(&path, "%.*s%s%s", (int)n, p, n ? "/" : "", name) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
		p += n;
	}
	return NULL;
}

static hb_status missing(hb_error *err, const char *name, const char *package)
{
	errno = ENOENT;
	return fail(err, HB_E_SYSTEM,
		"%s was not found; it is needed to stop processes and to look into them: apt-get install %s", name,
		package);
}

/* A filter of system calls, as containers have one, lets nobody trace: gdbserver would hang. Of a process that is not traced ptrace
 * answers ESRCH. */
static bool tracing_is_forbidden(void)
{
	errno = 0;
	return ptrace(PTRACE_PEEKUSER, getpid(), NULL, NULL) < 0 &&
	       (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static hb_status look(hb_gdb_place *place, const char *gdb, const char *gdbserver, hb_error *err)
{
	const char *const names[] = {gdb, gdbserver}, *const packages[] = {"gdb", "gdbserver"};
	(void)place;
	for (size_t i = 0; i < 2 && names[i]; i++) {
		char *program = find_program(names[i]);
		if (!program)
			return missing(err, names[i], !strcmp(names[i], "gdb-multiarch") ? names[i] : packages[i]);
		free(program);
	}
	if (gdbserver && tracing_is_forbidden())
		return fail(err, HB_E_SYSTEM,
			"gdb may not attach to any process: the system call ptrace is forbidden here (%s), as in some containers; "
			"start the container with --cap-add=SYS_PTRACE or --security-opt seccomp=unconfined",
			strerror(errno));
	return HB_OK;
}

static bool left_out(const char *variable)
{
	static const char *const names[] = {"LD_PRELOAD=", "HBDB_", "DEBUGINFOD_URLS=", "LANGUAGE=", "LC_",
		"LANG=", "COLUMNS=", "LINES=", "PYTHON"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

/* The environment for both: English, UTF-8, nothing that is meant for the program. Free the array; strings are environ's. */
static char **environment(void)
{
	size_t n = 0, k = 0;
	while (environ[n])
		n++;
	char **copy = malloc((n + 2) * sizeof *copy);
	for (size_t i = 0; copy && i < n; i++)
		if (!left_out(environ[i]))
			copy[k++] = environ[i];
	if (copy) {
		static char language[] = "LC_ALL=C.UTF-8";
		copy[k++] = language;
		copy[k] = NULL;
	}
	return copy;
}

static struct child *new_child(void)
{
	struct child *child = calloc(1, sizeof *child);
	if (child) {
		child->c = (hb_gdb_child){-1, -1};
		child->door.fd = -1;
	}
	return child;
}

/* ---- gdb ---- */

struct birth {
	struct child *child;
	const char *program;
	char *const *argv;
	char **environment;
	int end; /* of the socket, for gdb */
	pthread_mutex_t lock;
	pthread_cond_t born;
	bool done;
	int trouble;
};

static void become_gdb(const struct birth *b)
{
	sigset_t none;
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	for (int i = 1; i < 32; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid(); /* keys pressed at the terminal are not for it */
	dup2(b->end, 0);
	dup2(b->end, 1);
	dup2(b->end, 2);
	close_range(3, ~0U, 0);
	execve(b->program, b->argv, b->environment);
	_exit(127);
}

/* The thread that starts gdb and lives as long as it does: the death of the thread that forked, not of the whole process, is what
 * a child is told of (PR_SET_PDEATHSIG). */
static void *keep(void *birth)
{
	struct birth *b = birth;
	siginfo_t how;
	pid_t pid = fork();
	if (!pid)
		become_gdb(b);
	pthread_mutex_lock(&b->lock);
	b->child->pid = pid;
	b->child->c.life = pid < 0 ? -1 : pidfd_open(pid, 0);
	b->trouble = pid < 0 || b->child->c.life < 0 ? errno : 0;
	b->done = true;
	pthread_cond_signal(&b->born);
	pthread_mutex_unlock(&b->lock); /* b is gone from here on */
	while (pid > 0 && waitid(P_PID, (id_t)pid, &how, WEXITED) && errno == EINTR)
		;
	return NULL;
}

static int give_birth(struct child *child, const char *program, char *const *argv, int end)
{
	struct birth b = {.child = child, .program = program, .argv = argv, .environment = environment(), .end = end};
	sigset_t all, before;
	if (!b.environment)
		return ENOMEM;
	pthread_mutex_init(&b.lock, NULL);
	pthread_cond_init(&b.born, NULL);
	sigfillset(&all); /* the keeper handles no signals of the program's */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int trouble = pthread_create(&child->keeper, NULL, keep, &b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!trouble) {
		child->kept = true;
		pthread_mutex_lock(&b.lock);
		while (!b.done)
			pthread_cond_wait(&b.born, &b.lock);
		pthread_mutex_unlock(&b.lock);
		trouble = b.trouble;
	}
	pthread_cond_destroy(&b.born);
	pthread_mutex_destroy(&b.lock);
	free(b.environment);
	return trouble;
}

static void release(hb_gdb_place *place, hb_gdb_child *c);

static hb_status start(hb_gdb_place *place, char *const *argv, hb_gdb_child **ret_child, hb_error *err)
{
	int ends[2] = {-1, -1};
	struct child *child = new_child();
	char *program = find_program(argv[0]);
	hb_status status = child ? HB_OK : HB_E_MEMORY;
	if (!program)
		status = missing(err, argv[0], "gdb");
	if (!status && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		status = fail(err, HB_E_SYSTEM, "cannot talk to gdb: %s", strerror(errno));
	if (!status) {
		child->c.socket = ends[0];
		errno = give_birth(child, program, argv, ends[1]);
		close(ends[1]);
		if (errno)
			status = fail(err, HB_E_SYSTEM, "cannot start %s: %s", program, strerror(errno));
	}
	free(program);
	if (status && child)
		release(place, &child->c);
	else
		*ret_child = &child->c;
	return status;
}

/* ---- gdbserver, and gdb's way to it ----
 *
 * Over a Unix socket in a folder that nobody else can enter, whose accepted end is gdbserver's standard input and output. Over a pipe
 * (`target extended-remote | gdbserver`) gdb 13 makes a system call for each character that it gets, a third of what attaching costs. */

static char **copy_words(char *const *words)
{
	size_t n = 0;
	while (words[n])
		n++;
	char **copy = calloc(n + 1, sizeof *copy);
	for (size_t i = 0; copy && i < n; i++)
		copy[i] = strdup(words[i]);
	return copy;
}

static void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

static hb_status serve(hb_gdb_place *place, char *const *argv, char ret_address[HB_GDB_ADDRESS],
	hb_gdb_child **ret_child, hb_error *err)
{
	struct child *child = new_child();
	if (!child)
		return HB_E_MEMORY;
	child->argv = copy_words(argv);
	if (!hb_door_open(&child->door)) {
		hb_status status = fail(err, HB_E_SYSTEM, "cannot make a socket for gdbserver: %s", strerror(errno));
		release(place, &child->c);
		return status;
	}
	snprintf(ret_address, HB_GDB_ADDRESS, "%s", child->door.path);
	*ret_child = &child->c;
	return HB_OK;
}

/* The connection of gdb; -1: it did not come. */
static int let_in(const hb_door *door, const hb_gdb_child *client, double seconds)
{
	double until = hb_seconds() + seconds;
	do {
		struct pollfd fds[2] = {{door->fd, POLLIN, 0}, {client->life, POLLIN, 0}};
		if (poll(fds, 2, 100) < 0 && errno != EINTR)
			return -1;
		if (fds[0].revents)
			return accept4(door->fd, NULL, NULL, SOCK_CLOEXEC);
		if (fds[1].revents)
			return -1;
	} while (hb_seconds() < until);
	return -1;
}

static int spawn(const char *program, char *const *argv, int fd, char **with, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	posix_spawn_file_actions_adddup2(&files, fd, 0);
	posix_spawn_file_actions_adddup2(&files, fd, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &all);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int trouble = posix_spawn(ret_pid, program, &files, &how, argv, with);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return trouble;
}

static hb_status served(
	hb_gdb_place *place, hb_gdb_child *server, const hb_gdb_child *client, double seconds, hb_error *err)
{
	struct child *child = (struct child *)server;
	int fd = let_in(&child->door, client, seconds), trouble = 0;
	(void)place;
	if (fd >= 0) {
		char **with = environment(), *program = find_program(child->argv[0]);
		trouble = !program ? ENOENT : !with ? ENOMEM : spawn(program, child->argv, fd, with, &child->pid);
		child->pid = trouble ? 0 : child->pid;
		free(with);
		free(program);
		close(fd); /* gdbserver's end is its own: without it, gdb gets an end of file */
	}
	hb_door_close(&child->door);
	/* what gdb says when gdbserver dies depends on what it was about to hear */
	server->life = child->pid > 0 ? pidfd_open(child->pid, 0) : -1;
	errno = trouble;
	return trouble ? fail(err, HB_E_SYSTEM, "cannot start %s: %s", child->argv[0], strerror(trouble)) : HB_OK;
}

/* ---- ending ---- */

static bool over(hb_gdb_place *place, hb_gdb_child *c)
{
	struct pollfd end = {c->life, POLLIN, 0};
	(void)place;
	return c->life < 0 || poll(&end, 1, 0) > 0;
}

static bool send_signal(hb_gdb_place *place, hb_gdb_child *c, int signal)
{
	(void)place;
	return c->life >= 0 && !pidfd_send_signal(c->life, signal, NULL, 0);
}

static void release(hb_gdb_place *place, hb_gdb_child *c)
{
	struct child *child = (struct child *)c;
	double until = hb_seconds() + 3;
	int how;
	(void)place;
	if (child->kept)
		pthread_join(child->keeper, NULL);
	else if (child->pid > 0)
		while (!waitpid(child->pid, &how, WNOHANG)) {
			if (hb_seconds() > until)
				kill(child->pid, SIGKILL);
			usleep(2000);
		}
	hb_door_close(&child->door);
	free_words(child->argv);
	if (c->socket >= 0)
		close(c->socket);
	if (c->life >= 0)
		close(c->life);
	free(child);
}

hb_gdb_child *hb_gdb_here_child(int32_t pid)
{
	struct child *child = new_child();
	if (!child)
		return NULL;
	child->pid = pid;
	child->c.life = pidfd_open(pid, 0);
	return &child->c;
}

/* ---- processes ---- */

static int watch(hb_gdb_place *place, int32_t pid)
{
	(void)place;
	return pidfd_open(pid, 0);
}

static void unwatch(hb_gdb_place *place, int life)
{
	(void)place;
	if (life >= 0)
		close(life);
}

static bool kill_process(hb_gdb_place *place, int32_t pid, int life, int signal)
{
	(void)place, (void)pid;
	return life >= 0 && !pidfd_send_signal(life, signal, NULL, 0);
}

static bool rouse(hb_gdb_place *place, int32_t pid, int life, int signal)
{
	uint64_t thread = hb_task_awake(pid);
	(void)place, (void)life;
	return thread && (!signal || !syscall(SYS_tgkill, pid, (pid_t)thread, signal));
}

static char *file(hb_gdb_place *place, int32_t pid, int life, const char *name)
{
	(void)place, (void)life;
	return hb_task_text(pid, name);
}

static int ptrace_scope(void)
{
	int scope = 0;
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	if (f && fscanf(f, "%d", &scope) != 1)
		scope = 0;
	if (f)
		fclose(f);
	return scope;
}

/* Whether the kernel would let gdbserver attach, asked by a process that is related to the other one as gdbserver is: only by
 * having us as its parent. The file of the memory may be opened by who may attach (proc(5)). */
static bool may_trace(int32_t pid)
{
	char path[64];
	int how;
	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	pid_t asking = fork();
	if (!asking)
		_exit(open(path, O_RDONLY | O_CLOEXEC) < 0 && (errno == EACCES || errno == EPERM) ? 1 : 0);
	while (asking > 0 && waitpid(asking, &how, 0) < 0)
		if (errno != EINTR)
			return true;
	return asking <= 0 || !WIFEXITED(how) || WEXITSTATUS(how) != 1;
}

/* Says why the kernel does not let gdb attach to a process. */
static bool forbids(hb_gdb_place *place, int32_t id, int32_t pid, hb_error *err)
{
	int scope = ptrace_scope();
	(void)place;
	if (may_trace(pid))
		return false;
	errno = EPERM;
	if (scope > 2)
		fail(err, HB_E_SYSTEM,
			"gdb may not attach to process %d (pid %d): kernel.yama.ptrace_scope is %d, which forbids it to "
			"everybody until the machine is started again with a lower value",
			id, pid, scope);
	else if (scope > 0)
		fail(err, HB_E_SYSTEM,
			"gdb may not attach to process %d (pid %d): kernel.yama.ptrace_scope is %d; as root, "
			"`sysctl kernel.yama.ptrace_scope=0` allows it",
			id, pid, scope);
	else
		fail(err, HB_E_SYSTEM,
			"gdb may not attach to process %d (pid %d), which has more rights than hbdb; the capability SYS_PTRACE would allow it (start a container with --cap-add=SYS_PTRACE)",
			id, pid);
	return true;
}

hb_gdb_place *hb_gdb_here(void)
{
	static hb_gdb_place here = {.look = look,
		.start = start,
		.serve = serve,
		.served = served,
		.over = over,
		.signal = send_signal,
		.release = release,
		.watch = watch,
		.unwatch = unwatch,
		.kill = kill_process,
		.rouse = rouse,
		.file = file,
		.forbids = forbids};
	return &here;
}
