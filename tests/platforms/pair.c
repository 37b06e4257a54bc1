/* Two processes that talk by datagrams, for as long as they are let: the first asks, the other one answers. When the other one is gone the first waits for ever. */
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

static int answer_all(int fd)
{
	uint32_t n;
	while (recv(fd, &n, sizeof n, 0) == sizeof n) {
		n *= 2;
		send(fd, &n, sizeof n, 0);
	}
	return 0;
}

static int ask_all(int fd)
{
	for (uint32_t n = 1, got;; n++) {
		send(fd, &n, sizeof n, 0);
		if (recv(fd, &got, sizeof got, 0) != sizeof got || got != n * 2)
			return 1;
		usleep(20000);
	}
}

int main(void)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
		return 2;
	/* each keeps both ends: the other one's death is no end of file */
	return fork() ? ask_all(ends[0]) : answer_all(ends[1]);
}
