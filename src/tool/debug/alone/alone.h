/* One process that goes backwards, too. */
#ifndef HBDB_DEBUG_ALONE_H
#define HBDB_DEBUG_ALONE_H

#include "../debug.h"

/* ---- stand.c ---- */
/* The process; NULL after having said that it runs, or that there is none. */
const hb_proc *hb__d_standing(hb_debug *d);
/* Whether it stands exactly where an event was over, not behind that. */
bool hb__d_at_event(const hb_proc *p);
/* Whether it is inside of, or comes next to, an event that it never returned from: *ret_at. */
bool hb__d_never_returned(hb_debug *d, const hb_proc *p, hb_at *ret_at);

/* ---- back.c ---- */
/* 0, or a code after having said how to get a process that goes back. */
int hb__d_need_one(hb_debug *d, const char *verb);
/* Lets it go and waits until it stands. 0, or a code after having said why it does not. */
int hb__d_go_and_wait(hb_debug *d, hb_gdb_step how, uint32_t level, uint32_t times, double seconds);
/* Switches the user's points off, and on again. */
void hb__d_mute(hb_debug *d, hb_gdb *gdb, bool off);
/* Its gdb, where it stands; NULL after having said why not. */
hb_gdb *hb__d_gdb_of(hb_debug *d);

/* ---- jump.c ---- */
/* To an event of its own, or "END". name: of the event, for people. */
int hb__d_jump(hb_debug *d, const char *where, const char *name);

#endif
