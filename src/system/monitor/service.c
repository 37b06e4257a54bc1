/* sd_notify's protocol: a datagram to the socket in NOTIFY_SOCKET; a name that begins with @ is an abstract one. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "service.h"

int hb_service_say(const char *lines)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	if (!path || !*path)
		return 1;
	size_t n = strlen(path);
	if ((*path != '/' && *path != '@') || n >= sizeof at.sun_path) {
		errno = EINVAL;
		return -1;
	}
	memcpy(at.sun_path, path, n);
	if (*path == '@')
		at.sun_path[0] = 0;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	ssize_t sent = sendto(fd, lines, strlen(lines), MSG_NOSIGNAL, (const struct sockaddr *)&at, size);
	int error = errno;
	close(fd);
	errno = error;
	return sent < 0 ? -1 : 0;
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
