/* What differs between the MPI libraries; each folder beside this file answers it once. */
#ifndef HBDB_CAPTURE_MPI_FAMILY_H
#define HBDB_CAPTURE_MPI_FAMILY_H

#include "capture/mpi/library.h"
#include "family_local.h" /* HB__FAMILY, HB__FATAL_MESSAGE, hb__status_bytes, hb__status_cancelled and their hb__status_set_...: of openmpi/ or mpich/ */

#pragma GCC visibility push(hidden)

/* Handles that are addresses in one library and constants in the other. */
struct hb__known {
	MPI_Comm comm_world, comm_self, comm_null;
	MPI_Request request_null;
	MPI_Message message_null, message_no_proc;
	MPI_Datatype byte, type_null;
	MPI_Op op_null;
	MPI_Group group_null, group_empty;
	MPI_Win win_null;
	MPI_File file_null;
	MPI_Info info_null;
	MPI_Errhandler errhandler_null, errors_are_fatal, errors_return;
	const int *unweighted; /* MPI_UNWEIGHTED; NULL: not known */
	/* MPICH 4.0 completes MPI_Isendrecv with an empty status, so that what was received is not known, and gives a
	 * derived type back once too often after it. */
	bool sendrecv_untold;
};
extern struct hb__known hb__known;

/* Finds the handles above. False when the loaded library is not of this family. */
bool hb__family_start(hb__function (*find)(const char *name));
/* What MPI_ERRORS_ARE_FATAL does with an error that our own handler got in its place. message: what the library gave it
 * beside the code, if anything. */
void hb__fatal_error(MPI_Comm *comm, int *code, const char *message);
/* Whether a handle that no table knows can be one of its kind: not null, not garbage. Never touches memory that may not be there. */
enum hb__handle {
	HB_HANDLE_COMM,
	HB_HANDLE_DATATYPE,
	HB_HANDLE_OP,
	HB_HANDLE_GROUP,
	HB_HANDLE_WIN,
	HB_HANDLE_FILE,
	HB_HANDLE_INFO,
	HB_HANDLE_ERRHANDLER,
	HB_HANDLE_REQUEST,
	HB_HANDLE_MESSAGE,
	HB_HANDLES
};
bool hb__handle_plausible(enum hb__handle what, uintptr_t handle);
bool hb__predefined_type(unsigned index, uintptr_t *ret_handle);
bool hb__predefined_op(unsigned index, uintptr_t *ret_handle);
/* Made with counts that the calls of MPI 3 cannot tell. */
bool hb__type_has_large_counts(MPI_Datatype type);
/* The library has it from the start: predefined, or null. Not for keyvals. */
bool hb__handle_given(uintptr_t handle);
/* A committed type of `bytes` bytes at `first`, then `count` times `type` at `second`, to be used with MPI_BOTTOM. */
bool hb__type_of_two(
	const void *first, int bytes, const void *second, MPI_Count count, MPI_Datatype type, MPI_Datatype *ret_type);

/* What the launcher told this process of its world and of the one that spawned it; empty, -1: nothing. */
struct hb__world {
	char world[256], maker[256];
	int maker_rank;
};
void hb__family_world(struct hb__world *ret);
/* Of a process that got variables by the key below: who spawned it, WORLD.RANK:0. */
#define HB__MAKER "HBDB_MAKER"
/* The key of an info by which a spawned process gets variables, a line each; NULL: it gets those of the launcher anyway. */
const char *hb__family_spawn_key(void);

/* ---- the same for both: neutral.c ---- */
int hb__error_class(int code);
int hb__error_code(int64_t class); /* of the library; 0: MPI_SUCCESS */
/* What this version of the library does wrong, found by trying it. Once, after MPI_Init. */
void hb__try_library(void);
void hb__library_version(char *text, size_t size);
/* Invalid ranks keep their value, but for those that mean something else in a recording. */
static inline int hb__neutral_rank(int rank)
{
	return likely(rank >= 0)        ? rank
	       : rank == MPI_ANY_SOURCE ? HB_ANY_SOURCE
	       : rank == MPI_PROC_NULL  ? HB_PROC_NULL
	       : rank == MPI_ROOT       ? HB_ROOT
	       : rank >= HB_ROOT        ? rank - 1000
					: rank;
}
static inline int hb__neutral_tag(int tag)
{
	return likely(tag >= 0) ? tag : tag == MPI_ANY_TAG ? HB_ANY_TAG : tag == HB_ANY_TAG ? tag - 1000 : tag;
}
static inline int hb__library_rank(int64_t rank)
{
	return rank >= 0               ? (int)rank
	       : rank == HB_ANY_SOURCE ? MPI_ANY_SOURCE
	       : rank == HB_PROC_NULL  ? MPI_PROC_NULL
				       : MPI_ROOT;
}
static inline int hb__library_tag(int64_t tag) { return tag >= 0 ? (int)tag : MPI_ANY_TAG; }

#pragma GCC visibility pop

#endif
