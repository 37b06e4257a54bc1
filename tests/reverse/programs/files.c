/* Prints, writes a file, appends to another, reads a third: what was done once must look as if it were done once. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int line;

static void put(int fd, const char *what)
{
	char text[64];
	int n = snprintf(text, sizeof text, "%s %d\n", what, line);
	if (write(fd, text, (size_t)n) != n)
		exit(9);
}

int main(int argc, char **argv)
{
	char in[8] = "";
	if (argc < 4)
		return 2;
	int out = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	int log = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0666);
	int from = open(argv[3], O_RDONLY);
	for (line = 1; line <= 5; line++) {
		put(1, "printed");
		put(out, "written");
		put(log, "appended");
		if (read(from, in, 2) != 2)
			return 1;
	}
	return in[0];
}
