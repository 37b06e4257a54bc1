/* From the bytes of a remark, typed or a note, to its structure: what the files of this folder share. */
#ifndef HBDB_MODEL_REMARK_INTERNAL_H
#define HBDB_MODEL_REMARK_INTERNAL_H

#include "model/remark/remark.h"

/* Memory of all remarks, given back at once. */
void *hb__remark_memory(hb_remarks *remarks, size_t bytes); /* NULL: there is none */

struct hb_remark_column;
struct hb_remark_shape;
/* The kind of this word, of `n` bytes; HB_REMARKS: it is not known. */
enum hb_remark_word hb__remark_word(const char *word, size_t n);
const struct hb_remark_shape *hb__remark_shape(enum hb_remark_word word);
/* A field of a kind by its name, and the structure that it is in; NULL: there is none. */
const struct hb_remark_column *hb__remark_column(
	const hb_remark *remark, const char *name, size_t n, void **ret_structure);
/* Structures of the remark in which nothing is told. False: no memory. */
bool hb__remark_new(hb_remarks *remarks, hb_remark *remark);

/* typed.c. False: it is left out, or, with *ret_memory, there is no memory. */
bool hb__remark_typed(hb_remarks *all, const hb_log *log, const hb_remark_row *row, hb_remark *ret, bool *ret_memory);
/* notes.c: the same of a note of version 1. */
bool hb__remark_noted(hb_remarks *all, const char *text, hb_remark *ret, bool *ret_memory);

#endif
