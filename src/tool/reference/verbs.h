/* What `hbdb compare` can be told to do. */
#ifndef HBDB_REFERENCE_VERBS_H
#define HBDB_REFERENCE_VERBS_H

#include "format/trace/settings.h"

#include "../making/make.h"
#include "../making/traced.h"
#include "../options.h"
#include "reference.h"

int hb__compare_record(const hb_args *args);
int hb__compare_run(const hb_args *args);
int hb__compare_report(const hb_args *args);
int hb__compare_config(const hb_args *args);
int hb__compare_zoom(const hb_args *args);
int hb__compare_find(const hb_args *args);
int hb__compare_control(const hb_args *args);
int hb__compare_picture(const hb_args *args);

/* Where two runs part. */
typedef struct hb_difference_place {
	bool compared;           /* the runs could be read and compared; ... */
	bool any;                /* ... and differed */
	hb_point correct, first; /* the last point that was right, and the first one that was not */
	hb_array_id id;          /* of the first array whose checksum differed, and where: name NULL: none did */
	hb_point array_at;
	uint64_t values; /* reads and writes that were compared */
} hb_difference_place;

/* zoom/place.c. Compares two recordings (paths). What was found is printed where args are given, as their options say. Returns the exit code of
 * what was found with args, else 0; or an exit code after having said what is wrong. hb__place_free. */
int hb__place_of_difference(const hb_args *args, const char *reference, const char *run,
	const hb_reference_tolerance *tolerance, hb_difference_place *ret);
void hb__place_free(hb_difference_place *place);

/* What --tolerance and --absolute say; an exit code after having said what is wrong. Numbers that are not given stay. */
int hb__read_tolerances(const hb_args *args, hb_reference_tolerance *tolerance);

/* wishes.c. The array that --save names, and the point of --at; `otherwise` where that is not given. What is not given stays. 0, or an exit code. */
int hb__read_saved(const hb_args *args, const hb_point *otherwise, hb_array_id *id, hb_point *at);
/* What is wanted: the file of --settings, else that of the recording `reference` where there is one (NULL: none), then the options. 0, or an
 * exit code. hb_settings_free in any case. */
int hb__wished_settings(const hb_args *args, const char *reference, hb_trace_settings *ret);
/* Writes them into a file that lasts until hb__forget_settings. 0 and its absolute path, or an exit code. */
int hb__put_settings(const hb_trace_settings *settings, char **ret_path);
void hb__forget_settings(char *path);
/* A traced run of args->rest, as `making` says but for what args and the settings say. */
int hb__make_traced(const hb_args *args, const hb_trace_settings *settings, hb_making *making, hb_made *ret);

#endif
