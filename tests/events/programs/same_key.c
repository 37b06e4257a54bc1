/* Two threads put messages with one key into a channel, a third takes them: who got whose is open. */
#include <pthread.h>
#include <stdint.h>

#include <hbdb/event.h>

static pthread_barrier_t all;

static void *sender(void *unused)
{
	hb_sent("pool", 5, 8);
	pthread_barrier_wait(&all);
	return unused;
}

int main(void)
{
	pthread_t t[2];
	pthread_barrier_init(&all, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, sender, NULL);
	pthread_barrier_wait(&all);
	hb_received("pool", 5, 8);
	hb_received("pool", 5, 8);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
