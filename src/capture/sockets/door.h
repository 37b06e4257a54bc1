/* Between libhbdb-sockets.so, which stands in front of the functions by which processes talk, and the recorder beside it. Both are of the
 * same build. */
#ifndef HBDB_CAPTURE_SOCKETS_DOOR_H
#define HBDB_CAPTURE_SOCKETS_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

/* Of a function that moves bytes the one of class datagram comes behind the one of class stream. */
enum hb_socket_function {
#define HB_SOCKET_FUNCTION(name, class, does) HB_SOCKET_##class##_##name,
#include "calls/sockets/sockets.def"
	HB_SOCKET_FUNCTIONS
};

/* What a descriptor leads to: a word for each. Its lowest bits are the kind, the others the number of the text that is its name. 0: not
 * known, as of every descriptor that was opened, closed or given away since; it is found out when it is used. */
enum hb_leads {
	HB_LEADS_UNKNOWN,
	HB_LEADS_NOWHERE, /* to nothing by which processes talk: a file, a terminal, what hbdb's user sees */
	HB_LEADS_STREAM,
	HB_LEADS_DATAGRAM,
	HB_LEADS_LISTENS,
	/* a socket that is not bound or connected yet: never kept in the table; it has a name when the call is over */
	HB_LEADS_NAMELESS,
	HB_LEADS_NAMELESS_DATAGRAM,
};
#define HB_LEADS_BITS 3
static inline enum hb_leads hb_leads_kind(uint32_t end) { return (enum hb_leads)(end & ((1u << HB_LEADS_BITS) - 1)); }
static inline uint32_t hb_leads_text(uint32_t end) { return end >> HB_LEADS_BITS; }
#define HB_DESCRIPTORS_MOST (1 << 20) /* further ones are not recorded */
#define HB_NO_TEXT (-1)

/* A call of the program on its way. */
struct hb__lane;
struct hb__slot;
struct hb_talk {
	struct hb__lane *lane;
	enum hb_socket_function function;
	int fd;
	uint32_t end;     /* as in the table */
	int64_t argument; /* what is recorded of it: the text of the end, or another number */
	const void *pc, *cfa;
	const struct hb__slot *slot; /* NULL: the end gets its name in the call */
	uint64_t enter, outside;
};

struct hb_sockets_door {
	/* The library is there. Returns the table of descriptors. */
	uint32_t *(*opened)(void);
	/* Whether a call made at pc is one of the program's that is recorded; fills lane, pc and cfa. */
	bool (*enter)(struct hb_talk *ret_talk, const void *pc, const void *cfa);
	/* Finds out what a descriptor leads to, and keeps it in the table; keeps errno. */
	uint32_t (*find)(int fd);
	/* The call is about to be made. lane, pc, cfa and function are set; fd and end, where the function is of a class that has one, else argument. */
	void (*begin)(struct hb_talk *talk);
	/* It is over: so it becomes an event. keeps errno. */
	void (*end)(struct hb_talk *talk, const int64_t *results, size_t n);
	/* It would have blocked, and was not to. */
	void (*no)(struct hb_talk *talk);
	/* It is over, and is no event. */
	void (*none)(struct hb_talk *talk);
	bool (*is_program)(const void *pc); /* who calls there is the program */
	bool (*began)(void); /* the process has made an event */
	int (*most)(void);   /* the greatest descriptor that stands in the table, plus 1 */
	/* The number of an address as a text, HB_NO_TEXT: there is none. */
	int64_t (*address)(const struct sockaddr *address, socklen_t length);
	/* Of n pieces of memory the first so many bytes. */
	int64_t (*hash)(const struct iovec *piece, size_t n, size_t bytes);
};

/* The recorder has it, by this name. */
#define HB_SOCKETS_DOOR "hb_sockets_door_1"
extern const struct hb_sockets_door hb_sockets_door_1 __attribute__((visibility("default")));

#pragma GCC visibility pop

#endif
