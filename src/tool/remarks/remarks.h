/* Remarks of the recorder, as text and JSON. */
#ifndef HBDB_REMARKS_REMARKS_H
#define HBDB_REMARKS_REMARKS_H

#include "../show/line.h"

/* A remark of a log. */
typedef struct hb_remark_place {
	uint32_t lane;  /* HB_NO: it is about the process */
	uint64_t event; /* that it is about, or stands before */
	uint64_t index; /* among the notes of the log, and behind these among its remarks */
} hb_remark_place;

/* Those of a log, by lane (those of the process first) and event. */
typedef struct hb_remark_list {
	hb_remark_place *at;
	size_t n;
} hb_remark_list;

uint64_t hb__count_remarks(const hb_log *log);
/* Free ret->at. */
void hb__list_remarks(const hb_log *log, hb_remark_list *ret);
/* The first of a list that is about this event or a later one of the lane. */
size_t hb__first_remark(const hb_remark_list *list, uint32_t lane, uint64_t event);

/* A line: "0:9  remark leak(what=comm, madefn=MPI_Comm_dup)". Where views are plain, no places and addresses. */
void hb__put_remark_line(hb_output *out, hb_view *view, const hb_remark_place *remark);
/* An object on a line, as hbdb dump --json prints it. */
void hb__put_remark_object(hb_output *out, hb_view *view, const hb_remark_place *remark);

#endif
