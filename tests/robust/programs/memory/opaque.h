/* Memory that only the MPI library can read, as that of a GPU: pages without any right, but inside calls of MPI. */
#include <stddef.h>

char *opaque_memory(size_t bytes);
void opaque_open(void);
void opaque_close(void);
