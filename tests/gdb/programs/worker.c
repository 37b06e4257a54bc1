/* A process with two threads that counts rounds; `what` tells it what to do next. Ends by itself after a while. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

volatile int counter, what;
volatile long long wide[64];

struct inner {
	double weight[3];
	char name[16];
};
struct point {
	int x, y;
	struct inner in;
	struct point *next;
};

int add(int a, int b) { return a + b; }

int endless(int k)
{
	for (;;)
		sleep((unsigned)k);
	return k;
}

int crash(void) { return *(volatile int *)8; }

int locked(void) /* cannot be interrupted by SIGINT */
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return endless(1);
}

int describe(struct point *p, const char *text, int n)
{
	char letters[4] = {'a', 'b', '\n', 0};
	int numbers[5] = {1, 2, 3, 4, 5};
	double half = 0.5;
	p->x = n + letters[0] + numbers[4] + (int)half + *text;
	return p->x;
}

int step(int n)
{
	int a = n * 2;
	int b = add(a, 1);
	counter = counter + 1;
	wide[n & 63] = b;
	return b;
}

int down(int depth) { return depth ? down(depth - 1) + 1 : step(depth); }

static void *other(void *unused)
{
	for (;;) {
		usleep(1000);
		if (what == 9)
			step(-9);
	}
	return unused;
}

int main(void)
{
	struct point p = {1, 2, {{1, 2.5, 3}, "hello \"you\""}, NULL};
	pthread_t thread;
	alarm(3000);
	pthread_create(&thread, NULL, other, NULL);
	puts("ready");
	fflush(stdout);
	for (int i = 0;; i++) {
		step(i);
		describe(&p, "text", i);
		down(5);
		usleep(5000);
		if (what == 1)
			exit(3);
		if (what == 2)
			crash();
		if (what == 3)
			kill(getpid(), SIGKILL);
		if (what == 4) {
			pthread_create(&thread, NULL, other, NULL);
			what = 0;
		}
		if (what == 5)
			raise(SIGUSR1), what = 0;
	}
}
