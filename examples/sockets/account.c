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

/* gate: clients go on when nobody is left who could write into it, all at once. */
static void client(const struct sockaddr_in *bank, struct order order, const int gate[2])
{
	int balance, fd = udp();
	char none;
	close(gate[1]);
	if (read(gate[0], &none, 1) < 0)
		perror("gate");
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
	struct sockaddr_in bank;
	socklen_t length = sizeof bank;
	int fd = udp(), gate[2];
	if (getsockname(fd, (struct sockaddr *)&bank, &length) || pipe(gate))
		return 1;
	for (int i = 0; i < CLIENTS; i++)
		if (!fork())
			client(&bank, orders[i], gate);
	close(gate[1]);
	printf("left: %d\n", serve(fd, CLIENTS));
	while (wait(NULL) > 0)
		;
	return 0;
}
