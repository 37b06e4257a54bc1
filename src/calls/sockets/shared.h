/* The file `shared` of a replay's folder: docs/CONTRACTS.md, "Sockets in a replay". hbdb writes it, the processes read it. */
#ifndef HBDB_CALLS_SOCKETS_TURNS_H
#define HBDB_CALLS_SOCKETS_TURNS_H

#include <stdint.h>

#include "base/little.h"

#define HB_SHARED_MAGIC 0x3144455241485348u /* "HSHARED1" */

struct hb_shared_head {
	uint64_t magic, n; /* n: hb_shared, in the order of processes, lanes and events */
	uint64_t streams;  /* those that several threads write to, or read from */
} HB_LITTLE_ENDIAN;

enum hb_shared_kind {
	HB_SHARED_TURN,    /* it is number b, from 0, of all that wrote to, or read from, stream a */
	HB_SHARED_QUEUE,   /* a listen: process a accepts from there, and not it alone */
	HB_SHARED_TO,      /* a connect: process a accepted it, of several who might have */
	HB_SHARED_OUTSIDE, /* who is at the other side, or sent datagram a of this call, is none of these processes */
};

/* What is to be known of one event. */
struct hb_shared {
	uint32_t process, lane, event, kind, a, b;
} HB_LITTLE_ENDIAN;

#endif
