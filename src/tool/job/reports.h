/* What the processes of a replay report, docs/CONTRACTS.md "Replay reports". */
#ifndef HBDB_JOB_REPORTS_H
#define HBDB_JOB_REPORTS_H

#include "../store/manifest.h"
#include "../watch/stall.h"
#include "../tool.h"

typedef enum {
	HB_REPORT_DIVERGENCE,
	HB_REPORT_CONTENTS,
	HB_REPORT_END,
	HB_REPORT_DONE,
	HB_REPORT_NOTE,
	HB_REPORT_SUSPECT, /* what differences of contents may come from */
	HB_REPORT_INPUTS,  /* what the program asked the system for otherwise than it did */
	HB_REPORT_LOOKED,  /* how many contents were compared: numbers */
	HB_REPORT_KINDS
} hb_report_kind;

typedef struct hb_reports {
	const char *folder;
	int32_t size;        /* processes of the recording that are replayed: by number, as hb_replay_folder has them */
	bool stop;           /* a divergence ends the job */
	int32_t only;        /* the one that is replayed alone; -1: all are */
	unsigned char *seen; /* per rank: bits by kind */
	uint64_t count[HB_REPORT_KINDS];
	uint64_t divergences_told; /* under warn they are printed as they come */
	double divergence_seen;    /* seconds; 0: none */
	bool record_ended;         /* every process is done or at the end of its record, or waits for one that is */
	hb_stall stall;
	bool *over;      /* per rank: done, or at the end of its record */
	bool stalled;    /* nobody moves any more */
	int32_t foreign; /* a rank that the recording does not have, or -1 */
	size_t *printed; /* per rank: bytes of its divergence report that were printed */
} hb_reports;

/* Looks which are there. */
void hb__look_for_reports(hb_reports *reports);
/* Looks at the folder; true when the job is to be ended. Fits hb_job.watch. */
bool hb__watch_reports(void *reports);
/* The job gets a signal that asks for its end: what its processes call in handlers of it is not compared. Fits hb_job.ending. */
void hb__reports_ending(void *reports);
bool hb__is_replayed(const hb_reports *reports, int32_t rank);
bool hb__report_seen(const hb_reports *reports, int32_t rank, hb_report_kind kind);
/* "no difference", where calls and contents agree; else what does and what was not compared. To be freed. */
char *hb__contents_words(const hb_reports *reports, const hb_manifest *recorded);
/* The first differences of contents, and what they may come from; and of what the program asked the system for. */
void hb__print_contents(const hb_reports *reports);
/* Prints all reports of one kind, the earliest first; of divergences what was not yet printed. */
void hb__print_reports(const hb_reports *reports, hb_report_kind kind);

#endif
