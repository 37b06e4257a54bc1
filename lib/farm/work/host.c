#include "host.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../wire/said.h"
#include "lost.h"

static struct {
	int may_generate, may_receive;
	struct link link; /* in a process of its own: to node 0 */
	/* generator */
	int64_t next, portion; /* portion: as many tasks to a message, if it can be */
	double since;          /* the first of a message was made, by MPI_Wtime */
	int in_span;
	/* receiver */
	struct queue queue;
	struct entry at; /* the result that the user reads */
	struct window window;
	int64_t asked, total, came, bytes;
	int shows, in_receive;
	int64_t shown_ns;
} host;

static int is_alone(void) { return farm.settings.number[KEY_HOST] == HOST_TWO; }

static void span(int begins, int64_t bytes)
{
	if (begins && farm.saying)
		said_of_span(SPAN_GENERATE, host.next, 0, 0);
	else if (!begins && host.in_span && farm.saying)
		said_of_end(SPAN_GENERATE, host.next, 0, 0, bytes);
	host.in_span = begins && farm.saying;
}

/* The generator's messages: credits of node 0, and that the farm stops. */
static void heed(struct parcel *parcel)
{
	if (!parcel)
		return;
	if (parcel_head(parcel)->window)
		host.portion = window_portion(parcel_head(parcel)->window);
	parcel_drop(parcel);
}

static void look(void)
{
	struct parcel *parcel;
	int rank;
	while ((parcel = take(&rank)))
		heed(parcel);
}

static int host_is_idle(int is_long)
{
	if (is_long)
		lost_look_at_hosts();
	return 0;
}

static int give_task_away(const void *task, size_t size)
{
	int rank;
	while (host.link.open <= 0 && farm.status >= 0) {
		link_flush(&host.link);
		heed(take_waiting(&rank, host_is_idle));
	}
	if (farm.status < 0)
		return -1;
	struct item *item = link_item(&host.link, size);
	*item = (struct item){.kind = ITEM_TASK, .task = host.next, .size = size};
	if (size)
		memcpy(item_data(item), task, size);
	double now = MPI_Wtime();
	if (link_items(&host.link) == 1)
		host.since = now;
	if (--host.link.open <= 0 || link_items(&host.link) >= host.portion || now - host.since > WINDOW_SECONDS / 10) {
		link_flush(&host.link);
		look();
	}
	return 0;
}

static int give_task_here(const void *task, size_t size)
{
	struct parcel *parcel;
	while (node_is_full() && farm.status >= 0)
		node_step();
	if (farm.status < 0)
		return -1;
	struct item *item = node_item(size, &parcel);
	*item = (struct item){.kind = ITEM_TASK, .task = host.next, .size = size};
	if (size)
		memcpy(item_data(item), task, size);
	if (farm.saying) {
		said_of_message(TASK_SENT, item, 0);
		said_of_message(TASK_RECEIVED, item, NODE_GENERATOR);
	}
	farm.counts.taken++;
	queue_put(&node.incoming, parcel, item, NULL);
	return 0;
}

int hb_farm_do_task(const void *task, size_t size)
{
	int64_t most = farm.settings.number[KEY_TASK_BYTES];
	if (!host.may_generate || farm.status < 0)
		return -1;
	if (size > (size_t)(most < 0 ? INT32_MAX / 2 : most)) {
		const char *origin = farm.settings.origin[KEY_TASK_BYTES];
		farm_fail(HB_FARM_BAD_PROGRAM, "%s: task %lld has %zu bytes, at most %lld are allowed",
			*origin ? origin : "task-bytes", (long long)host.next, size,
			(long long)(most < 0 ? INT32_MAX / 2 : most));
		return -1;
	}
	span(0, (int64_t)size);
	if (is_alone() ? give_task_away(task, size) : give_task_here(task, size))
		return -1;
	host.next++;
	span(1, 0);
	return 0;
}

int hb_farm_give_task(void *task, size_t size, void (*release)(void *))
{
	int failed = hb_farm_do_task(task, size);
	if (release)
		release(task);
	return failed;
}

static void generate(void)
{
	host.may_generate = 1;
	span(1, 0);
	farm.program->data_generator();
	span(0, -1); /* there was no task after the last */
	said_generated(host.next);
	host.may_generate = 0;
	farm.counts.generated = host.next;
}

void host_generator(void)
{
	memset(&host, 0, sizeof host);
	link_start(&host.link, 0);
	generate();
	host.link.flags |= FLAG_END;
	host.link.total = (uint64_t)host.next;
	link_flush(&host.link);
}

