/* Functions in each other, recursion, a loop with thousands of turns. */
#include <stdio.h>

static volatile long total;

static long fib(int n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

static int twice(int x)
{
	int y = 2 * x;
	return y;
}

static long f = -1;

static void turn(int i) { total += i; }

int main(void)
{
	int a = twice(4);
	int b = twice(a);
	f = fib(6);
	for (int i = 0; i < 5000; i++)
		turn(i);
	printf("%d %d %ld %ld\n", a, b, f, total);
	return 3;
}
