/* Replay: answering as the record says, and comparing contents with it. */
#ifndef HBDB_CAPTURE_MPI_REPLAY_H
#define HBDB_CAPTURE_MPI_REPLAY_H

#include "capture/core/follow/follow.h"
#include "capture/mpi/observe/observe.h"

#pragma GCC visibility push(hidden)

/* ---- ways.c ---- */
void hb__replay_begin_process(void);                   /* MPI_Init has returned, in a replay */
void hb__replay_follow(struct hb__call *c);            /* the row of the call, and whether it sends what it sent */
enum hb__answer hb__replay_answer(struct hb__call *c); /* of a poll */
void hb__replay_observe(void);                         /* contents are compared with those of the record */

/* ---- contents.c: contents of messages and collectives against those of the record ---- */
/* A call that was followed: what it sends, when it is a send; and counts those whose contents are not looked at. */
void hb__compare_sent(struct hb__call *c);
/* One side of a collective, once c->check holds it. */
void hb__compare(struct hb__call *c, const struct hb__part *part, enum hb__side side);
/* A collective that is over now; check: of the sides that it has. */
void hb__compare_awaited(
	struct hb__call *c, const struct hb__request *r, const struct hb__begun *begun, uint16_t check);
/* A call that is no event passes: its contents are not compared. */
void hb__compare_passed(struct hb__call *c);
/* A send is pending from here on; and it is over. */
void hb__compare_posted(struct hb__call *c, struct hb__request *r);
void hb__compare_completed(struct hb__call *c, struct hb__request *r);

/* ---- again.c: doing what the record says ---- */
void hb__again_start(void);
int hb__again_recv(struct hb__call *c);
int hb__again_post(struct hb__call *c); /* Isend, Irecv and their persistent kin */
void hb__again_posted(struct hb__call *c, struct hb__request *r);
int hb__again_probe(struct hb__call *c, MPI_Status *st);
bool hb__again_shadowed(MPI_Request req);    /* another request runs in its place */
MPI_Request hb__again_real(MPI_Request req); /* the one that runs */
int hb__again_wait(MPI_Request *req, MPI_Status *st);
int hb__again_waitall(struct hb__lane *lane, int n, MPI_Request *reqs, MPI_Status *st);
int hb__again_waitall_failed(const struct hb__row *row, int n, MPI_Request *reqs, MPI_Status *st);
int hb__again_waitany(struct hb__call *c, int *index, MPI_Status *st);
int hb__again_waitsome(struct hb__call *c, int *outcount, int *indices, MPI_Status *st);
int hb__again_get_status(struct hb__call *c, MPI_Status *st);
int hb__again_start_one(struct hb__lane *lane, MPI_Request *req);
int hb__again_cancel(struct hb__call *c);
int hb__again_free(struct hb__call *c, struct hb__request *r);
void hb__again_progress(void);

#pragma GCC visibility pop

#endif
