/* The way from a generated wrapper to the handler of its class. */
#ifndef HBDB_CAPTURE_WRAP_WRAP_H
#define HBDB_CAPTURE_WRAP_WRAP_H

#include "capture/mpi/library.h"

#pragma GCC visibility push(hidden)

#define HB__CALLER __builtin_extract_return_addr(__builtin_return_address(0)), __builtin_dwarf_cfa()

/* The short way of a function that is counted and no event: returns from the wrapper where nothing is unusual. call: of the
 * library's function. */
#define HB__PLAIN(number, call)                                            \
	do {                                                               \
		struct hb__lane *lane = hb__self;                          \
		if (likely(lane && !lane->unusual && hb__plain[number])) { \
			lane->control->calls[number]++;                    \
			lane->depth = 1;                                   \
			int code = call;                                   \
			lane->depth = 0;                                   \
			return code;                                       \
		}                                                          \
	} while (0)
/* Such a function that was called: its handler is the plain one, and it has its name in the log. */
extern uint8_t hb__plain[HB_FN_COUNT];

/* Called by every generated wrapper. next: where the library's function stands in hb__next, under the name that was called. */
int hb__wrap(const struct hb__fn *fn, uintptr_t *a, const hb__function *next, const void *pc, const void *cfa);
hb__function hb__value_enter(const struct hb__fn *fn, enum hb__entry entry, const void *pc, const void *cfa);
double hb__double_leave(const struct hb__fn *fn, double value, const void *pc, const void *cfa);
MPI_Aint hb__aint_leave(const struct hb__fn *fn, MPI_Aint value, const void *pc, const void *cfa);

/* Handlers. Each returns what the program gets. */
typedef int hb__handler(struct hb__call *c);
extern hb__handler *hb__handlers[HB_FN_COUNT]; /* by function number */

hb__handler hb__on_get_status;
hb__handler hb__on_look_at_several;
hb__handler hb__on_plain; /* not an event */
/* answers.c: calls that are no events, but have answers to be kept or given, get other handlers */
void hb__answers_start(void);
hb__handler hb__on_moving;
hb__handler hb__on_event; /* an event without a choice */
hb__handler hb__on_window_start, hb__on_window_complete;
hb__handler hb__on_collective;
hb__handler hb__on_send, hb__on_recv, hb__on_mrecv;
hb__handler hb__on_probe, hb__on_iprobe;
hb__handler hb__on_wait, hb__on_waitall, hb__on_waitany, hb__on_waitsome;
hb__handler hb__on_test, hb__on_testall, hb__on_testany, hb__on_testsome;
hb__handler hb__on_poll; /* other polls: counted when they say no */
hb__handler hb__on_start, hb__on_startall, hb__on_cancel, hb__on_request_free;
hb__handler hb__on_comm, hb__on_comm_free;
hb__handler hb__on_newtype, hb__on_type_commit, hb__on_type_free, hb__on_op_free, hb__on_newop, hb__on_newhandle,
	hb__on_handle_free;
hb__handler hb__on_set_name;
hb__handler hb__on_buffer_attach, hb__on_buffer_detach;
hb__handler hb__on_init, hb__on_finalize, hb__on_abort;
/* sessions.c */
hb__handler hb__on_session, hb__on_late_init, hb__on_early_session;
bool hb__session_makes(const struct hb__fn *fn); /* a communicator of a group that has none */
/* special.c */
bool hb__begin_events(struct hb__call *c);
extern uint64_t hb__early_calls[HB_FN_COUNT]; /* calls before the record began, or where there is none */

#pragma GCC visibility pop

#endif
