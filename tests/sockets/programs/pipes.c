/* Pipes, and all ways in which a process makes another one, ends, and is waited for.
 *
 *   gcc -O2 -g pipes.c -o pipes
 *   pipes [-h HOW] [-w WAIT] [-e END] [-k CHILDREN] [-m BLOCKS] [-r READERS] [-b]
 *
 * CHILDREN processes write BLOCKS blocks each into a pipe, in which they mix by chance, and this one reads. -r: so many children of it read instead.  -b: before all that
 * this process writes a block into a pipe and reads it itself.
 * -h: how a child is made: fork (default), exec (after fork), vfork, spawn (posix_spawn), spawnp, system, popen (each its own pipe),
 *     chain (a program that starts itself by exec once for each block), twice (the child's child writes; the child ends first), fifo (with a name),
 *     filter (each child writes a block for each that the one before it wrote: a | b | c), clone (of glibc)
 * -w: how it is waited for: wait (default), pid (waitpid), poll (waitpid with WNOHANG), wait3, wait4, waitid, nowait (waitid with WNOWAIT, then waitpid),
 *     ignore (SIGCHLD is ignored: nobody waits)
 * -e: how children end that were not started by exec: _exit (default), exit, return, kill (a signal), raw (through syscall)
 * Run it in a folder of its own. Prints the order in which the writers' blocks came. */
#include "carry.h"

#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { BLOCK = 64, MOST = 32 };

extern char **environ;

static const char *made_by = "fork", *waited_by = "wait", *ends_by = "_exit", *self;
static int children = 3, blocks = 10, readers;
static bool talks_before;
static FILE *opened[MOST];

static bool is(const char *option, const char *word) { return !strcmp(option, word); }

static void write_blocks(int fd, uint32_t number, int n)
{
	carry_as(1 + number);
	struct carry c = carry_begin();
	unsigned char bytes[BLOCK];
	for (int i = 0; i < n; i++) {
		uint64_t at = carry_block(&c, bytes, BLOCK);
		pause_for_chance(300);
		ssize_t done = write(fd, bytes, BLOCK);
		if (done != BLOCK)
			give_up("write");
		told_out(STREAM, &c, at, done);
	}
}

static void end_child(void)
{
	truth_flush();
	if (is(ends_by, "exit"))
		exit(0);
	if (is(ends_by, "kill"))
		kill(getpid(), SIGKILL);
	if (is(ends_by, "raw"))
		syscall(SYS_exit_group, 0);
	_exit(0);
}

/* pipes write FD NUMBER BLOCKS, and pipes chain FD NUMBER BLOCKS: each of the programs writes one block and starts the next one. */
static int be_writer(char **argv)
{
	int fd = atoi(argv[2]), n = atoi(argv[4]);
	bool chain = is(argv[1], "chain");
	write_blocks(fd, (uint32_t)atoi(argv[3]) + (chain ? (uint32_t)n * 100 : 0), chain ? 1 : n);
	if (chain && n > 1) {
		char left[16];
		snprintf(left, sizeof left, "%d", n - 1);
		truth_flush();
		execl(self, self, "chain", argv[2], argv[3], left, NULL);
		give_up("exec");
	}
	return 0;
}

static void answer(int from, int to, uint32_t number)
{
	static unsigned char bytes[BLOCK];
	carry_as(1 + number);
	struct way w = way_begin();
	struct carry c = carry_begin();
	ssize_t got;
	while ((got = read(from, bytes, BLOCK)) > 0) {
		told_in(STREAM, &w, bytes, got);
		uint64_t at = carry_block(&c, bytes, BLOCK);
		if (write(to, bytes, BLOCK) != BLOCK)
			give_up("write");
		told_out(STREAM, &c, at, BLOCK);
	}
}

static int child_of_clone(void *ends)
{
	close(((int *)ends)[0]);
	write_blocks(((int *)ends)[1], 1, blocks);
	truth_flush();
	return 0;
}

/* One that starts the program again. */
static pid_t make_by_program(int number, int fd)
{
	char word_fd[16], word_number[16], word_blocks[16], line[512];
	char *argv[] = {
		(char *)self, is(made_by, "chain") ? "chain" : "write", word_fd, word_number, word_blocks, NULL};
	pid_t child = 0;
	snprintf(word_fd, sizeof word_fd, "%d", fd);
	snprintf(word_number, sizeof word_number, "%d", number);
	snprintf(word_blocks, sizeof word_blocks, "%d", blocks);
	snprintf(line, sizeof line, "%s write %s %s %s", self, is(made_by, "popen") ? "1" : word_fd, word_number,
		word_blocks);
	truth_flush();
	if (is(made_by, "spawn") || is(made_by, "spawnp")) {
		if ((is(made_by, "spawn") ? posix_spawn : posix_spawnp)(&child, self, NULL, NULL, argv, environ))
			give_up("spawn");
	} else if (is(made_by, "system")) {
		if (system(line))
			give_up("system");
	} else if (is(made_by, "popen")) {
		if (!(opened[number] = popen(line, "r")))
			give_up("popen");
	} else if ((child = is(made_by, "vfork") ? vfork() : fork()) == 0) {
		execv(self, argv);
		_exit(5);
	}
	return child;
}

