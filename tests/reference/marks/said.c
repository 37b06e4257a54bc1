/* What said.f90 says, in C. */
#include <stdio.h>

#include <hbdb/compare.h>

static double a[6], padded[20], f[3], g[64], sum = 1.5;
static float b[3];
static int c[8], least = -3;
static int64_t d[4];
static double e[4];

static void say_arrays(void)
{
	HB_ARRAY(.name = "a", .at = a, .type = HB_REAL8, .rank = 2, .columns = 1, .base = {1, 1}, .global = {2, 9},
		.first = {0, 3}, .count = {2, 3});
	HB_ARRAY(.name = "padded", .at = padded, .type = HB_REAL8, .rank = 2, .columns = 1, .base = {0, -1},
		.global = {8, 9}, .first = {2, 4}, .count = {3, 2}, .below = {1, 1}, .above = {1, 1});
	HB_ARRAY(.name = "b", .at = b, .type = HB_REAL4, .rank = 1, .columns = 1, .base = {1}, .global = {3},
		.replicated = 1, .read_only = 1);
	HB_ARRAY(.name = "c", .at = c, .type = HB_INTEGER4, .rank = 3, .columns = 1, .base = {1, 1, 1},
		.global = {2, 2, 2});
	HB_ARRAY(.name = "d", .at = d, .type = HB_INTEGER8, .rank = 4, .columns = 1, .base = {1, 1, 1, 1},
		.global = {2, 1, 1, 2});
	HB_ARRAY(.name = "e", .at = e, .type = HB_COMPLEX16, .rank = 5, .columns = 1, .base = {1, 1, 1, 1, 1},
		.global = {1, 1, 1, 1, 2});
	HB_ARRAY(.name = "f", .at = f, .type = HB_REAL8, .rank = 7, .columns = 1, .base = {1, 1, 1, 1, 1, 1, 1},
		.global = {1, 1, 1, 1, 1, 1, 3});
	HB_ARRAY(.name = "g", .at = g, .type = HB_REAL8, .rank = 6, .columns = 1, .base = {1, 1, 1, 1, 1, 1},
		.global = {2, 2, 2, 2, 2, 2});
}

int main(void)
{
	say_arrays();
	hb_steps("time");
	for (int i = 1; i <= 2; i++) {
		hb_iteration(i);
		hb_loop("sweep");
		HB_ITERATION(i, i + 1, i + 2, i + 3, i + 4, i + 5, -6);
		HB_ITERATION((int64_t)1 << 40, (int64_t)1 << 40);
		hb_reduce("sum", HB_SUM, HB_REAL8, &sum);
		hb_reduce("least", HB_MINIMUM, HB_INTEGER4, &least);
		hb_reduced(&sum);
		hb_reduced(&least);
		hb_loop_end("sweep");
		hb_exchanged(padded);
	}
	hb_steps_end("time");
	hb_region("parts");
	hb_task(0);
	hb_task(3);
	hb_region_end("parts");
	hb_point("written");
	hb_array_gone(a);
	hb_array_gone(f);
	printf("traced %c\n", hb_is_traced() ? 'T' : 'F');
	return 0;
}
