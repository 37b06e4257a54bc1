/* What the recorder says to the user: on the errors of the process, with the name by which the user knows it. */
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/core/core.h"
#include "capture/core/file.h"

const char *hb__process_name(char name[HB__CALLED])
{
	*name = 0;
	if (*hb__own_name)
		snprintf(name, HB__CALLED, "%s", hb__own_name);
	else if (hb__rank >= 0 && hb__world_number)
		snprintf(name, HB__CALLED, "rank %d@%d", hb__rank, hb__world_number);
	else if (hb__rank >= 0)
		snprintf(name, HB__CALLED, "rank %d", hb__rank);
	return name;
}

void hb__say(const char *format, ...)
{
	char line[1024], name[HB__CALLED];
	if (hb__file_is_over()) /* a filter of system calls may end the program for one that it does not make itself */
		return;
	hb__process_name(name);
	int n = hb__forked() ? snprintf(line, sizeof line, "hbdb: process %d: ", (int)getpid())
		: *name      ? snprintf(line, sizeof line, "hbdb: %s: ", name)
			     : snprintf(line, sizeof line, "hbdb: ");
	va_list args;
	va_start(args, format);
	int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
	va_end(args);
	n = m < 0 ? n : n + m >= (int)sizeof line - 1 ? (int)sizeof line - 2 : n + m;
	line[n++] = '\n';
	/* where files may not grow, a write to one would end the program */
	struct rlimit most;
	struct stat to;
	bool limited = !getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY;
	ssize_t written = limited && (fstat(2, &to) || S_ISREG(to.st_mode)) ? 0 : write(2, line, (size_t)n);
	(void)written;
}
