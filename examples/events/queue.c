/* Threads with a queue of their own, no MPI: two workers take tasks that the first thread puts into it. What hbdb is to know
 * of it stands in four lines that begin with hb_ or HB_. */
#include <pthread.h>
#include <stdio.h>

#include <hbdb/event.h>

#define TASKS 20
#define WORKERS 2

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	int task[TASKS + WORKERS];
	unsigned first, next;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static void put(int task)
{
	pthread_mutex_lock(&queue.lock);
	hb_sent("queue", queue.next, sizeof task); /* before somebody can take it */
	queue.task[queue.next++] = task;
	pthread_cond_signal(&queue.more);
	pthread_mutex_unlock(&queue.lock);
}

static int get(void)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.first == queue.next)
		pthread_cond_wait(&queue.more, &queue.lock);
	int task = queue.task[queue.first];
	hb_received("queue", queue.first, sizeof task); /* after it was taken */
	queue.first++;
	pthread_mutex_unlock(&queue.lock);
	return task;
}

static void *work(void *sum)
{
	for (int task; (task = get()) >= 0;) {
		HB_BEGIN("task", hb_integer("number", task));
		double x = 0;
		for (int i = 1; i < 1000 * (task % 7 + 1); i++)
			x += 1.0 / i;
		*(double *)sum += x;
		HB_END("task", hb_real("sum", x));
	}
	return NULL;
}

int main(void)
{
	pthread_t worker[WORKERS];
	double sum[WORKERS] = {0};
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&worker[i], NULL, work, &sum[i]);
	for (int i = 0; i < TASKS; i++)
		put(i);
	for (int i = 0; i < WORKERS; i++)
		put(-1);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(worker[i], NULL);
	printf("%.6f\n", sum[0] + sum[1]);
	return 0;
}
