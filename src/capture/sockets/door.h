/* Between libhbdb-sockets.so, which stands in front of the functions by which processes talk, and the recorder beside it. Both are of the
 * same build. */
#ifndef HBDB_CAPTURE_SOCKETS_DOOR_H
#define HBDB_CAPTURE_SOCKETS_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "calls/sockets/shared.h"

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
#define HB_NAME_MOST 400 /* of an end, with its null */

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
	uint64_t enter, outside, outside_enter;
	const struct sockaddr *to; /* of connect: where it leads before the system says so; else NULL */
	socklen_t to_length;
	struct msghdr *with;            /* of recvmsg: beside the bytes come control messages and flags; else NULL */
	bool again;                     /* a record is followed: */
	const struct hb_shared *shared; /* what is to be known of the event of others; NULL: nothing */
	size_t nshared;
};

/* What is kept of an event's contents, by the numbers of its pieces: of streams at level data a digest of what was sent, or what came; of the i-th
 * datagram what came; of both control messages that came, where there were any, and then the flags of the message, at every level at which
 * inputs are kept. */
enum {
	HB_TALK_DIGEST,
	HB_TALK_CAME,
	HB_TALK_CONTROL,
	HB_TALK_FLAGS,
	HB_TALK_EACH = 3, /* of the i-th datagram: this many times i more */
};

/* Replay: what the record has of a call. */
#define HB_TOLD_MOST (1 + 3 * 340) /* one record of results holds 1024 */
enum hb_again {
	HB_AGAIN_FREE /* nothing: the system answers */,
	HB_AGAIN_NO /* it would have blocked */,
	HB_AGAIN_TOLD
};
struct hb_told {
	int64_t end; /* the recorded text of its end, or its other argument; HB_NO_TEXT */
	size_t n;
	int64_t results[HB_TOLD_MOST];
};

/* A usual call of the program on its quick way: of a stream, or a wait, that this thread has made at this place before. */
struct hb_known_call;
struct hb_quick {
	struct hb__lane *lane;
	const struct hb_known_call *call;
	uint64_t enter, outside;
};

struct hb_sockets_door {
	/* The call is about to be made; argument: as in hb_talk. False: it is no usual one, and nothing was done. */
	bool (*quick)(struct hb_quick *ret, enum hb_socket_function function, uint32_t argument, const void *pc);
	/* It moved so many bytes of a stream. */
	void (*quick_moved)(const struct hb_quick *quick, size_t got, size_t asked);
	/* It is over; keeps errno. */
	void (*quick_end)(const struct hb_quick *quick, const int64_t *results, size_t n);
	/* It said that it would have blocked. may_wait: or its limit of time was over; false: that is what it was, and nothing was done. */
	bool (*quick_no)(const struct hb_quick *quick, bool may_wait);
	/* The library is there. Returns the table of descriptors; NULL: the layer is not recorded in this process. */
	uint32_t *(*opened)(void);
	/* Whether a call made at pc is one of the program's that is recorded; fills lane, pc and cfa. */
	bool (*enter)(struct hb_talk *ret_talk, const void *pc, const void *cfa);
	/* Finds out what a descriptor leads to, and keeps it in the table; keeps errno. */
	uint32_t (*find)(int fd);
	/* A descriptor leads where another one does, whose word of the table that is. */
	void (*same)(int fd, uint32_t end);
	/* Whether it leads to anything: asked before the process has begun, so that one which never talks leaves no log; keeps errno. */
	bool (*leads)(int fd);
	/* The call is about to be made. lane, pc, cfa and function are set; fd and end, where the function is of a class that has one, else argument. */
	void (*begin)(struct hb_talk *talk);
	/* Bytes came, or went out in a stream, and this is called before `end`: keeps of them what is to be kept. */
	void (*moved)(struct hb_talk *talk, const struct iovec *piece, size_t n, size_t bytes, bool in);
	/* Likewise of n messages that came. */
	void (*came)(struct hb_talk *talk, const struct mmsghdr *message, size_t n);
	/* It is over: so it becomes an event. keeps errno. */
	void (*end)(struct hb_talk *talk, const int64_t *results, size_t n);
	/* It would have blocked, and was not to. */
	void (*no)(struct hb_talk *talk);
	/* It is over, and is no event. */
	void (*none)(struct hb_talk *talk);
	bool (*is_program)(const void *pc); /* who calls there is the program */
	const void *(*above)(void);         /* the nearest caller above that is the program; NULL: none */
	bool (*is_own)(void);               /* this is not a child by vfork, which has the memory of its parent */
	bool (*began)(void);                /* the process has made an event */
	int (*most_leading)(void);          /* of those that lead somewhere */
	void (*notice_fork)(void);          /* asked in a child that was not made by fork */
	void (*filter)(bool is_set);        /* a filter of system calls is about to be set, or is */
	int (*most)(void);                  /* the greatest descriptor that stands in the table, plus 1 */
	/* The number of an address as a text, HB_NO_TEXT: there is none. */
	int64_t (*address)(const struct sockaddr *address, socklen_t length);
	/* Of n pieces of memory the first so many bytes. */
	int64_t (*hash)(const struct iovec *piece, size_t n, size_t bytes);

