/* What the files of live/ share. */
#ifndef HBDB_LIVE_PARTS_H
#define HBDB_LIVE_PARTS_H

#include "../job/reports.h"
#include "../job/run.h"
#include "../store/find.h"
#include "../store/logs.h"
#include "../store/replayed/folder.h"
#include "../recorded/command.h"
#include "../distant/distant.h"
#include "../nodes/replaying/distribute.h"
#include "live.h"

struct hb_live {
	char *recording; /* replayed, or being made */
	bool replay, attached;
	const char *output;
	char *input;
	int out;
	hb_run *run;
	hb_replay_folder folder;
	hb_manifest manifest;
	/* one process alone: */
	const hb_one *one; /* NULL: a job */
	int one_folder;    /* where it runs */
	uint64_t budget;
	hb_command_line line;
	char **command;
	const char *local;   /* hb_live_options */
	hb_distributed away; /* other nodes, in its `spread`: none, or reached ... */
	bool apart; /* ... which share no folder: what the processes write stands there. All of `away` holds then, in a replay */
	hb_distant *distant; /* their processes come by this; NULL: none */
	double handed;       /* when what some processes write for others was handed on last */
	hb_session *session;
	int32_t *number;      /* by process of the model: hb__live_number */
	uint32_t *of_session; /* by number: hb__live_process */
	hb_started *job;
	hb_job_end end;
	hb_reports reports;
	uint64_t differences; /* printed */
	double begin, went, reached;
	uint64_t departures; /* of the session, when it went */
	bool going;          /* on the way to a cut: when all are there the time is taken */
	char inside[256];
	/* stubs.c */
	char *stubs; /* the folder in which they stand; NULL: there is none */
	hb_folder_guard stubs_guard;
	int stubs_news;     /* readable when something has come there; -1: nobody tells */
	bool stubs_due;     /* something there was not ready yet */
	int32_t *stub_pids; /* those that were seen to */
	size_t nstubs;
	/* waits.c */
	bool look_for_waits;
	double looked;
	struct hb_facts *facts;
	struct hb_look_back *look;
	size_t nlooks, look_room;
	hb_waits *waits;
	size_t nwaits, wait_room;
};

/* stubs.c: processes of other processors get the gdb of their platform as they begin */
void hb__live_open_stubs(hb_live *live);
void hb__live_look_at_stubs(hb_live *live);
void hb__live_close_stubs(hb_live *live);

/* waits.c */
void hb__live_look_at_waits(hb_live *live);
void hb__live_free_waits(hb_live *live);

/* found.c: the processes of a job that runs without hbdb, by rank: free *ret_pids. any: a
 * process that is none of an MPI job is one of its own. 0, or an exit code after having said why. */
int hb__find_job(const char *pid, bool any, int32_t **ret_pids, int32_t *ret_size);

/* alone.c */
int hb__live_open_alone(hb_live *live, const hb_live_options *options);
int hb__live_start_alone(hb_live *live);

/* reports.c */
void hb__live_begin_reports(hb_live *live);
void hb__live_look_at_reports(hb_live *live);
void hb__live_free_reports(hb_live *live);

#endif
