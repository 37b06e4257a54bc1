/* Error classes and the version text, from what the library declares. */
#include <string.h>

#include "capture/mpi/family/family.h"

static const struct {
	int library, neutral;
} classes[] = {
#define HB_ERROR(name, number) {MPI_ERR_##name, number},
#include "calls/errors.def"
#undef HB_ERROR
};

int hb__error_code(int64_t class)
{
	if (likely(!class)) /* every call that is given back asks */
		return MPI_SUCCESS;
	for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
		if (classes[i].neutral == class)
			return classes[i].library;
	return MPI_ERR_UNKNOWN;
}

int hb__error_class(int code)
{
	int class = code;
	if (PMPI(Error_class)(code, &class) != MPI_SUCCESS)
		return HB_ERR_UNKNOWN;
	for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
		if (classes[i].library == class)
			return classes[i].neutral;
	return HB_ERR_UNKNOWN;
}

void hb__try_library(void)
{
	/* There is nothing to try it on: MPICH 4.0 cannot wait in a communicator of one process of a session. */
	hb__known.sendrecv_untold = hb__of_sessions;
	if (hb__of_sessions)
		return;
	if (!hb__library_has(hb__fns[HB_FN_MPI_Isendrecv]))
		return;
	int (*isendrecv)(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm,
		MPI_Request *) = (__typeof__(isendrecv))hb__next[HB_ENTRY_PMPI][HB_FN_MPI_Isendrecv];
	const int tag = 3;
	char from = 0, to = 0;
	MPI_Request request;
	MPI_Status status = {.MPI_TAG = -1};
	hb__known.sendrecv_untold = isendrecv(&from, 1, hb__known.byte, 0, tag, &to, 1, hb__known.byte, 0, tag,
					    hb__known.comm_self, &request) != MPI_SUCCESS ||
				    PMPI(Wait)(&request, &status) != MPI_SUCCESS || status.MPI_TAG != tag;
}

void hb__library_version(char *text, size_t size)
{
	static char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int length = 0;
	if (PMPI(Get_library_version)(version, &length) != MPI_SUCCESS)
		return;
	version[strcspn(version, "\n")] = 0;
	strncpy(text, version, size - 1);
}
