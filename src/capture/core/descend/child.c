/* A child that was made otherwise than by fork: by the number of the call, by clone, by the program's own instructions. No handler of forks
 * runs in it, and it would take itself for its parent, whose log it has mapped. */
#include <sys/mman.h>

#include "capture/core/descend/descend.h"

static volatile bool *here; /* in a page that the system empties in every child */

void hb__here_begin(void)
{
	void *p = hb__pages(sizeof *here);
	if (!p || madvise(p, sizeof *here, MADV_WIPEONFORK))
		return; /* the system is older than the advice */
	here = p;
	*here = true;
}

void hb__here_again(void)
{
	if (here)
		*here = true;
}

void hb__notice_fork(void)
{
	if (unlikely(here && !*here))
		hb__after_fork();
}
