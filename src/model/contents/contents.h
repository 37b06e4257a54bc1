/* What came into a process: the pieces of a file of contents (hbdb-data(5)), each with what it is - an argument's buffer and its
 * datatype, a status, what a request brought - and its values.
 *
 * Ownership: what is given holds until the next call on the same hb_contents. Thread safety: one thread at a time. */
#ifndef HBDB_MODEL_CONTENTS_H
#define HBDB_MODEL_CONTENTS_H

#include <hbdb/data.h>

#include "model/event.h"

typedef enum {
	HB_CONTENT_BUFFER,  /* bytes in the order of a datatype's map, or of none that is known */
	HB_CONTENT_NUMBERS, /* integers */
	HB_CONTENT_STATUS,  /* source, tag, bytes, whether it was cancelled */
	HB_CONTENT_ERROR,   /* the error class of a request */
	HB_CONTENT_TEXT,
	HB_CONTENT_HANDLE, /* 1, or 0: null; of others than MPI, and of attributes, a number */
	HB_CONTENT_WINDOW, /* what others changed: bytes, whose datatype nobody told */
} hb_content_kind;

typedef struct hb_content {
	hb_content_kind kind;
	hb_data_piece piece;
	const char *name;  /* of the argument; NULL: it is none, or not known */
	int64_t request;   /* which of the requests given; HB_ABSENT: it is of none */
	int64_t datatype;  /* number in the log; HB_ABSENT: not known, or it is not that of all the bytes */
	bool typed;        /* the values are those of the datatype, and not bytes */
	uint64_t elements; /* of the datatype, as far as they are whole; of none that is known as many as values */
	uint64_t values;   /* how many hb_contents_value gives; of a buffer whose datatype is not known its bytes */
	int64_t window, rank, offset; /* HB_CONTENT_WINDOW: HB_ABSENT: damaged */
} hb_content;

typedef enum {
	HB_VALUE_INTEGER,
	HB_VALUE_UNSIGNED,
	HB_VALUE_REAL,
	HB_VALUE_CHARACTER,
	HB_VALUE_BYTE,
	HB_VALUE_PAIR
} hb_value_kind;
typedef union hb_number {
	int64_t integer;
	uint64_t whole; /* unsigned, byte, character */
	double real;
} hb_number;
typedef struct hb_value {
	hb_value_kind kind;
	uint32_t datatype; /* the predefined one, HB_NO: none is known */
	hb_number a, b;    /* of a pair, such as a complex number, both */
	uint8_t second;    /* hb_value_kind of b ... */
	uint8_t first;     /* ... and of a, in a pair */
} hb_value;

typedef struct hb_contents hb_contents;

/* Of a log and its file of contents, which must last as long. */
hb_status hb_contents_open(hb_log *log, hb_data *data, hb_contents **ret_contents, hb_error *err);
void hb_contents_close(hb_contents *contents);

/* What came with an event: 1, 0 when nothing did, or a negative status. */
int hb_contents_of(
	hb_contents *contents, const hb_event *event, const hb_content **ret, uint32_t *ret_n, hb_error *err);

/* The calls of a lane that are no events, from those behind event `from` on, in their order. */
typedef struct hb_content_calls hb_content_calls;
hb_status hb_content_calls_open(
	hb_contents *contents, uint32_t lane, uint64_t from, hb_content_calls **ret_calls, hb_error *err);
/* The next one that was made behind an event up to `to`: 1, with what it is called (LAYER:NAME), 0 when there is no more, or a
 * negative status. */
typedef struct hb_content_call {
	const char *name;
	uint64_t event;            /* behind which */
	const hb_content *content; /* valid until the next call for this cursor */
	uint32_t contents;
} hb_content_call;
int hb_content_calls_next(hb_content_calls *calls, uint64_t to, hb_content_call *ret_call, hb_error *err);
void hb_content_calls_close(hb_content_calls *calls);

/* Whether a datatype has real numbers in it, as far as is known what it consists of. */
bool hb_contents_has_reals(const hb_log *log, int64_t datatype);
/* Two predefined datatypes that are the same kind of number in as many bytes: MPI_INT and MPI_INTEGER4. Which of them a library names where it
 * is asked for one (MPI_Type_match_size) is its choice. */
bool hb_contents_alike(const hb_log *a, int64_t x, const hb_log *b, int64_t y);

/* ---- digests of whole contents, of what left a process and of what came into it (digests.c) ---- */

typedef struct hb_digest {
	enum { HB_DIGEST_OF_GIVEN, HB_DIGEST_OF_GOT } side;
	uint32_t request; /* of those that the call was given; HB_NO: it is of the call itself */
	uint64_t value;   /* as hb_contents_digest */
} hb_digest;
typedef struct hb_digested {
	uint64_t event;   /* of which they are, or behind which the call was made */
	const char *call; /* NULL: of an event; of a call that is none: its function */
	uint32_t n;
	const hb_digest *digest; /* until the next call for this reader */
} hb_digested;
typedef struct hb_digests hb_digests;
hb_status hb_digests_open(hb_contents *contents, uint32_t lane, hb_digests **ret_digests, hb_error *err);
void hb_digests_close(hb_digests *digests);
/* The next ones of the lane: 1, 0 at the end, or a negative status. err must not be NULL. */
int hb_digests_next(hb_digests *digests, hb_digested *ret, hb_error *err);

/* Up to `most` values of a content from number `from` on; how many, or a negative status. */
int64_t hb_contents_values(
	hb_contents *contents, const hb_content *content, uint64_t from, hb_value *ret, size_t most, hb_error *err);
/* The bytes of a content, as hb_data_read. */
hb_status hb_contents_bytes(
	hb_contents *contents, const hb_content *content, uint64_t from, uint64_t n, void *to, hb_error *err);
/* XXH3 (64 bit, seed 0) of all of them. */
hb_status hb_contents_digest(hb_contents *contents, const hb_content *content, uint64_t *ret_digest, hb_error *err);

#endif
