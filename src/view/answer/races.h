/* The races of the run, kept for single events and by place. */
#ifndef HBDB_VIEW_ANSWER_RACES_H
#define HBDB_VIEW_ANSWER_RACES_H

#include "view/server.h"

#define HB_RACES_KEPT 4000000  /* of more than these only the number is known */
#define HB_ALTERNATIVES_KEPT 4 /* of each */

struct hb_kept_alternative {
	uint32_t send, receive;
};

struct hb_kept_race {
	hb_at at, post;        /* at: where it was completed, or posted when it never was */
	uint32_t got;          /* send; HB_NO: not known */
	uint32_t first;        /* of its alternatives */
	uint32_t alternatives; /* of which so many are kept: */
	uint8_t kept, kind;
	bool uncertain;
	uint32_t place;
};

struct hb_race_place {
	char *text, *function;
	uint64_t calls, races;
};

struct hb_view_races {
	uint64_t found;
	struct hb_kept_race *at; /* by line and event */
	size_t n, room;
	struct hb_kept_alternative *alternative;
	size_t nalternatives, alternatives_room;
	struct hb_race_place *place; /* the most racing first */
	uint32_t places;
	bool broken; /* memory was short */
};

/* Sets server->races. Called by the thread that builds. */
hb_status hb__races_find(hb_view_server *server, hb_progress *progress, void *user, hb_error *err);
void hb__races_free(struct hb_view_races *races);
uint64_t hb__races_found(const struct hb_view_races *races);
/* The first kept race of an event, of *ret_n. */
const struct hb_kept_race *hb__races_at(const struct hb_view_races *races, hb_at at, size_t *ret_n);

#endif
