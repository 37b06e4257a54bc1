/* The order of what is looked at around a call. */
#include "capture/mpi/check/handles/handles.h"

void hb__check_handles_enter(struct hb__call *c)
{
	hb__ends_enter(c);
	hb__requests_enter(c);
	hb__leaks_enter(c);
}

void hb__check_handles_leave(struct hb__call *c, int code) { hb__ends_leave(c, code); }
