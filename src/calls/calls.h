/* What the generated wrappers and the handlers share: one descriptor per MPI
 * function, made from mpi.calls. No MPI type stands here. */
#ifndef HBDB_CALLS_CALLS_H
#define HBDB_CALLS_CALLS_H

#include <stdint.h>

#include "calls/neutral.h"

enum hb_class {
	HB_LOCAL,
	HB_SEND,
	HB_RECV,
	HB_COMPLETE,
	HB_PROBE,
	HB_COLLECTIVE,
	HB_COMM,
	HB_RMA,
	HB_IO,
	HB_SPECIAL,
#define HB_USER_CLASS(class, word, name, does, shape) HB_##class,
#include "calls/user.def"
#undef HB_USER_CLASS
	HB_THREAD, /* an operation by which threads of the process order each other (threads/threads.def) */
	/* from here to FAMILY: how processes talk (sockets/sockets.def) */
	HB_STREAM,     /* moves bytes of a stream: TCP, a pipe */
	HB_DATAGRAM,   /* moves datagrams */
	HB_CONNECTION, /* makes or ends what they go through */
	HB_READY,      /* waits until descriptors are ready */
	HB_FAMILY,     /* makes processes and waits for their end */
	HB_CLASSES
};

/* Whether a class is of the layer of the program itself. */
#define HB_IS_USER(class) ((class) >= HB_USER_EVENT && (class) <= HB_USER_RECEIVED)
/* Whether it is of the layer of sockets. */
#define HB_IS_SOCKET(class) ((class) >= HB_STREAM && (class) <= HB_FAMILY)

enum {                      /* flags of a function */
	HB_EVENT = 1,       /* stands in the recording; others are only counted */
	HB_NONBLOCKING = 2, /* returns an active request */
	HB_PERSISTENT = 4,  /* returns an inactive request */
	HB_POLL = 8,        /* may answer no */
	HB_START = 16,      /* makes persistent requests active */
	HB_MATCHED = 32,    /* receives a message that a probe took */
};

enum { /* kinds of recorded arguments, as in hbdb-recording.5 */
	HB_RECORDED_NUMBER,
	HB_RECORDED_RANK,
	HB_RECORDED_TAG,
	HB_RECORDED_COMM,
	HB_RECORDED_DATATYPE,
	HB_RECORDED_OP,
	HB_RECORDED_WIN,
	HB_RECORDED_FILE,
	HB_RECORDED_DIGEST,       /* of an array of counts or displacements */
	HB_RECORDED_TEXT,         /* number of a text */
	HB_RECORDED_DIGEST_TYPES, /* of an array of datatypes; written as HB_RECORDED_DIGEST */
	HB_RECORDED_COLOR,        /* written as HB_RECORDED_NUMBER */
	HB_RECORDED_REAL,         /* in values of events of the program, never in arguments: the bits of a double */
	HB_RECORDED_UNSIGNED,     /* likewise */
	HB_RECORDED_DIGEST_GROUP, /* of the world ranks of a group; written as HB_RECORDED_DIGEST */
	HB_RECORDED_FENCE,        /* what a fence asserts, HB_FENCE_*; written as HB_RECORDED_NUMBER */
};

/* What an argument is to its handler: index into the arguments, or -1. */
enum hb_role {
	HB_R_SBUF,  /* first buffer sent from */
	HB_R_RBUF,  /* first buffer received into */
	HB_R_COUNT, /* first count */
	HB_R_LAST_COUNT,
	HB_R_TYPE, /* first datatype */
	HB_R_LAST_TYPE,
	HB_R_DEST,
	HB_R_SOURCE,
	HB_R_TAG, /* first tag */
	HB_R_LAST_TAG,
	HB_R_COMM,
	HB_R_NEWCOMM,
	HB_R_COMMPTR,
	HB_R_NEWTYPE,
	HB_R_TYPEPTR,
	HB_R_OPPTR,
	HB_R_WINPTR,
	HB_R_FILEPTR,
	HB_R_REQUEST,
	HB_R_NEWREQ,
	HB_R_NREQ,
	HB_R_REQS,
	HB_R_STATUS,
	HB_R_STATUSES,
	HB_R_FLAG,
	HB_R_INDEX,
	HB_R_INDICES,
	HB_R_OUTCOUNT,
	HB_R_MESSAGE,
	HB_R_NEWMSG,
	HB_R_WIN,
	HB_R_FILE,
	HB_R_COUNT_OF_ROLES
};

