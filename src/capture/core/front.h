/* Between the libraries that stand in front of the C library: a call of the program to a function of several of them comes to the second one
 * from the first one. */
#ifndef HBDB_CAPTURE_CORE_FRONT_H
#define HBDB_CAPTURE_CORE_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct hb_front {
	const char *low, *high; /* the first library's own code lies between */
	/* Who made the call of this thread that went there last; NULL: the library made it for itself. */
	const void *(*caller)(void);
	void (*calls)(const void *caller); /* ... is this again, behind a handler of a signal */
	/* What goes through this descriptor is the first library's, or may be. */
	bool (*takes)(int fd);
	/* A stream of the C library reads for the program. */
	ssize_t (*read)(int fd, void *p, size_t bytes);
};

/* libhbdb-sockets.so has its own, by this name. */
#define HB_SOCKETS_FRONT "hb_sockets_front_1"
extern const struct hb_front hb_sockets_front_1;

#endif
