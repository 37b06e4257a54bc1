/* Bytes that tasks and results lie in: a message as it was taken or will be given, or what the process itself makes. A parcel is
 * counted: every task and result that lies in it holds it, so nothing is copied or allocated for a single one. */
#ifndef FARM_PARCEL_H
#define FARM_PARCEL_H

#include <stddef.h>
#include <stdint.h>

/* A message is a head and items; both 32 bytes, what an item holds is padded to 16. */
struct head {
	uint32_t credits; /* as many tasks more may be sent to who sends this */
	uint32_t items;
	uint32_t flags;  /* FLAG_... */
	uint32_t window; /* to a child: of each node, 0: as before */
	uint64_t total;  /* with FLAG_END: tasks in all, of the generator; results in all, of node 0 */
	uint64_t spare;
};
enum {
	FLAG_END = 2,     /* nothing more will come */
	FLAG_LEFT = 4,    /* the receiver has returned and takes nothing more */
	FLAG_FAIL = 16,   /* the farm stops; the status is in `total` */
	FLAG_ADOPT = 64,  /* to a node: your parent is dead, I am the new one */
	FLAG_GO = 128,    /* all that will be known of the others is known: leave */
	FLAG_COUNTS = 32, /* one item: what a process has done, for the report */
};

struct item {
	uint32_t ticket; /* where the sender of the task has it noted; a result brings it back */
	uint8_t kind;    /* ITEM_... */
	uint8_t level;   /* how often it was split from the whole task */
	uint8_t deaths;  /* processes that died with it */
	uint8_t spare;
	int64_t task;
	uint64_t part; /* the digits of the subtask, as a number of base `degree` */
	uint64_t size;
};
enum { ITEM_TASK, ITEM_RESULT, ITEM_ASIDE }; /* aside: in the place of a result */
_Static_assert(sizeof(struct head) == 32 && sizeof(struct item) == 32, "what lies behind them is aligned to 16 bytes");

struct parcel {
	struct parcel *next; /* in the list of free ones */
	uint32_t held;
	size_t room, used;
	_Alignas(16) char bytes[];
};

/* Just below what Open MPI and MPICH send within a process's memory without asking the receiver first. */
enum { PARCEL_BYTES = 3968 };

static inline size_t item_bytes(uint64_t size) { return sizeof(struct item) + (((size_t)size + 15) & ~(size_t)15); }

static inline void *item_data(const struct item *item) { return (char *)item + sizeof *item; }

static inline struct head *parcel_head(struct parcel *parcel) { return (struct head *)parcel->bytes; }

static inline struct item *parcel_first(struct parcel *parcel)
{
	return (struct item *)(parcel->bytes + sizeof(struct head));
}

static inline struct item *item_next(const struct item *item)
{
	return (struct item *)((char *)item + item_bytes(item->size));
}

/* Held once; room for at least so many bytes. Null: out of memory. */
struct parcel *parcel_new(size_t room);
/* An empty message of standard size or larger, for an item of this size. */
struct parcel *parcel_message(size_t size);
void parcel_drop(struct parcel *parcel);
/* Frees those that wait for their next use. */
void parcel_forget(void);

static inline struct parcel *parcel_hold(struct parcel *parcel)
{
	parcel->held++;
	return parcel;
}

/* The next item of a parcel, if there is room for it; its size is set, and the parcel's. Else null. */
struct item *parcel_append(struct parcel *parcel, uint64_t size);

#endif
