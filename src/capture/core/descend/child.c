/* A child that was made otherwise than by fork: by the number of the call, by clone, by the program's own instructions. No handler of forks
 * runs in it, and it would take itself for its parent, whose log it has mapped. */
#include <sys/mman.h>

#include "capture/core/descend/descend.h"

struct hb__here *hb__here;

void hb__here_begin(void)
{
	struct hb__here *p = hb__pages(sizeof *p);
	if (!p || madvise(p, sizeof *p, MADV_WIPEONFORK))
		return; /* the system is older than the advice */
	p->is = true;
	hb__here = p;
}

void hb__here_again(void)
{
	if (hb__here)
		hb__here->is = true;
}

void hb__notice_fork(void)
{
	if (unlikely(hb__here && !hb__here->is))
		hb__after_fork();
}
