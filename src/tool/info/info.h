/* What hbdb info says of a recording. */
#ifndef HBDB_INFO_H
#define HBDB_INFO_H

#include "../contents/info.h"
#include "../run/run.h"
#include "../store/manifest.h"

#define HB_INFO_SHOWN 24 /* processes, communicators and peers on a page; the rest is counted */

typedef struct hb_called {
	const char *name;
	uint64_t calls;
	uint8_t cls;
} hb_called;

/* A communicator as all processes see it: made of the parent's, by number and leader. */
typedef struct hb_community {
	char *identity;
	uint64_t processes, size, remote_size;
	int64_t number; /* in the first process that has it */
	int64_t parent;
	uint32_t flags, world;
	const char *name; /* that the program gave; NULL: none */
} hb_community;

/* What went between processes over sockets and pipes, and with whom that is not recorded. */
typedef struct hb_talked {
	bool any; /* there are calls of that layer */
	/* calls, also those that failed; one of sendmmsg and the like moves several datagrams */
	uint64_t connects, accepts, datagrams_out, datagrams_in, streams_out, streams_in;
	hb_model *model; /* NULL: it could not be made */
	uint32_t *log_of;
} hb_talked;

typedef struct hb_facts {
	const char *recording, *name; /* name: as the user gave it, NULL: not */
	hb_manifest manifest;
	bool has_manifest;
	hb_logs logs;
	hb_sum sum;
	hb_contents_info *contents; /* by log */
	uint64_t remarks;
	hb_called *called;
	size_t ncalled;
	hb_community *comms;
	size_t ncomms;
	hb_talked talked;
	const char *version_text;
	bool mpi; /* a process had some */
} hb_facts;

/* Of logs that are open, and named. */
void hb__info_gather(hb_facts *f);
void hb__info_release(hb_facts *f);
void hb__info_text(const hb_facts *f);
void hb__info_json(const hb_facts *f);

#endif
