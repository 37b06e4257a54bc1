/* What the files of this folder share. */
#ifndef HBDB_RULES_REFERENCE_INSIDE_H
#define HBDB_RULES_REFERENCE_INSIDE_H

#include "rules/reference/reference.h"

/* What is remembered of an array, from point to point. */
struct hb__known {
	const hb_array_shape *shape; /* of the reference, or of the run where it is there alone */
	uint32_t process;            /* HB_NO: of all */
	double norm;                 /* the greatest that it has had in either run */
	hb_point correct;
	const hb_trace_construct *correct_construct;
	bool differed, failed[2], missed[2], boxed;
	double squares, values; /* of the reference's values since the last point: sum of squares, and how many */
};

/* A value as it is matched. */
struct hb__keyed {
	uint64_t key, cell; /* hashes: of all by which it is matched; of the element */
	uint32_t array;     /* its place among those that are known, the same in both runs */
	const hb_access *access;
};

struct hb_reference {
	hb_points *points[2];
	hb_step step[2];
	bool have[2];
	hb_reference_tolerance tolerance;
	hb_reference_visit *visit;
	void *user;
	hb_reference_sum sum;
	struct hb__known *known;
	size_t knowns, knowns_room;
	struct hb__keyed *keyed[2];
	size_t keyeds_room[2];
	bool told_only[2];               /* that one of the runs alone writes an element */
	uint32_t first_array;            /* of the first value that differs, since the last point */
	const hb_trace_variable **wrong; /* variables whose results differed */
	size_t wrongs, wrongs_room;
	const hb_check **match; /* scratch: by check of the reference, that of the run */
	bool *taken;            /* by check of the run */
	size_t match_room, taken_room;
};

/* A difference at the point at hand, to be filled. */
hb_reference_difference hb__difference(const hb_reference *r, hb_reference_kind kind);
void hb__reference_tell(hb_reference *r, const hb_reference_difference *d);

/* match.c. Whether two arrays have the same name, file and ordinal. */
bool hb__alike(const hb_array_id *a, const hb_array_id *b);
/* Of a replicated array: the first copy of it in the step, where `check` is another one. Else NULL. */
const hb_check *hb__first_copy(const hb_step *step, const hb_check *check);
/* For each check of the reference its check of the run in r->match, and r->taken. False: out of memory. */
bool hb__match(hb_reference *r);
struct hb__known *hb__reference_know(
	hb_reference *r, const hb_array_shape *shape, uint32_t process); /* NULL: out of memory */

/* arrays.c, copies.c, values.c, results.c: of the steps at hand. False: out of memory. */
bool hb__reference_arrays(hb_reference *r);
bool hb__reference_copies(hb_reference *r);
bool hb__reference_values(hb_reference *r);
bool hb__reference_results(hb_reference *r);

/* arrays.c: whether two tiles differ, by scale; *ret_distance is the estimate. */
bool hb__tiles_differ(
	hb_reference *r, const hb_tile *a, const hb_tile *b, bool real, double scale, double *ret_distance);
double hb__tile_scale(const struct hb__known *known, const hb_tile *a, const hb_tile *b, uint64_t elements);
hb_tile hb__whole(const hb_check *check);
/* results.c. A value as a number, and whether two are equal under the tolerance. */
double hb__number(hb_element type, const uint8_t *value);
bool hb__values_differ(const hb_reference *r, hb_element type, const uint8_t *a, const uint8_t *b, double scale);

#endif