	/* Replay, between begin and end. may_say_no: the call does not wait. */
	enum hb_again (*again)(struct hb_talk *talk, bool may_say_no, struct hb_told *ret_told);
	/* In this replay there is nobody else: what came is recorded. */
	bool (*alone)(void);
	/* ... behind again: a piece of what is kept of this call; NULL: there is none. Valid as long as the process lives. */
	const void *(*piece)(uint32_t what, size_t *ret_bytes);
	int64_t (*number)(uint32_t what); /* ... one that is a number; 0: there is none */
	/* ... it is needed and is not there. */
	void (*without)(struct hb_talk *talk);
	/* ... where the program's output and errors lead to now, when they led to another process then; -1: it is not so. */
	int (*outside)(int fd);
	/* The call is not as it was; `what` is a clause. */
	void (*differs)(struct hb_talk *talk, const char *what);
	/* It is the same call, and what is sent was compared. */
	void (*contents)(struct hb_talk *talk, bool same);
	/* What a descriptor leads to in this run. */
	void (*name)(int fd, char ret_name[HB_NAME_MOST]);
	/* A text of the record; "": there is none. */
	void (*text)(int64_t number, char ret_name[HB_NAME_MOST]);
	/* What processes of the replay leave for each other, by a name of the place and a key: found again as often as it is looked for. */
	bool (*leave)(const char *place, uint64_t key, const struct iovec *piece, size_t n, size_t bytes);
	/* Waits up to so many milliseconds, -1: until the job ends. NULL: it has not come. */
	const void *(*take)(const char *place, uint64_t key, int ms, size_t *ret_bytes);
	int (*high)(int fd); /* the descriptor by another number, out of the program's way; this one is closed */
	bool (*job_ends)(void);
	int (*process)(void); /* by which the replay knows this process */
	bool (*inputs)(void); /* the program is given the recorded numbers of processes, clocks and the like */
	/* Has it called, in the parent, when vfork has made a process; it returns the number that the program is told. */
	void (*vforks)(int32_t (*made)(int32_t pid, const void *pc, const void *cfa));
	/* The process that is made next is the one which had this number in the recorded run; 0: not known. Whether it has a record here. */
	bool (*child)(uint32_t pid);
	/* This process has become that one, which fork made: it ends as that does. */
	void (*becomes)(pid_t pid) __attribute__((noreturn));
};

/* The recorder has it, by this name. */
#define HB_SOCKETS_DOOR "hb_sockets_door_1"
extern const struct hb_sockets_door hb_sockets_door_1 __attribute__((visibility("default")));

#pragma GCC visibility pop

#endif
