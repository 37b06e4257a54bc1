/* Files of other tools become recordings: captured packets (pcap, pcapng), traces of OpenTelemetry (OTLP as JSON), logs of libhbdb-self, and what boards said. */
#ifndef HBDB_FOREIGN_H
#define HBDB_FOREIGN_H

#include <hbdb/format.h>
#include <stdbool.h>

typedef struct hb_import hb_import;

typedef struct hb_import_options {
	/* Capture files: "NAME=ADDRESS,ADDRESS:PORT,...": what these addresses do is done by one process, which is called NAME; several such with commas
	 * between. NULL: each address is a process. */
	const char *hosts;
	/* Capture files: paths of the logs of a recording. What its processes sent and received is in these already: what is read becomes the
	 * others that they talked to. NULL: none. */
	const char *const *with;
	size_t withs;
	int64_t shift;         /* nanoseconds by which the clock of the capture file is set forward */
	hb_progress *progress; /* called now and then with the share of the file that is read; may be NULL */
	void *user;
} hb_import_options;

/* What was read. */
typedef struct hb_import_told {
	const char *from; /* "pcap", "pcapng", "otlp", "hbdb-self" or "hbdb-board" */
	bool spans; /* events of programs, or operations, that they tell of; else packets, which are calls of sockets */
	uint64_t processes, events;
	uint64_t first, last;  /* nanoseconds since the epoch */
	uint64_t begun, ended; /* the same, with what options.with tells of */
	const char *cut;       /* why and where reading ended before the end of the file; NULL: it did not */
	uint32_t
		first_pid; /* the processes are numbered from here on, unless the file tells their numbers: headers, and names of logs */
	const char *const *note; /* sentences on what is not known, or was left out; owned by the import */
	size_t notes;
} hb_import_told;

/* Reads a file. HB_E_FOREIGN: it is none of these; HB_E_VERSION: a version or a kind of link that is not known; HB_E_DAMAGED: nothing in it could
 * be read; HB_E_ARGUMENT: options.hosts makes no sense, or the file has nothing to do with the recording that options.with is of. *ret_import is owned by the caller: hb_import_free. */
hb_status hb_import_read(const char *file, const hb_import_options *options, hb_import **ret_import, hb_error *err);
void hb_import_tell(const hb_import *import, hb_import_told *ret);
/* Writes the logs into a folder that is there: rank.0.PID.log, with PID from told.first_pid on, or that of the process, as processes without MPI have. */
hb_status hb_import_write(const hb_import *import, const char *folder, hb_error *err);
void hb_import_free(hb_import *import);

#endif
