/* sd_notify's protocol: a datagram to the socket in NOTIFY_SOCKET; a name that begins with @ is an abstract one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/socket/unix.h"
#include "service.h"

int hb_service_say(const char *lines)
{
	const char *path = getenv("NOTIFY_SOCKET");
	if (!path || !*path)
		return 1;
	if (*path != '/' && *path != '@') {
		errno = EINVAL;
		return -1;
	}
	return hb_unix_send(path, lines, strlen(lines), true) ? 0 : -1;
}

double hb_service_pulse(void)
{
	const char *wait = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	char *end = NULL;
	if (!wait || (pid && strtol(pid, NULL, 10) != getpid()))
		return 0;
	unsigned long long microseconds = strtoull(wait, &end, 10);
	return *wait && !*end ? (double)microseconds * 1e-6 / 2 : 0;
}
