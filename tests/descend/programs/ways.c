/* Ways from one process to another. ways MODE [...]: each prints what it does, the same in every run, and says it as events. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hbdb/event.h>

pid_t _Fork(void); /* of POSIX 2024: a header may not have it yet */

#define MANY 40000 /* events that need more units than a log has at first */

extern char **environ;
static char *self;

static void print(const char *text)
{
	printf("%s\n", text);
	fflush(stdout);
}

/* Texts are defined once and take room, too: a log grows by both. */
static void say_many(void)
{
	for (int i = 0; i < MANY; i++)
		HB_EVENT("many", hb_integer("i", (long)i * 1000003));
}

static int wait_for(pid_t pid)
{
	int status = 0;
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	printf("it ended with %s %d\n", WIFSIGNALED(status) ? "signal" : "status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return fflush(stdout);
}

/* ---- fork ---- */

static int mode_workers(char **more)
{
	(void)more;
	hb_event("server");
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		if (!pid) {
			HB_EVENT("worker", hb_integer("number", i));
			if (i == 1)
				kill(getpid(), SIGKILL);
			if (i == 2)
				exit(7);
			_exit(5);
		}
		wait_for(pid);
	}
	hb_event("over");
	return 0;
}

static int mode_silent(char **more)
{
	(void)more;
	pid_t pid = fork();
	if (!pid) { /* its parent has said nothing yet */
		hb_event("child");
		_exit(0);
	}
	wait_for(pid);
	hb_event("parent");
	return 0;
}

static int mode__Fork(char **more)
{
	(void)more;
	hb_event("parent");
	pid_t pid = _Fork();
	if (!pid) {
		hb_event("child");
		_exit(3);
	}
	return wait_for(pid);
}

/* ---- exec ---- */

static int mode_said(char **more)
{
	HB_EVENT("said", hb_text("what", *more ? *more : ""));
	print(*more ? *more : "said");
	return 4;
}

static int mode_three(char **more)
{
	char *first[] = {self, "three", "second", NULL}, *second[] = {self, "three", "third", NULL};
	hb_event(*more ? *more : "first");
	print(*more ? *more : "first");
	if (!*more)
		execv(self, first);
	else if (!strcmp(*more, "second"))
		execve(self, second, environ);
	return 9;
}

static int mode_fails(char **more)
{
	char *const none[] = {"none", NULL};
	(void)more;
	hb_event("before");
	int got = execve("/nowhere/none", none, environ);
	printf("%d %s\n", got, strerror(errno));
	got = execlp("no-such-program", "none", (char *)NULL);
	printf("%d %s\n", got, strerror(errno));
	say_many();
	hb_event("after");
	return 0;
}

static int mode_forked_exec(char **more)
{
	(void)more;
	hb_event("parent");
	pid_t pid = fork();
	if (!pid)
		execl(self, self, "said", "by a child", (char *)NULL);
	wait_for(pid);
	if (!(pid = fork())) {
		hb_event("between");
		execlp(self, self, "said", "after its own event", (char *)NULL);
	}
	return wait_for(pid);
}

static int mode_vfork(char **more)
{
	static volatile int seen;
	(void)more;
	hb_event("parent");
	for (int i = 0; i < 2; i++) {
		pid_t pid = vfork();
		if (!pid) {
			hb_event("of nobody");
			seen += 1;
			if (i)
				_exit(6);
			execl(self, self, "said", "after vfork", (char *)NULL);
		}
		wait_for(pid);
	}
	printf("seen %d\n", seen);
	hb_event("over");
	return 0;
}

static int mode_vfork_first(char **more)
{
	(void)more;
	pid_t pid = vfork();
	if (!pid) {
		hb_event("of nobody");
		execl(self, self, "said", "after vfork", (char *)NULL);
	}
	wait_for(pid);
	hb_event("parent");
	return 0;
}

static int mode_spawn(char **more)
{
	char *argv[] = {self, "said", "spawned", NULL}, *none[] = {NULL};
	pid_t pid;
	(void)more;
	hb_event("parent");
	for (int i = 0; i < 3; i++) {
		int e = i == 1 ? posix_spawnp(&pid, self, NULL, NULL, argv, environ)
			       : posix_spawn(&pid, self, NULL, NULL, argv, i ? none : environ);
		wait_for(pid);
		printf("%d\n", e);
		fflush(stdout);
	}
	return system("exit 5") == 5 << 8 ? 0 : 1;
}

static int mode_clean(char **more)
{
	char *argv[] = {self, "said", "clean", NULL}, *none[] = {"ONLY=this", NULL};
	(void)more;
	hb_event("parent");
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		if (!pid && i == 0)
			execve(self, argv, none);
		if (!pid && i == 1)
			execle(self, self, "said", "clean", (char *)NULL, none);
		if (!pid) {
			clearenv();
			fexecve(open(self, O_RDONLY), argv, environ ? environ : none);
		}
		wait_for(pid);
	}
	return 0;
}

/* ---- what servers give up ---- */

