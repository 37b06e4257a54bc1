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

hb_data_relation hb__data_compare(const hb_data *a, const hb_data *b);
/* "4 MPI_INT", "2 type#3 (each 2 MPI_INT, 1 MPI_DOUBLE)". Returns ret. */
const char *hb__data_text(const hb_data *d, char *ret, size_t size);

#endif
