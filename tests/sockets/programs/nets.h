/* For programs that run under network.c: its network namespaces, and the addresses in them. */
#ifndef NETS_H
#define NETS_H

#include "carry.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>

enum {
	FIRST_NET = 100
}; /* namespace I is descriptor FIRST_NET + I of network.c, whose folder of descriptors NETS names */

static inline struct sockaddr_in address_in_net(int net, uint16_t port)
{
	return (struct sockaddr_in){
		AF_INET, htons(port), {htonl(0x0a620001u + (uint32_t)net)}, {0}}; /* 10.98.0.1 is the first */
}

static inline void enter_net(int net)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%d", getenv("NETS") ? getenv("NETS") : "", FIRST_NET + net);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		give_up("enter a namespace of network.c");
	close(fd);
}

#endif
