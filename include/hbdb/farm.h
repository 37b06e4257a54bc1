/* A task farm: a program is a few sequential functions, and the library runs them over a tree of MPI processes.
 *
 *   static void data_generator(void) { for (int i = 0; i < 100; i++) hb_farm_do_task(&i, sizeof i); }
 *   static void compute(const void *task, size_t size, hb_farm_out *out) { ... hb_farm_put(out, &y, sizeof y); }
 *   static void result_receiver(void) { hb_farm_bytes r; while (hb_farm_get_result(&r)) ... }
 *   int main(int argc, char **argv)
 *   {
 *       hb_farm_program program = {.data_generator = data_generator, .compute = compute, .result_receiver = result_receiver};
 *       if (hb_farm_run(&program, &argc, &argv) < 0) { fputs(hb_farm_error(), stderr); return 1; }
 *   }
 *
 * Link with libhbdb-farm-openmpi or libhbdb-farm-mpich (pkg-config hbdb-farm-openmpi, hbdb-farm-mpich). Machine, topology and
 * all else stand in an application specification, not in the program: hbdb-farm(7). Tasks and results are bytes; processes
 * must have the same representation of data. A program runs one farm at a time, in one thread, and functions of MPI have no
 * place in its functions. C99 and C++; hbdb/farm.f90 is the same for Fortran. */
#ifndef HBDB_FARM_H
#define HBDB_FARM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct hb_farm_bytes {
	const void *data; /* aligned to 16 bytes */
	size_t size;
} hb_farm_bytes;

/* Where compute, split and join put what comes out of them. */
typedef struct hb_farm_out hb_farm_out;

/* The functions of a program; those that are not needed are null. Each runs in the process that it belongs to, and sees this
 * process's own copies of all variables: data_generator and result_receiver are in different processes, unless the
 * specification says `host = one`. So what both need is to be computed in init_master, which runs in both. */
typedef struct hb_farm_program {
	/* Before everything else, in the generator's and the receiver's process; arguments without those of the farm. May be null. */
	void (*init_master)(int argc, char **argv);
	/* Calls hb_farm_do_task for each task and returns. */
	void (*data_generator)(void);
	/* Calls hb_farm_get_result until it has what it wants and returns. */
	void (*result_receiver)(void);
	/* The result of a task: one hb_farm_put (or none: an empty one). The task may be overwritten by nobody. */
	void (*compute)(const void *task, size_t size, hb_farm_out *out);
	/* Divide and conquer, else both null. Parts of a task: 1 to degree times hb_farm_put. */
	void (*split)(const void *task, size_t size, int degree, hb_farm_out *out);
	/* The result of a task from those of its n parts, in the order in which split has put them. */
	void (*join)(const hb_farm_bytes *result, int n, hb_farm_out *out);
} hb_farm_program;

/* What hb_farm_run returns. */
enum {
	HB_FARM_OK = 0,
	HB_FARM_ELSEWHERE = 1,          /* the farm did not come to its end; another process knows why */
	HB_FARM_BAD_SPECIFICATION = -1, /* before anything ran */
	HB_FARM_BAD_PROGRAM =
		-2,       /* a function that is missing, or has done what it may not: a result larger than said */
	HB_FARM_LOST = -3 /* a process died that the farm cannot do without, or tasks were put aside */
};

/* Runs the farm; to be called by every process of MPI_COMM_WORLD. Starts MPI if the program has not, and then ends it, too. Takes
 * the options --farm-... out of argv; with argc and argv null (Fortran) they are read from the system and stay.
 * Returns 0 everywhere; or below zero in the process that knows what is wrong (or in several), and HB_FARM_ELSEWHERE in all others: these
 * should end as if nothing were, because launchers kill the job when a process ends with an error, maybe before the one
 * that knows has told it. */
int hb_farm_run(const hb_farm_program *program, int *argc, char ***argv);

/* What was wrong, a line with its end, where hb_farm_run returned less than zero (for a specification: file, line and field); else
 * an empty text. */
const char *hb_farm_error(void);

/* In data_generator: hands a task out, and waits while the farm has enough. The bytes are copied. 0, or below zero: the farm has
 * stopped, return. Tasks are numbered from 0 in this order. */
int hb_farm_do_task(const void *task, size_t size);

/* The same for bytes that are handed over: release is called for them, before or after this returns, once. */
int hb_farm_give_task(void *task, size_t size, void (*release)(void *));

/* In result_receiver: waits for the next result, in the order in which they come. 1, or 0: there are no more, or the farm has stopped. The bytes may be read until the
 * next call. */
int hb_farm_get_result(hb_farm_bytes *ret_result);

/* In compute, split and join. The bytes are copied. 0, or below zero: one too many, or larger than the specification allows; the
 * farm stops when the function returns. */
int hb_farm_put(hb_farm_out *out, const void *data, size_t size);

/* The same for bytes that are handed over: release is called for them once. */
int hb_farm_give(hb_farm_out *out, void *data, size_t size, void (*release)(void *));

/* The same without a copy: room of this size to write to until the function returns or puts the next; aligned to 16 bytes. Null as above. */
void *hb_farm_room(hb_farm_out *out, size_t size);

/* For debuggers: the address of compute, split or join, whichever the library called last in this process or is about to call. hbdb debug
 * --task stops there. */
extern volatile uintptr_t hb_farm_calling;

/* Switches this process's events for hbdb off (0) and on, where the specification has not switched them off (`monitor`). */
void hb_farm_monitor(int on);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
