/* Addresses by their names in a record. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "capture/sockets/front/again/again.h"

static socklen_t version_six(const char *name, struct sockaddr_storage *a)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)a;
	char host[INET6_ADDRSTRLEN];
	size_t n = strcspn(name, "%]");
	const char *close = strchr(name, ']');
	snprintf(host, sizeof host, "%.*s", (int)n, name);
	if (!close || inet_pton(AF_INET6, host, &six->sin6_addr) != 1)
		return 0;
	six->sin6_family = AF_INET6;
	six->sin6_scope_id = name[n] == '%' ? (uint32_t)strtoul(name + n + 1, NULL, 10) : 0;
	six->sin6_port = htons((uint16_t)strtoul(close + 2, NULL, 10));
	return sizeof *six;
}

static socklen_t parse(const char *name, struct sockaddr_storage *a)
{
	struct sockaddr_in *four = (struct sockaddr_in *)a;
	struct sockaddr_un *path = (struct sockaddr_un *)a;
	char host[INET_ADDRSTRLEN];
	const char *port = strrchr(name, ':');
	*a = (struct sockaddr_storage){0};
	if (*name == '[')
		return version_six(name + 1, a);
	if (*name == '/' || *name == '@') {
		size_t n = strlen(name) < sizeof path->sun_path ? strlen(name) : sizeof path->sun_path;
		path->sun_family = AF_UNIX;
		memcpy(path->sun_path, name, n);
		if (*name == '@')
			path->sun_path[0] = 0;
		return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + (*name == '/'));
	}
	snprintf(host, sizeof host, "%.*s", port ? (int)(port - name) : 0, name);
	if (!port || inet_pton(AF_INET, host, &four->sin_addr) != 1)
		return 0;
	four->sin_family = AF_INET;
	four->sin_port = htons((uint16_t)strtoul(port + 1, NULL, 10));
	return sizeof *four;
}

void hb__give_address(const char *name, struct sockaddr *address, socklen_t *length)
{
	struct sockaddr_storage a;
	socklen_t n = parse(name, &a);
	if (!address || !length)
		return;
	memcpy(address, &a, n < *length ? n : *length);
	*length = n;
}

bool hb__recorded_address(int64_t text, bool peer, struct sockaddr *address, socklen_t *length)
{
	char end[HB_NAME_MOST];
	hb__door->text(text, end);
	char *own = strchr(end, ' '), *to = own ? strstr(own, " > ") : NULL;
	if (!own || (peer && !to) || !strncmp(end, "unix", 4) || !strncmp(end, "pipe", 4))
		return false;
	if (to)
		*to = 0;
	const char *name = peer ? to + 3 : own + 1;
	if (!strchr(name, ':'))
		return false;
	hb__give_address(name, address, length);
	return true;
}
