/* A child that has the memory of the program for a second of work, and becomes another program then; with a number, that many shells. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		if (system(":"))
			return 1;
	if (argc > 1)
		return puts("all ran") < 0;
	pid_t child = vfork();
	if (!child) {
		for (volatile long i = 0; i < 500000000; i++)
			continue;
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	int status = 1;
	waitpid(child, &status, 0);
	printf("child %d\n", status);
	return status != 0;
}
