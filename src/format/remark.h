/* Remarks: what the recorder saw itself of a process, for `hbdb check`. A remark is a note (hb_note) whose text is
 *
 *     check WORD key=value key=value ... [text=the rest of the line]
 *
 * It stands before the event that it is about, in the lane of the thread that made the call; of a call that is no
 * event, before the next event of the lane. The last event may never come: the library may end the process in the call.
 *
 * Keys that all words share:
 *   fn=MPI_Send       the function of the program's call (of one that is no event only this says which)
 *   event=0           the call is no event (or one only when it says yes)
 *   site=12           where it was called: a call site of the log, 0: not known
 *   arg=count         the argument concerned, by its name in the standard
 *   value=-3          what was given, a number or a name
 *   req=LANE.POSTING  the request concerned, by the call that posted it
 *   other=LANE.POSTING
 *   what=datatype     kind of handle: request, comm, datatype, group, op, win, file, info, errhandler, keyval, message, session
 *   made=13           call site that made the handle
 *   comm=2 win=0 type=1025   numbers as in the recorded arguments
 *
 * Only recordings made with HBDB_REMARKS=1 have them; they begin with the remark `on`. */
#ifndef HBDB_FORMAT_REMARK_H
#define HBDB_FORMAT_REMARK_H

#define HB_REMARK_BEGIN "check "

/* A note that is no remark and for no one to read: the name that the program gave, "name comm 2 ocean". The last holds. */
#define HB_NAME_BEGIN "name "

/* Numbered by the rows of remark.def. */
enum hb_remark_word {
#define HB_REMARK(name, word, keys) HB_REMARK_##name,
#include "format/remark.def"
#undef HB_REMARK
	HB_REMARKS
};

#endif
