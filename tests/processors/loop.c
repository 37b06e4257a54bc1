/* Goes round until somebody sets `over`, by gdb, and says something now and then over a socket pair, so that it has events. */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

volatile int over;

static int turn(int n)
{
	volatile int local = n * 3;
	usleep(1000);
	return local;
}

int main(void)
{
	int pair[2], sum = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	for (int i = 0; !over; i++) {
		char byte = (char)i;
		if (write(pair[0], &byte, 1) != 1 || read(pair[1], &byte, 1) != 1)
			return 1;
		sum += turn(i);
	}
	return sum == 0;
}
