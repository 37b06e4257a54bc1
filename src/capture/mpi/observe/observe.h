/* Who has a part in a call beside the record: replay, level racing, checks. Each registers when the process begins; the handlers
 * (wrap/) name the steps of a call and know none of them. While nobody registered, a step is one test that is never true. */
#ifndef HBDB_CAPTURE_MPI_OBSERVE_H
#define HBDB_CAPTURE_MPI_OBSERVE_H

#include "capture/mpi/library.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/track/track.h"

#pragma GCC visibility push(hidden)

/* ---- a way of its own in the place of the library's function ---- */

/* Replay answers as its record says; level racing sends something along; level data keeps what comes. One of them at most is there. Of what a member does not
 * exist for, the library is called. Each returns what the call returns and answers in the program's variables. */
struct hb__way {
	void (*begin)(struct hb__call
			*c); /* the call is about to be made: its slot, and the digest of what it sends, are known */
	void (*passes)(struct hb__call *c); /* likewise, of a call that moves data and is no event */
	int (*call)(struct hb__call *c);    /* a collective, or another event that answers nothing of its own */
	int (*move)(struct hb__call *c);    /* of windows and files, and no event */
	int (*send)(struct hb__call *c);
	int (*post)(struct hb__call *c,
		const struct hb__request *probe); /* makes a request; probe: the message is a probe's, or NULL */
	int (*recv)(struct hb__call *c, MPI_Status *st);
	int (*mrecv)(struct hb__call *c, const struct hb__request *probe, MPI_Status *st);
	int (*probe)(struct hb__call *c, MPI_Status *st);
	int (*iprobe)(struct hb__call *c, MPI_Status *st, int *flag);
	int (*poll)(struct hb__call *c, int *flag); /* without a request: MPI_Win_test */
	int (*wait)(struct hb__call *c, MPI_Request *req, MPI_Status *st);
	int (*test)(struct hb__call *c, MPI_Request *req, MPI_Status *st, int *flag);
	int (*get_status)(struct hb__call *c, MPI_Status *st, int *flag);
	int (*waitall)(struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st);
	int (*testall)(struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st, int *flag);
	int (*waitany)(struct hb__call *c, int *index, MPI_Status *st);
	int (*testany)(struct hb__call *c, int *index, MPI_Status *st, int *flag);
	int (*waitsome)(struct hb__call *c, int *outcount, int *indices, MPI_Status *st);
	int (*testsome)(struct hb__call *c, int *outcount, int *indices, MPI_Status *st);
	MPI_Request (*real)(MPI_Request req); /* the one that runs in its place */
	int (*start)(struct hb__call *c, MPI_Request *req);
	int (*startall)(struct hb__call *c, int n, MPI_Request *reqs);
	int (*cancel)(struct hb__call *c);
	int (*free)(struct hb__call *c, struct hb__request *r, MPI_Request *req); /* r: NULL when it is not known */
	int (*attach)(struct hb__call *c);                                        /* a buffer for MPI_Bsend */
	int (*detach)(struct hb__call *c);
};
extern const struct hb__way *hb__way; /* NULL: the library is called */

/* The call as the way does it. */
#define HB__GO(member, c, ...) \
	(likely(!hb__way) || !hb__way->member ? hb__invoke_next(c) : hb__way->member((c), ##__VA_ARGS__))

/* ---- being told ---- */

enum hb__side {
	HB__GIVEN,
	HB__GOT,
	HB__GIVEN_LOW,
	HB__GOT_HIGH
}; /* of a collective; low, high: one byte of the check */

/* What was done. Of each call those are told first who registered first. */
struct hb__observer {
	/* A request was made, or one was started; NULL: the call failed. */
	void (*posted)(struct hb__call *c, struct hb__request *r, int code);
	void (*starting)(
		struct hb__call *c, struct hb__request *r); /* is about to be started; r: NULL when it is not known */
	/* An active request is over; at: its variable. May put the status right. */
	void (*over)(struct hb__call *c, struct hb__request *r, const MPI_Request *at, MPI_Status *st, int error);
	/* Its status was only asked for; r: NULL when it is not known, or null. */
	void (*looked)(struct hb__call *c, struct hb__request *r, uintptr_t handle, MPI_Status *st, int error);
	void (*freed)(
		struct hb__call *c, struct hb__request *r, const MPI_Request *at); /* MPI_Request_free has returned */
	void (*probed)(struct hb__call *c, MPI_Status *st);
	void (*matched)(struct hb__call *c, struct hb__request *r); /* a probe took a message */
	/* c->check holds this side of a collective; and both sides of one that was begun by another call. */
	void (*contents)(struct hb__call *c, const struct hb__part *part, enum hb__side side);
	void (*awaited)(struct hb__call *c, const struct hb__request *r, const struct hb__begun *begun, uint16_t check);
	void (*finalizing)(struct hb__call *c); /* MPI_Finalize is about to be called, and has returned */
	void (*finalized)(struct hb__call *c);
};
#define HB__OBSERVERS 3
extern const struct hb__observer *hb__observers[HB__OBSERVERS + 1]; /* NULL behind the last */

void hb__observe(const struct hb__observer *observer);

/* Tells all observers of a step: HB__TELL(posted, c, r, code). */
#define HB__TELL(step, ...)                                                                       \
	do {                                                                                      \
		for (const struct hb__observer **o_ = hb__observers; unlikely(*o_ != NULL); o_++) \
			if ((*o_)->step)                                                          \
				(*o_)->step(__VA_ARGS__);                                         \
	} while (0)

#pragma GCC visibility pop

#endif
