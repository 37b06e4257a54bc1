/* Names of types of events: one table of the process and of those that it forks, which give the same name the same identifier. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../state.h"

struct names {
	pthread_mutex_t
		lock; /* of all processes; one that dies in it leaves the table whole, for a name counts when `n` does */
	uint32_t n;
	char name[HB_STREAM_NAMES][HB_STREAM_NAME];
};
static struct names *names;

bool hb__names_begin(void)
{
	static const char *const system[] = {[HB_POSIX_TRACE_ERROR] = "posix_trace_error",
		[HB_POSIX_TRACE_START] = "posix_trace_start",
		[HB_POSIX_TRACE_STOP] = "posix_trace_stop",
		[HB_POSIX_TRACE_OVERFLOW] = "posix_trace_overflow",
		[HB_POSIX_TRACE_RESUME] = "posix_trace_resume",
		[HB_POSIX_TRACE_FILTER] = "posix_trace_filter",
		[HB_POSIX_TRACE_FLUSH_START] = "posix_trace_flush_start",
		[HB_POSIX_TRACE_FLUSH_STOP] = "posix_trace_flush_stop",
		[HB_POSIX_TRACE_UNNAMED_USEREVENT] = "posix_trace_unnamed_userevent"};
	struct names *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t == MAP_FAILED)
		return false;
	for (size_t i = 0; i < sizeof system / sizeof *system; i++)
		if (system[i])
			memcpy(t->name[i], system[i], strlen(system[i]));
	t->n = HB_POSIX_TRACE_UNNAMED_USEREVENT + 1;
	pthread_mutexattr_t shared;
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&t->lock, &shared);
	pthread_mutexattr_destroy(&shared);
	names = t;
	return true;
}

uint32_t hb__names(void) { return HB__LOAD(names->n); }

const char *hb__name(uint32_t id) { return id < hb__names() && names->name[id][0] ? names->name[id] : NULL; }

uint32_t hb__name_next(uint32_t id)
{
	while (id < hb__names() && !names->name[id][0])
		id++;
	return id < hb__names() ? id : HB_TRACE_EVENT_IDS;
}

void hb__names_copy(char *table, uint32_t from)
{
	uint32_t n = hb__names();
	if (from < n)
		memcpy(table + (size_t)from * HB_STREAM_NAME, names->name[from], (n - from) * (size_t)HB_STREAM_NAME);
}

/* Streams that lie in a file have a table of their own there. It may lack a name that is known already: another process, which this one made or which made
 * this one, knows nothing of streams that are not its own. */
static void tell_streams(uint32_t id)
{
	uint32_t active = atomic_load(&hb__active);
	for (; active; active &= active - 1) {
		struct hb__stream *s = &hb__streams[__builtin_ctz(active)];
		if (s->mapped && !((char *)s->head)[HB_STREAM_HEAD + (size_t)id * HB_STREAM_NAME])
			hb__names_copy((char *)s->head + HB_STREAM_HEAD, id);
	}
}

int hb__name_open(const char *name, uint32_t *ret)
{
	size_t n = strnlen(name, HB_TRACE_EVENT_NAME_MAX + 1);
	if (n > HB_TRACE_EVENT_NAME_MAX)
		return ENAMETOOLONG;
	if (!n) /* a name that says nothing */
		return *ret = HB_POSIX_TRACE_UNNAMED_USEREVENT, 0;
	if (pthread_mutex_lock(&names->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&names->lock);
	uint32_t id = HB_POSIX_TRACE_UNNAMED_USEREVENT;
	while (id < names->n && strcmp(names->name[id], name) != 0)
		id++;
	if (id == HB_TRACE_EVENT_IDS) {
		id = HB_POSIX_TRACE_UNNAMED_USEREVENT;
	} else if (id == names->n) {
		memset(names->name[id], 0, HB_STREAM_NAME);
		memcpy(names->name[id], name, n);
		HB__STORE(names->n, id + 1);
	}
	tell_streams(id);
	pthread_mutex_unlock(&names->lock);
	*ret = id;
	return 0;
}
