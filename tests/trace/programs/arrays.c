/* Arrays that come, change, go, and make no sense. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <hbdb/compare.h>

static double *made(int n)
{
	double *a = calloc((size_t)n, sizeof *a);
	HB_ARRAY(.name = "made", .at = a, .type = HB_REAL8, .rank = 1, .global = {n});
	return a;
}

int main(void)
{
	static double big[64];
	static int whole[10];
	double *first = made(8), *second = made(8);
	hb_point("two");
	first[0] = 1;
	hb_array_gone(first);
	hb_point("one");
	for (int i = 0; i < 3; i++)
		HB_ARRAY(.name = "whole", .at = whole, .type = HB_INTEGER4, .rank = 1, .global = {i < 2 ? 10 : 5});
	HB_ARRAY(.name = "big", .at = big, .type = HB_REAL8, .rank = 2, .global = {8, 8});
	hb_point("changed");
	HB_ARRAY(.name = "part", .at = big + 8, .type = HB_REAL8, .rank = 1, .global = {8});
	hb_point("overlap");
	void *hole = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	HB_ARRAY(.name = "hole", .at = hole, .type = HB_REAL8, .rank = 1, .global = {1024});
	HB_ARRAY(.name = "strange", .at = whole + 5, .type = HB_INTEGER4, .rank = 1, .global = {5}, .first = {3},
		.count = {4});
	HB_ARRAY(.name = "flat", .at = big, .type = HB_REAL8, .rank = 0);
	HB_ARRAY(.name = "nowhere", .type = HB_REAL8, .rank = 1, .global = {4});
	hb_point("strange");
	mprotect(hole, 8192, PROT_READ);
	hb_point("readable");
	munmap(hole, 8192);
	hb_point("unmapped");
	free(first);
	free(second);
	return 0;
}
