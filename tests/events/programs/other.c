/* A second file that includes the header. */
#include "other.h"

void other_file(void)
{
	hb_begin("other file");
	hb_end("other file");
}
