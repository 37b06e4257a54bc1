/* Replay without other processes: MPI answers from the recording.
 *
 * The library runs as a process of its own (a singleton). What is local to a process - datatypes, attributes and their callbacks,
 * operations, infos, error handlers, packing - it does itself. Handles of what is not there are stand-ins: a communicator is one of this
 * process alone, a request a generalised one that nobody ever waits for, so that everything that takes a handle, Fortran's conversions
 * too, finds one that exists. All that would need another process is answered from the record and its contents. */
#ifndef HBDB_CAPTURE_MPI_ALONE_H
#define HBDB_CAPTURE_MPI_ALONE_H

#include "capture/core/follow/follow.h"
#include "capture/mpi/data/io.h"
#include "capture/mpi/observe/observe.h"

#pragma GCC visibility push(hidden)

/* ---- ways.c ---- */
void hb__alone_begin_process(void); /* MPI_Init has returned */
void hb__alone_empty(MPI_Status *st);

/* ---- quick.c ---- */
void hb__alone_start_quick(void);

/* ---- handles.c ---- */
MPI_Request hb__alone_request(void);
bool hb__alone_is_ours(MPI_Request request);
void hb__alone_request_over(MPI_Request request);
MPI_Message hb__alone_message(void);
void hb__alone_message_over(MPI_Message message);
/* A window of no memory of the program that stands for the one that is made: some libraries have others only with peers. */
int hb__alone_window(struct hb__call *c);
/* A file of nothing that stands for the one that is opened. */
int hb__alone_file(struct hb__call *c);
/* A communicator that stands for what a constructor made. */
int hb__alone_comm(struct hb__call *c);

#pragma GCC visibility pop

#endif
