/* Remarks of the recorder (format/remark.h), parsed. */
#ifndef HBDB_MODEL_REMARK_H
#define HBDB_MODEL_REMARK_H

#include "format/remark.h"
#include "model/model.h"

typedef struct hb_remark {
	uint32_t process;
	hb_at at; /* the event that it stands before (may lie one behind the last one of the line) */
	enum hb_remark_word word;
	const char *text; /* behind the word: "fn=MPI_Send site=12 ..." */
} hb_remark;

typedef struct hb_remarks {
	size_t n;
	hb_remark *at; /* in the order of processes, lines and events */
	bool all;      /* every process with a log was recorded with remarks */
} hb_remarks;

/* hb_remarks_free. Texts belong to the logs. */
hb_status hb_remarks_read(const hb_model *model, hb_remarks **ret_remarks, hb_error *err);
void hb_remarks_free(hb_remarks *remarks);

/* The value of a key as a number, or `otherwise` when it has none. */
int64_t hb_remark_number(const hb_remark *remark, const char *key, int64_t otherwise);
/* Copies the value of a key ("" when it has none) and returns ret. Of "text" that is the rest of the line. */
const char *hb_remark_text(const hb_remark *remark, const char *key, char *ret, size_t size);
/* LANE.POSTING; false: it has none. */
bool hb_remark_request(const hb_remark *remark, const char *key, uint32_t *ret_lane, int64_t *ret_posting);

#endif
