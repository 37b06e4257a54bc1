/* What this process is: its arguments, where it runs, its program. A launcher knows how it started the process; alone, without it, only
 * this tells. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/core/data/data.h"

#define MOST (4u << 20) /* bytes of arguments */

void hb__data_tell_command(void)
{
	static struct hb__source source = {.name = "process:command"};
	char path[PATH_MAX], *arguments = hb__pages(MOST);
	size_t n = 0;
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	for (ssize_t some = 1; arguments && fd >= 0 && n < MOST && some > 0; n += some > 0 ? (size_t)some : 0)
		some = read(fd, arguments + n, MOST - n);
	if (fd >= 0)
		close(fd);
	if (arguments && hb__data_call(&source, 3)) {
		hb__data_piece(1, arguments, n);
		hb__data_piece(2, path, getcwd(path, sizeof path) ? strnlen(path, sizeof path) : 0);
		ssize_t length = readlink("/proc/self/exe", path, sizeof path);
		hb__data_piece(3, path, length > 0 ? (size_t)length : 0);
	}
	if (arguments)
		munmap(arguments, MOST);
}
