/* What the system tells of processes: lines as it writes them, this process, a zombie, one that is no more. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/task.h"
#include "check.h"

/* Fields 5 to 13 and 16 to 21 of proc(5) are of no interest here. */
#define LINE(name, state, status)                                                                \
	"4711 (" name ") " state " 42 5 6 7 8 9 10 11 12 13 100 23 16 17 18 19 20 21 987654321 " \
	"23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 " status "\n"

static void lines(void)
{
	hb_task t;
	check(hb_task_parse(LINE("program", "S", "0"), &t) && t.state == 'S' && t.parent == 42 && t.used == 123 &&
			t.began == 987654321 && t.ended_by == 0,
		"a usual line");
	check(hb_task_parse(LINE("a) R 1 (b", "Z", "11"), &t) && t.state == 'Z' && t.parent == 42 &&
			t.ended_by == SIGSEGV,
		"a name with blanks and parentheses; a zombie that a signal ended");
	check(hb_task_parse(LINE("program", "Z", "139"), &t) && t.ended_by == SIGSEGV, "the same with a core file");
	check(hb_task_parse(LINE("program", "Z", "256"), &t) && t.ended_by == 0, "a zombie that exited with 1");
	check(hb_task_parse("1 (program) R 42 5 6 7 8 4194556 10", &t) && t.leaving, "a thread that is on its way out");
	check(hb_task_parse(
		      "1 (program) R 42 5 6 7 8 64 10 11 12 13 100 23 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 256 32",
		      &t) &&
			t.leaving,
		"a thread that was told to go by SIGKILL");
	check(hb_task_parse("1 (init) S 7", &t) && t.state == 'S' && t.parent == 7 && !t.used && !t.began,
		"a line that ends early: what is there");
	check(!hb_task_parse("", &t) && !t.state, "an empty text");
	check(!hb_task_parse("1 (init", &t) && !hb_task_parse("1 (init)", &t) && !hb_task_parse("1 (init) ", &t),
		"a line that ends before the state");
}

static void processes(void)
{
	hb_task t;
	int pipe_of[2];
	check(hb_task_read(getpid(), 0, &t) && t.state == 'R' && t.parent == getppid() && t.began &&
			hb_task_lives(getpid()),
		"this process");
	check(hb_task_read(getpid(), (uint64_t)getpid(), &t) && t.parent == getppid(), "its first thread");
	check(!hb_task_read(getpid(), 1, &t) && !t.state, "a thread that is another process's");
	if (pipe(pipe_of))
		exit(2);
	pid_t child = fork();
	if (!child) {
		char c;
		close(pipe_of[1]);
		_exit((int)read(pipe_of[0], &c, 1));
	}
	check(hb_task_lives(child), "a child that waits");
	kill(child, SIGKILL);
	siginfo_t info;
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT); /* it stays a zombie */
	check(hb_task_read(child, 0, &t) && t.state == 'Z' && t.ended_by == SIGKILL && !hb_task_lives(child),
		"a child that was killed and not yet waited for");
	waitpid(child, NULL, 0);
	check(!hb_task_read(child, 0, &t) && !hb_task_lives(child), "a child that is gone");
}

static void hosts(void)
{
	char own[65] = "";
	gethostname(own, 63);
	check(hb_host_is_here(own), "the name of this machine");
	check(!hb_host_is_here("") && !hb_host_is_here("another machine"), "other names");
	own[strlen(own) - 1] = 0;
	check(!hb_host_is_here(own), "the beginning of the name alone");
}

int main(void)
{
	lines();
	processes();
	hosts();
	return check_end();
}
