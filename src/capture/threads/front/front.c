/* The library itself: the recorder beside it, and the functions behind it. */
#include <dlfcn.h>

#include "capture/threads/front/front.h"

struct hb__next hb__next;
const struct hb_threads_door *hb__door;
bool hb__records;

static const struct {
	const char *name, *version;
} functions[] = {
#define HB_THREAD_FUNCTION(name, version, kind, whose) {#name, version},
#include "calls/threads/threads.def"
#undef HB_THREAD_FUNCTION
};

/* A program may have loaded its library of OpenMP for itself alone (modules of Python). */
static void *elsewhere(const char *name)
{
	static const char *const libraries[] = {"libgomp.so.1", "libomp.so.5", "libiomp5.so"};
	void *found = NULL;
	for (unsigned i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		found = library ? dlsym(library, name) : NULL;
	}
	return found;
}

void *hb__next_find(enum hb_thread_function function)
{
	const char *name = functions[function].name, *version = functions[function].version;
	void *next = *version ? dlvsym(RTLD_NEXT, name, version) : NULL;
	if (!next)
		next = dlsym(RTLD_NEXT, name);
	return next ? next : elsewhere(name);
}

__attribute__((constructor)) static void begin(void)
{
	hb__door = dlsym(RTLD_DEFAULT, HB_THREADS_DOOR);
	if (hb__door)
		hb__door->opened();
}
