/* What processes do beside calling MPI.  process MODE [ARGUMENT] */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "robust.h"

extern char **environ;
static const char *argument;

static void say(const char *what, long n)
{
	printf("%d: %s %ld\n", rank, what, n);
	fflush(stdout);
}

/* As many files as fit below the limit, calls while none is free, all of them once more. */
static int files(void)
{
	static int fd[6000];
	struct rlimit r;
	int n = 0, wanted = atoi(argument);
	getrlimit(RLIMIT_NOFILE, &r);
	/* what the library keeps open is the same in every run only up to its sockets: count from there */
	int used = 0;
	for (int i = 0; i < 4096; i++)
		used += fcntl(i, F_GETFD) >= 0;
	r.rlim_cur = (rlim_t)(wanted + used);
	if (setrlimit(RLIMIT_NOFILE, &r))
		perror("setrlimit");
	while (n < 6000 && (fd[n] = open("/dev/null", O_RDONLY)) >= 0)
		n++;
	say(errno == EMFILE ? "full" : "not full", n == wanted ? 0 : n - wanted);
	rounds(0, 12000);
	for (int i = 0; i < n; i++)
		if (close(fd[i]))
			say("close failed", i);
	rounds(12000, 100);
	return finish("files");
}

/* Daemons close what they did not open; sockets and pipes stay, for the library needs them. */
static int closing(void)
{
	char name[64], text[32];
	int own[50], wrong = 0;
	for (int i = 3; i < 4096; i++) {
		struct stat st;
		if (fstat(i, &st) == 0 && S_ISREG(st.st_mode))
			close(i);
	}
	snprintf(name, sizeof name, "own.%d", rank);
	for (int i = 0; i < 50; i++)
		own[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (write(own[0], "mine", 4) != 4)
		wrong++;
	rounds(0, 20000);
	for (int i = 0; i < 50; i++)
		wrong += pread(own[i], text, sizeof text, 0) != 4 || memcmp(text, "mine", 4) != 0;
	say("wrong", wrong);
	unlink(name);
	return finish("closing");
}

static long address_space(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * 4096;
}

static int memory(void)
{
	rounds(0, 100);
	rlim_t most = (rlim_t)(address_space() + atol(argument) * 1024);
	struct rlimit r = {most, most};
	if (setrlimit(RLIMIT_AS, &r))
		perror("setrlimit");
	rounds(100, 20000);
	return finish("memory");
}

static int file_size(void)
{
	struct rlimit r = {65536, 65536};
	setrlimit(RLIMIT_FSIZE, &r);
	rounds(0, 20000);
	return finish("file size");
}

static void ended(const char *who, pid_t pid)
{
	int status = 0;
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		say("cannot wait", errno);
	say(who, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static int forks(void)
{
	pid_t pid;
	rounds(0, 500);
	if (!(pid = fork()))
		_exit(3);
	ended("_exit", pid);
	if (!(pid = fork())) {
		printf("%d: a child\n", rank);
		fflush(stdout);
		_exit(4);
	}
	ended("printf", pid);
	if (!(pid = fork()))
		execl("/bin/true", "true", (char *)NULL);
	ended("exec", pid);
	if (!(pid = fork())) {
		if (!(pid = fork()))
			_exit(5);
		ended("grandchild", pid);
		_exit(6);
	}
	ended("child", pid);
	if (!(pid = fork())) {
		signal(SIGALRM, SIG_DFL);
		for (volatile long i = 0; i < 10000000; i++)
			;
		raise(SIGALRM);
	}
	rounds(500, 2000); /* while the child computes */
	ended("signal", pid);
	if (!(pid = fork()))
		exit(8); /* with all handlers of the library */
	ended("exit", pid);
	rounds(2500, 10000);
	return finish("forks");
}

static int spawns(void)
{
	static char *const no[] = {"sh", "-c", "exit 9", NULL};
	char line[64] = "";
	pid_t pid = vfork();
	if (!pid) {
		execv("/bin/sh", no);
		_exit(1);
	}
	ended("vfork", pid);
	rounds(0, 100);
	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, no, environ))
		pid = -1;
	ended("posix_spawn", pid);
	rounds(100, 100);
	say("system", WEXITSTATUS(system("exit 4")));
	FILE *f = popen("echo words", "r");
	if (f && fgets(line, sizeof line, f))
		printf("%d: popen %s", rank, line);
	say("pclose", f ? pclose(f) : -1);
	rounds(200, 3000);
	return finish("spawns");
}

static volatile long alarms;

static void on_alarm(int sig)
{
	(void)sig;
	int before = errno;
	alarms++;
	errno = before;
}

static int alarm_clock(void)
{
	struct sigaction a = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 500}, {0, 500}}, none = {{0, 0}, {0, 0}};
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	rounds(0, 30000);
	setitimer(ITIMER_REAL, &none, NULL);
	say(alarms ? "alarms" : "no alarm", 0);
	return finish("alarm");
}

/* Before the processes come together: what a run before this one has told is not for all_told(). */
static void tell_anew(void)
{
	char name[4096];
	snprintf(name, sizeof name, "%s.%d", getenv("ROBUST_EVENTS") ? getenv("ROBUST_EVENTS") : "events", rank);
	unlink(name);
}

