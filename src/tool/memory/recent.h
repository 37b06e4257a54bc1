/* Which recordings were made last. */
#ifndef HBDB_MEMORY_RECENT_H
#define HBDB_MEMORY_RECENT_H

#include "../tool.h"

typedef enum {
	HB_RECENT_MADE,    /* that have ended */
	HB_RECENT_RUNNING, /* that were begun */
} hb_recent_kind;

typedef enum {
	HB_RECENT_HERE,    /* made in the current folder, or lies in it */
	HB_RECENT_SESSION, /* made in this terminal session */
	HB_RECENT_USER,    /* made by the user */
} hb_recent_how;

/* Keeps `recording` (absolute) as the last one. Nothing is said when that fails: the name can still be given. */
void hb__recent_add(hb_recent_kind kind, const char *recording);
/* The last one of those that `fits` takes, to be freed; NULL: there is none. */
char *hb__recent_last(hb_recent_kind kind, hb_recent_how how, bool (*fits)(const char *recording));

#endif
