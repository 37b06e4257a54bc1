/* Remarks: what the recorder saw itself of a process, for `hbdb check`. Typed records of a log (record 9 and definitions of kind 15,
 * hbdb-recording(5)), of the kinds that remark.def lists.
 *
 * A remark stands before the event that it is about, in the lane of the thread that made the call; of a call that is no event, before
 * the next event of the lane. The last event may never come: the library may end the process in the call. Only recordings made with
 * HBDB_REMARKS=1 have them; they begin with the remark `on`.
 *
 * Up to version 0.9 of hbdb a remark was a note: "check WORD name=value name=value ... [text=the rest of the line]". Such logs are read
 * (model/remark/). */
#ifndef HBDB_FORMAT_REMARK_H
#define HBDB_FORMAT_REMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HB_REMARK_BEGIN "check "

/* A note that is no remark and for no one to read: the name that the program gave, "name comm 2 ocean". The last holds. */
#define HB_NAME_BEGIN "name "

/* In the place of a value that was not told, where any other could be one. */
#define HB_REMARK_UNTOLD INT64_MIN

/* What a field of type FUNCTION is: in the reader its name ("" when it was not told), in the recorder the function itself. */
#ifndef HB_REMARK_FUNCTION
#define HB_REMARK_FUNCTION const char *
#endif

/* Types of fields, as definitions of kind 15 name them. Below 16 they are numbers of what arguments of these kinds are. */
enum hb_field_type {
	HB_FIELD_NUMBER = 0,
	HB_FIELD_RANK = 1,
	HB_FIELD_COMM = 3,
	HB_FIELD_TYPE = 4,
	HB_FIELD_OPERATION = 5,
	HB_FIELD_WIN = 6,
	HB_FIELD_FILE = 7,
	HB_FIELD_DIGEST = 8,
	HB_FIELD_SITE = 10,
	HB_FIELD_FUNCTION = 11,
	HB_FIELD_FLAG = 12,
	HB_FIELD_WORD = 13,
	HB_FIELD_ADDRESS = 14,
	HB_FIELD_TEXT = 16,
	HB_FIELD_REQUEST = 17,
	HB_FIELD_LIST = 18,
	HB_FIELD_RUNS = 19, /* a list of four: offset, length, count and stride */
	HB_FIELD_TYPES
};

/* A request, by the call that posted it. */
typedef struct hb_request_name {
	bool told;
	uint32_t lane;
	int64_t posting;
} hb_request_name;

typedef struct hb_numbers {
	uint32_t n;
	const int64_t *at;
} hb_numbers;

/* The words that fields of type WORD have: HB_WHAT_REQUEST and so on, by list. */
#define HB_WORD(name, word) name,
#define HB_WORDS(list, words) enum hb_##list{words};
#define HB_SHAPE(shape, of_call, fields)
#define HB_REMARK(name, word, shape)
#include "format/remark/remark.def"
#undef HB_WORDS
#undef HB_SHAPE
#undef HB_REMARK

/* Numbered by the rows of remark.def. */
enum hb_remark_word {
#define HB_WORDS(list, words)
#define HB_SHAPE(shape, of_call, fields)
#define HB_REMARK(name, word, shape) HB_REMARK_##name,
#include "format/remark/remark.def"
#undef HB_SHAPE
#undef HB_REMARK
	HB_REMARKS
};

/* The fields of each shape: struct hb_remark_leak and so on; and of the call that a remark is about, which stand before these. */
#define HB_C_NUMBER int64_t
#define HB_C_RANK int64_t
#define HB_C_COMM int64_t
#define HB_C_TYPE int64_t
#define HB_C_OPERATION int64_t
#define HB_C_WIN int64_t
#define HB_C_FILE int64_t
#define HB_C_DIGEST int64_t
#define HB_C_ADDRESS int64_t
#define HB_C_SITE uint32_t
#define HB_C_FUNCTION HB_REMARK_FUNCTION
#define HB_C_FLAG bool
#define HB_C_WORD(list) enum hb_##list
#define HB_C_TEXT const char *
#define HB_C_REQUEST hb_request_name
#define HB_C_LIST hb_numbers
#define HB_C_RUNS hb_numbers
#define HB_FIELD(shape, type, name, text, otherwise) HB_C_##type name;
#define HB_SHAPE(shape, of_call, fields) \
	struct hb_remark_##shape {       \
		fields                   \
	};
#define HB_REMARK(name, word, shape) typedef struct hb_remark_##shape hb_remark_as_##name;
/* fn: the function that was called; event false: it is none, or one only when it says yes; late: it is about the event before. */
#define HB_CALL_FIELDS                        \
	HB_FIELD(call, FUNCTION, fn, "fn", 0) \
	HB_FIELD(call, SITE, site, "site", 0) \
	HB_FIELD(call, FLAG, event, "event", 1) HB_FIELD(call, FLAG, late, "late", 0)
HB_SHAPE(call, 1, HB_CALL_FIELDS)
#include "format/remark/remark.def"
#undef HB_FIELD
#undef HB_SHAPE
#undef HB_REMARK
#undef HB_WORD
#undef HB_WORDS

#endif
