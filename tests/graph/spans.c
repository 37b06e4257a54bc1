/* Two spans in a row, one with another in it, and one that does not end. */
#include <hbdb/event.h>

int main(void)
{
	hb_begin("step");
	hb_event("one");
	hb_begin("inner");
	hb_event("two");
	hb_end("inner");
	hb_end("step");
	hb_begin("open");
	hb_event("three");
	return 0;
}
