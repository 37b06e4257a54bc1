/* MPICH: handles are integers known when this is compiled. */
#include "capture/mpi/family.h"

struct hb__known hb__known;
const char *const hb__library_names[] = {"libmpich.so.12", "libmpi.so.12", NULL};

bool hb__family_start(hb__function (*find)(const char *name))
{
	if (find("ompi_mpi_comm_world"))
		return false;
	hb__known = (struct hb__known){
		.comm_world = MPI_COMM_WORLD,
		.comm_self = MPI_COMM_SELF,
		.comm_null = MPI_COMM_NULL,
		.request_null = MPI_REQUEST_NULL,
		.message_null = MPI_MESSAGE_NULL,
		.message_no_proc = MPI_MESSAGE_NO_PROC,
		.byte = MPI_BYTE,
	};
	return true;
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
