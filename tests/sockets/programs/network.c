/* A network that loses, duplicates and delays: N network namespaces, joined by this program, and a command that may enter them (nets.h).
 *
 *   gcc -O2 -g network.c -o network
 *   network N LOSS DUPLICATE MICROSECONDS COMMAND...      (as root)
 *
 * LOSS and DUPLICATE are per thousand packets; each packet waits for a time by chance, up to MICROSECONDS, so that some overtake others.
 * Ends with the command's exit status, and says on stderr what it did to how many packets. */
#include "nets.h"

#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

enum { MOST = 64, PACKET = 2048, WAITING = 4096 };

static int n, tuns[MOST];
static uint64_t state, lost, doubled, forwarded;
/* Those that wait: a heap, whose first is due first. */
static struct waiting {
	uint64_t due;
	int to, bytes;
	unsigned char packet[PACKET];
} slots[WAITING], *heap[WAITING], *unused[WAITING];
static int waits, free_slots;

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void set_up(int net)
{
	struct ifreq tun = {.ifr_name = "t0"}, lo = {.ifr_name = "lo"};
	tun.ifr_flags = IFF_TUN | IFF_NO_PI;
	if (unshare(CLONE_NEWNET))
		give_up("a network namespace (this needs root)");
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC), control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &tun))
		give_up("/dev/net/tun");
	tun = (struct ifreq){.ifr_name = "t0"};
	*(struct sockaddr_in *)&tun.ifr_addr = address_in_net(net, 0);
	int failed = ioctl(control, SIOCSIFADDR, &tun);
	*(struct sockaddr_in *)&tun.ifr_netmask = (struct sockaddr_in){AF_INET, 0, {htonl(0xffffff00u)}, {0}};
	failed |= ioctl(control, SIOCSIFNETMASK, &tun);
	tun.ifr_flags = lo.ifr_flags = IFF_UP | IFF_RUNNING;
	failed |= ioctl(control, SIOCSIFFLAGS, &tun) | ioctl(control, SIOCSIFFLAGS, &lo);
	int space = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (failed || space < 0 || dup3(space, FIRST_NET + net, O_CLOEXEC) < 0)
		give_up("settings of a network");
	close(space);
	close(control);
	tuns[net] = fd;
}

static void exchange(int a, int b)
{
	struct waiting *w = heap[a];
	heap[a] = heap[b];
	heap[b] = w;
}

static void put(const unsigned char *packet, int bytes, int to, uint64_t due)
{
	if (!free_slots) {
		lost++;
		return;
	}
	struct waiting *w = unused[--free_slots];
	w->due = due;
	w->to = to;
	w->bytes = bytes;
	memcpy(w->packet, packet, (size_t)bytes);
	int i = waits++;
	for (heap[i] = w; i && heap[(i - 1) / 2]->due > heap[i]->due; i = (i - 1) / 2)
		exchange(i, (i - 1) / 2);
}

static void deliver_first(void)
{
	struct waiting *w = heap[0];
	if (write(tuns[w->to], w->packet, (size_t)w->bytes) == w->bytes)
		forwarded++;
	else
		lost++;
	unused[free_slots++] = w;
	heap[0] = heap[--waits];
	for (int i = 0;;) {
		int least = i;
		for (int child = 2 * i + 1; child <= 2 * i + 2; child++)
			if (child < waits && heap[child]->due < heap[least]->due)
				least = child;
		if (least == i)
			return;
		exchange(i, least);
		i = least;
	}
}

/* One packet of a namespace: where it goes is byte 19 of its header. */
static bool take(int from, int loss, int duplicate, uint32_t longest)
{
	unsigned char packet[PACKET];
	ssize_t bytes = read(tuns[from], packet, sizeof packet);
	if (bytes < 20 || packet[0] >> 4 != 4)
		return bytes > 0;
	int to = packet[19] - 1;
	if (to < 0 || to >= n || to == from)
		return true;
	if ((int)chance(&state, 1000) < loss) {
		lost++;
		return true;
	}
	int copies = (int)chance(&state, 1000) < duplicate ? 2 : 1;
	doubled += (uint64_t)copies - 1;
	for (int i = 0; i < copies; i++)
		put(packet, (int)bytes, to, now() + (longest ? chance(&state, longest) : 0));
	return true;
}

static int forward(pid_t child, int loss, int duplicate, uint32_t longest)
{
	struct pollfd ready[MOST];
	int status;
	for (int i = 0; i < n; i++) {
		fcntl(tuns[i], F_SETFL, O_NONBLOCK);
		ready[i] = (struct pollfd){tuns[i], POLLIN, 0};
	}
	while (waitpid(child, &status, WNOHANG) == 0) {
		uint64_t at = now(), wait = waits ? heap[0]->due > at ? heap[0]->due - at : 0 : 20000;
		struct timespec limit = {(time_t)(wait / 1000000), (long)(wait % 1000000 * 1000)};
		ppoll(ready, (nfds_t)n, &limit, NULL);
		for (int i = 0; i < n; i++)
			for (int k = 0; ready[i].revents && k < 16 && take(i, loss, duplicate, longest); k++)
				continue;
		while (waits && heap[0]->due <= now())
			deliver_first();
	}
	return status;
}

int main(int argc, char **argv)
{
	char path[64];
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	n = argc > 5 ? atoi(argv[1]) : 0;
	if (n < 1 || n > MOST) {
		fprintf(stderr, "usage: network N LOSS DUPLICATE MICROSECONDS COMMAND...: 1 to %d namespaces\n", MOST);
		return 2;
	}
	for (int i = 0; i < n; i++)
		set_up(i);
	for (free_slots = 0; free_slots < WAITING; free_slots++)
		unused[free_slots] = &slots[free_slots];
	if (setns(home, CLONE_NEWNET))
		give_up("back to where it came from");
	state = now();
	snprintf(path, sizeof path, "/proc/%d/fd", getpid());
	pid_t child = fork();
	if (!child) {
		setenv("NETS", path, 1);
		execvp(argv[5], argv + 5);
		give_up(argv[5]);
	}
	int status = forward(child, atoi(argv[2]), atoi(argv[3]), (uint32_t)atoi(argv[4]));
	fprintf(stderr, "%llu packets came through, %llu were lost, %llu doubled\n", (unsigned long long)forwarded,
		(unsigned long long)lost, (unsigned long long)doubled);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