/* The first that ends takes the others with it: each has printed then. */
static void all_told(void)
{
	char name[4096];
	for (int i = 0; getenv("ROBUST_EVENTS") && i < size; i++) {
		snprintf(name, sizeof name, "%s.%d", getenv("ROBUST_EVENTS"), i);
		while (access(name, F_OK))
			usleep(1000);
	}
}

static int ending(const char *mode)
{
	rounds(0, 500);
	tell_anew();
	int last = rank == size - 1;
	if (!strcmp(mode, "segv") || !strcmp(mode, "term") || !strcmp(mode, "abort") || !strcmp(mode, "mpiabort")) {
		EVENT(MPI_Barrier(MPI_COMM_WORLD));
		if (last && !strcmp(mode, "mpiabort"))
			events++;
		tell(mode);
		all_told();
		if (!last) { /* nobody sends this */
			usleep(150000);
			MPI_Recv(&last, 1, MPI_INT, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		usleep(50000); /* what the others printed is on its way */
		if (!strcmp(mode, "segv"))
			*(volatile int *)8 = 1;
		if (!strcmp(mode, "term"))
			raise(SIGTERM);
		if (!strcmp(mode, "abort"))
			abort();
		MPI_Abort(MPI_COMM_WORLD, 7);
	}
	EVENT(MPI_Barrier(MPI_COMM_WORLD));
	tell(mode);
	all_told();
	usleep(150000); /* what the others printed is on its way */
	if (!strcmp(mode, "exit"))
		exit(atoi(argument));
	if (!strcmp(mode, "_exit"))
		_exit(atoi(argument));
	return atoi(argument); /* "return" */
}

static int hang(void)
{
	int x = 0;
	rounds(0, 100);
	tell("hang");
	MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return finish("not reached");
}

/* The last rank computes for ever, the others wait for it. */
static int loop(void)
{
	int x = 0;
	rounds(0, 100);
	tell("loop");
	for (volatile long i = 0; rank == size - 1; i++)
		;
	MPI_Recv(&x, 1, MPI_INT, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return finish("not reached");
}

/* Long enough to be interrupted; a round every few milliseconds. */
static int slow(void)
{
	for (int i = 0; i < atoi(argument); i++) {
		rounds(i * 10, 10);
		tell("slow");
		do
			usleep(3000);
		while (!access("wait", F_OK));
	}
	return finish("slow");
}

static void *small_thread(void *p)
{
	*(int *)p = 7;
	return NULL;
}

/* A thread with the smallest stack there may be: what libraries have thread-local is taken from it. */
static int small_stack(void)
{
	pthread_t thread;
	pthread_attr_t attr;
	int seen = 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	int e = pthread_create(&thread, &attr, small_thread, &seen);
	say("small stack", e);
	if (!e)
		pthread_join(thread, NULL);
	rounds(0, 100);
	say("it saw", seen);
	return finish("small stack");
}

static int twice(int *argc, char ***argv)
{
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	int class = MPI_SUCCESS, code = MPI_Init(argc, argv);
	if (code)
		MPI_Error_class(code, &class);
	say("second MPI_Init", class);
	int x = 0;
	code = MPI_Send(&x, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
	MPI_Error_class(code, &class);
	say(class == MPI_ERR_RANK ? "error of rank" : "another error", 0);
	rounds(0, 100);
	printf("%d: twice sum %ld\n", rank, sum);
	return MPI_Finalize();
}

static void asked(const char *when)
{
	int initialized = -1, finalized = -1, major = 0, minor = 0, n = 0;
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	MPI_Initialized(&initialized);
	MPI_Finalized(&finalized);
	MPI_Get_version(&major, &minor);
	MPI_Get_library_version(text, &n);
	printf("%d: %s %d %d %d.%d %d\n", rank, when, initialized, finalized, major, minor, n);
	fflush(stdout);
}

static int again(int argc, char **argv)
{
	(void)argc;
	if (getenv("ROBUST_AGAIN"))
		return 0;
	setenv("ROBUST_AGAIN", "1", 1);
	execv("/proc/self/exe", argv);
	return 1;
}

static int run(const char *mode)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {
		{"files", files},
		{"closing", closing},
		{"memory", memory},
		{"filesize", file_size},
		{"forks", forks},
		{"spawns", spawns},
		{"alarm", alarm_clock},
		{"hang", hang},
		{"loop", loop},
		{"slow", slow},
		{"smallstack", small_stack},
	};
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(mode, modes[i].name))
			return modes[i].run();
	if (!strcmp(mode, "initonly"))
		return 0;
	if (!strcmp(mode, "initfinal"))
		return finish(mode);
	if (!strcmp(mode, "plain") || !strcmp(mode, "execself")) {
		rounds(0, argument ? atoi(argument) : 500);
		return finish(mode);
	}
	return ending(mode);
}

int main(int argc, char **argv)
{
	const char *mode = argv[1];
	argument = argc > 2 ? argv[2] : NULL;
	if (!strcmp(mode, "nompi"))
		return printf("no MPI\n"), 3;
	if (!strcmp(mode, "early"))
		asked("before");
	if (!strcmp(mode, "execself") && again(argc, argv))
		return 99;
	start(&argc, &argv);
	if (!strcmp(mode, "twice"))
		return twice(&argc, &argv);
	if (!strcmp(mode, "early")) {
		asked("between");
		rounds(0, 10);
		finish("early");
		asked("after");
		return 0;
	}
	return run(mode);
}
