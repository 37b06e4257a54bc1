/* What a datatype consists of. */
#include "capture/check/check.h"

const struct hb__typemap *hb__typemap(MPI_Datatype handle)
{
	(void)handle;
	return NULL;
}
