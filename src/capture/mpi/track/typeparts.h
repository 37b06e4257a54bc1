/* A datatype as its constructor made it, and what is put together from that. Inside of typemap.c and typeparts.c. */
#ifndef HBDB_CAPTURE_MPI_TYPEPARTS_H
#define HBDB_CAPTURE_MPI_TYPEPARTS_H

#include "capture/mpi/track/track.h"
#include "format/row.h"

#pragma GCC visibility push(hidden)

#define HB__BASICS 128 /* more than calls/datatypes.def has */

/* A type map being put together. */
struct hb__shape {
	int64_t extent;
	struct hb_sequence sum;
	struct hb__typerun *run;
	struct hb__signature_run *seq;
	uint32_t n, room, nseq, seq_room, work;
	bool unlisted, seq_full; /* run and seq are not complete */
	bool bad;                /* nothing is known */
};
void hb__shape_free(struct hb__shape *s);
/* Behind what is there: `from`, count times, at `at` and every `stride` bytes from there on. */
void hb__shape_add(struct hb__shape *to, const struct hb__shape *from, int64_t at, int64_t count, int64_t stride);
void hb__shape_basic(struct hb__shape *s, MPI_Datatype handle, uint32_t basic);
void hb__shape_of(struct hb__shape *s, MPI_Datatype handle, int depth);

/* What the library says of a datatype. */
struct hb__typeparts {
	bool named;
	int combiner;
	int ni, na, nt;
	int *integer;
	MPI_Aint *address;
	MPI_Datatype *type; /* those that are derived are freed with the parts */
};
bool hb__type_parts(MPI_Datatype handle, struct hb__typeparts *ret);
void hb__type_parts_free(struct hb__typeparts *p);
/* The shape of a derived one. */
void hb__shape_combine(struct hb__shape *s, MPI_Datatype handle, const struct hb__typeparts *p, int depth);

#pragma GCC visibility pop

#endif
