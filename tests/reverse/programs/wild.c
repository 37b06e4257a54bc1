#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item {
	char name[8];
	int *value;
};
static struct item items[4];
static int numbers[4] = {1, 2, 3, 4};
static long sum;

static void label(struct item *it, int n)
{
	for (int i = 0; i < n; i++)
		it->name[i] = (char)('a' + i);
}

static int add(int i)
{
	sum += *items[i].value;
	return (int)sum;
}

int main(void)
{
	for (int i = 0; i < 4; i++)
		items[i].value = &numbers[i];
	printf("begin\n");
	fflush(stdout);
	for (int i = 0; i < 4; i++)
		label(&items[i], i == 2 ? 11 : 5);
	for (int i = 0; i < 4; i++)
		add(i);
	printf("sum %ld\n", sum);
	return 0;
}
