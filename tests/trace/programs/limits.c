/* Two loops in each other whose iterations are told, two tasks each, for limits and windows: 20 steps, each with a loop of 6 x 2 iterations. */
#include <hbdb/compare.h>

int main(void)
{
	static double a[12];
	HB_ARRAY(.name = "a", .at = a, .type = HB_REAL8, .rank = 1, .global = {12}, .replicated = 1);
	hb_steps("steps");
	for (int t = 0; t < 20; t++) {
		hb_iteration(t);
		hb_loop("loop");
		for (int i = 0; i < 6; i++)
			for (int j = 0; j < 2; j++) {
				HB_ITERATION(i, j);
				a[i * 2 + j] += t;
			}
		hb_loop_end("loop");
	}
	hb_steps_end("steps");
	for (int r = 0; r < 2; r++) {
		hb_region("region");
		for (int task = 0; task < 3; task++) {
			hb_task(task);
			for (int k = 0; k < 3; k++) {
				hb_loop("part");
				hb_iteration(k);
				hb_loop_end("part");
			}
		}
		hb_region_end("region");
	}
	return 0;
}
