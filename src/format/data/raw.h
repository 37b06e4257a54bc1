/* The raw file of contents: constants that the writer in the target and the reader share. docs/man/hbdb-data.5 is the normative
 * description; this header follows it. */
#ifndef HBDB_FORMAT_DATA_RAW_H
#define HBDB_FORMAT_DATA_RAW_H

#include <stdint.h>

#include "base/little.h"

#define HB_DATA_MAGIC "HBDBDATA"
#define HB_DATA_VERSION 1u
#define HB_DATA_BLOCK 65536u
#define HB_DATA_EXTENT 0x58444248u /* "HBDX" */
#define HB_DATA_HEAD 64u           /* bytes of an extent before what is in it */

enum { HB_DATA_ITEMS = 1, HB_DATA_BYTES = 2 };                  /* kinds of extents */
enum { HB_DATA_NAME = 1, HB_DATA_EVENT = 2, HB_DATA_CALL = 3 }; /* kinds of items */
enum { HB_DATA_REQUEST = 64, HB_DATA_WINDOW = 1 << 20 };        /* what a piece of MPI is, from here on */

/* Digests of whole contents: names of their calls begin so, and behind it stands "next", "event" or the name of a function; what their pieces are. */
#define HB_DIGEST_LAYER "digest:"
enum { HB_DIGEST_GIVEN = 0, HB_DIGEST_GOT = 1, HB_DIGEST_STARTED = 1 << 21 }; /* and from HB_DATA_REQUEST on */

struct hb_data_header {
	char magic[8];
	uint32_t version, incompatible;
	int32_t rank;
	uint32_t pid, state, stopped;
	uint64_t blocks, came;
} __attribute__((packed)) HB_LITTLE_ENDIAN;

struct hb_data_extent {
	uint32_t magic, kind, blocks, before;
	uint64_t thread, valid;
	uint64_t spare[4];
} HB_LITTLE_ENDIAN;

_Static_assert(sizeof(struct hb_data_header) == 48, "as in hbdb-data.5");
_Static_assert(sizeof(struct hb_data_extent) == HB_DATA_HEAD, "as in hbdb-data.5");

#endif
