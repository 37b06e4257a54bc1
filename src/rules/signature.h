/* Data of a message: so many of a datatype. Compared by signature: the sequence of basic types, whatever the datatypes are called. */
#ifndef HBDB_RULES_SIGNATURE_H
#define HBDB_RULES_SIGNATURE_H

#include "model/model.h"

typedef struct hb_data {
	const hb_log *log; /* whose datatype numbers these are */
	int64_t count, type;
} hb_data;

typedef enum hb_data_relation {
	HB_DATA_SAME,
	HB_DATA_SHORTER,   /* a is the beginning of b */
	HB_DATA_LONGER,    /* b is the beginning of a */
	HB_DATA_DIFFERENT, /* the basic types differ */
	HB_DATA_UNKNOWN,   /* a datatype is not known, or packed: nothing can be said */
} hb_data_relation;

/* Names of the same basic type in C and Fortran are the same, and a pair (MPI_DOUBLE_INT) is what the standard defines it as. Where
 * MPI_BYTE or MPI_PACKED stands opposite of something else only the bytes count (UNKNOWN: as many). */
hb_data_relation hb__data_compare(const hb_data *a, const hb_data *b);
/* The same, and where the difference is. */
struct hb__data_difference {
	uint64_t position;           /* so many basic elements are alike before it */
	const char *name_a, *name_b; /* of what follows then; NULL: no names differ */
	bool bytes;                  /* one of these is MPI_BYTE or MPI_PACKED ... */
	bool packed;                 /* ... MPI_PACKED */
};
hb_data_relation hb__data_difference(const hb_data *a, const hb_data *b, struct hb__data_difference *ret);
/* "4 MPI_INT", "2 type#3 (each 2 MPI_INT, 1 MPI_DOUBLE)". Returns ret. */
const char *hb__data_text(const hb_data *d, char *ret, size_t size);

#endif
