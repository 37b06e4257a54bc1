/* What `hbdb check` needs and a log of events does not have: the recorder's own eyes, at HBDB_REMARKS=1.
 *
 * Every call of the program passes through here before and after its handler. What is seen goes into the log as a
 * remark (format/remark/remark.h): nothing is judged here that needs more than this process, and nothing is changed: the
 * library gets the call as the program made it.
 *
 * The rules of capture.h hold, but for one: a call may cost more here, in the order of a microsecond. */
#ifndef HBDB_CAPTURE_CHECK_CHECK_H
#define HBDB_CAPTURE_CHECK_CHECK_H

#include "capture/core/record/record.h"
#include "capture/core/remark/remark.h"
#include "capture/mpi/track/track.h"

#pragma GCC visibility push(hidden)

extern bool hb__checking; /* remarks are wanted: recording, level events, HBDB_REMARKS=1 */

/* How many there are of what concerns calls that come: memory watched by the processor, windows, pieces of pending operations,
 * and short receive buffers. A call of which all has been said looks at these numbers alone. */
struct hb__attention {
	uint32_t guards, windows, pieces, between;
};
extern struct hb__attention hb__attention;

/* ---- check.c ---- */
void hb__check_begin_process(void); /* MPI_Init has returned, the first lane is there */
/* Before the handler of a call of the program, and after it. code: what the call returned. */
void hb__check_enter(struct hb__call *c);
void hb__check_leave(struct hb__call *c, int code);
/* What is known to be there holds for a call: before the library is called, and when the call returns, it may be given back. */
void hb__mapped_forget(void);
/* In the place of both. True: this call was looked at before, with this buffer, and nothing has changed since; nor is there
 * anything to be done before its handler. */
bool hb__check_passes(struct hb__call *c);
void hb__check_passed_after_all(struct hb__call *c, int code);
static inline void hb__check_passed(struct hb__call *c, int code)
{
	const struct hb__attention *now = &hb__attention;
	if (unlikely(code | (c->fn->flags & HB_POLL)) || unlikely(now->guards | now->windows | now->between))
		hb__check_passed_after_all(c, code);
	else if (c->fn->flags & HB_NONBLOCKING)
		hb__mapped_forget(); /* what was sent was looked at */
}
/* The call's memory, one piece from its buffer on, or none: there as long as the block says. For a call whose slot is known. */
void hb__check_memory_seen(const struct hb__call *c, uint64_t bytes, struct hb__block block);
/* The slot, when that was seen of this call's buffer and still holds. NULL: not so. */
const struct hb__slot *hb__check_memory_known(const struct hb__call *c);
/* MPI_Finalize is about to be called, and has returned (what follows is lost); and the process leaves without it. */
void hb__check_finalize(struct hb__call *c);
void hb__check_finalized(struct hb__call *c);
void hb__check_left(void);
/* A request has completed and is about to be forgotten or made inactive; at: its variable; st may be NULL. */
void hb__check_completed(struct hb__call *c, struct hb__request *r, const MPI_Request *at, MPI_Status *st, int error);
/* MPI_Request_free has returned; the request is about to be forgotten. */
void hb__check_request_freed(struct hb__call *c, struct hb__request *r, const MPI_Request *at);
/* A request of the program has been registered (posted, or a persistent one started). */
void hb__check_posted(struct hb__call *c, struct hb__request *r);

/* ---- given.c: what other processes have to fit and no event has ---- */
void hb__check_given(struct hb__call *c);
/* Under the lock of track/: a communicator with a topology is new. */
void hb__check_topology(MPI_Comm handle, const struct hb__comm *comm);

/* ---- declared.c: where a buffer lies and where its address stands, for who knows the variables ---- */
/* True: there is nothing more to tell of this call site with these datatypes, whatever the buffer. */
bool hb__check_declared(struct hb__call *c);

/* ---- process/outside.c ---- */
/* A call while nothing is recorded: before MPI_Init, or after MPI_Finalize. */
/* After MPI_Finalize: calls it, and tells when it frees what was alive. */
int hb__check_freed_late(const struct hb__fn *fn, uintptr_t *a, hb__function next);
void hb__check_outside(const struct hb__fn *fn, const void *pc, const void *cfa);
void hb__check_threads_begin(void);
bool hb__check_threads_quiet(void); /* nothing is ever to be said of calls of this thread */
void hb__check_threads_enter(struct hb__call *c);
void hb__check_threads_leave(struct hb__call *c);

/* ---- process/threads.c: what two threads may not do at once ---- */
void hb__check_together_enter(struct hb__call *c); /* only at MPI_THREAD_MULTIPLE and with several threads */
void hb__check_together_leave(const struct hb__call *c);

/* A remark in the lane of the call, about it: hb__remark(c, LEAK, .what = ..., .made = ...), and with the structure of the kind's shape.
 * A field that is not named is 0 or nothing; where its default in format/remark/remark.def is another, name it. */
#define hb__remark(c, word, ...) hb__remark_of(c, HB_REMARK_##word, &(const hb_remark_as_##word){__VA_ARGS__})
void hb__remark_of(struct hb__call *c, enum hb_remark_word word, const void *fields);
/* Number of the program's call site of this call. */
uint32_t hb__check_site_of(const struct hb__call *c);
static inline uint32_t hb__check_site(const struct hb__call *c)
{
	return likely(c->slot) ? c->slot->site : hb__check_site_of(c);
}

