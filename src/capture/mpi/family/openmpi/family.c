/* Open MPI: handles are addresses of data symbols. They are looked up by name
 * when the library is there: a reference would not load without it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "capture/mpi/family/family.h"
#include "capture/core/record/record.h"

/* Makes every MPI_X constant of mpi.h the name of its symbol. */
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, symbol) #symbol

struct hb__known hb__known;

static hb__function (*lookup)(const char *name);

static uintptr_t symbol(const char *name) { return (uintptr_t)lookup(name); }

bool hb__family_start(hb__function (*find)(const char *name))
{
	lookup = find;
	if (!symbol(MPI_COMM_WORLD))
		return false;
	hb__known = (struct hb__known){
		.comm_world = (MPI_Comm)symbol(MPI_COMM_WORLD),
		.comm_self = (MPI_Comm)symbol(MPI_COMM_SELF),
		.comm_null = (MPI_Comm)symbol(MPI_COMM_NULL),
		.request_null = (MPI_Request)symbol(MPI_REQUEST_NULL),
		.message_null = (MPI_Message)symbol(MPI_MESSAGE_NULL),
		.message_no_proc = (MPI_Message)symbol(MPI_MESSAGE_NO_PROC),
		.byte = (MPI_Datatype)symbol(MPI_BYTE),
		.type_null = (MPI_Datatype)symbol(MPI_DATATYPE_NULL),
		.op_null = (MPI_Op)symbol(MPI_OP_NULL),
		.group_null = (MPI_Group)symbol(MPI_GROUP_NULL),
		.group_empty = (MPI_Group)symbol(MPI_GROUP_EMPTY),
		.win_null = (MPI_Win)symbol(MPI_WIN_NULL),
		.file_null = (MPI_File)symbol(MPI_FILE_NULL),
		.info_null = (MPI_Info)symbol(MPI_INFO_NULL),
		.errhandler_null = (MPI_Errhandler)symbol(MPI_ERRHANDLER_NULL),
		.errors_are_fatal = (MPI_Errhandler)symbol(MPI_ERRORS_ARE_FATAL),
		.errors_return = (MPI_Errhandler)symbol(MPI_ERRORS_RETURN),
		.unweighted = MPI_UNWEIGHTED,
	};
	return true;
}

/* The library's own handler is one more function that it hands the name of the call to. */
void hb__fatal_error(MPI_Comm *comm, int *code, const char *message)
{
	void (*handler)(MPI_Comm *, int *, ...) =
		(void (*)(MPI_Comm *, int *, ...))lookup("ompi_mpi_errors_are_fatal_comm_handler");
	if (handler)
		handler(comm, code, message, NULL);
	PMPI(Comm_set_errhandler)(*comm, hb__known.errors_are_fatal);
	PMPI(Comm_call_errhandler)(*comm, *code);
}

/* ---- whether an address can be a handle ---- */

/* Reads a word that may not be mapped. *ret_known is set false where the system does not allow asking. */
static uintptr_t word_at(uintptr_t address, bool *ret_known)
{
	uintptr_t word = 0;
	struct iovec here = {&word, sizeof word}, there = {(void *)address, sizeof word};
	if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)sizeof word)
		return word;
	if (errno != EFAULT)
		*ret_known = false;
	return 0;
}

/* Every object begins with the address of its class, and a class with its name and the class that it is derived from.
 * (A library built for debugging puts a number before: then the communicator that is known does not look like one, and
 * nothing is said.) */
