/* Takes the readings of the plant's four parts, and keeps the books. It is a program without MPI, for any processor: it hears numbers in network order.
 *
 *   collector PORT [service]      service: in the background, and who began it does not wait
 *
 * In a round the valve opens and the pump begins. Nobody has promised that their readings come in this order, but the assertion takes it for granted. */
#include <arpa/inet.h>
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { VALVE = 2, PUMP = 3, PARTS = 4 };

struct reading {
	uint32_t rank, round, value;
};

struct books {
	int64_t last[PARTS]; /* the round of the last reading of a part; -1: none yet */
	int64_t sum;
};

static void enter(struct books *b, const struct reading *r)
{
	uint32_t rank = ntohl(r->rank), round = ntohl(r->round);
	b->last[rank] = round;
	b->sum += ntohl(r->value);
	if (rank == PUMP)
		assert(b->last[VALVE] < 0 || b->last[VALVE] >= b->last[PUMP]);
}

int main(int argc, char **argv)
{
	struct books books = {.last = {-1, -1, -1, -1}};
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0))};
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	if (s < 0 || bind(s, (struct sockaddr *)&any, sizeof any)) {
		perror("collector");
		return 1;
	}
	pid_t service = argc > 2 ? fork() : 0;
	if (service)
		return service < 0;
	puts("ready");
	fflush(stdout);
	struct reading r = {0};
	while (ntohl(r.rank) < PARTS)
		if (recvfrom(s, &r, sizeof r, 0, NULL, NULL) == sizeof r && ntohl(r.rank) < PARTS)
			enter(&books, &r);
	return 0;
}
