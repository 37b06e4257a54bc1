/* What the core asks of a layer, at moments of the process and never on the way of a recorded call. A layer registers itself in a
 * constructor of priority 102, behind that of the core; every member may be NULL. */
#ifndef HBDB_CAPTURE_CORE_LAYER_H
#define HBDB_CAPTURE_CORE_LAYER_H

#include "capture/core/core.h"

#pragma GCC visibility push(hidden)

/* Whose code stands at an address. */
enum hb__code { HB__CODE_PROGRAM, HB__CODE_LIBRARY, HB__CODE_BINDING /* of the library, to another language */ };

struct hb__layer {
	const char *name;   /* in the log: "mpi" */
	unsigned functions; /* they have the numbers from `first` on; 0: the free ones, from hb__layers_functions on */
	unsigned first;     /* set when it is added; 0 for the layer that is added first */
	bool (*present)(void);                      /* its library is loaded: the process begins with it */
	enum hb__code (*code_of)(const char *path); /* of a loaded file */
	const struct hb__fn *(*function)(
		const char *name, uint8_t cls);         /* replay: the function of a record; NULL: not of this layer */
	bool (*expected)(int *ret_rank, int *ret_size); /* by its launcher's variables; false: there are none */
	void (*progress)(void);                         /* keeps its library going while a thread is held */
	/* A process that was forked begins a log of its own: it has nothing of what was defined in the parent's. */
	void (*again)(void);
	/* The process has a log, and calls of the system will be forbidden: what will have to be asked is asked now. */
	void (*shut)(void);
	void (*leaving)(void); /* the process leaves without having told its end */
	/* In the header of the log: the library (hbdb-recording(5), library) and its version. NULL: of no library. */
	uint32_t (*library)(char *text, size_t size);
	const char *polls,
		*clock; /* for messages: names of calls that may be told no; of its clock, which a replay repeats */
	bool told;      /* the log has its definition */
	bool off; /* set when it is added: nobody asked for its events (HBDB_LAYERS); it passes all on, and is not asked either */
	struct hb__layer *next;
};

/* The order in which threads of the process do what others may do at the same time, and of which the order decides what each of them gets:
 * post messages. One layer knows which call does so, another one keeps the order of threads. */
struct hb_actor;
struct hb__ordering {
	/* Who makes a call, at pc, in the lane of this thread; NULL: its order with others is not kept. */
	struct hb_actor *(*comes)(struct hb__lane *lane, const void *pc);
	/* Recording: it is about to post on this channel, and nobody else does so up to then. */
	void (*posts)(struct hb_actor *actor, uint64_t channel);
	/* Replay: waits until those have posted that did so before it; it is about to. */
	void (*posts_again)(struct hb_actor *actor);
	/* Replay: the record says next what its next posting comes after. */
	bool (*is_ahead)(const struct hb_actor *actor);
	/* Replay: it has posted what it was about to. */
	void (*posted_again)(struct hb_actor *actor);
};
extern const struct hb__ordering *hb__ordering; /* NULL: nobody keeps it */

/* Who writes beside the log: the trace of a run that is compared. */
struct hb__spread;
struct hb__spread_halo;
struct hb__spread_saying;
struct hb__tracing {
	void (*named)(const char *log, int rank,
		int size);  /* the log has this path from now on; also again, when it gets another one */
	void (*over)(void); /* the process told its end, or leaves */
	void (*received)(const void *p, size_t bytes); /* MPI has written there what came; NULL: nobody wants to know */
	/* The program told MPI how an array is spread, or where an exchange puts what it receives. pc: who called. NULL: nobody wants to know */
	void (*spread)(const struct hb__spread *spread, const void *pc);
	void (*halo)(const struct hb__spread_halo *halo, const void *pc);
	/* All processes of the world are about to tell each other what they have found out of halos, and have. NULL where halo is. */
	void (*says)(struct hb__spread_saying *ret);
	void (*said)(const struct hb__spread_saying *saying, uint32_t processes);
};
extern const struct hb__tracing *hb__tracing; /* NULL: nobody does */

/* The layer of the program's own events: one that another part of the recorder makes in the program's name. pc, cfa: as in hb__call. */
struct hb_value;
extern void (*hb__event_made)(
	int kind, const char *name, unsigned n, const struct hb_value *value, const void *pc, const void *cfa);

void hb__layer_add(struct hb__layer *layer);
/* Whether the events of a layer are to be recorded: HBDB_LAYERS has its name. Where that is not set, all are. */
bool hb__layer_asked(const char *name);
/* Before all layers: those that nobody asked for (HBDB_FOUND) are not recorded where a library is that a layer is about, nor in what
 * such a process begins. */
void hb__layers_give_way(void);
/* The layer with a library of its own defines it: whether this program is linked with that, or begins others that are. */
bool hb__has_library(void);

/* Called when a call of this thread that a layer stands in front of is over, also a poll that said no; NULL: nobody wants to know. */
extern void (*hb__after_event)(void);

/* Replay: called when a call of this thread that a layer stands in front of has begun, before it is compared; NULL: nobody wants to know. */
extern void (*hb__inside_call)(void);

/* The same asked of all layers. */
bool hb__layers_present(void);
enum hb__code hb__code_of(const char *path);
const struct hb__fn *hb__function_named(const char *name, uint8_t cls);
/* Which process of how many this will be, as its launcher tells by variables; 0 of 1 where it tells nothing. */
void hb__layers_expected(int *ret_rank, int *ret_size);
void hb__progress(void);
void hb__layers_leaving(void);
void hb__layers_shut(void);
void hb__layers_again(void);
const char *hb__layers_polls(void);                   /* "": none */
const char *hb__layers_clock(void);                   /* "": none */
uint32_t hb__layers_library(char *text, size_t size); /* 0: none */
/* The first number of a function that is nobody's. */
unsigned hb__layers_functions(void);
struct hb__layer *hb__layer_of_function(unsigned id);

#pragma GCC visibility pop

#endif