/* ---- guard.c: memory that the program has to leave alone, watched by the processor ---- */
bool hb__guard_works(void);
/* Whether to look after this operation of the call site, too; asked before `owner` is put together. */
bool hb__guard_wanted(const struct hb__call *c);
/* From the end of this call until hb__guard_end(key): accesses of this thread between MPI calls (writes only, or reads too) become
 * the remark TOUCHED of the next call, which is `owner` with the call site of the access. A few bytes of the memory are
 * watched, of a few operations at once: what is not told may have happened all the same. */
void hb__guard_begin(
	const void *key, const void *address, size_t bytes, bool reads, const struct hb_remark_touch *owner);
void hb__guard_end(const void *key);
bool hb__guard_told(const void *key); /* an access was seen, or nothing is watched under this key */
/* Around a call, but for a poll that asks again what it asked before; only where hb__guard_any(). What was seen is told. */
void hb__guard_entered(struct hb__call *c);
void hb__guard_left(const struct hb__call *c);
void hb__guard_asks(struct hb__call *c); /* around such a poll */
void hb__guard_asked(bool yes);          /* what it was answered */
/* What of the memory from *low on, below high, no register of this thread watches: it may be read here without setting one off.
 * *ret_low, *ret_high: the next such piece, after which *low stands behind it. False: there is none. */
bool hb__guard_gap(uintptr_t *low, uintptr_t high, uintptr_t *ret_low, uintptr_t *ret_high);
static inline bool hb__guard_any(void) /* something is watched, by any thread */
{
	return __atomic_load_n(&hb__attention.guards, __ATOMIC_RELAXED) != 0;
}
uint32_t hb__guard_turn(void); /* another one whenever what is watched has changed */

/* ---- buffers/block.c: memory of the program that a call uses ---- */
/* Finds out what can be known of blocks. NULL: what is freed and how long they are; else why not. */
const char *hb__blocks_begin(void);
/* From low on, below high. True: it is not there, or freed, or its block ends before; that was told. */
bool hb__memory_used(struct hb__call *c, const char *arg, uintptr_t low, uintptr_t high, bool writes);
/* The block of malloc that lives there. */
struct hb__block hb__block_of(uintptr_t at);
/* It was freed since. The call sites of malloc and free, 0: not known any more. */
bool hb__block_ended(struct hb__block was, uint32_t *ret_made, uint32_t *ret_ended);

/* ---- buffers/credit.c: what watching may cost ---- */
/* Whether another operation of this place may be looked after; *seen counts the first ones. The call is under way. */
bool hb__credit(const struct hb__call *c, uint32_t *seen);
bool hb__credit_left(uint64_t count);  /* at this count of the clock of record/clock.h */
void hb__credit_used(uint64_t counts); /* of it */

/* ---- handles/: what the program made, and what has ended ---- */
enum hb__what {
	HB__H_NONE,
	HB__H_REQUEST,
	HB__H_COMM,
	HB__H_DATATYPE,
	HB__H_GROUP,
	HB__H_OP,
	HB__H_WIN,
	HB__H_FILE,
	HB__H_INFO,
	HB__H_ERRHANDLER,
	HB__H_KEYVAL,
	HB__H_MESSAGE,
	HB__H_SESSION,
	HB__H_KINDS
};
/* The program had this handle and it has ended: freed, completed. Its use is told by handles/. */
bool hb__handle_ended(enum hb__what what, uintptr_t value);

/* ---- process/crash.c: signals that end the process ---- */
void hb__crash_start(void);

/* ---- the parts, called by check.c ---- */
/* arguments/. True: nothing is wrong with them, as nothing was before with others like them. */
bool hb__check_arguments(struct hb__call *c, uint64_t alike);
/* Of calls whose arguments differ only in what makes nothing wrong that was right the same number, another one when handles have
 * ended; 0: there is none, each is looked at. */
uint64_t hb__arguments_alike(const struct hb__call *c);
/* It has one buffer, the place of a request or a status, and numbers: a send or a receive. */
bool hb__arguments_of_message(const struct hb__fn *fn);
void hb__check_arguments_leave(struct hb__call *c, int code);
void hb__fatal_begin(void);                       /* errors that end the process are told before they do */
void hb__check_handles_enter(struct hb__call *c); /* handles/: use after free, ... */
void hb__check_handles_leave(struct hb__call *c, int code);
void hb__check_buffers_enter(struct hb__call *c); /* buffers/: pending buffers, by address and digest */
void hb__check_buffers_leave(struct hb__call *c, int code);
/* The same around a call that is settled. */
void hb__settled_enter(struct hb__call *c);
void hb__settled_leave(struct hb__call *c);
/* MPI_Request_get_status or one of its like has said that it is complete: its buffers are the program's again. */
void hb__check_seen(uintptr_t request);
/* Around a poll that asks what the one before asked. */
void hb__between_enter(struct hb__call *c);
void hb__between_leave(void);
/* Plain loads of it are safe, even when the program may have freed it; buffers/digest.c. */
bool hb__still_readable(const void *p, size_t bytes);
void hb__memory_that_stays(void);                        /* once, before */
bool hb__memory_of_program(const void *p, size_t bytes); /* its own static memory, or the heap: nobody else has it */
void hb__check_windows_enter(struct hb__call *c);        /* windows.c: epochs and accesses */
void hb__check_windows_leave(struct hb__call *c, int code);
void hb__check_files_enter(struct hb__call *c); /* windows/files.c: collective calls on files */
void hb__check_files_leave(struct hb__call *c, int code);
/* waits.c: which requests a call waits for. True: it completes requests, and all of them are active. */
bool hb__check_waits(struct hb__call *c);

#pragma GCC visibility pop

#endif
