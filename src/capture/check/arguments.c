/* What the standard calls erroneous in the arguments of a call. */
#include "capture/check/check.h"

void hb__check_arguments(struct hb__call *c) { (void)c; }
