/* Which requests a call waits for. */
#include "capture/check/check.h"

void hb__check_waits(struct hb__call *c) { (void)c; }