void host_end(void)
{
	link_end(&host.link);
	queue_end(&host.queue);
}

/* A line on a terminal about twice a second. */
static void show(int ends)
{
	if (!host.shows || (!ends && host.came % 64))
		return;
	int64_t now = now_ns(), tasks = farm.settings.number[KEY_TASKS];
	if (!ends && now - host.shown_ns < 500000000)
		return;
	host.shown_ns = now;
	if (tasks > 0)
		fprintf(stderr, "\r%lld of %lld tasks%s", (long long)host.came, (long long)tasks, ends ? "\n" : "");
	else
		fprintf(stderr, "\r%lld tasks%s", (long long)host.came, ends ? "\n" : "");
}

static void take_results(struct parcel *parcel)
{
	if (!parcel)
		return;
	struct head *head = parcel_head(parcel);
	struct item *item = parcel_first(parcel);
	for (uint32_t i = 0; i < head->items; i++, item = item_next(item))
		queue_put(&host.queue, parcel, item, NULL);
	host.asked -= head->items;
	if (head->flags & FLAG_END)
		host.total = (int64_t)head->total;
	parcel_drop(parcel);
}

static void ask(int idle)
{
	int64_t more = host.window.size - host.queue.count - host.asked, portion = window_portion(host.window.size);
	if (more >= portion || (idle && more > 0 && host.asked < portion)) {
		host.link.credits += (uint32_t)more;
		host.asked += more;
		link_flush(&host.link);
	}
}

static void await_result(void)
{
	int rank;
	while (!host.queue.count && host.came != host.total && farm.status >= 0) {
		ask(1);
		take_results(take_waiting(&rank, host_is_idle));
	}
}

static void end_receive(void)
{
	if (host.at.parcel) {
		if (host.in_receive && farm.saying)
			said_of_end(SPAN_RECEIVE, host.at.item->task, 0, 0, (int64_t)host.at.item->size);
		parcel_drop(host.at.parcel);
	}
	host.at.parcel = NULL;
	host.in_receive = 0;
}

int hb_farm_get_result(hb_farm_bytes *ret_result)
{
	*ret_result = (hb_farm_bytes){0};
	end_receive();
	if (!host.may_receive)
		return 0;
	struct queue *queue = is_alone() ? &host.queue : &node.results;
	if (is_alone())
		await_result();
	else
		while (!queue->count && !node.stopped && farm.status >= 0)
			node_step();
	if (!queue->count || farm.status < 0)
		return 0;
	host.at = queue_get(queue);
	host.came++;
	host.bytes += (int64_t)host.at.item->size;
	if (is_alone())
		window_grow(&host.window, host.came, 1, window_long((double)host.bytes / (double)host.came));
	else if (farm.saying)
		said_of_message(RESULT_RECEIVED, host.at.item, 0);
	*ret_result = (hb_farm_bytes){item_data(host.at.item), (size_t)host.at.item->size};
	show(0);
	if (farm.saying)
		said_of_span(SPAN_RECEIVE, host.at.item->task, 0, 0);
	host.in_receive = farm.saying;
	return 1;
}

static void receive(void)
{
	host.shows = isatty(STDERR_FILENO);
	host.may_receive = 1;
	farm.program->result_receiver();
	host.may_receive = 0;
	end_receive();
	show(1);
	farm.counts.received = host.came;
}

void host_receiver(void)
{
	int rank;
	memset(&host, 0, sizeof host);
	host.window = window_first();
	host.asked = host.window.size;
	host.total = -1;
	link_start(&host.link, 0);
	receive();
	host.link.flags |= FLAG_LEFT;
	link_flush(&host.link);
	int64_t total = host.total;
	link_unregister(&host.link); /* what comes now is taken by nobody: no events */
	while (total < 0 && farm.status >= 0) {
		struct parcel *parcel = take_waiting(&rank, host_is_idle);
		if (!parcel)
			break;
		if (parcel_head(parcel)->flags & FLAG_END)
			total = (int64_t)parcel_head(parcel)->total;
		parcel_drop(parcel);
	}
	if (farm.status >= 0)
		farm.counts.untaken = total - host.came;
	farm.counts.window = host.window.size;
}

/* The generator first, while the results wait; it computes, too, whenever the farm has enough tasks. Then the receiver. */
void host_both(void)
{
	memset(&host, 0, sizeof host);
	generate();
	node.total = host.next;
	receive();
	node_run();
	farm.counts.untaken = node.finished - node.aside - host.came;
}
