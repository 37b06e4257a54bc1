/* The functions that libhbdb-inputs.so stands in front of: the rows of the table that are not passed on. */
#ifndef HBDB_CAPTURE_INPUTS_NEXT_H
#define HBDB_CAPTURE_INPUTS_NEXT_H

#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

struct hb__next {
#define HB_INPUT_GIVEN(name, kind, how) __typeof__(name) *name;
#define HB_INPUT_CHECKED(name, kind, how) __typeof__(name) *name;
#define HB_INPUT_PASSED(name, why)
#include "calls/inputs/inputs.def"
#undef HB_INPUT_GIVEN
#undef HB_INPUT_CHECKED
#undef HB_INPUT_PASSED
	/* what we call past ourselves */
	__typeof__(fclose) *fclose;
};
extern struct hb__next hb__next;
void *hb__next_find(const char *name);

/* Looked up when it is first needed, which may be before our constructor has run. */
static inline __attribute__((always_inline)) void *hb__next_at(void **at, const char *name)
{
	return __builtin_expect(*at != NULL, 1) ? *at : (*at = hb__next_find(name));
}
#define NEXT(name) ((__typeof__(name) *)hb__next_at((void **)&hb__next.name, #name))

#pragma GCC visibility pop

#endif
