/* remark.def as data: hb_remark_kinds and hb_remark_call_fields. For the one file that writes remarks and the one that reads them. */
#ifndef HBDB_FORMAT_REMARK_TABLE_H
#define HBDB_FORMAT_REMARK_TABLE_H

#include "format/remark/remark.h"

struct hb_remark_column {
	uint8_t type; /* enum hb_field_type */
	uint8_t words;
	uint16_t offset; /* in the structure */
	const char *name;
	int64_t otherwise;
	const char *const *word;
};

struct hb_remark_shape {
	const char *word;
	bool of_call;
	uint8_t fields;
	uint16_t size; /* of the structure */
	const struct hb_remark_column *field;
};

#define HB_WORD(name, word) word,
#define HB_WORDS(list, words) static const char *const hb_words_##list[] = {words};
#define HB_SHAPE(shape, of_call, fields)
#define HB_REMARK(name, word, shape)
#include "format/remark/remark.def"
#undef HB_WORDS
#undef HB_SHAPE
#undef HB_REMARK

#define HB_T_NUMBER HB_FIELD_NUMBER
#define HB_T_RANK HB_FIELD_RANK
#define HB_T_COMM HB_FIELD_COMM
#define HB_T_TYPE HB_FIELD_TYPE
#define HB_T_OPERATION HB_FIELD_OPERATION
#define HB_T_WIN HB_FIELD_WIN
#define HB_T_FILE HB_FIELD_FILE
#define HB_T_DIGEST HB_FIELD_DIGEST
#define HB_T_ADDRESS HB_FIELD_ADDRESS
#define HB_T_SITE HB_FIELD_SITE
#define HB_T_FUNCTION HB_FIELD_FUNCTION
#define HB_T_FLAG HB_FIELD_FLAG
#define HB_T_WORD(list) \
	HB_FIELD_WORD, .word = hb_words_##list, .words = sizeof hb_words_##list / sizeof *hb_words_##list
#define HB_T_TEXT HB_FIELD_TEXT
#define HB_T_REQUEST HB_FIELD_REQUEST
#define HB_T_LIST HB_FIELD_LIST
#define HB_T_RUNS HB_FIELD_RUNS
#define HB_FIELD(shape, kind, field, text, value) \
	{.name = text, .otherwise = value, .offset = offsetof(struct hb_remark_##shape, field), .type = HB_T_##kind},
#define HB_WORDS(list, words)
#define HB_SHAPE(shape, of_call, fields) static const struct hb_remark_column hb_columns_##shape[] = {fields};
#define HB_REMARK(name, word, shape)
HB_SHAPE(call, 1, HB_CALL_FIELDS)
#include "format/remark/remark.def"
#undef HB_FIELD
#undef HB_SHAPE
#undef HB_REMARK

#define HB_FIELD(shape, kind, field, text, value)
#define HB_SHAPE(shape, of_call, fields) enum { hb_of_call_##shape = of_call };
#define HB_REMARK(name, word, shape)
#include "format/remark/remark.def"
#undef HB_SHAPE
#undef HB_REMARK

#define HB_SHAPE(shape, of_call, fields)
#define HB_REMARK(name, word, shape)                                                       \
	{word, hb_of_call_##shape, sizeof hb_columns_##shape / sizeof *hb_columns_##shape, \
		sizeof(struct hb_remark_##shape), hb_columns_##shape},
static const struct hb_remark_shape hb_remark_kinds[HB_REMARKS] = {
#include "format/remark/remark.def"
};
#undef HB_FIELD
#undef HB_SHAPE
#undef HB_REMARK
#undef HB_WORD
#undef HB_WORDS

enum { HB_CALL_COLUMNS = sizeof hb_columns_call / sizeof *hb_columns_call, HB_COLUMNS_MOST = 32 };

#endif
