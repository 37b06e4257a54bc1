/* A process that comes to an end in many ways, after three points. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hbdb/compare.h>

static void points(const char *name, int n)
{
	static double a[4096];
	HB_ARRAY(.name = "a", .at = a, .type = HB_REAL8, .rank = 1, .global = {4096});
	for (int i = 0; i < n; i++) {
		a[i % 4096] += i;
		hb_loop(name);
		for (int k = 0; k < 100; k++)
			hb_iteration(k);
		hb_loop_end(name);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	points("mine", 3);
	if (!strcmp(how, "fork")) {
		pid_t child = fork();
		if (!child) {
			points("child's", 5);
			exit(0);
		}
		waitpid(child, NULL, 0);
		points("mine", 1);
	} else if (!strcmp(how, "many")) {
		points("mine", argc > 2 ? atoi(argv[2]) : 1000);
	} else if (!strcmp(how, "close")) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		FILE *own = fopen(argv[2], "w");
		points("mine", 2);
		fputs("mine\n", own);
		fclose(own);
	}
	hb_loop("unfinished");
	hb_iteration(1);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "crash"))
		raise(SIGSEGV);
	if (!strcmp(how, "_exit"))
		_exit(3);
	hb_loop_end("unfinished");
	puts("done");
	return 0;
}
