/* Windows - epochs and accesses. */
#include "capture/check/check.h"

void hb__check_windows_enter(struct hb__call *c) { (void)c; }
void hb__check_windows_leave(struct hb__call *c, int code) { (void)c, (void)code; }
