/* A draft as its two files see it. */
#ifndef HBDB_FORMAT_DRAFT_INTERNAL_H
#define HBDB_FORMAT_DRAFT_INTERNAL_H

#include "format/draft/draft.h"
#include "format/internal.h"

struct hb__draft_lane {
	/* For each row: function, ticks since the exit before, ticks to its exit, number of arguments, the arguments, number of results, the
	 * results: uv, and sv for arguments and results. */
	struct hb__bytes rows;
	uint64_t exit; /* of the last row */
};

struct hb__draft_text {
	uint64_t hash;
	uint32_t number; /* 1 + number; 0: a free cell */
};

struct hb_draft {
	hb_log log; /* first: hb_log_close gives back the memory of the whole */
	struct hb__draft_lane *lane;
	size_t lanes_cap;
	struct hb__draft_text *text; /* by hash, with open addressing */
	size_t texts, texts_cap;     /* cap: a power of two */
	uint32_t functions;
	bool failed;
};

extern const struct hb__cursor_ops hb__draft_ops;

#endif
