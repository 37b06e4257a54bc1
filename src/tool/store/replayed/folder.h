/* The folder of a replay: the logs in raw form, and the reports of the processes. */
#ifndef HBDB_STORE_REPLAYED_FOLDER_H
#define HBDB_STORE_REPLAYED_FOLDER_H

#include "../logs.h"
#include "../manifest.h"
#include "guard.h"

/* Events at whose other side there is no process of the recording. */
typedef struct hb__outside {
	uint64_t n;
	char first[160]; /* who it is at the first of them: "udp 10.0.0.1:53" */
} hb__outside;

typedef struct hb_replay_folder {
	char *folder, *script; /* script: where the logs are */
	/* Each process that is replayed has a number, by which its log in `script`, its reports and a session know it: its rank in the
	 * world that was started; those without MPI come behind; then, from `made` on, those of each world that was made, by rank.
	 * Others are not replayed. */
	int32_t size, ranks, made;
	int32_t *first;       /* by place of a world in hb_worlds: the number of its rank 0; -1: it is not replayed */
	int32_t only;         /* the number of the one that is replayed alone; -1: all are */
	int32_t begins;       /* ... of the process that becomes it by forks; the same where no fork made it */
	uint64_t only_events; /* of its first lane, as far as it is followed */
	uint64_t until;       /* so many of them are followed at most */
	char **name;          /* by number: as the recording calls it */
	char **log;           /* by number: path of its log in the recording; NULL: it has none */
	uint64_t events;
	hb_sum sum;     /* of the recording: its notes tell what is not enforced */
	uint64_t *last; /* by number: events of its first lane when it broke off, else UINT64_MAX */
	char *traced;   /* the settings of the recording's trace; NULL: it has none */
	char *files; /* those that the program read, in the recording; NULL: none, or hb__unpack_inputs was not called */
	hb_folder_guard guard;    /* removes the folder when this process dies without doing it */
	unsigned char *broke_off; /* by number: it ended inside MPI when it was recorded */
	hb__outside outside;      /* of a replay of all */
} hb_replay_folder;

/* alone: the name of the one process that is to be replayed, without the others, up to this event of its first thread (UINT64_MAX: whole); NULL: all.
 * Makes the folder beside the recording, for the logs may be large, and
 * elsewhere ($TMPDIR) when that cannot be written or is full. 0, or an exit code after having said why. */
int hb__open_replay_folder(const char *recording, const char *alone, uint64_t until, hb_replay_folder *ret);
/* Puts what came into its processes beside their logs, of those of which it was kept. 0, or an exit code after having said why. */
int hb__unpack_inputs(const char *recording, hb_replay_folder *session);
/* Removes it. */
void hb__close_replay_folder(hb_replay_folder *session);

/* ---- replay_worlds.c ---- */
/* The numbers of the logs, as hb_replay_folder has them, -1: it is not replayed; says so of those that the user may miss. Free it. */
int32_t *hb__replay_numbers(const hb_logs *logs, hb_replay_folder *folder);
/* The file `bridges` beside the logs in `script`: docs/CONTRACTS.md, "Worlds in a replay". */
/* Which log is that of the process from which fork made this one, that started no program of its own; logs->n: it was not made so, or that one is
 * not known. */
size_t hb__forked_from(const hb_logs *logs, size_t i);
hb_status hb__write_bridges(
	const hb_logs *logs, const int32_t *numbers, const hb_replay_folder *folder, hb_error *ret_err);

/* ---- taken.c ---- */
/* The file `taken` beside them, where receives without an end are known to have taken a message: docs/CONTRACTS.md, "Receives without an end in a replay". */
hb_status hb__write_taken(
	const hb_logs *logs, const int32_t *numbers, const hb_replay_folder *folder, hb_error *ret_err);

/* ---- shared.c ---- */
/* The file `shared` beside them, where the recording has streams, or sockets that listen, that several had, or peers that were not recorded:
 * docs/CONTRACTS.md, "Sockets in a replay". Sets folder->outside. */
hb_status hb__write_shared(const hb_logs *logs, const int32_t *numbers, hb_replay_folder *folder, hb_error *ret_err);
/* A replay of it begins, and so is what it cannot give back; given: what came into its processes is given back. */
void hb__say_outside(const hb_replay_folder *folder, const hb_manifest *manifest, bool given);

#endif
