/* A child that has the memory of the program for a second of work, and becomes another program then. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
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
