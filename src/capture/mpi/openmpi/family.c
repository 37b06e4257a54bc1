/* Open MPI: handles are addresses of data symbols. They are looked up by name
 * when the library is there: a reference would not load without it. */
#include "capture/mpi/family.h"

/* Makes every MPI_X constant of mpi.h the name of its symbol. */
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, symbol) #symbol

struct hb__known hb__known;
const char *const hb__library_names[] = {"libmpi.so.40", "libmpi.so", NULL};

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
	};
	return true;
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

bool hb__type_of_two(
	const void *first, int bytes, const void *second, MPI_Count count, MPI_Datatype type, MPI_Datatype *ret_type)
{
	int lengths[2] = {bytes, (int)count};
	MPI_Aint at[2] = {(MPI_Aint)first, (MPI_Aint)second};
	MPI_Datatype types[2] = {hb__known.byte, type};
	return PMPI(Type_create_struct)(2, lengths, at, types, ret_type) == MPI_SUCCESS &&
	       PMPI(Type_commit)(ret_type) == MPI_SUCCESS;
}
