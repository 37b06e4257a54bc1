/* Streams of stdio over sockets and pipes: the C library moves the bytes, in calls that nobody can stand in front of.
 *
 *   gcc -O2 -g stdio.c -o stdio
 *   stdio [LINES]
 *
 * The child sends lines by all that writes; this process reads them by all that reads, and answers each through a pipe. With TRUTH=FILE a line for each end:
 *   sum PID out|in stream BYTES
 * for in which calls the bytes go is the C library's affair. */
#include "carry.h"

#include <sys/socket.h>
#include <sys/wait.h>

static void told_sum(const char *way, long bytes)
{
	const char *path = getenv("TRUTH");
	char line[80];
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
	int n = snprintf(line, sizeof line, "sum %d %s stream %ld\n", getpid(), way, bytes);
	if (fd >= 0 && write(fd, line, (size_t)n) != n)
		give_up(path);
	close(fd);
}

static long put_line(FILE *to, int i)
{
	char line[64];
	int n = snprintf(line, sizeof line, "line %d %x\n", i, i * 2654435761u);
	switch (i % 5) {
	case 0:
		fprintf(to, "%s", line);
		break;
	case 1:
		fputs(line, to);
		break;
	case 2:
		fwrite(line, 1, (size_t)n, to);
		break;
	case 3:
		dprintf(fileno(to), "%s", fflush(to) ? "" : line);
		break;
	default:
		for (int k = 0; k < n; k++)
			putc(line[k], to);
	}
	if (fflush(to))
		give_up("fflush");
	return n;
}

static void be_child(int fd, int answers, int lines)
{
	FILE *to = fdopen(fd, "w"), *from = fdopen(answers, "r");
	long out = 0, in = 0;
	int number;
	for (int i = 0; i < lines; i++) {
		out += put_line(to, i);
		if (fscanf(from, "%d", &number) != 1 || number != i || getc(from) != '\n')
			give_up("another answer");
		in += snprintf(NULL, 0, "%d\n", number);
	}
	fclose(to);
	fclose(from);
	told_sum("out", out);
	told_sum("in", in);
	_exit(0);
}

int main(int argc, char **argv)
{
	int lines = argc > 1 ? atoi(argv[1]) : 20, ends[2], answers[2], status;
	long in = 0, out = 0, got;
	char text[64], *line = NULL;
	size_t room = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pipe(answers))
		give_up("socketpair");
	if (!fork()) {
		close(ends[0]);
		close(answers[1]);
		be_child(ends[1], answers[0], lines);
	}
	close(ends[1]);
	close(answers[0]);
	FILE *from = fdopen(ends[0], "r"), *to = fdopen(answers[1], "w");
	for (int i = 0; i < lines; i++, in += got) {
		if (i % 2)
			got = getline(&line, &room, from);
		else
			got = fgets(text, sizeof text, from) ? (long)strlen(text) : -1;
		if (got < 0 || atoi((i % 2 ? line : text) + 5) != i)
			give_up("another line");
		out += fprintf(to, "%d\n", i);
		fflush(to);
	}
	if (getc(from) != EOF)
		give_up("more than was sent");
	fclose(to);
	fclose(from);
	free(line);
	wait(&status);
	told_sum("in", in);
	told_sum("out", out);
	printf("%d lines, %ld bytes, %ld of answers\n", lines, in, out);
	return status ? 1 : 0;
}
