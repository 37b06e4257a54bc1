/* How far the events of the complex have been told to somebody: kept in a file, so that whoever tells them can end and begin without
 * leaving one out. */
#ifndef HBDB_SYSTEM_MONITOR_PLACE_H
#define HBDB_SYSTEM_MONITOR_PLACE_H

#include "reader.h"

typedef struct hb_place {
	const char *path;    /* the caller's */
	int64_t event, time; /* the last one that was told; 0: none */
	uint64_t opened;     /* of the database that this was compared with */
	bool unwritten;      /* the file does not say so yet */
} hb_place;

/* Reads the file where it is there. False: errno; EINVAL: it is no such file. */
bool hb_place_open(hb_place *place, const char *path);
/* To be called after each hb_reader_look. A first time begins behind the events that are there; in a database that is another one than before
 * all are new. False: the database cannot be read (hb_reader_why). */
bool hb_place_check(hb_place *place, hb_reader *reader);
/* The event was told, and is not told again by this process, whatever becomes of the file, which is replaced. Where that cannot be it is `unwritten`. */
void hb_place_told(hb_place *place, int64_t event, int64_t time);
/* Writes what is unwritten. False: it still is, errno says why. */
bool hb_place_keep(hb_place *place);

#endif
