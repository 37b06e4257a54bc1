#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Sends itself datagrams and talks to itself over a socket pair. */
int main(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(7411)};
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int s = socket(AF_INET, SOCK_DGRAM, 0), pair[2];
	char text[600];
	if (bind(s, (struct sockaddr *)&a, sizeof a) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	for (int i = 0; i < 200; i++) {
		memset(text, 'a' + i % 26, sizeof text);
		sendto(s, text, 1 + i * 3, 0, (struct sockaddr *)&a, sizeof a);
		recv(s, text, sizeof text, 0);
		if (write(pair[0], text, 100) != 100 || read(pair[1], text, 60) != 60 || read(pair[1], text, 40) != 40)
			return 1;
	}
	recv(s, text, sizeof text, MSG_DONTWAIT);
	return 0;
}
