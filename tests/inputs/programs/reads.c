/* Reads what there is to be read, and prints it: standard input, files, folders, devices, pipes, sockets. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank;

static unsigned sum(const void *p, size_t n)
{
	unsigned s = 1;
	for (size_t i = 0; i < n; i++)
		s = s * 31 + ((const unsigned char *)p)[i];
	return s;
}

static void standard_input(void)
{
	char line[100];
	int number = 0, n = 0;
	if (!fgets(line, sizeof line, stdin))
		snprintf(line, sizeof line, "nothing\n");
	printf("%d: a line: %s", rank, line);
	if (scanf("%d", &number) == 1)
		printf("%d: a number: %d\n", rank, number);
	for (int c; (c = getchar()) != EOF;)
		n += c;
	printf("%d: the rest: %d, descriptor %d\n", rank, n, fileno(stdin));
}

static void file(const char *path)
{
	char text[100] = "";
	struct stat st;
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	printf("%d: %s by stdio: %zu %s\n", rank, path, n, text);
	if (f)
		fclose(f);
	int fd = open(path, O_RDONLY);
	ssize_t got = read(fd, text, sizeof text), at = pread(fd, text, 2, 1);
	void *p = fd >= 0 && !fstat(fd, &st) && st.st_size
			  ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
			  : MAP_FAILED;
	printf("%d: by read: %zd, pread: %zd, mapped: %u\n", rank, got, at,
		p == MAP_FAILED ? 0 : sum(p, (size_t)st.st_size));
	if (!stat(path, &st))
		printf("%d: changed at %ld.%09ld, number %lu\n", rank, (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
			(unsigned long)st.st_ino);
	printf("%d: access %d, %s there\n", rank, access(path, R_OK),
		access("not there", R_OK) ? "another is not" : "another is");
	close(fd);
	DIR *d = opendir(".");
	unsigned names = 0;
	for (struct dirent *e; d && (e = readdir(d));)
		names = names * 7 + sum(e->d_name, strlen(e->d_name));
	closedir(d);
	printf("%d: folder %u\n", rank, names);
}

static void devices(void)
{
	unsigned a = 0, b = 0;
	char text[60];
	FILE *f = fopen("/dev/urandom", "rb");
	if (fread(&a, sizeof a, 1, f) != 1)
		a = 0;
	fclose(f);
	int fd = open("/dev/urandom", O_RDONLY);
	if (read(fd, &b, sizeof b) != sizeof b)
		b = 0;
	close(fd);
	printf("%d: /dev/urandom %u %u\n", rank, a, b);
	f = fopen("/proc/self/stat", "r");
	printf("%d: %s\n", rank, fgets(text, sizeof text, f) ? text : "");
	fclose(f);
	f = popen("date +%N", "r");
	printf("%d: popen: %s", rank, fgets(text, sizeof text, f) ? text : "\n");
	printf("%d: pclose: %d\n", rank, pclose(f));
}

static void pipes(void)
{
	int to[2];
	long long text[4000];
	size_t n = 0;
	ssize_t got;
	if (pipe(to))
		return;
	pid_t child = fork();
	if (!child) {
		for (long i = 0; i < 40000 && write(to[1], &i, sizeof i) > 0;)
			i++;
		_exit(7);
	}
	close(to[1]);
	unsigned s = 0, reads = 0;
	while ((got = read(to[0], text, sizeof text)) > 0) {
		s = s * 31 + sum(text, (size_t)got);
		n += (size_t)got;
		reads++;
	}
	int status;
	waitpid(child, &status, 0);
	printf("%d: of a child: %zu bytes in %u reads: %u, status %d\n", rank, n, reads, s, WEXITSTATUS(status));
	close(to[0]);
	if (pipe(to))
		return;
	struct pollfd p[2] = {{.fd = to[0], .events = POLLIN}, {.fd = to[1], .events = POLLOUT}};
	fd_set set;
	struct timeval wait = {1, 0};
	int before = poll(p, 2, 0), out = p[1].revents;
	got = write(to[1], "self", 4);
	FD_ZERO(&set);
	FD_SET(to[0], &set);
	int ready = select(to[0] + 1, &set, NULL, NULL, &wait);
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = 5};
	int ep = epoll_create1(0);
	epoll_ctl(ep, EPOLL_CTL_ADD, to[0], &e);
	struct epoll_event came[3];
	int n3 = epoll_wait(ep, came, 3, 1000);
	char self[3] = "", rest[3] = "";
	struct iovec v[2] = {{self, 2}, {rest, 2}};
	got = readv(to[0], v, 2);
	printf("%d: poll %d %d, select %d %d, epoll %d %u, readv %zd %s %s\n", rank, before, out, ready,
		FD_ISSET(to[0], &set), n3, came[0].data.u32, got, self, rest);
	close(ep);
	close(to[0]);
	close(to[1]);
}

/* Rank 0 listens at a port that the system chooses, the others tell it what time it is. */
static void sockets(int size)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof a;
	int port = 0, s = socket(AF_INET, SOCK_STREAM, 0);
	struct timespec t;
	if (!rank && (bind(s, (struct sockaddr *)&a, sizeof a) || listen(s, 10) ||
			     getsockname(s, (struct sockaddr *)&a, &n)))
		MPI_Abort(MPI_COMM_WORLD, 1);
	port = a.sin_port;
	MPI_Bcast(&port, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 1; !rank && i < size; i++) {
		struct sockaddr_in who;
		n = sizeof who;
		int c = accept(s, (struct sockaddr *)&who, &n);
		ssize_t got = recv(c, &t, sizeof t, MSG_WAITALL), put = send(c, "thanks", 6, 0);
		printf("%d: from port %d: %zd bytes, %ld.%09ld, %zd\n", rank, ntohs(who.sin_port), got, (long)t.tv_sec,
			t.tv_nsec, put);
		close(c);
	}
	if (rank) {
		char text[7] = "";
		a.sin_port = (in_port_t)port;
		clock_gettime(CLOCK_REALTIME, &t);
		int e = connect(s, (struct sockaddr *)&a, sizeof a);
		ssize_t put = write(s, &t, sizeof t), got = recv(s, text, 6, MSG_WAITALL);
		printf("%d: connect %d, %zd, %zd %s\n", rank, e, put, got, text);
	}
	close(s);
}

int main(int argc, char **argv)
{
	int size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	/* launchers put together what comes from several, and not by lines */
	char name[20];
	snprintf(name, sizeof name, "out.%d", rank);
	if (!freopen(name, "w", stdout))
		MPI_Abort(MPI_COMM_WORLD, 1);
	/* hydra leaves the others' open, and says nothing */
	if (!rank)
		standard_input();
	file(argc > 1 ? argv[1] : "none");
	devices();
	pipes();
	sockets(size);
	int mine = (int)time(NULL) % 1000, all;
	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	fflush(stdout);
	MPI_Finalize();
	return 0;
}
