/* The file of a node as bytes: hbdb-recording(5), FILES OF NODES. Numbers are little-endian. */
#ifndef HBDB_FORMAT_WITHIN_LAYOUT_H
#define HBDB_FORMAT_WITHIN_LAYOUT_H

#include <stdint.h>

#define HB_WITHIN_MAGIC "HBDBNODE"
#define HB_WITHIN_VERSION 1u
#define HB_WITHIN_FILE "HBNF"
#define HB_WITHIN_INDEX "HBNI"
#define HB_WITHIN_END "HBNDEND\n"
#define HB_WITHIN_NAME_MOST 255u /* bytes of a name, of a host's, too */

/* Everything begins at a multiple of 8. */
static inline uint64_t hb__within_next(uint64_t offset) { return (offset + 7) & ~(uint64_t)7; }

struct hb__within_begin {
	char magic[8];
	uint32_t version;
	uint32_t node; /* bytes of the host's name, which follows */
};

struct hb__within_head { /* before each file; its name, and then its bytes, follow */
	char magic[4];
	uint32_t name;
	uint64_t bytes, sum;
};

struct hb__within_index { /* as many entries follow */
	char magic[4];
	uint32_t files;
	uint64_t bytes, sum; /* of the entries */
};

struct hb__within_entry { /* its name follows, without a gap to the next one */
	uint64_t offset, bytes, sum;
	uint32_t name;
} __attribute__((packed));

struct hb__within_end {
	uint64_t index; /* where it begins */
	char magic[8];
};

#endif
