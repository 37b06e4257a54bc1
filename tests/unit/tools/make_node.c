/* make_node FILE NODE PATH...: the file of a node, of files that keep the last parts of their names. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/within/within.h"

int main(int argc, char **argv)
{
	hb_within_writer w;
	hb_error err = {.message = "usage: make_node FILE NODE PATH..."};
	int fd = argc > 2 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	if (fd < 0)
		return fprintf(stderr, "%s\n", err.message), 2;
	hb_within_begin(&w, fd, argv[2]);
	for (int i = 3; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		hb_within_add(&w, argv[i], slash ? slash + 1 : argv[i]);
	}
	if (hb_within_end(&w, &err) || close(fd))
		return fprintf(stderr, "%s\n", err.message), 1;
	return 0;
}
