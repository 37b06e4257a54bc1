/* A recording before and after the job that it is made of. */
#ifndef HBDB_MAKING_KEEP_H
#define HBDB_MAKING_KEEP_H

#include "../job/run.h"
#include "../store/logs.h"
#include "../store/manifest.h"

/* Makes the folder: at `output`, or named after the script or the program when that is NULL. 0, or an exit code after having
 * said why. Free *ret_recording. */
int hb__begin_recording(const hb_command_line *line, char **command, const char *output, char **ret_recording);
/* Adds what the manifest says of the command: it itself, where and when it runs, its program, its MPI. The caller sets level,
 * contents and what else belongs to its run. hb__manifest_free. */
void hb__describe_recording(const hb_command_line *line, char **command, hb_manifest *manifest);
/* Writes the manifest; says why when that is not possible, for the recording is useful without. */
void hb__write_manifest(const hb_manifest *manifest, const char *recording);
/* After the job: adds up the logs, seals them when `seal`, and writes how it ended into the manifest. False: there are none; the
 * folder is removed then. hb__sum_free(ret_sum) in any case. */
bool hb__keep_recording(
	const char *recording, const hb_job_end *end, bool seal, hb_manifest *manifest, hb_sum *ret_sum);

/* The command is over, and some of its processes live on: the logs stay as they are, and the manifest says so. False: it could not be written,
 * which was said. */
bool hb__keep_open(const char *recording, const hb_job_end *end, hb_manifest *manifest);

/* finish.c: adds up the logs of a run and, when asked to, seals them in place; at level racing what did not race is taken out. */
void hb__finish_logs(const char *recording, bool seal, hb_sum *ret);

#endif
