/* Which descriptor stands behind a value that an epoll answers with: the program gave it with the descriptor, and it may be anything.
 * A table by epoll and value, of which what was told last holds; a descriptor that was closed leaves its entry, which is then wrong for
 * nobody: the system says no more of it. Who looks takes no lock: an entry keeps its place and its value, and a table that was too small
 * stays as it is (all of them are less than the last one). */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/sockets/front/front.h"

struct entry {
	uint64_t value;
	int epoll, fd; /* epoll plus 1; 0: free */
};

struct table {
	size_t size, used;
	struct entry at[];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *table;
static struct told {
	uint64_t value;
	int epoll; /* plus 1 */
} * lasts;         /* by descriptor */

static size_t place(const struct table *t, int epoll, uint64_t value)
{
	uint64_t h = (value ^ (uint64_t)epoll << 48) * 0x9e3779b97f4a7c15u;
	size_t at = (h ^ h >> 32) & (t->size - 1);
	for (int is; (is = __atomic_load_n(&t->at[at].epoll, __ATOMIC_ACQUIRE)) != 0; at = (at + 1) & (t->size - 1))
		if (is == epoll + 1 && t->at[at].value == value)
			break;
	return at;
}

/* With the lock. */
static bool has_room(void)
{
	if (table && table->used * 2 < table->size)
		return true;
	size_t more = table ? 2 * table->size : 1024;
	struct table *new = mmap(
		NULL, sizeof *new + more * sizeof *new->at, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (new == MAP_FAILED)
		return false;
	new->size = more;
	new->used = table ? table->used : 0;
	for (size_t i = 0; table && i < table->size; i++)
		if (table->at[i].epoll)
			new->at[place(new, table->at[i].epoll - 1, table->at[i].value)] = table->at[i];
	__atomic_store_n(&table, new, __ATOMIC_RELEASE);
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
		struct entry *e = &table->at[place(table, epoll, event->data.u64)];
		table->used += !e->epoll;
		e->value = event->data.u64;
		__atomic_store_n(&e->fd, fd, __ATOMIC_RELAXED);
		__atomic_store_n(&e->epoll, epoll + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

int hb__epoll_descriptor(int epoll, uint64_t value)
{
	const struct table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	const struct entry *e = t ? &t->at[place(t, epoll, value)] : NULL;
	return e && __atomic_load_n(&e->epoll, __ATOMIC_RELAXED) ? __atomic_load_n(&e->fd, __ATOMIC_RELAXED) : -1;
}

uint64_t hb__epoll_value(int epoll, int fd)
{
	const struct told *t = lasts && fd >= 0 && fd < HB_DESCRIPTORS_MOST ? &lasts[fd] : NULL;
	return t && t->epoll == epoll + 1 ? t->value : 0;
}

/* Another thread of the parent may have had it. */
static void forked(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, forked); }
