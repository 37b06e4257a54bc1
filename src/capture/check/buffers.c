/* Buffers of pending operations, by address and digest. */
#include "capture/check/check.h"

void hb__check_buffers_enter(struct hb__call *c) { (void)c; }
void hb__check_buffers_leave(struct hb__call *c, int code) { (void)c, (void)code; }
void hb__check_posted(struct hb__call *c, struct hb__request *r) { (void)c, (void)r; }
void hb__check_completed(struct hb__call *c, struct hb__request *r, const MPI_Status *st, int error)
{
	(void)c, (void)r, (void)st, (void)error;
}
