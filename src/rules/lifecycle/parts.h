/* Handles, requests, buffers, from MPI_Init to MPI_Finalize: what the files of this folder share. */
#ifndef HBDB_RULES_LIFECYCLE_PARTS_H
#define HBDB_RULES_LIFECYCLE_PARTS_H

#include "rules/finding.h"

/* The call that a remark is about. */
hb_point hb__call_point(const hb_case *c, const hb_remark *r, const char *role);
/* Another call of the same process: its call site and its function. */
hb_point hb__other_point(const hb_remark *r, uint32_t site, const char *fn, const char *role);
/* "a communicator". */
const char *hb__what_text(enum hb_what what);
static inline const char *hb__named_of(const hb_case *c, const hb_remark *r)
{
	return hb_model_processes(c->model)[r->process].name;
}

typedef hb_status hb_remark_rule(hb_case *c, const hb_remark *r, hb_error *err);
hb_remark_rule hb__told_freed, hb__told_predefined, hb__told_leak; /* handles.c */
hb_remark_rule hb__told_unstarted, hb__told_start, hb__told_free_active, hb__told_free_receive, hb__told_cancel;
/* requests.c */
hb_remark_rule hb__told_overlap, hb__told_written, hb__told_touched;                     /* buffers.c */
hb_remark_rule hb__told_small, hb__told_buffer_freed;                                    /* blocks.c */
hb_remark_rule hb__told_outside, hb__told_init_again, hb__told_thread, hb__told_threads; /* process.c */
hb_status hb__processes_left(hb_case *c, hb_error *err);                                 /* process.c */

#endif
