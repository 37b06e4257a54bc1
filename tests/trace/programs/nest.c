/* Marks that do not fit. */
#include <hbdb/compare.h>

int main(void)
{
	hb_loop_end("early");
	hb_loop("outer");
	hb_loop("inner");
	hb_steps("left open");
	hb_loop_end("outer");
	hb_task(1);
	hb_region("region");
	hb_loop("before the first task");
	hb_loop_end("before the first task");
	hb_task(0);
	hb_loop("in it");
	hb_loop_end("in it");
	hb_region("in a task");
	hb_task(0);
	hb_loop("too deep");
	hb_loop_end("too deep");
	hb_region_end("in a task");
	hb_region_end("region");
	for (int i = 0; i < 70; i++)
		hb_steps("deep");
	for (int i = 0; i < 70; i++)
		hb_steps_end("deep");
	hb_loop("after");
	hb_loop_end("after");
	return 0;
}
