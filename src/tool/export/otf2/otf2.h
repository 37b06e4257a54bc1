/* The OTF2 exporter's own header: events and definitions. */
#ifndef HBDB_EXPORT_OTF2_H
#define HBDB_EXPORT_OTF2_H

#include <otf2/otf2.h>

#include "../export.h"

enum { HB__OTF2_EVENT, HB__OTF2_PLACE }; /* attributes of an enter: number of the event, source line */

struct hb__otf2 {
	hb_export *x;
	const hb_model *m;
	OTF2_Archive *archive;
	OTF2_AttributeList *attributes;
	OTF2_ErrorCode error; /* the first */
	int sys;              /* errno of that */
	hb_names strings, regions, places;
	uint32_t *place_file, *place_line; /* by place: string, line */
	uint8_t *region_class;             /* by region: class of the function */
	uint64_t *written;                 /* by location: events */
	int64_t first_ns, last_ns;
	uint64_t unknown; /* messages received without a record: their sender is not known */
	struct hb__otf2_ranks {
		uint32_t process, rank;
	} * *ranks; /* by 2 * group + side: sorted by process, made when first needed */

	/* the lane that is written */
	OTF2_EvtWriter *writer;
	size_t log;
	uint32_t process;
	uint32_t *request; /* by posting: REQUEST_SEND, REQUEST_RECEIVE, number of the receive */
	size_t requests;
};

/* Keeps the first error. */
void hb__otf2_check(struct hb__otf2 *o, OTF2_ErrorCode code);

/* 1 when members of communicators are processes that this recording does not have (they stand for all of them as one
 * more process, numbered behind the others), else 0. */
uint32_t hb__otf2_strangers(const hb_model *m);
/* The location of the first lane of a process; a lane's location is the number of its line. */
uint64_t hb__otf2_location(const struct hb__otf2 *o, uint32_t process);
/* The rank of a process in a group, or in its remote group; OTF2_UNDEFINED_UINT32: it is not in it. */
uint32_t hb__otf2_rank(struct hb__otf2 *o, uint32_t group, bool remote, uint32_t process);

/* Writes all global definitions, once the events are written. */
void hb__otf2_definitions(struct hb__otf2 *o);

#endif
