/* MPICH: handles are integers known when this is compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/task.h"
#include "capture/mpi/family/family.h"

struct hb__known hb__known;

/* Many libraries have functions of these names; those that share the ABI say who they are. */
static bool one_of_us(void)
{
	static const char *const names[] = {"MPICH", "Intel(R) MPI", "MVAPICH", "ParaStation", "psmpi", NULL};
	static char version[8192]; /* MPI_MAX_LIBRARY_VERSION_STRING of the largest */
	int length = 0;
	if (!hb__library_has(hb__fns[HB_FN_MPI_Get_library_version]) ||
		PMPI(Get_library_version)(version, &length) != MPI_SUCCESS)
		return false;
	for (const char *const *name = names; *name; name++)
		if (strstr(version, *name))
			return true;
	return false;
}

bool hb__family_start(hb__function (*find)(const char *name))
{
	if (find("ompi_mpi_comm_world") || !one_of_us())
		return false;
	int *const *unweighted = (int *const *)find("MPI_UNWEIGHTED");
	hb__known = (struct hb__known){
		.comm_world = MPI_COMM_WORLD,
		.comm_self = MPI_COMM_SELF,
		.comm_null = MPI_COMM_NULL,
		.request_null = MPI_REQUEST_NULL,
		.message_null = MPI_MESSAGE_NULL,
		.message_no_proc = MPI_MESSAGE_NO_PROC,
		.byte = MPI_BYTE,
		.type_null = MPI_DATATYPE_NULL,
		.op_null = MPI_OP_NULL,
		.group_null = MPI_GROUP_NULL,
		.group_empty = MPI_GROUP_EMPTY,
		.win_null = MPI_WIN_NULL,
		.file_null = MPI_FILE_NULL,
		.info_null = MPI_INFO_NULL,
		.errhandler_null = MPI_ERRHANDLER_NULL,
		.errors_are_fatal = MPI_ERRORS_ARE_FATAL,
		.errors_return = MPI_ERRORS_RETURN,
		.unweighted = unweighted ? *unweighted : NULL,
	};
	return true;
}

void hb__fatal_error(MPI_Comm *comm, int *code, const char *message)
{
	(void)message;
	PMPI(Comm_set_errhandler)(*comm, MPI_ERRORS_ARE_FATAL);
	PMPI(Comm_call_errhandler)(*comm, *code);
}

/* A handle holds what it is: two bits for where its object lies (0: nowhere), four for the kind. Files are addresses. */
bool hb__handle_plausible(enum hb__handle what, uintptr_t handle)
{
	static const uint32_t like[HB_HANDLES] = {[HB_HANDLE_COMM] = MPI_COMM_NULL,
		[HB_HANDLE_DATATYPE] = MPI_DATATYPE_NULL,
		[HB_HANDLE_OP] = MPI_OP_NULL,
		[HB_HANDLE_GROUP] = MPI_GROUP_NULL,
		[HB_HANDLE_WIN] = MPI_WIN_NULL,
		[HB_HANDLE_INFO] = MPI_INFO_NULL,
		[HB_HANDLE_ERRHANDLER] = MPI_ERRHANDLER_NULL,
		[HB_HANDLE_REQUEST] = MPI_REQUEST_NULL,
		[HB_HANDLE_MESSAGE] = MPI_MESSAGE_NULL};
	if (what == HB_HANDLE_FILE)
		return handle > 4096 && !(handle & 7);
	uint32_t bits = (uint32_t)handle;
	return bits >> 30 && (bits & 0x3c000000) == (like[what] & 0x3c000000);
}

bool hb__predefined_type(unsigned index, uintptr_t *ret_handle)
{
	static const MPI_Datatype handles[] = {
#define HB_DATATYPE(name) MPI_##name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
	};
	if (index >= sizeof handles / sizeof *handles || handles[index] == MPI_DATATYPE_NULL)
		return false;
	*ret_handle = (uintptr_t)handles[index];
	return true;
}

bool hb__predefined_op(unsigned index, uintptr_t *ret_handle)
{
	static const MPI_Op handles[] = {
#define HB_OPERATION(name) MPI_##name,
#include "calls/operations.def"
#undef HB_OPERATION
	};
	if (index >= sizeof handles / sizeof *handles)
		return false;
	*ret_handle = (uintptr_t)handles[index];
	return true;
}

bool hb__type_has_large_counts(MPI_Datatype type)
{
	MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
	int combiner;
	if (!hb__library_has(hb__fns[HB_FN_MPI_Type_get_envelope_c]))
		return false; /* before MPI 4 there are none */
	return PMPI(Type_get_envelope_c)(type, &integers, &addresses, &large, &types, &combiner) != MPI_SUCCESS ||
	       large > 0;
}

/* The two highest bits say how a handle was made: 0 is null, 1 built in. Files are addresses. */
bool hb__handle_given(uintptr_t handle)
{
	return !(handle >> 32 && (intptr_t)handle > 0) && (uint32_t)handle >> 30 < 2;
}

/* The form for large counts: a call may have been given one. */
bool hb__type_of_two(
	const void *first, int bytes, const void *second, MPI_Count count, MPI_Datatype type, MPI_Datatype *ret_type)
{
	MPI_Count lengths[2] = {bytes, count}, at[2] = {(MPI_Count)first, (MPI_Count)second};
	MPI_Datatype types[2] = {MPI_BYTE, type};
	if (!hb__library_has(hb__fns[HB_FN_MPI_Type_create_struct_c])) {
		int small[2] = {bytes, (int)count};
		MPI_Aint places[2] = {(MPI_Aint)first, (MPI_Aint)second};
		return PMPI(Type_create_struct)(2, small, places, types, ret_type) == MPI_SUCCESS &&
		       PMPI(Type_commit)(ret_type) == MPI_SUCCESS;
	}
	return PMPI(Type_create_struct_c)(2, lengths, at, types, ret_type) == MPI_SUCCESS &&
	       PMPI(Type_commit)(ret_type) == MPI_SUCCESS;
}

/* ---- which world this is ---- */

/* What follows this word in a command line, whose words end with nulls; NULL: nothing. */
static const char *word_after(const char *text, size_t n, const char *word)
{
	for (const char *w = text, *end = text + n; w < end; w += strlen(w) + 1)
		if (!strcmp(w, word) && w + strlen(w) + 1 < end)
			return w + strlen(w) + 1;
	return NULL;
}

/* Its launcher tells a process which one it is of its world, and not which world that is. The launcher's agent knows: it was
 * given the address of the launcher, and a number that the launcher counts worlds by. The agent is the parent of its processes,
 * or stands further up where a script starts the program. Who spawned a world it does not say. */
void hb__family_world(struct hb__world *ret)
{
	static char text[8192];
	hb_task task;
	int32_t pid = getppid();
	*ret = (struct hb__world){.maker_rank = -1};
	for (int up = 0; getenv("PMI_FD") && pid > 1 && up < 16; hb_task_read(pid, 0, &task), pid = task.parent, up++) {
		size_t n = hb_task_file(pid, 0, "cmdline", text, sizeof text);
		const char *launcher = word_after(text, n, "--control-port"), *number = word_after(text, n, "--pgid");
		if (launcher && number && strlen(launcher) + strlen(number) + 2 <= sizeof ret->world) {
			snprintf(ret->world, sizeof ret->world, "%.200s/%.50s", launcher, number);
			return;
		}
	}
}

const char *hb__family_spawn_key(void) { return NULL; }
