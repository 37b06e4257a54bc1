/* The trace of a process: rank.N.trace beside its log, in which constructs, iterations, accesses and checksums stand
 * (docs/man/hbdb-trace.5, which is normative). Written by the target as it runs, read here; a reader may follow one that grows. */
#ifndef HBDB_FORMAT_TRACE_TRACE_H
#define HBDB_FORMAT_TRACE_TRACE_H

#include <hbdb/format.h>

#include "format/trace/settings.h"
#include "format/trace/tiles.h"

#define HB_TRACE_MAGIC "HBDBTRAC"
#define HB_TRACE_VERSION 1u
#define HB_TRACE_BLOCK_MOST (1u << 24) /* bytes of a payload: more is damage */
#define HB_TRACE_INDICES 16u           /* of a record, at most */
#define HB_TRACE_AHEAD 4096u /* a number that is defined is at most so much above how many there are of its kind */

struct hb_trace_header {
	char magic[8];
	uint32_t version, incompatible; /* no flags are known */
	int32_t rank;                   /* as in the log: of the world, or the number of a process without MPI */
	int32_t size;                   /* of the world; 0: not known */
	uint32_t pid, threads;          /* threads that wrote when the file was closed; 0: it was not */
	char spare[32];
} __attribute__((packed));

struct hb_trace_block {
	uint32_t bytes, thread;
	uint64_t check;
} __attribute__((packed));

typedef enum hb_trace_kind {
	HB_TRACE_CONSTRUCT = 1,
	HB_TRACE_ARRAY,
	HB_TRACE_GONE,
	HB_TRACE_BEGIN,
	HB_TRACE_END,
	HB_TRACE_ITERATION,
	HB_TRACE_TASK,
	HB_TRACE_READ,
	HB_TRACE_BEFORE,
	HB_TRACE_AFTER,
	HB_TRACE_RV_READ,
	HB_TRACE_RV_BEFORE,
	HB_TRACE_RV_AFTER,
	HB_TRACE_VARIABLE,
	HB_TRACE_RESULT,
	HB_TRACE_SKIP,
	HB_TRACE_CHECKED,
	HB_TRACE_PLACE,
	HB_TRACE_MODULE,
	HB_TRACE_SAVED,
	HB_TRACE_TROUBLE,
	HB_TRACE_CONTROL,
	HB_TRACE_COST,
	HB_TRACE_OVER,
	HB_TRACE_KINDS
} hb_trace_kind;

enum {
	HB_TRACE_ARRAY_COLUMNS = 1,
	HB_TRACE_ARRAY_REPLICATED = 2,
	HB_TRACE_ARRAY_READ_ONLY = 4,
	HB_TRACE_ARRAY_OWN =
		8, /* nobody registered it: no process knows of its other parts; it is compared process by process */
	HB_TRACE_ARRAY_TOLD =
		16, /* nobody registered it: its box is what the program told MPI, and holds where all parts make one array */
	HB_TRACE_ARRAY_WHOLE = 256, /* of the text form alone: all of a checksum stands in tile 0 */
};

/* Why there is no checksum. */
enum {
	HB_CHECKSUM_FINE,
	HB_CHECKSUM_GONE /* the array does not exist (yet, any more) */,
	HB_CHECKSUM_UNREADABLE /* its memory cannot be read */,
	HB_CHECKSUM_STRANGE /* its description makes no sense */
};

typedef enum hb_trace_trouble {
	HB_TROUBLE_NEST,    /* an end without its begin, or of another construct. number: construct */
	HB_TROUBLE_ARRAY,   /* a description that makes no sense. number: array, 0: none */
	HB_TROUBLE_UNKNOWN, /* an access to memory of no array, where all are wanted. number: place */
	HB_TROUBLE_REGION, /* a start or finish implies a task region, but there is a parallel loop; the whole construct is taken. number: construct */
	HB_TROUBLE_SAVE, /* an array to be saved was not found, or its file cannot be written. number: array, 0: not found */
	HB_TROUBLE_ROOM, /* something was left out for want of memory or disk */
	HB_TROUBLES
} hb_trace_trouble;

