/* Processes that come from this one. */
#ifndef HBDB_CAPTURE_DESCEND_H
#define HBDB_CAPTURE_DESCEND_H

#include <sys/types.h>

#include "capture/core/core.h"

#pragma GCC visibility push(hidden)

/* ---- environment.c ---- */
/* Keeps hbdb's variables as they are now. */
void hb__environment_keep(void);
/* What a program that begins with `given` gets in its place. */
enum hb__change {
	HB__AS_IT_IS,
	HB__WITH_OURS,    /* what is lacking of hbdb's variables is added */
	HB__WITHOUT_OURS, /* hbdb's libraries are out of reach: they are taken out of LD_PRELOAD */
};
enum hb__change hb__environment_change(char *const *given);
/* Writes it into room, which has so many places, and a text for it into preload, of so many bytes. */
void hb__environment_for(char *const *given, enum hb__change change, char **room, char *preload);
size_t hb__environment_places(char *const *given);
size_t hb__environment_preload(char *const *given);

/* ---- runner.c ---- */
/* What HBDB_MODE asks for. Of a program that runs programs of another processor those are recorded, and not it. */
enum hb__mode hb__mode_asked(void);

/* ---- vfork.c ---- */
/* Pages that a child made by vfork leaves in the memory of its parent: given back when that goes on. */
void hb__vfork_leaves(void *pages, size_t bytes);

/* ---- child.c: see hb__notice_fork ---- */
void hb__here_begin(void); /* from now on children are told apart */
void hb__here_again(void); /* in a child: it knows what it is */
void hb__after_fork(void); /* process.c: what a child does first */

/* ---- reach.c ---- */
/* Before a filter of system calls is set that may forbid to open files, by whatever call; and when it is set. */
void hb__calls_filtered(void);
void hb__calls_are_filtered(void);

#pragma GCC visibility pop

#endif
