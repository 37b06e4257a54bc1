/* Names of programs. */
#include <ctype.h>
#include <string.h>

#include "base/program.h"

void hb_program_name(const char *path, char ret[HB_PROGRAM_NAME])
{
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	char *to = ret;
	if (!isalpha((unsigned char)*from))
		*to++ = '_';
	for (; *from && to < ret + HB_PROGRAM_NAME - 1; from++)
		*to++ = strchr(HB_PROGRAM_LETTERS, *from) ? *from : '_';
	*to = 0;
}
