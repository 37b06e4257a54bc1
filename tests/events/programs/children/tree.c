/* A process that forks, and one that starts another program: a message goes to that one. */
#include <sys/wait.h>
#include <unistd.h>

#include <hbdb/event.h>

int main(int argc, char **argv)
{
	if (argc > 1) {
		hb_received("to the other", 1, 1);
		hb_event("in the other program");
		return 0;
	}
	hb_event("before");
	if (fork() == 0) {
		hb_event("in a fork");
		_exit(0);
	}
	wait(NULL);
	hb_sent("to the other", 1, 1);
	if (fork() == 0)
		execl("/proc/self/exe", argv[0], "other", (char *)NULL);
	wait(NULL);
	hb_event("after");
	return 0;
}
