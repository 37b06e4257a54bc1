/* hbdb import */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../memory/recent.h"
#include "../../merging/merge.h"
#include "../../options.h"
#include "../../show/inert.h"
#include "../../show/progress.h"
#include "../../store/find.h"
#include "../../store/lone.h"
#include "../../store/manifest.h"
#include "foreign/foreign.h"

const hb_option hb__import_options[] = {
	{"output", 'o', HB_OPTION_RECORDING, "NAME.hbdb",
		"the recording to write; default: after the file, FILE-1, FILE-2, ..."},
	{"host", 0, HB_OPTION_EACH, "NAME=ADDRESS[:PORT],...",
		"capture files: these addresses, or ports of them, are one process; may be given several times"},
	{"with", 0, HB_OPTION_RECORDING, "NAME.hbdb",
		"capture files: merge with a recording of the same time: the processes that it has are these"},
	{0},
};

/* What one command does. */
struct job {
	const char *file, *hosts;
	hb_merge *merge; /* NULL: no recording is merged with it */
	char *folder;    /* of the new recording */
	hb_import *import;
	hb_import_told told;
	int64_t shift;
};

static int fail(const struct job *j, const hb_error *err)
{
	if (err->status == HB_E_SYSTEM)
		return hb__fail_with(HB_EXIT_RECORDING, "%s: %s", j->file, strerror(err->sys));
	if (err->status == HB_E_ARGUMENT && !err->file[0])
		return hb__fail_with(HB_EXIT_USAGE, "import --host: %s", err->message);
	if (err->status == HB_E_ARGUMENT)
		return hb__fail_with(HB_EXIT_RECORDING, "import --with: %s: %s", err->file, err->message);
	return hb__fail_with(HB_EXIT_RECORDING, "%s", err->message);
}

/* 0, or the exit code after having said why. */
static int read_file(struct job *j)
{
	hb_error err = {0};
	hb_bar bar;
	hb__bar_begin(&bar, "reading the file");
	const hb_import_options options = {.hosts = j->hosts,
		.with = j->merge ? j->merge->log_paths : NULL,
		.withs = j->merge ? j->merge->logs.n : 0,
		.shift = j->shift,
		.progress = hb__bar_step,
		.user = &bar};
	hb_status status = hb_import_read(j->file, &options, &j->import, &err);
	hb__bar_end(&bar);
	if (status)
		return fail(j, &err);
	hb_import_tell(j->import, &j->told);
	return 0;
}

static void fill_manifest(const struct job *j, hb_manifest *m)
{
	hb__lone_manifest(&j->told, j->file, m);
	if (!j->merge)
		return;
	const hb_manifest *with = &j->merge->manifest;
	free(m->level);
	m->level = with->level ? hb__copy(with->level) : NULL;
	m->mpi = with->mpi ? hb__copy(with->mpi) : NULL;
	m->data_ranks = with->data_ranks ? hb__copy(with->data_ranks) : NULL;
	m->contents = with->contents;
	m->whole = with->whole;
	m->layers |= hb__manifest_layers(with);
	m->imported_with = hb__copy(j->merge->path);
	m->processes += j->merge->logs.n;
}

/* 0, or the exit code after having said why. */
static int write_recording(const struct job *j)
{
	hb_error err = {0};
	hb_manifest m = {0};
	if (hb_import_write(j->import, j->folder, &err))
		return hb__fail_with(HB_EXIT_USAGE, "%s: %s", j->folder, err.sys ? strerror(err.sys) : err.message);
	fill_manifest(j, &m);
	int code = hb__manifest_write(&m, j->folder)
			   ? hb__fail_with(HB_EXIT_USAGE, "%s/manifest.json: %s", j->folder, strerror(errno))
			   : 0;
	hb__manifest_free(&m);
	return code;
}

/* Beside the recorded processes; then, where messages say that its clock is another one, once more with it set. */
static int merge(struct job *j)
{
	int code = hb__merging_copy(j->merge, j->folder);
	code = code ? code : hb__merging_clock(j->folder, j->told.first_pid, &j->shift);
	if (code || !j->shift)
		return code;
	hb_import_free(j->import);
	j->import = NULL;
	code = read_file(j);
	return code ? code : write_recording(j);
}

static void print_told(const struct job *j)
{
	const hb_import_told *told = &j->told;
	printf("%s: %llu %s, %llu %s in %.3f s, ", hb__tame(hb__short(j->folder)), (unsigned long long)told->processes,
		hb__plural(told->processes, "process", "processes"), (unsigned long long)told->events,
		hb__plural(told->events, "event", "events"), (double)(told->last - told->first) / 1e9);
	printf("from %s (%s)\n", hb__tame(j->file), told->from);
	if (j->merge)
		printf("  beside %llu recorded %s, from %s\n", (unsigned long long)j->merge->logs.n,
			hb__plural(j->merge->logs.n, "process", "processes"), hb__tame(hb__short(j->merge->path)));
	for (size_t i = 0; i < told->notes; i++)
		printf("  %s\n", hb__tame(told->note[i]));
	if (j->shift)
		printf("  the clock of the capture was set %s by %.6f s: else messages would have come before they were sent\n",
			j->shift < 0 ? "back" : "forward", fabs((double)j->shift / 1e9));
}

/* FILE without its folder and its ending. */
static char *name_of(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
	return hb__format("%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

static int run(struct job *j, const char *output)
{
	int code = read_file(j);
	char *name = name_of(j->file);
	code = code ? code : hb__new_recording(output, name, &j->folder);
	free(name);
	if (code)
		return code;
	code = write_recording(j);
	code = code || !j->merge ? code : merge(j);
	if (code) {
		hb__remove_folder(j->folder);
		return code;
	}
	hb__recent_add(HB_RECENT_MADE, j->folder);
	print_told(j);
	if (j->told.cut)
		hb__say("%s: %s; the recording has what stands in front of that", j->file, j->told.cut);
	return 0;
}

int hb__import(const hb_args *args)
{
	if (args->nwords != 1)
		return hb__fail_with(HB_EXIT_USAGE,
			args->nwords ? "import takes one file"
				     : "import needs a file: a capture file (pcap, pcapng) or a trace as OTLP JSON");
	struct job j = {.file = args->word[0], .hosts = hb__option_value(args, "host")};
	const char *with = hb__option_value(args, "with");
	hb_merge merged = {0};
	int code = with ? hb__merging_begin(with, &merged) : 0;
	j.merge = with ? &merged : NULL;
	code = code ? code : run(&j, hb__option_value(args, "output"));
	hb_import_free(j.import);
	free(j.folder);
	hb__merging_end(&merged);
	return code;
}
