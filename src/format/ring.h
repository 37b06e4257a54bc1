/* What a ring tells of the events that it has given up: the constants, for the writer in the target and the reader. hbdb-recording(5),
 * RINGS, is normative. */
#ifndef HBDB_FORMAT_RING_H
#define HBDB_FORMAT_RING_H

enum { /* what is counted */
	HB_BEFORE_SENDS = 0,
	HB_BEFORE_RECEIVES = 1,
	HB_BEFORE_COLLECTIVES = 2,
};

enum { /* requests that are under way */
	HB_UNDER_WAY_RECEIVE = 1,
	HB_UNDER_WAY_COLLECTIVE = 2,
	HB_UNDER_WAY_PERSISTENT = 3, /* made, and may be started */
};
#define HB_UNDER_WAY_OVERTAKEN 128u /* flag beside the kind */
/* Flags of an account. */
#define HB_BEFORE_PART 1u   /* what is not listed is not known */
#define HB_BEFORE_BROKEN 2u /* what is listed is not either: a send was cancelled after it was counted, say */

#endif
