/* hbdb import */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../memory/recent.h"
#include "../../options.h"
#include "../../show/inert.h"
#include "../../show/progress.h"
#include "../../store/find.h"
#include "../../store/manifest.h"
#include "foreign/foreign.h"

const hb_option hb__import_options[] = {
	{"output", 'o', HB_OPTION_RECORDING, "NAME.hbdb",
		"the recording to write; default: after the file, FILE-1, FILE-2, ..."},
	{"host", 0, HB_OPTION_EACH, "NAME=ADDRESS[:PORT],...",
		"capture files: these addresses, or ports of them, are one process; may be given several times"},
	{0},
};

static int fail(const char *file, const hb_error *err)
{
	if (err->status == HB_E_SYSTEM)
		return hb__fail_with(HB_EXIT_RECORDING, "%s: %s", file, strerror(err->sys));
	if (err->status == HB_E_ARGUMENT)
		return hb__fail_with(HB_EXIT_USAGE, "import --host: %s", err->message);
	return hb__fail_with(HB_EXIT_RECORDING, "%s", err->message);
}

static void fill_manifest(const hb_import_told *told, const char *file, hb_manifest *m)
{
	char *nothing[] = {NULL}, path[PATH_MAX], text[64];
	time_t seconds = (time_t)(told->first / 1000000000);
	struct tm utc;
	hb__manifest_begin(m, nothing);
	hb__strings_free(&m->environment);
	free(m->started);
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &utc));
	m->started = hb__format("%s.%03uZ", text, (unsigned)(told->first / 1000000 % 1000));
	m->level = hb__copy("events");
	m->layers = strcmp(told->from, "otlp") ? HB_LAYER_SOCKETS : HB_LAYER_USER;
	m->imported_from = hb__copy(told->from);
	m->imported_file = hb__copy(realpath(file, path) ? path : file);
	m->finished = true;
	m->processes = told->processes;
	m->seconds = (double)(told->last - told->first) / 1e9;
}

/* 0, or the exit code after having said why. */
static int write_recording(const hb_import *import, const hb_import_told *told, const char *file, const char *folder)
{
	hb_error err = {0};
	hb_manifest m = {0};
	if (hb_import_write(import, folder, &err))
		return hb__fail_with(HB_EXIT_USAGE, "%s: %s", folder, err.sys ? strerror(err.sys) : err.message);
	fill_manifest(told, file, &m);
	int code = hb__manifest_write(&m, folder)
			   ? hb__fail_with(HB_EXIT_USAGE, "%s/manifest.json: %s", folder, strerror(errno))
			   : 0;
	hb__manifest_free(&m);
	return code;
}

static void print_told(const hb_import_told *told, const char *file, const char *folder)
{
	printf("%s: %llu %s, %llu %s in %.3f s, ", hb__tame(hb__short(folder)), (unsigned long long)told->processes,
		hb__plural(told->processes, "process", "processes"), (unsigned long long)told->events,
		hb__plural(told->events, "event", "events"), (double)(told->last - told->first) / 1e9);
	printf("from %s (%s)\n", hb__tame(file), told->from);
	for (size_t i = 0; i < told->notes; i++)
		printf("  %s\n", hb__tame(told->note[i]));
}

/* FILE without its folder and its ending. */
static char *name_of(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
	return hb__format("%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

int hb__import(const hb_args *args)
{
	hb_error err = {0};
	hb_import *import;
	hb_import_told told;
	hb_bar bar;
	char *folder = NULL;
	if (args->nwords != 1)
		return hb__fail_with(HB_EXIT_USAGE,
			args->nwords ? "import takes one file"
				     : "import needs a file: a capture file (pcap, pcapng) or a trace as OTLP JSON");
	const char *file = args->word[0], *output = hb__option_value(args, "output");
	hb__bar_begin(&bar, "reading the file");
	const hb_import_options options = {
		.hosts = hb__option_value(args, "host"), .progress = hb__bar_step, .user = &bar};
	hb_status status = hb_import_read(file, &options, &import, &err);
	hb__bar_end(&bar);
	if (status)
		return fail(file, &err);
	hb_import_tell(import, &told);
	char *name = name_of(file);
	int code = hb__new_recording(output, name, &folder);
	free(name);
	if (!code) {
		code = write_recording(import, &told, file, folder);
		if (code)
			hb__remove_folder(folder);
	}
	if (!code) {
		hb__recent_add(HB_RECENT_MADE, folder);
		print_told(&told, file, folder);
		if (told.cut)
			hb__say("%s: %s; the recording has what stands in front of that", file, told.cut);
	}
	hb_import_free(import);
	free(folder);
	return code;
}