bool hb__handle_plausible(enum hb__handle what, uintptr_t handle)
{
	static const char *const names[HB_HANDLES] = {[HB_HANDLE_COMM] = "ompi_communicator_t_class",
		[HB_HANDLE_DATATYPE] = "ompi_datatype_t_class",
		[HB_HANDLE_OP] = "ompi_op_t_class",
		[HB_HANDLE_GROUP] = "ompi_group_t_class",
		[HB_HANDLE_WIN] = "ompi_win_t_class",
		[HB_HANDLE_FILE] = "ompi_file_t_class",
		[HB_HANDLE_INFO] = "ompi_info_t_class",
		[HB_HANDLE_ERRHANDLER] = "ompi_errhandler_t_class",
		[HB_HANDLE_REQUEST] = "ompi_request_t_class",
		[HB_HANDLE_MESSAGE] = "ompi_message_t_class"};
	static uintptr_t class_of[HB_HANDLES];
	bool known = true;
	if (handle < 4096 || handle & 7)
		return false;
	if (!class_of[what])
		class_of[what] = symbol(names[what]);
	if (!class_of[what] || word_at((uintptr_t)hb__known.comm_world, &known) != symbol(names[HB_HANDLE_COMM]))
		return true;
	uintptr_t class = word_at(handle, &known);
	for (int depth = 0; class && class != class_of[what] && depth < 8; depth++)
		class = word_at(class + sizeof(void *), &known);
	return !known || class == class_of[what];
}

bool hb__predefined_type(unsigned index, uintptr_t *ret_handle)
{
	static const char *const names[] = {
#define HB_DATATYPE(name) MPI_##name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
	};
	return index < sizeof names / sizeof *names && (*ret_handle = symbol(names[index]));
}

bool hb__predefined_op(unsigned index, uintptr_t *ret_handle)
{
	static const char *const names[] = {
#define HB_OPERATION(name) MPI_##name,
#include "calls/operations.def"
#undef HB_OPERATION
	};
	return index < sizeof names / sizeof *names && (*ret_handle = symbol(names[index]));
}

bool hb__type_has_large_counts(MPI_Datatype type)
{
	(void)type;
	return false;
}

/* Its objects lie in the library or, by copy relocation, in the program; those made later on the heap. */
bool hb__handle_given(uintptr_t handle)
{
	const char *path;
	uintptr_t base, end;
	return !handle || hb__module_of((const void *)handle, &path, &base, &end);
}

bool hb__type_of_two(
	const void *first, int bytes, const void *second, MPI_Count count, MPI_Datatype type, MPI_Datatype *ret_type)
{
	int lengths[2] = {bytes, (int)count};
	MPI_Aint at[2] = {(MPI_Aint)first, (MPI_Aint)second};
	MPI_Datatype types[2] = {hb__known.byte, type};
	return PMPI(Type_create_struct)(2, lengths, at, types, ret_type) == MPI_SUCCESS &&
	       PMPI(Type_commit)(ret_type) == MPI_SUCCESS;
}

/* A world is a namespace of PMIx. A process that was spawned finds the port of the one that did it, NAMESPACE.RANK:NUMBER; from
 * version 5 on there is a number in the place of the namespace, and the recorder told it. */
void hb__family_world(struct hb__world *ret)
{
	const char *world = getenv("PMIX_NAMESPACE"), *given = getenv(HB__MAKER),
		   *port = given ? given : getenv("OMPI_PARENT_PORT");
	snprintf(ret->world, sizeof ret->world, "%s", world ? world : "");
	snprintf(ret->maker, sizeof ret->maker, "%s", port ? port : "");
	char *number = strrchr(ret->maker, ':'), *rank = NULL;
	if (number) {
		*number = 0;
		rank = strrchr(ret->maker, '.');
	}
	ret->maker_rank = rank && rank[1] >= '0' && rank[1] <= '9' ? atoi(rank + 1) : -1;
	if (rank)
		*rank = 0;
	if (ret->maker_rank < 0)
		ret->maker[0] = 0;
}

/* From version 5 on the launcher is another one. It knows the key "env", too, and warns of it. */
const char *hb__family_spawn_key(void)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int length = 0;
	if (PMPI(Get_library_version)(version, &length) != MPI_SUCCESS)
		return NULL;
	const char *number = strstr(version, "Open MPI v");
	return number && atoi(number + strlen("Open MPI v")) >= 5 ? "PMIX_ENVAR" : NULL;
}
