/* The library itself: the recorder beside it, and the functions behind it. */
#include <dlfcn.h>

#include "capture/inputs/front/streams/descriptors.h"

struct hb__next hb__next;
const struct hb_inputs_door *hb__door;
const struct hb_front *hb__sockets;

void *hb__next_find(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void)
{
	hb__door = dlsym(RTLD_DEFAULT, HB_INPUTS_DOOR);
	hb__sockets = dlsym(RTLD_DEFAULT, HB_SOCKETS_FRONT);
	hb__leads_set(0, HB__TO_INPUT);
	if (hb__door)
		hb__stdin_start();
}
