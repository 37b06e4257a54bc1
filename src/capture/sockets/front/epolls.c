/* Which descriptor stands behind a value that an epoll answers with: the program gave it with the descriptor, and it may be anything.
 * A table by epoll and value, of which what was told last holds; a descriptor that was closed leaves its entry, which is then wrong for
 * nobody: the system says no more of it. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/sockets/front/front.h"

struct entry {
	uint64_t value;
	int epoll, fd; /* epoll plus 1; 0: free */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *table;
static size_t size, used;
static struct told {
	uint64_t value;
	int epoll; /* plus 1 */
} * lasts;         /* by descriptor */

static size_t place(const struct entry *in, size_t of, int epoll, uint64_t value)
{
	uint64_t h = (value ^ (uint64_t)epoll << 48) * 0x9e3779b97f4a7c15u;
	size_t at = (h ^ h >> 32) & (of - 1);
	while (in[at].epoll && (in[at].epoll != epoll + 1 || in[at].value != value))
		at = (at + 1) & (of - 1);
	return at;
}

/* With the lock. */
static bool has_room(void)
{
	if (used * 2 < size)
		return true;
	size_t more = size ? 2 * size : 1024;
	struct entry *new = mmap(NULL, more * sizeof *new, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (new == MAP_FAILED)
		return false;
	for (size_t i = 0; i < size; i++)
		if (table[i].epoll)
			new[place(new, more, table[i].epoll - 1, table[i].value)] = table[i];
	if (table)
		munmap(table, size * sizeof *table);
	table = new;
	size = more;
	return true;
}

void hb__epoll_told(int epoll, int operation, int fd, const struct epoll_event *event)
{
	if (operation == EPOLL_CTL_DEL || !event)
		return;
	pthread_mutex_lock(&lock);
	if (!lasts) {
		void *p = mmap(NULL, HB_DESCRIPTORS_MOST * sizeof *lasts, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		lasts = p == MAP_FAILED ? NULL : p;
	}
	if (lasts && fd >= 0 && fd < HB_DESCRIPTORS_MOST)
		lasts[fd] = (struct told){event->data.u64, epoll + 1};
	if (has_room()) {
		size_t at = place(table, size, epoll, event->data.u64);
		used += !table[at].epoll;
		table[at] = (struct entry){event->data.u64, epoll + 1, fd};
	}
	pthread_mutex_unlock(&lock);
}

int hb__epoll_descriptor(int epoll, uint64_t value)
{
	pthread_mutex_lock(&lock);
	size_t at = size ? place(table, size, epoll, value) : 0;
	int fd = size && table[at].epoll ? table[at].fd : -1;
	pthread_mutex_unlock(&lock);
	return fd;
}

uint64_t hb__epoll_value(int epoll, int fd)
{
	const struct told *t = lasts && fd >= 0 && fd < HB_DESCRIPTORS_MOST ? &lasts[fd] : NULL;
	return t && t->epoll == epoll + 1 ? t->value : 0;
}

/* Another thread of the parent may have had it. */
static void forked(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, forked); }
