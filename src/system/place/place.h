/* A node as the place of a gdb (session/gdb/place/place.h), by the agent there: docs/system/agent.md. */
#ifndef HBDB_SYSTEM_PLACE_H
#define HBDB_SYSTEM_PLACE_H

#include "session/gdb/place/place.h"
#include "system/link/link.h"

/* host: what it is called, in messages. Link and host have to outlive the place, and the place those that have it. NULL: no memory. */
hb_gdb_place *hb_link_place(hb_link *link, const char *host);
void hb_link_place_free(hb_gdb_place *place);

#endif
