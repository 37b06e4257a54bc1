/* The library itself: the recorder beside it, and the functions behind it. */
#include <dlfcn.h>

#include "capture/inputs/front/streams/descriptors.h"

struct hb__next hb__next;
const struct hb_inputs_door *hb__door;
bool hb__talks_elsewhere;

void *hb__next_find(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void)
{
	hb__door = dlsym(RTLD_DEFAULT, HB_INPUTS_DOOR);
	hb__talks_elsewhere = dlsym(RTLD_DEFAULT, "hb_sockets_front_1") != NULL;
	hb__leads_set(0, HB__TO_INPUT);
	if (hb__door)
		hb__stdin_start();
}