/* The nine kinds of dynamic control. */
typedef enum hb_control_finding {
	HB_CONTROL_UNWRITTEN,    /* read before anybody wrote it */
	HB_CONTROL_NOT_LOCAL,    /* an element that the process has not */
	HB_CONTROL_SHADOW_WRITE, /* an element of the halo is written */
	HB_CONTROL_SHADOW_STALE, /* an element of the halo is read after its owner changed it and before it was exchanged */
	HB_CONTROL_READ_ONLY,
	HB_CONTROL_DEPENDENCE,      /* two iterations of a parallel loop, one of which writes */
	HB_CONTROL_REMOTE,          /* an element of another process in sequential code */
	HB_CONTROL_REDUCTION,       /* the variable of a reduction is used before it is complete */
	HB_CONTROL_UNWRITTEN_LOCAL, /* ... in sequential code: a variable of no array */
	HB_CONTROLS
} hb_control_finding;

/* ---- reading ---- */

typedef struct hb_trace hb_trace;

/* A record as it was read. Texts and values belong to the reader and are valid until the next record. */
typedef struct hb_trace_record {
	hb_trace_kind kind;
	uint32_t thread;
	uint64_t
		number; /* of what is defined or told: construct, array, variable, place, module; task; what is wrong; finding */
	uint64_t place;   /* of accesses, SKIP, CONTROL */
	uint64_t element; /* of the storage */
	uint64_t event, time;
	hb_point point; /* `end` is set for END, CHECKED and SAVED */
	unsigned n;     /* indices */
	int64_t index[HB_TRACE_INDICES];
	unsigned others;   /* of CONTROL: indices of the other iteration, which stand behind those of the one */
	uint64_t other;    /* of CONTROL: the other place, 0: none */
	const void *value; /* of the element's type, `bytes` of it */
	unsigned bytes;
	unsigned access, state;
	const char *text, *file; /* name, path, sentence; file of SAVED */
	const hb_tile *tile;     /* of CHECKED: `tiles` of them, with their numbers */
	const uint32_t *tile_number;
	uint32_t tiles;
	uint64_t cost[5]; /* of COST: times, iterations, reads, writes, bytes */
} hb_trace_record;

/* What was defined, by number. Owned by the reader; as it is after the last record that was read. */
typedef struct hb_trace_construct {
	uint64_t number, parent;
	hb_construct_type type;
	unsigned rank;
	const char *name, *file, *function;
	uint32_t line;
	hb_trace_level level;
} hb_trace_construct;
typedef struct hb_trace_array {
	uint64_t number;
	hb_array_id id;
	uint64_t address;
	unsigned flags; /* HB_TRACE_ARRAY_* */
	bool gone;
	hb_array as; /* `at` is NULL: there is no memory; name as in id */
	bool tiled;  /* its description makes sense: */
	hb_tiling tiling;
} hb_trace_array;
typedef struct hb_trace_variable {
	uint64_t number;
	const char *name, *file;
	uint32_t line;
	hb_element type;
	hb_reduction how;
} hb_trace_variable;
typedef struct hb_trace_place {
	uint64_t number, module, offset, back;
} hb_trace_place;

/* Opens a trace, also one that grows. HB_E_FOREIGN: it is none. hb_trace_close. */
hb_status hb_trace_open(const char *path, hb_trace **ret_trace, hb_error *err);
/* Opens a process of a text that was printed of traces: `process` is its place in it, from 0. HB_E_FOREIGN: it is no such text;
 * HB_E_ARGUMENT: it has not so many. Of what it says everything is told but places. */
hb_status hb_trace_open_text(const char *path, uint32_t process, hb_trace **ret_trace, hb_error *err);
void hb_trace_close(hb_trace *trace);
const struct hb_trace_header *hb_trace_get_header(const hb_trace *trace);
/* The next record: 1; 0 at the end, or where a growing file ends for now (ask again later); or a negative status: what follows is
 * damaged (HB_E_DAMAGED). Blocks of one thread come in order. */
int hb_trace_next(hb_trace *trace, hb_trace_record *ret_record, hb_error *err);
/* Whether OVER has been read. A trace without it was cut: its process did not come to its end. */
bool hb_trace_over(const hb_trace *trace);
const hb_trace_construct *hb_trace_construct_of(
	const hb_trace *trace, uint64_t number); /* NULL: not defined; so the others */
const hb_trace_array *hb_trace_array_of(const hb_trace *trace, uint64_t number);
const hb_trace_variable *hb_trace_variable_of(const hb_trace *trace, uint64_t number);
const hb_trace_place *hb_trace_place_of(const hb_trace *trace, uint64_t number);
const char *hb_trace_module_of(const hb_trace *trace, uint64_t number);
/* How many constructs, arrays are defined: their numbers are 1 up to this. */
uint64_t hb_trace_constructs(const hb_trace *trace);
uint64_t hb_trace_arrays(const hb_trace *trace);

#endif
