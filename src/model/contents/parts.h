/* The state of an opened hb_contents. */
#ifndef HBDB_MODEL_CONTENTS_PARTS_H
#define HBDB_MODEL_CONTENTS_PARTS_H

#include "contents.h"

struct hb__found {
	hb_content *at;
	size_t cap;
	uint32_t n;
};

struct hb_contents {
	hb_log *log;
	hb_data *data;
	struct hb__posted {
		int32_t *datatype; /* by posting; -1: not known */
		size_t n, cap;
	} * lane; /* NULL: not read yet */
	uint32_t lanes;
	struct hb__found found;
};

#endif
