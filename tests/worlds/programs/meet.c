/* Processes that are not of one world meet. meet SIDE HOW WHERE [N]: the side serves or calls; how they meet: port (its name in the
 * file WHERE), published (under the name WHERE), unix or tcp (a connection, joined; WHERE is the socket's file, or has the port's
 * number); they meet N times, each time by all of their world but for what only two can do. With "both" for the side rank 0
 * serves and the others call, one after the other, each for itself. */
#include <arpa/inet.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD

static int rank, size;
static const char *how, *where;

static void put(const char *text)
{
	char name[512];
	snprintf(name, sizeof name, "%s.new", where);
	FILE *f = fopen(name, "w");
	fprintf(f, "%s\n", text);
	fclose(f);
	rename(name, where);
}

static void get(char *text, int n)
{
	FILE *f;
	while (!(f = fopen(where, "r")))
		usleep(5000);
	if (!fgets(text, n, f))
		MPI_Abort(WORLD, 9);
	text[strcspn(text, "\n")] = 0;
	fclose(f);
}

/* The connection, by a file that both sides know. */
static int connection(int serves)
{
	struct sockaddr_un path = {.sun_family = AF_UNIX};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int tcp = !strcmp(how, "tcp"), fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM, 0), made;
	struct sockaddr *a = tcp ? (struct sockaddr *)&in : (struct sockaddr *)&path;
	socklen_t n = tcp ? sizeof in : sizeof path;
	char text[64];
	snprintf(path.sun_path, sizeof path.sun_path, "%.90s.sock", where);
	if (serves) {
		if (bind(fd, a, n) || listen(fd, 1) || getsockname(fd, a, &n))
			MPI_Abort(WORLD, 8);
		snprintf(text, sizeof text, "%d", tcp ? ntohs(in.sin_port) : 0);
		put(text);
		made = accept(fd, NULL, NULL);
		close(fd);
		return made;
	}
	get(text, sizeof text);
	in.sin_port = htons((unsigned short)atoi(text));
	if (connect(fd, a, n))
		MPI_Abort(WORLD, 7);
	return fd;
}

static void open_port(char *port)
{
	MPI_Open_port(MPI_INFO_NULL, port);
	if (!strcmp(how, "published")) {
		MPI_Publish_name(where, MPI_INFO_NULL, port);
		put("published");
	} else
		put(port);
}

static void find_port(char *port)
{
	get(port, MPI_MAX_PORT_NAME);
	if (!strcmp(how, "published"))
		MPI_Lookup_name(where, MPI_INFO_NULL, port);
}

/* All who call send their rank twice to rank 0 of those who serve, who takes whichever comes first. */
static void talk(MPI_Comm inter, int serves, int own_rank)
{
	int n, got, sum = 0, part = own_rank + 1;
	MPI_Comm all;
	MPI_Comm_remote_size(inter, &n);
	for (int i = 0; !serves && i < 2; i++)
		MPI_Send(&part, 1, MPI_INT, 0, 7, inter);
	for (int i = 0; serves && !own_rank && i < 2 * n; i++) {
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, inter, MPI_STATUS_IGNORE);
		sum += got;
	}
	MPI_Intercomm_merge(inter, !serves, &all);
	MPI_Bcast(&sum, 1, MPI_INT, 0, all);
	MPI_Comm_free(&all);
	if (serves && !own_rank)
		printf("met %d, sum %d\n", n, sum);
	MPI_Comm_disconnect(&inter);
}

static void meet(int serves, int times)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter;
	int fd = -1, joins = !strcmp(how, "unix") || !strcmp(how, "tcp");
	if (joins)
		fd = connection(serves);
	else if (!rank)
		serves ? open_port(port) : find_port(port);
	for (int i = 0; i < times; i++) {
		if (joins)
			MPI_Comm_join(fd, &inter);
		else if (serves)
			MPI_Comm_accept(port, MPI_INFO_NULL, 0, WORLD, &inter);
		else
			MPI_Comm_connect(port, MPI_INFO_NULL, 0, WORLD, &inter);
		talk(inter, serves, rank);
	}
}

static void meet_each(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter;
	if (!rank)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, sizeof port, MPI_CHAR, 0, WORLD);
	for (int i = 1; i < size; i++) {
		if (!rank)
			MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
		else if (rank == i)
			MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
		if (!rank || rank == i)
			talk(inter, !rank, 0);
		MPI_Barrier(WORLD);
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	how = argc > 2 ? argv[2] : "port";
	where = argc > 3 ? argv[3] : "port";
	if (!strcmp(argv[1], "both"))
		meet_each();
	else
		meet(!strcmp(argv[1], "serve"), argc > 4 ? atoi(argv[4]) : 1);
	MPI_Finalize();
	return 0;
}