static int mode_closes(char **more)
{
	(void)more;
	hb_event("before");
	for (int fd = 3; fd < 70000; fd++)
		close(fd);
	syscall(SYS_close_range, 3, ~0u, 0);
	say_many();
	pid_t pid = fork();
	if (!pid) {
		closefrom(0);
		say_many();
		_exit(open("/dev/null", O_RDONLY));
	}
	return wait_for(pid);
}

static int mode_limits(char **more)
{
	struct rlimit none = {0, 0}, files = {3, 3};
	(void)more;
	hb_event("before");
	setrlimit(RLIMIT_NOFILE, &files);
	printf("%d\n", open("/dev/null", O_RDONLY));
	say_many();
	pid_t pid = fork();
	if (!pid) {
		setrlimit(RLIMIT_FSIZE, &none);
		hb_event("no file may grow");
		_exit(0);
	}
	return wait_for(pid);
}

static int mode_user(char **more)
{
	(void)more;
	hb_event("root");
	if (setgid(65534) || setuid(65534))
		return 1;
	printf("user %d\n", (int)getuid());
	fflush(stdout);
	say_many();
	pid_t pid = fork();
	if (!pid) {
		say_many();
		_exit(2);
	}
	return wait_for(pid);
}

static int mode_forth_and_back(char **more)
{
	(void)more;
	hb_event("root");
	if (seteuid(65534))
		return 1;
	say_many();
	if (seteuid(0))
		return 2;
	say_many();
	print("root again");
	return 0;
}

static int mode_jail(char **more)
{
	hb_event("outside");
	if (chroot(*more) || chdir("/"))
		return 1;
	printf("%d\n", access("/proc/self", F_OK));
	if (setuid(65534))
		return 2;
	say_many();
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		say_many();
		_exit(3);
	}
	return wait_for(pid);
}

/* Kills a process that opens, maps a file or makes one grow. */
static int forbid(void)
{
#define KILL_AT(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
	struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr)),
		KILL_AT(open), KILL_AT(openat), KILL_AT(fallocate), KILL_AT(ftruncate), KILL_AT(rt_sigprocmask),
		KILL_AT(fstat), KILL_AT(newfstatat), KILL_AT(rename), KILL_AT(getpid),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int mode_filter(char **more)
{
	hb_event("parent");
	pid_t pid = fork();
	if (!pid) {
		if (forbid())
			_exit(1);
		for (int i = 0; i < (*more ? 4000000 : 1); i++)
			hb_event("inside");
		_exit(8);
	}
	return wait_for(pid);
}

/* As a server does with a child that talks to strangers: no files, no processes, and few calls, before it says anything. */
static int mode_shut(char **more)
{
	(void)more;
	hb_event("parent");
	pid_t pid = fork();
	if (!pid) {
		struct rlimit none = {0, 0};
		if (setrlimit(RLIMIT_FSIZE, &none) || setrlimit(RLIMIT_NPROC, &none) ||
			setrlimit(RLIMIT_NOFILE, &none) || setgid(65534) || setuid(65534) || forbid())
			_exit(1);
		hb_event("inside");
		exit(8);
	}
	return wait_for(pid);
}

/* ---- ends ---- */

static void *at_once(void *unused)
{
	(void)unused;
	hb_event("thread");
	_exit(11);
}

static int mode_at_once(char **more)
{
	pthread_t thread;
	(void)more;
	hb_event("main");
	if (pthread_create(&thread, NULL, at_once, NULL))
		return 1;
	pause();
	return 2;
}

static void on_term(int signal)
{
	(void)signal;
	_exit(12);
}

static int mode_handler(char **more)
{
	(void)more;
	signal(SIGTERM, on_term);
	hb_event("before");
	raise(SIGTERM);
	return 2;
}

/* Says something each 10 ms, or at once again, until the file is there, and then prints into another one. */
static int mode_daemon(char **more)
{
	hb_event("start");
	print("started");
	if (daemon(1, 0))
		return 1;
	long n = 0;
	while (access(more[0], F_OK)) {
		HB_EVENT("lives", hb_integer("n", n++));
		if (!more[2])
			usleep(10000);
	}
	FILE *f = fopen(more[1], "w");
	fprintf(f, "it lived\n");
	fclose(f);
	return 0;
}

int main(int argc, char **argv)
{
#define MODE(name)                 \
	{                          \
#name, mode_##name \
	}
	static const struct {
		const char *name;
		int (*run)(char **more);
	} modes[] = {MODE(workers), MODE(silent), MODE(_Fork), MODE(said), MODE(three), MODE(fails), MODE(forked_exec),
		MODE(vfork), MODE(vfork_first), MODE(spawn), MODE(clean), MODE(closes), MODE(limits), MODE(user),
		MODE(forth_and_back), MODE(jail), MODE(filter), MODE(shut), MODE(at_once), MODE(handler), MODE(daemon)};
	self = argv[0];
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name))
			return modes[i].run(argv + 2);
	return 99;
}
