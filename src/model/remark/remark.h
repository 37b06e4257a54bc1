/* Remarks of the recorder, each as the structure of its kind (format/remark/remark.def). */
#ifndef HBDB_MODEL_REMARK_H
#define HBDB_MODEL_REMARK_H

#include "format/remark/remark.h"
#include "model/model.h"

typedef struct hb_remark {
	uint32_t process;
	hb_at at; /* the event that it stands before (may lie one behind the last one of the line) */
	enum hb_remark_word word;
	const struct hb_remark_call *call; /* of one that is about none, nothing is said there */
	union {                            /* by the shape of its kind; texts are never NULL */
		const void *fields;
#define HB_WORDS(list, words)
#define HB_SHAPE(shape, of_call, fields) const struct hb_remark_##shape *shape;
#define HB_REMARK(name, word, shape)
#include "format/remark/remark.def"
#undef HB_WORDS
#undef HB_SHAPE
#undef HB_REMARK
	};
} hb_remark;

typedef struct hb_remarks {
	size_t n;
	hb_remark *at; /* in the order of processes, lines and events */
	bool all;      /* every process with a log was recorded with remarks */
	struct hb__remark_memory *memory;
} hb_remarks;

/* hb_remarks_free. */
hb_status hb_remarks_read(const hb_model *model, hb_remarks **ret_remarks, hb_error *err);
void hb_remarks_free(hb_remarks *remarks);
/* The log has remarks; on: among them the one that says so, which stands before those of calls inside of MPI. */
bool hb_remarked(const hb_log *log, bool on);

/* The value of a field by its name, as a text; "": it has no such field, or was not told. */
const char *hb_remark_show(const hb_remark *remark, const char *field, char *ret, size_t size);
/* The same of one that is a number; `otherwise`: it has no such field. */
int64_t hb_remark_number(const hb_remark *remark, const char *field, int64_t otherwise);

static inline bool hb_remark_same_request(hb_request_name a, hb_request_name b)
{
	return a.told && b.told && a.lane == b.lane && a.posting == b.posting;
}

#endif
