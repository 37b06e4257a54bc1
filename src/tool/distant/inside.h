/* What the files of distant/ share. */
#ifndef HBDB_DISTANT_INSIDE_H
#define HBDB_DISTANT_INSIDE_H

#include <pthread.h>

#include "distant.h"
#include "format/growing/growing.h"

struct hb_distant {
	hb_session_nodes session;
	const hb_nodes *nodes;
	hb_gdb_place **place;         /* by node */
	bool *said;                   /* by node: that it is lost */
	struct hb_lanes_there *lanes; /* by node; NULL: the logs are in a folder that all see */
	char name[33];                /* of the doors */
	int guests;                   /* what comes out at session.incoming */
};

/* By the name that a process there gives it; as many as there are: it is none. */
size_t hb__distant_node(const hb_distant *distant, const char *host);
/* hb_session_nodes.lanes */
bool hb__distant_lanes(
	void *distant, const char *host, const char *log, bool now, hb_growing *growing, double *ret_asked);

#endif
