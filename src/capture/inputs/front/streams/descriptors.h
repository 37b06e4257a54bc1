/* What a descriptor leads to, as far as it matters to what is read from it. */
#ifndef HBDB_CAPTURE_INPUTS_DESCRIPTORS_H
#define HBDB_CAPTURE_INPUTS_DESCRIPTORS_H

#include "capture/inputs/front/front.h"

#pragma GCC visibility push(hidden)

enum hb__leads {
	HB__UNKNOWN_YET,
	HB__TO_FILE,    /* a file or a folder: checked when it is opened, and read as it is */
	HB__TO_DEVICE,  /* random bytes, a terminal, files of /proc and /sys: in a replay nothing is read from it */
	HB__TO_INPUT,   /* the standard input: likewise */
	HB__TO_PEER,    /* a pipe: in a replay somebody writes into it again, and it is emptied as it was */
	HB__TO_SOCKET,  /* likewise */
	HB__TO_COUNTER, /* eventfd and its like: threads wait for each other by it */
	HB__TO_NOBODY,  /* a pipe or a socket whose other end is not there in this replay, or is the system */
};
enum hb__leads hb__leads(int fd);
void hb__leads_set(int fd, enum hb__leads to); /* HB__UNKNOWN_YET: find out */

/* read, on behalf of the program. */
ssize_t hb__read(const void *pc, int fd, void *p, size_t bytes);
off_t hb__seek(const void *pc, int fd, off_t offset, int whence);

/* ---- stdio.c ---- */
void hb__stdin_start(void);

/* ---- files.c ---- */
/* A file is about to be opened for reading. Recording: `fd` is what came of it (-1: errno says why). Replay: as well, and what is returned
 * takes its place: another descriptor, or -1 with errno. The thread has entered. */
int hb__file_opened(enum hb_inputs what, const void *pc, const char *path, int flags, int fd);

#pragma GCC visibility pop

#endif
