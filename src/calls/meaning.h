/* What a function of the table means, for everybody who reads recordings and for the recorder: made from mpi.calls.
 * No header of MPI stands behind it. Who wants to know what a call does asks here and never looks at its name. */
#ifndef HBDB_CALLS_MEANING_H
#define HBDB_CALLS_MEANING_H

#include <stdbool.h>
#include <stdint.h>

#include "calls/calls.h"

/* What a call does. The words of the column `does`; where a row has none, its class says it. */
enum hb_does {
	HB_DOES_NOTHING, /* that concerns the order of events or the state that hbdb keeps */
	HB_DOES_INIT,
	HB_DOES_FINALIZE,
	HB_DOES_SESSION_INIT,
	HB_DOES_SESSION_END,
	HB_DOES_ABORT,
	HB_DOES_SEND,
	HB_DOES_RECEIVE, /* and the combined calls: they have a destination, too */
	HB_DOES_MATCHED_RECEIVE,
	HB_DOES_PROBE,
	HB_DOES_MATCHED_PROBE,
	HB_DOES_START,
	HB_DOES_COMPLETE,
	HB_DOES_LOOK, /* asks whether requests are complete and leaves them as they are */
	HB_DOES_FREE_REQUEST,
	HB_DOES_CANCEL,
	HB_DOES_PARTITIONED, /* makes a partitioned send or receive */
	HB_DOES_READY,       /* marks partitions */
	HB_DOES_ARRIVED,
	HB_DOES_COLLECTIVE,
	HB_DOES_BIRTH,          /* collective over the communicator that it makes */
	HB_DOES_BIRTH_OF_GROUP, /* ... and called by some members of its communicator only */
	HB_DOES_FREE_COMM,      /* MPI_Comm_disconnect, too */
	HB_DOES_WINDOW_MAKE,    /* from here to WINDOW_SYNC: windows */
	HB_DOES_WINDOW_FREE,
	HB_DOES_WINDOW_FENCE,
	HB_DOES_WINDOW_POST,
	HB_DOES_WINDOW_START,
	HB_DOES_WINDOW_COMPLETE,
	HB_DOES_WINDOW_WAIT, /* MPI_Win_test, too: it polls */
	HB_DOES_WINDOW_LOCK,
	HB_DOES_WINDOW_LOCK_ALL,
	HB_DOES_WINDOW_UNLOCK,
	HB_DOES_WINDOW_UNLOCK_ALL,
	HB_DOES_WINDOW_FLUSH,
	HB_DOES_WINDOW_FLUSH_ALL,
	HB_DOES_WINDOW_FLUSH_LOCAL,
	HB_DOES_WINDOW_FLUSH_LOCAL_ALL,
	HB_DOES_WINDOW_SYNC,
	HB_DOES_WINDOW_ATTACH,
	HB_DOES_WINDOW_DETACH,
	HB_DOES_PUT,
	HB_DOES_GET,
	HB_DOES_ACCUMULATE,
	HB_DOES_GET_ACCUMULATE,
	HB_DOES_FETCH_AND_OP,
	HB_DOES_COMPARE_AND_SWAP,
	HB_DOES_FILE_OPEN,
	HB_DOES_FILE_CLOSE,
	HB_DOES_ATTACH_BUFFER,
	HB_DOES_DETACH_BUFFER,
	HB_DOES_SET_NAME,
	HB_DOES_GET_NAME,
	HB_DOES_SET_ATTRIBUTE,
	HB_DOES_CALL_HANDLER, /* has an error handler called */
	HB_DOES_COUNT,        /* says how long a message was */
	HB_DOES_PACK,
	HB_DOES_UNPACK,
	HB_DOES_COMBINE, /* applies an operation in this process */
	HB_DOES_FREE_MEMORY,
	HB_DOES_COPY_TYPE,
	/* events of the program itself (user.def) */
	HB_DOES_SPAN_BEGIN,
	HB_DOES_SPAN_END,
	HB_DOES_KEYED_SEND, /* a message over a channel with a name, told apart by its key */
	HB_DOES_KEYED_RECEIVE,
	HB_DOES_POST_AFTER, /* a thread is about to post a message, after another one of the process; orders no events */
	HB_DOES_COME_AFTER, /* an operation of a thread, after one of another thread of the process, as its results say */
	/* how processes talk (sockets/sockets.def) */
	HB_DOES_BYTES_OUT, /* puts bytes into a stream */
	HB_DOES_BYTES_IN,
	HB_DOES_DATAGRAM_OUT,
	HB_DOES_DATAGRAM_IN,
	HB_DOES_CONNECT,
	HB_DOES_ACCEPT,
	HB_DOES_BIND, /* an end is there, and has a name */
	HB_DOES_LISTEN,
	HB_DOES_END_OUT, /* nothing more comes out of this end */
	HB_DOES_CLOSE,   /* likewise, when no other descriptor of it is left */
	HB_DOES_PAIR,    /* makes both ends of a stream */
	HB_DOES_SELECT,  /* says which descriptors are ready */
	HB_DOES_FORK,    /* makes a process */
	HB_DOES_WAIT_CHILD,
};

