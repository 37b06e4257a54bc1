/* A plant of four parts, each a rank of MPI on a machine of its own. In each round they agree by MPI upon what each of them makes; then each tells the
 * collector over UDP. Rank 2 is the valve, rank 3 the pump. Nobody waits for the collector: when it dies, the plant goes on.
 *
 *   mpirun --host n1,n2,n3,n4 -n 4 ./plant n5 7000 1000
 *   mpirun --host n1,n2,n3,n4 -n 4 ./plant n5 7000 1000 : --host n5 -n 1 ./plant keep ./collector 7000 service
 *
 * The second way a fifth rank begins the collector, a program without MPI that may be one for another processor, and stays for as long as that does. */
#include <arpa/inet.h>
#include <mpi.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PUMP = 3, NOBODY = 4 };

/* All numbers in network order: the collector may have the other one. */
struct reading {
	uint32_t rank, round, value;
};

/* Begins the collector, and waits until it listens: what is sent before that is lost. Returns where its end is to be read, or -1. */
static int begin(char **collector)
{
	int end[2];
	char line[16];
	if (pipe(end))
		return -1;
	pid_t child = fork();
	if (!child) {
		dup2(end[1], 1);
		close(end[0]);
		close(end[1]);
		execvp(collector[0], collector);
		perror(collector[0]);
		_exit(127);
	}
	close(end[1]);
	return child > 0 && read(end[0], line, sizeof line) > 0 ? end[0] : -1;
}

static struct sockaddr_in address_of(const char *host, const char *port)
{
	const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
	struct addrinfo *found;
	if (getaddrinfo(host, port, &hints, &found)) {
		fprintf(stderr, "there is no %s\n", host);
		exit(1);
	}
	struct sockaddr_in address = *(const struct sockaddr_in *)found->ai_addr;
	freeaddrinfo(found);
	return address;
}

/* The valve is asked for, and some time later the pump begins: mostly in this order. */
static void work(int rank, MPI_Comm parts, const struct sockaddr_in *collector, int rounds)
{
	int all, made = 10 * (rank + 1), s = socket(AF_INET, SOCK_DGRAM, 0);
	/* the rank, too: on machines with process numbers of their own two parts may have the same one, and would wait equally long in each round */
	srand((unsigned)(getpid() * NOBODY + rank));
	for (int round = 0; round < rounds; round++) {
		MPI_Allreduce(&made, &all, 1, MPI_INT, MPI_SUM, parts);
		made = 10 * (rank + 1) + all % 10;
		usleep((useconds_t)((rank == PUMP ? 50 : 40) + rand() % 50) * 1000);
		struct reading r = {htonl((uint32_t)rank), htonl((uint32_t)round), htonl((uint32_t)made)};
		if (sendto(s, &r, sizeof r, 0, (const struct sockaddr *)collector, sizeof *collector) < 0)
			perror("a reading");
	}
	/* that was all */
	MPI_Barrier(parts);
	struct reading end = {.rank = htonl(NOBODY)};
	if (!rank && sendto(s, &end, sizeof end, 0, (const struct sockaddr *)collector, sizeof *collector) < 0)
		perror("the end");
	close(s);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Comm parts;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	bool keeper = argc > 2 && !strcmp(argv[1], "keep");
	if (!keeper && argc != 4) {
		fprintf(stderr, "usage: plant HOST PORT ROUNDS, or: plant keep COLLECTOR...\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Comm_split(MPI_COMM_WORLD, keeper, rank, &parts);
	int ends = keeper ? begin(argv + 2) : 0;
	if (ends < 0) {
		fprintf(stderr, "there is no collector\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (keeper) {
		char byte;
		while (read(ends, &byte, 1) > 0)
			;
	} else {
		struct sockaddr_in collector = address_of(argv[1], argv[2]);
		work(rank, parts, &collector, atoi(argv[3]));
	}
	/* the keeper goes to the end with the others: one that was there before them would wait for them where MPI does nothing for it */
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_free(&parts);
	MPI_Finalize();
	return 0;
}