static pid_t make_child(int number, int ends[2], int from)
{
	static char stack[1 << 16] __attribute__((aligned(64)));
	if (is(made_by, "clone"))
		return clone(child_of_clone, stack + sizeof stack, SIGCHLD, ends);
	if (!is(made_by, "fork") && !is(made_by, "twice") && !is(made_by, "filter") && !is(made_by, "fifo"))
		return make_by_program(number, ends[1]);
	pid_t child = fork();
	if (child)
		return child;
	if (is(made_by, "twice") && fork())
		_exit(0);
	int to = is(made_by, "fifo") ? open("pipes.fifo", O_WRONLY) : ends[1];
	close(ends[0]);
	if (is(made_by, "filter") && number)
		answer(from, to, (uint32_t)number);
	else
		write_blocks(to, (uint32_t)number, blocks);
	if (is(ends_by, "return"))
		return -1;
	end_child();
	return 0;
}

static void read_all(int fd, uint32_t number, uint64_t *digest)
{
	unsigned char bytes[BLOCK * 8];
	carry_as(2000 + number);
	struct way w = way_begin();
	ssize_t got;
	while ((got = read(fd, bytes, readers ? BLOCK : 1 + (size_t)(w.at * 7 % sizeof bytes))) > 0) {
		told_in(STREAM, &w, bytes, got);
		*digest = *digest * 31 + w.now.who * 7 + w.now.at;
	}
	if (got < 0)
		give_up("read");
	way_ends(&w);
}

static void wait_for(pid_t child)
{
	int status = 0;
	siginfo_t info;
	struct rusage usage;
	pid_t got = child;
	if (is(waited_by, "pid"))
		got = waitpid(child, &status, 0);
	else if (is(waited_by, "poll"))
		while ((got = waitpid(child, &status, WNOHANG)) == 0)
			usleep(500);
	else if (is(waited_by, "wait3"))
		got = wait3(&status, 0, &usage);
	else if (is(waited_by, "wait4"))
		got = wait4(child, &status, 0, &usage);
	else if (is(waited_by, "waitid"))
		got = waitid(P_PID, (id_t)child, &info, WEXITED) ? -1 : info.si_pid;
	else if (is(waited_by, "nowait"))
		got = waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) ? -1 : waitpid(child, &status, 0);
	else if (!is(waited_by, "ignore"))
		got = wait(&status);
	if (got <= 0 || (status && !is(ends_by, "kill")))
		give_up("wait");
}

static void read_by_children(int fd, uint64_t *digests)
{
	for (int i = 0; i < readers; i++)
		if (!fork()) {
			read_all(fd, (uint32_t)i, &digests[i]);
			truth_flush();
			_exit(0);
		}
	close(fd);
}

static void talk_to_itself(void)
{
	int ends[2];
	uint64_t none = 0;
	if (pipe(ends))
		give_up("pipe");
	write_blocks(ends[1], 999, 1);
	close(ends[1]);
	read_all(ends[0], MOST, &none);
	close(ends[0]);
}

static void read_options(int argc, char **argv)
{
	for (int o; (o = getopt(argc, argv, "h:w:e:k:m:r:b")) != -1;)
		switch (o) {
		case 'h':
			made_by = optarg;
			break;
		case 'w':
			waited_by = optarg;
			break;
		case 'e':
			ends_by = optarg;
			break;
		case 'k':
			children = atoi(optarg);
			break;
		case 'm':
			blocks = atoi(optarg);
			break;
		case 'b':
			talks_before = true;
			break;
		case 'r':
			readers = atoi(optarg);
			break;
		default:
			exit(2);
		}
	children = is(made_by, "clone") ? 1 : children < MOST ? children : MOST;
}

int main(int argc, char **argv)
{
	int ends[2], from = -1;
	pid_t made[MOST];
	static char path[4096];
	self = realpath("/proc/self/exe", path);
	if (argc == 5 && (is(argv[1], "write") || is(argv[1], "chain")))
		return be_writer(argv);
	read_options(argc, argv);
	if (is(waited_by, "ignore"))
		signal(SIGCHLD, SIG_IGN);
	if (talks_before)
		talk_to_itself();
	uint64_t *digests =
		mmap(NULL, sizeof *digests * MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pipe(ends) || (is(made_by, "fifo") && mkfifo("pipes.fifo", 0600) && errno != EEXIST))
		give_up("pipe");
	for (int i = 0; i < children; i++) {
		if (is(made_by, "filter") && i) {
			close(ends[1]);
			from = ends[0];
			if (pipe(ends))
				give_up("pipe");
		}
		made[i] = make_child(i, ends, from);
		if (made[i] < 0)
			return 0; /* a child that ends by returning */
		if (from >= 0)
			close(from);
	}
	close(ends[1]);
	int fd = is(made_by, "fifo") ? open("pipes.fifo", O_RDONLY) : ends[0];
	if (readers)
		read_by_children(fd, digests);
	for (int i = 0; i < children && is(made_by, "popen"); i++) {
		read_all(fileno(opened[i]), (uint32_t)i, &digests[0]);
		if (pclose(opened[i]))
			give_up("pclose");
	}
	if (!readers && !is(made_by, "popen"))
		read_all(fd, 0, &digests[0]);
	for (int i = 0; i < children + readers && !is(made_by, "system") && !is(made_by, "popen"); i++)
		wait_for(i < children ? made[i] : -1);
	for (int i = 0; i < (readers ? readers : 1); i++)
		printf("reader %d: order %016llx\n", i, (unsigned long long)digests[i]);
	return 0;
}