/* Whether the standard lets a send wait for its receive. */
enum hb_mode { HB_MODE_STANDARD, HB_MODE_SYNCHRONOUS, HB_MODE_READY, HB_MODE_BUFFERED };

/* What follows from the end of a collective call: who had to begin before whom could end. */
typedef enum hb_order {
	HB_ORDER_NONE, /* it moves nothing: no order follows (free, no data, neighbours that are not recorded) */
	HB_ORDER_ALL,  /* every enter -> every exit */
	HB_ORDER_OUT,  /* the root's enter -> every exit */
	HB_ORDER_IN,   /* every enter -> the root's exit */
	HB_ORDER_SCAN, /* lower ranks' enter -> exit; the own enter, too */
	HB_ORDER_EXSCAN,
} hb_order;

/* How the results of a function are laid out in a recording (hbdb-recording.5, RESULTS). */
typedef enum hb_shape {
	HB_SHAPE_NONE,    /* nothing is answered */
	HB_SHAPE_MESSAGE, /* source, tag, bytes */
	HB_SHAPE_STARTED, /* a reference for each request started */
	HB_SHAPE_MATCHED, /* a reference to the probe that took the message */
	HB_SHAPE_STATUS,  /* one status */
	HB_SHAPE_ALL,     /* one status for each request */
	HB_SHAPE_ANY,     /* an index and a status */
	HB_SHAPE_SOME,    /* a count, and so many indices and statuses */
	HB_SHAPE_REQUEST, /* a reference */
	HB_SHAPE_COMM,    /* a new communicator */
	HB_SHAPE_WINDOW,  /* a new window */
	HB_SHAPE_FETCHED, /* ranks in the world of those whom an epoch fetched data from */
	HB_SHAPE_CLOCK,   /* a time */
	HB_SHAPE_TURN,    /* what came before it; nothing: it took no turn */
	HB_SHAPE_VALUES,  /* the values of an event of the program, as its function says */
	HB_SHAPE_ORDER,   /* an operation of a thread: which one, what it came after, what it answered */
} hb_shape;

/* How many requests or messages a call makes that later calls refer to. */
enum hb_posts { HB_POSTS_NONE, HB_POSTS_ONE, HB_POSTS_COUNT /* as its argument count says */ };

/* What a call needs of others before it can return. */
enum hb_needs {
	HB_NEEDS_NOTHING,
	HB_NEEDS_RECEIVER, /* somebody who receives its message, unless the library buffers it */
	HB_NEEDS_MESSAGE,
	HB_NEEDS_PROBED,   /* a message that is there */
	HB_NEEDS_REQUESTS, /* what its requests need */
	HB_NEEDS_MEMBERS,  /* the processes of its communicator, as its order says */
	HB_NEEDS_OTHERS,   /* others, and which ones the table cannot say */
	HB_NEEDS_PEERS,    /* one of those who have what it works on */
	HB_NEEDS_CHILD,    /* the end of a process that its process made */
};

