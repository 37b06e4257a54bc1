/* A bank of one account, and three clients that talk to it over UDP: one pays in, one takes out, one adds the interest.
 * What is left in the account depends on whose order the bank hears first. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct order {
	char what; /* '+', '-' or '%' */
	int amount;
};

static int udp(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof any)) {
		perror("a socket");
		exit(1);
	}
	return fd;
}

/* Thinks for a moment, orders, and waits for the answer. */
static void client(const struct sockaddr_in *bank, struct order order, unsigned char moment)
{
	int balance, fd = udp();
	usleep(moment * 100u);
	if (sendto(fd, &order, sizeof order, 0, (const struct sockaddr *)bank, sizeof *bank) < 0)
		perror("order");
	if (recv(fd, &balance, sizeof balance, 0) < 0)
		perror("answer");
	exit(0);
}

static int serve(int fd, int orders)
{
	int balance = 100;
	for (int i = 0; i < orders; i++) {
		struct order order;
		struct sockaddr_in from;
		socklen_t length = sizeof from;
		if (recvfrom(fd, &order, sizeof order, 0, (struct sockaddr *)&from, &length) < 0)
			perror("an order");
		if (order.what == '%')
			balance += balance * order.amount / 100;
		else
			balance += order.what == '+' ? order.amount : -order.amount;
		printf("%c%d: %d\n", order.what, order.amount, balance);
		if (sendto(fd, &balance, sizeof balance, 0, (struct sockaddr *)&from, length) < 0)
			perror("an answer");
	}
	return balance;
}

int main(void)
{
	static const struct order orders[] = {{'+', 50}, {'-', 30}, {'%', 10}};
	enum { CLIENTS = sizeof orders / sizeof *orders };
	unsigned char moments[CLIENTS];
	struct sockaddr_in bank;
	socklen_t length = sizeof bank;
	int fd = udp();
	if (getsockname(fd, (struct sockaddr *)&bank, &length) || getentropy(moments, sizeof moments))
		return 1;
	for (int i = 0; i < CLIENTS; i++)
		if (!fork())
			client(&bank, orders[i], moments[i]);
	printf("left: %d\n", serve(fd, CLIENTS));
	while (wait(NULL) > 0)
		;
	return 0;
}
