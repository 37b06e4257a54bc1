/* Error classes and the version text, from what the library declares. */
#include <string.h>

#include "capture/mpi/family.h"

int hb__error_class(int code)
{
	static const struct {
		int library, neutral;
	} classes[] = {
#define HB_ERROR(name, number) {MPI_ERR_##name, number},
#include "calls/errors.def"
#undef HB_ERROR
	};
	int class = code;
	if (PMPI(Error_class)(code, &class) != MPI_SUCCESS)
		return 14; /* MPI_ERR_UNKNOWN */
	for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
		if (classes[i].library == class)
			return classes[i].neutral;
	return 14;
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