/* What a parameter is: the kinds of mpi.calls. */
enum hb_param {
	HB_P_AS,     /* a type of its own: as(TYPE) */
	HB_P_REQVAL, /* a request by value */
	HB_P_PEER,   /* MPI_Comm that counts at one process alone */
	HB_P_STATUSIN,
	HB_P_AINTS,
	HB_P_CNTS, /* arrays of MPI_Aint and MPI_Count */
	HB_P_SBUF,
	HB_P_RBUF,
	HB_P_COUNT,
	HB_P_ICOUNT,
	HB_P_SIZE,
	HB_P_COUNTS,
	HB_P_DISPLS,
	HB_P_DTYPE,
	HB_P_DTYPES,
	HB_P_DEST,
	HB_P_SOURCE,
	HB_P_ROOT,
	HB_P_TAG,
	HB_P_COMM,
	HB_P_NEWCOMM,
	HB_P_COMMPTR,
	HB_P_OP,
	HB_P_OPPTR,
	HB_P_NEWTYPE,
	HB_P_TYPEPTR,
	HB_P_REQUEST,
	HB_P_NEWREQ,
	HB_P_REQS,
	HB_P_NREQ,
	HB_P_STATUS,
	HB_P_STATUSES,
	HB_P_FLAG,
	HB_P_INDEX,
	HB_P_INDICES,
	HB_P_OUTCOUNT,
	HB_P_MESSAGE,
	HB_P_NEWMSG,
	HB_P_WIN,
	HB_P_WINPTR,
	HB_P_FILE,
	HB_P_FILEPTR,
	HB_P_INFO,
	HB_P_INFOPTR,
	HB_P_GROUP,
	HB_P_GROUPPTR,
	HB_P_ERRH,
	HB_P_ERRHPTR,
	HB_P_SESSION,
	HB_P_SESSIONPTR,
	HB_P_COLOR,
	HB_P_KEY,
	HB_P_INT,
	HB_P_INTPTR,
	HB_P_CINTPTR,
	HB_P_AINT,
	HB_P_AINTPTR,
	HB_P_DISP,
	HB_P_OFFSET,
	HB_P_OFFSETPTR,
	HB_P_CNT,
	HB_P_CNTPTR,
	HB_P_CSTR,
	HB_P_STR,
	HB_P_PTR,
	HB_P_PPTR,      /* where an address comes back */
	HB_P_KEYVAL,    /* a key of attributes */
	HB_P_KEYVALPTR, /* one that is freed */
	HB_P_NEWKEYVAL,
	HB_P_LENT,      /* a datatype that the library has from the start comes back */
	HB_P_NEWTYPES,  /* an array of datatypes comes back */
	HB_P_MEMBERS,   /* ranks of a group, each once */
	HB_P_RANKS,     /* ranks of a group, or MPI_PROC_NULL */
	HB_P_RANGES,    /* first and last rank of a group, and the stride */
	HB_P_GRID,      /* how many processes each dimension of a grid has */
	HB_P_NODES,     /* of a graph: where the edges of each node end in the array behind it */
	HB_P_NEIGHBORS, /* ranks of the communicator, as many as the last `size` before them says */
	HB_P_PERDIM,    /* a number for each dimension of the communicator's grid */
	HB_P_ORDER,     /* of the elements of an array */
	HB_P_PARTITION, /* of a partitioned request */
	HB_P_KEYS,      /* an info that the call works on */
	HB_P_KINDS
};
struct hb__param {
	uint8_t kind; /* enum hb_param */
	const char *name;
};

enum { /* what an answer's values are; of texts the name of the constant that says how long they may be */
	HB_ANSWERS_NUMBER,
	HB_ANSWERS_RANK,
	HB_ANSWERS_TOPOLOGY,
	HB_ANSWERS_PROCESSOR,
	HB_ANSWERS_VERSION,
	HB_ANSWERS_ERROR,
	HB_ANSWERS_PORT,
};

#define HB_MAX_RECORDED 12 /* arguments of one call that are recorded; the generator checks */

struct hb_meaning;
struct hb__call;
typedef void (*hb__function)(void);                   /* an MPI function of any prototype */
typedef int hb__invoke(hb__function f, uintptr_t *a); /* casts it back and calls it */

struct hb__fn {
	const char *name;
	uint16_t id;
	uint8_t cls, flags;
	uint8_t nargs, nrecorded;
	uint8_t wide; /* counts are MPI_Count (a _c function) */
	struct {
		uint8_t arg, kind;
		const char *name;
	} recorded[HB_MAX_RECORDED];
	/* Of a call that is no event: arguments in which it answers what does not follow from the others. length: of an array, the
	 * argument that tells it, plus 1. */
	uint8_t nanswers;
	struct {
		uint8_t arg, length, values;
	} answer[4];
	int8_t role[HB_R_COUNT_OF_ROLES];
	const struct hb__param *param; /* nargs of them */
	const struct hb_meaning *means;
	hb__invoke *invoke;
};

#endif
