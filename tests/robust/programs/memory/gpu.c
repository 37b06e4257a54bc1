/* A stand-in for the library of a GPU: one range of ordinary memory is its own. */
#include <stdio.h>
#include <stdlib.h>

static unsigned long long low, high, asked;

void gpu_owns(void *p, unsigned long long bytes)
{
	low = (unsigned long long)p;
	high = low + bytes;
}

unsigned long long gpu_asked(void) { return asked; }

int cuPointerGetAttribute(void *to, int attribute, unsigned long long at)
{
	asked++;
	if (at < low || at >= high)
		return 1; /* CUDA_ERROR_INVALID_VALUE: memory that it knows nothing of */
	*(unsigned *)to = attribute == 2 ? 1 : attribute == 8; /* the kind is host, for it is there now; managed */
	return 0;
}
