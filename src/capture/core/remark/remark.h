/* Writing remarks: typed records of the kinds of format/remark/remark.def. */
#ifndef HBDB_CAPTURE_REMARK_REMARK_H
#define HBDB_CAPTURE_REMARK_REMARK_H

#include "capture/core/core.h"

#define HB_REMARK_FUNCTION const struct hb__fn *
#include "format/remark/remark.h"

#pragma GCC visibility push(hidden)

/* A remark before the next event of the lane, or, without one, of the process. call: NULL where its kind is about none. fields: the
 * structure of its kind. Fields that have their default take no byte: texts and lists may be NULL. */
void hb__remark_write(
	struct hb__lane *lane, enum hb_remark_word word, const struct hb_remark_call *call, const void *fields);

/* hb__remark_process(OUTSIDE, &call, .after = true): of the process. */
#define hb__remark_process(word, call, ...) \
	hb__remark_write(NULL, HB_REMARK_##word, call, &(const hb_remark_as_##word){__VA_ARGS__})

#pragma GCC visibility pop

#endif
