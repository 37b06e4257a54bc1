/* A child that has the memory of the program until somebody opens the pipe "go", prints, and becomes another program then; it makes the file "lent" before.
 * With a number, that many shells. */
#include <fcntl.h>
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
		close(open("lent", O_CREAT | O_WRONLY, 0600));
		close(open("go", O_RDONLY));
		if (write(1, "over\n", 5) != 5)
			_exit(1);
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	int status = 1;
	waitpid(child, &status, 0);
	printf("child %d\n", status);
	return status != 0;
}
