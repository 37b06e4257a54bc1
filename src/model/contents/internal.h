/* What the files of this folder share. */
#ifndef HBDB_MODEL_CONTENTS_INTERNAL_H
#define HBDB_MODEL_CONTENTS_INTERNAL_H

#include "contents.h"

/* Values one behind the other: `count` of a predefined datatype. */
struct hb__run {
	uint32_t datatype;     /* HB_NO: bytes */
	uint64_t count, bytes; /* bytes: of one */
};

/* How the bytes of a datatype are to be read: runs that come again and again. */
struct hb__layout {
	struct hb__run one;            /* of a predefined one */
	const hb_signature *signature; /* of a derived one; NULL: one */
	uint64_t values, bytes;        /* of all runs */
};

/* False: nothing is known of it; the layout is one of bytes. */
bool hb__layout_of(const hb_log *log, int64_t datatype, struct hb__layout *ret);
/* Run `i`; false: there are not so many. */
bool hb__layout_run(const hb_log *log, const struct hb__layout *layout, uint32_t i, struct hb__run *ret);
uint64_t hb__layout_values(const hb_log *log, const struct hb__layout *layout, uint64_t bytes);
/* The value at p, which has as many bytes as its run says. */
void hb__value_read(const hb_log *log, const struct hb__run *run, const uint8_t *p, hb_value *ret);

#endif
