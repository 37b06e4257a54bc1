/* Raw logs that are rings. */
#ifndef HBDB_FORMAT_RAW_RING_H
#define HBDB_FORMAT_RAW_RING_H

#include "format/internal.h"

/* Reads the account; where it is damaged the log has that trouble, and no lane of it can be read. */
void hb__ring_open(hb_log *log);
/* The slots as they are before the first unit that is kept; false: no memory. */
bool hb__base_slots_put(struct hb__slotdef **slot, size_t *slots, uint32_t *era, const struct hb__lane_rows *lane);

#endif
