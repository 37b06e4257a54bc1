/* Records of accesses, and what they name. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/accesses/front/front.h"

/* ---- places ---- */

#define PLACES 65536u
#define MODULES 256u

static struct {
	const void *pc;
	uint64_t number;
} places[PLACES];
static uint64_t nplaces;
static const char *modules[MODULES];
static unsigned nmodules;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned module_of(struct hb__thread *t, const char *path)
{
	for (unsigned i = 0; i < nmodules; i++)
		if (!strcmp(modules[i], path))
			return i + 1;
	const char *copy = nmodules < MODULES ? hb__text_copy(path, HB__TEXT_MOST) : NULL;
	if (!copy)
		return 0;
	modules[nmodules++] = copy;
	uint8_t record[HB__TEXT_MOST + 3 * HB__UV], *w = hb__uv(record, HB_TRACE_MODULE);
	w = hb__uv(w, nmodules);
	w = hb__str(w, copy);
	hb__define(t, record, (size_t)(w - record));
	return nmodules;
}

static uint64_t define(struct hb__thread *t, const void *pc)
{
	Dl_info info;
	struct link_map *map = NULL;
	bool found = dladdr1((const char *)pc - 1, &info, (void **)&map, RTLD_DL_LINKMAP) && map;
	char self[HB__TEXT_MOST];
	const char *path = found ? map->l_name : "";
	if (found && !*path) {
		ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
		self[n > 0 ? n : 0] = 0;
		path = self;
	}
	unsigned module = module_of(t, path);
	uint8_t record[6 * HB__UV], *w = hb__uv(record, HB_TRACE_PLACE);
	w = hb__uv(w, ++nplaces);
	w = hb__uv(w, module);
	w = hb__uv(w, (uintptr_t)pc - (found ? map->l_addr : 0));
	w = hb__uv(w, 1);
	hb__define(t, record, (size_t)(w - record));
	return nplaces;
}

/* By open addressing; what is in the table stays where it is. */
uint64_t hb__place(struct hb__thread *thread, const void *pc)
{
	unsigned i = (unsigned)(((uintptr_t)pc * 0x9e3779b97f4a7c15u) >> 48);
	for (const void *at; (at = __atomic_load_n(&places[i % PLACES].pc, __ATOMIC_ACQUIRE)); i++)
		if (likely(at == pc))
			return places[i % PLACES].number;
	uint8_t before = hb__door->aside();
	pthread_mutex_lock(&lock);
	while (places[i % PLACES].pc && places[i % PLACES].pc != pc)
		i++;
	if (!places[i % PLACES].pc && nplaces < PLACES * 3 / 4) {
		places[i % PLACES].number = define(thread, pc);
		__atomic_store_n(&places[i % PLACES].pc, pc, __ATOMIC_RELEASE);
	}
	uint64_t number = places[i % PLACES].pc ? places[i % PLACES].number : 0;
	pthread_mutex_unlock(&lock);
	hb__door->back(before);
	return number;
}

/* ---- accesses ---- */

static void count(hb_trace_kind kind, size_t bytes)
{
	struct hb__construct *c = hb__depth && hb__depth <= HB__NEST ? hb__nest[hb__depth - 1].construct : NULL;
	if (!c)
		return;
	if (kind != HB_TRACE_AFTER)
		__atomic_fetch_add(&c->cost[kind == HB_TRACE_READ ? 2 : 3], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->cost[4], bytes, __ATOMIC_RELAXED);
}

void hb__put_access(struct hb__thread *thread, hb_trace_kind kind, uint64_t place, struct hb__array *array,
	uint64_t element, const void *value)
{
	unsigned bytes = hb_element_bytes(array->as.type);
	uint64_t number = hb__array_number(thread, array);
	uint8_t head[4 * HB__UV], *w = hb__uv(head, kind);
	w = hb__uv(w, place);
	w = hb__uv(w, number);
	w = hb__uv(w, element);
	size_t n = (size_t)(w - head);
	if (unlikely(hb__wanted.dry)) {
		count(kind, n + bytes);
		return;
	}
	if (!hb__put_begin(thread, sizeof head + 16, true))
		return;
	memcpy(thread->w, head, n);
	memcpy(thread->w + n, value, bytes);
	thread->w += n + bytes;
	hb__put_done(thread);
}

static uint8_t *put_index(uint8_t *w, unsigned n, const int64_t *index)
{
	w = hb__uv(w, n);
	for (unsigned i = 0; i < n; i++)
		w = hb__sv(w, index[i]);
	return w;
}

void hb__put_control(struct hb__thread *thread, hb_control_finding finding, struct hb__array *array, uint64_t element,
	uint64_t place, uint64_t other, unsigned n, const int64_t *index, unsigned m, const int64_t *other_index)
{
	uint64_t number = array ? hb__array_number(thread, array) : 0;
	if (!hb__put_begin(thread, (8 + 2 * HB_DIMENSIONS) * HB__UV, false))
		return;
	uint8_t *w = hb__uv(thread->w, HB_TRACE_CONTROL);
	w = hb__uv(w, finding);
	w = hb__uv(w, number);
	w = hb__uv(w, element);
	w = hb__uv(w, place);
	w = hb__uv(w, other);
	w = put_index(w, n, index);
	thread->w = put_index(w, m, other_index);
	hb__put_done(thread);
}

void hb__put_trouble(struct hb__thread *thread, hb_trace_trouble what, uint64_t number, const char *format, ...)
{
	char text[HB__TEXT_MOST];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (!hb__put_begin(thread, HB__TEXT_MOST + 4 * HB__UV, false))
		return;
	uint8_t *w = hb__uv(thread->w, HB_TRACE_TROUBLE);
	w = hb__uv(w, what);
	w = hb__uv(w, number);
	thread->w = hb__str(w, text);
	hb__put_done(thread);
}
