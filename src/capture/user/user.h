/* The layer of the program itself: include/hbdb/event.h. It has no function to call through: what it is told is the event. */
#ifndef HBDB_CAPTURE_USER_USER_H
#define HBDB_CAPTURE_USER_USER_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/* After MPI_Init, once there is a log: notes how much was said before it. */
void hb__user_begin_process(void);
/* A text of the program by its number in this process. Never NULL. */
const char *hb__user_text(int64_t number);

#pragma GCC visibility pop

#endif
