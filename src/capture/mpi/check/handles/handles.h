/* Handles of the program from their making to their end. */
#ifndef HBDB_CAPTURE_CHECK_HANDLES_HANDLES_H
#define HBDB_CAPTURE_CHECK_HANDLES_HANDLES_H

#include "capture/mpi/check/check.h"

#pragma GCC visibility push(hidden)

/* ---- table.c ---- */

/* One time that the program was given a handle. Libraries count references: two calls may give the same one. */
struct hb__making {
	struct hb__making *before;
	uint32_t site;
	const struct hb__fn *fn;
	bool quiet; /* need not be freed */
};

/* What is known of a handle's value. Kept for ever: a value that has ended is one that nobody may use. */
struct hb__held {
	enum hb__what what;
	uintptr_t value;
	struct hb__making *made; /* NULL: it has ended */
	uint32_t made_site, ended_site;
	const struct hb__fn *made_fn, *ended_fn;
	/* Of a request: libraries give one handle to all operations that are complete at once, a hundred thousand may share it. This
	 * one and those after it in its chain are not `unsure`; NULL: there is none. */
	struct hb__request *sure;
};
extern uint64_t hb__handles_ended; /* grows with each that ends, but for requests */

/* A handle where a pointer to one points. */
uintptr_t hb__handle_at(enum hb__what what, const void *at);
/* What a parameter holds or points to, HB__H_NONE: no handle. *ret_pointer: the argument points to it. */
enum hb__what hb__handle_of_param(const struct hb__fn *fn, unsigned i, bool *ret_pointer);
const struct hb__held *hb__handle_find(enum hb__what what, uintptr_t value);
/* Under the lock of track/. The first answers NULL to one that the program never had. */
struct hb__held *hb__handle_known(enum hb__what what, uintptr_t value);
struct hb__held *hb__handle_get(enum hb__what what, uintptr_t value);
void hb__handle_made(struct hb__call *c, enum hb__what what, uintptr_t value, bool quiet);
/* made: the making that ends (of a handle that another thread may have got again meanwhile); it may be gone. */
void hb__handle_over(struct hb__call *c, enum hb__what what, uintptr_t value, const struct hb__making *made);
/* Calls visit for each that has not ended. */
void hb__handles_alive(void (*visit)(void *user, const struct hb__held *h), void *user);
enum hb_what hb__what_word(enum hb__what what);
/* False once a place has made enough remarks of a word: a loop shall not fill the log. */
bool hb__remark_wanted(enum hb_remark_word word, uint32_t site);

/* ---- ends.c: calls that end handles, and those that use ended ones ---- */
bool hb__ends_handle(const struct hb__fn *fn, unsigned i);
void hb__ends_enter(struct hb__call *c);
void hb__ends_leave(struct hb__call *c, int code);

/* ---- ../requests/requests.c ---- */

/* What the checks know of a request of track/, from the call that made it to its end. Where several share a handle the oldest
 * of them is completed, for a row names postings in the order of their making; what is known goes with the variable: the two
 * are exchanged then. */
struct hb__watch {
	struct hb__request *request;
	struct hb__held *held;
	const struct hb__fn *fn; /* that made it, and where */
	uint32_t site, over_site, cancel_site;
	uint16_t lane;     /* the call that made or started it, ... */
	uint64_t posting;  /* ... which is the request's own until it is exchanged */
	uint64_t starting; /* number of the last call that was to start it */
	bool started;
	bool told;                         /* that it was waited for and never started */
	bool variable_again;               /* another one was in its variable when it was put there */
	bool unsure;                       /* it shared its handle, and which of them completed is not known */
	struct hb__pending *pending;       /* its buffers: buffers/ */
	struct hb__partitions *partitions; /* of a partitioned one: buffers/ */
	struct hb__watch *next;            /* unused ones */
};
extern uint32_t hb__requests_turn; /* another one whenever one is made, started or over */
void hb__requests_enter(struct hb__call *c);
/* The one at this variable, or the oldest with this handle; NULL: none. Where that is not certain it and all that share the handle
 * become unsure, and their buffers are not looked at any more. Under the lock of track/. */
struct hb__watch *hb__watch_find(uintptr_t handle, const MPI_Request *at);

/* ---- leaks.c ---- */
void hb__leaks_enter(struct hb__call *c);
void hb__leaks_seen(struct hb__call *c); /* a call that puts an attribute on MPI_COMM_SELF */

#pragma GCC visibility pop

#endif