/* Where the data of a collective go. With `topology` the processes are neighbours, else all of the communicator. */
enum hb_moves {
	HB_MOVES_NOTHING,
	HB_MOVES_CAST,           /* from the root to all; one buffer */
	HB_MOVES_GATHER,         /* one block from each process to the root or, without one, to all */
	HB_MOVES_SCATTER,        /* one block from the root to each process */
	HB_MOVES_EXCHANGE,       /* one block from each process to each */
	HB_MOVES_REDUCE,         /* combined, to the root or, without one, to all */
	HB_MOVES_REDUCE_SCATTER, /* combined, and each process gets a block of it */
};

/* Which communicators a call takes. */
enum hb_takes { HB_TAKES_ANY, HB_TAKES_INTRA, HB_TAKES_INTER };

/* Which topology its communicator has to have. */
enum hb_topology {
	HB_TOPOLOGY_NONE, /* needs none */
	HB_TOPOLOGY_SOME, /* whichever */
	HB_TOPOLOGY_CART,
	HB_TOPOLOGY_GRAPH,
	HB_TOPOLOGY_DIST_GRAPH,
};

/* Where the memory of a window that is made comes from. */
enum hb_flavor { HB_FLAVOR_NONE, HB_FLAVOR_CREATE, HB_FLAVOR_ALLOCATE, HB_FLAVOR_SHARED, HB_FLAVOR_DYNAMIC };

/* How the processes were met that the new intercommunicator leads to, and that are of another world: the numbers of a
 * recording (hbdb-recording.5, definition 14). */
enum hb_bridge_kind {
	HB_BRIDGE_NONE,
	HB_BRIDGE_SPAWNED, /* the call made them */
	HB_BRIDGE_MAKER,   /* they made this world */
	HB_BRIDGE_ACCEPTED,
	HB_BRIDGE_CONNECTED,
	HB_BRIDGE_JOINED,
	HB_BRIDGES
};

/* How the data of one collective have to fit together: each collective's section in MPI 4.0, chapter 6. */
enum hb_fit {
	HB_FIT_NONE,
	HB_FIT_SAME,    /* count and datatype alike everywhere */
	HB_FIT_GATHER,  /* everybody's send is what the root receives from each */
	HB_FIT_SCATTER, /* what the root sends to each is everybody's receive */
	HB_FIT_ALL,     /* every send is like every receive */
	HB_FIT_GATHERV, /* ... with a count for each process */
	HB_FIT_SCATTERV,
	HB_FIT_ALLGATHERV,
	HB_FIT_ALLTOALLV,
	HB_FIT_ALLTOALLW,
	HB_FIT_COUNTS,    /* the same array of counts everywhere */
	HB_FIT_NEIGHBORS, /* what goes to a neighbour is what is received of it */
};

/* Arguments that no event carries, which the recorder tells in a remark where a run is checked (HB_REMARK_GIVEN). */
enum hb_tells {
	HB_TELLS_NOTHING,
	HB_TELLS_IN_PLACE, /* whether the send buffer is MPI_IN_PLACE */
	HB_TELLS_CART,
	HB_TELLS_CART_SUB,
	HB_TELLS_GRAPH,
	HB_TELLS_DIST_GRAPH,
	HB_TELLS_ADJACENT,
	HB_TELLS_GROUP,
	HB_TELLS_SPLIT_TYPE,
	HB_TELLS_FILE_OPEN,
	HB_TELLS_FILE_VIEW,
	HB_TELLS_FILE_SEEK,
	HB_TELLS_FENCE,
};

