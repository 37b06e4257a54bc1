/* The layer of the program itself: include/hbdb/event.h. It has no function to call through: what it is told is the event. */
#ifndef HBDB_CAPTURE_USER_USER_H
#define HBDB_CAPTURE_USER_USER_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/* The function of events of a class (calls/user.def) with a name, for comparing: which values they have is left open.
 * NULL without memory. */
const struct hb__fn *hb__user_function(uint8_t cls, const char *name);
/* A text of the program by its number in this process. Never NULL. */
const char *hb__user_text(int64_t number);

#pragma GCC visibility pop

#endif
