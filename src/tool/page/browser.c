/* Opening a browser. Its command line can be read by other users of the machine, so the address is not in it: it is led there by a
 * file that only we can read. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "page.h"

static char *write_file(const char *address)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	char *path = hb__format("%s/hbdb-view-XXXXXX.html", folder && *folder == '/' ? folder : "/tmp");
	int fd = mkostemps(path, strlen(".html"), O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		free(path);
		return NULL;
	}
	fprintf(file,
		"<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>\n"
		"<meta http-equiv=refresh content=\"0;url=%s\"><title>hbdb view</title>\n<a href=\"%s\">hbdb view</a>\n",
		address, address);
	fclose(file);
	return path;
}

/* A grandchild in a session of its own: neither Ctrl-C nor we have to do with it. */
static void start(const char *file)
{
	pid_t child = fork();
	if (child) {
		if (child > 0)
			waitpid(child, NULL, 0);
		return;
	}
	setsid();
	if (fork())
		_exit(0);
	int null = open("/dev/null", O_RDWR);
	if (null >= 0)
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
	execlp("xdg-open", "xdg-open", file, (char *)NULL);
	_exit(127);
}

void hb__open_browser(const char *address, char **ret_file)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	*ret_file = NULL;
	if (!(x && *x) && !(wayland && *wayland))
		return;
	*ret_file = write_file(address);
	if (*ret_file)
		start(*ret_file);
}