/* How a process that replays without others answers it, where that is not said by its class and by what it answers. */
enum hb_alone {
	HB_ALONE_NOTHING,
	HB_ALONE_LIBRARY, /* the library does it: it is local to the process */
	HB_ALONE_RANK,    /* from here to INTER: of the communicator, as it is known */
	HB_ALONE_SIZE,
	HB_ALONE_REMOTE_SIZE,
	HB_ALONE_INTER,
	HB_ALONE_ATTRIBUTE, /* some were set by the library */
	HB_ALONE_SEGMENT,   /* of memory that a window shares */
};

/* In which order processes do it is chance, and is recorded as turns (hbdb-recording.5, TURNS). */
enum hb_turn {
	HB_TURN_NONE,
	HB_TURN_LOCK,
	HB_TURN_UNLOCK,  /* ends what such a lock began */
	HB_TURN_ATOMIC,  /* an atomic operation on a window */
	HB_TURN_POINTER, /* moves the shared pointer of a file */
};

typedef struct hb_meaning {
	const char *name;
	uint16_t plain;       /* the function with int counts: of MPI_Ibcast_c MPI_Ibcast */
	uint16_t base;        /* the blocking function with int counts: of MPI_Ibcast_c and MPI_Bcast_init MPI_Bcast */
	uint8_t cls, flags;   /* calls.h */
	uint8_t does;         /* enum hb_does */
	uint8_t mode;         /* enum hb_mode */
	uint8_t order;        /* enum hb_order, of collectives */
	uint8_t shape, posts; /* hb_shape, enum hb_posts */
	uint8_t needs;        /* enum hb_needs */
	uint8_t moves, fit;   /* enum hb_moves, enum hb_fit: of collectives */
	uint8_t takes;        /* enum hb_takes */
	uint8_t topology;     /* enum hb_topology */
	uint8_t flavor;       /* enum hb_flavor */
	uint8_t turn;         /* enum hb_turn */
	uint8_t alone;        /* enum hb_alone */
	uint8_t bridge;       /* enum hb_bridge_kind */
	uint8_t tells;        /* enum hb_tells */
	uint8_t repeats; /* HB_SHAPE_VALUES: so many of its last values stand there again and again, once for each thing told */
	bool rooted;   /* it has an argument root */
	bool empty;    /* with no data it orders nothing */
	bool chooses;  /* the library may answer with one of several requests, or with a yes or a no */
	bool in_place; /* MPI_IN_PLACE has to be given by all processes or by none */
	bool frees;    /* its first argument is a handle that it ends */
	bool unfreed;  /* what it makes, or hands out, need not be freed */
	bool meets;    /* with data, no process leaves it before all have entered it: in every library */
	bool tool;     /* of the tool information interface, whose arguments and errors are its own */
	bool anytime; /* any thread may call it, before MPI_Init and after MPI_Finalize, too (MPI 4.0, 11.4.1, 11.6.2) */
	/* Arguments that all processes have to give alike, apart from data, root and operation, with a comma between
	 * them; `?` behind one: only whether it is 0 counts. NULL: none. */
	const char *alike;
	/* Those of them that no event carries: the recorder's remarks have them (HB_REMARK_GIVEN), by these keys. `[]`
	 * behind one: an array. `=NAME` behind one: what the argument is called. The key `text` has a text. NULL: none. */
	const char *given;
	const char *otf2; /* its name among OTF2's collective operations; NULL: it is none */
} hb_meaning;

/* By the numbers of mpi_ids.h, which are in the order of the names. */
extern const hb_meaning hb_meanings[];
extern const unsigned hb_meanings_known;

/* What a function means, by its name in a recording. One that the table does not have (of another version of hbdb) means
 * what can be said by its class alone; its name is empty, its plain and base are UINT16_MAX. Never NULL; static. */
const hb_meaning *hb_meaning_of(const char *name, uint8_t cls);
/* What it takes, in the order of the standard; NULL: nothing, or it is not in the table. For who reads recordings: the recorder's
 * functions have theirs themselves. */
const struct hb__param *hb_parameters_of(const hb_meaning *means, unsigned *ret_n);

#endif
