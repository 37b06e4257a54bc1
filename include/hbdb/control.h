/* The control protocol: how the processes of a run under control talk with the session that
 * controls it. docs/control.md describes it whole.
 *
 * Each process dials in once MPI_Init has returned, and waits for its first `go`. Both sides send
 * lines of ASCII: words with one blank between them and a line feed at the end. */
#ifndef HBDB_CONTROL_H
#define HBDB_CONTROL_H

#define HB_CONTROL_VERSION 1
#define HB_CONTROL_LINE 512 /* bytes of the longest line with its line feed */

/* Where to dial in: unix:PATH, unix:@NAME (abstract) or tcp:HOST:PORT; not set: the run is not under control. */
#define HB_CONTROL_ENV "HBDB_CONTROL"
/* What a process says to be believed: hexadecimal digits. The path of a file that only its owner may read, with them in it; or
 * themselves, which then stand in the command line of a launcher for everybody to read. */
#define HB_CONTROL_SECRET_FILE_ENV "HBDB_CONTROL_SECRET_FILE"
#define HB_CONTROL_SECRET_ENV "HBDB_CONTROL_SECRET"
#define HB_CONTROL_SECRET_MOST 64 /* bytes, with what ends it */

/* In the place of its name in `hello`: the process is known by its rank. */
#define HB_CONTROL_RANK "-"

/* What begins the names of files by which processes without a rank leave word in the folder of the run of which one they are: the
 * session's alone. */
#define HB_CONTROL_CLAIM "claim."

/* Why a process waits, the third word of `at`. */
#define HB_CONTROL_START "start"     /* MPI_Init has returned */
#define HB_CONTROL_AFTER "after"     /* the event that was asked for is over */
#define HB_CONTROL_END "end"         /* replay: its record ends here; it cannot go on */
#define HB_CONTROL_DIFFERS "differs" /* replay: the program differs from its record; it cannot go on */

#endif
