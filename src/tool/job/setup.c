/* Finds the capture library and writes down the environment of the target. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hbdb/control.h>

#include "system/platforms/platform.h"

#include "setup.h"

char *hb__find_beside(const char *name)
{
	static const char *const places[] = {
		"", "/../lib/hbdb", "/../lib/x86_64-linux-gnu/hbdb", "/../capture", "/../..", "/src/capture"};
	char self[PATH_MAX];
	const char *forced = getenv("HBDB_LIBRARY_FOLDER");
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0)
		return NULL;
	self[n] = 0;
	*strrchr(self, '/') = 0;
	for (size_t i = 0; i < (forced ? 1 : sizeof places / sizeof *places); i++) {
		char *path = hb__format("%s%s/%s", forced ? forced : self, forced ? "" : places[i], name);
		char *real = realpath(path, NULL);
		free(path);
		if (real)
			return real;
	}
	return NULL;
}

char *hb__find_library(const char *name)
{
	char *file = hb__format("libhbdb-%s.so", name), *path = hb__find_beside(file);
	free(file);
	return path;
}

static void append(char **list, const char *path)
{
	char *all = *list ? hb__format("%s:%s", *list, path) : hb__copy(path);
	free(*list);
	*list = all;
}

/* Programs that run those of another processor, where the capture libraries for it are, and how they wait for gdb: RUNNER=FOLDER=STUB, with colons
 * between. No folder: it is not built, or cannot be named so. NULL: no platform has such a program. */
static char *runners(void)
{
	char *list = NULL, why[HB_PLATFORM_WHY], **names = hb_platform_names();
	for (char **n = names; n && *n; n++) {
		hb_platform *p = hb_platform_load(*n, why);
		if (!p)
			hb__say("%s: this platform is passed over", why);
		if (!p || !p->runner) {
			hb_platform_free(p);
			continue;
		}
		const char *in = p->library ? p->library : "";
		char *file = hb__format("%s/libhbdb-core.so", in);
		char *core = *in == '/' ? realpath(file, NULL) : *in ? hb__find_beside(file) : NULL;
		if (core)
			*strrchr(core, '/') = 0;
		const char *stub = p->stub && !strchr(p->stub, ':') ? p->stub : "";
		char *entry = hb__format("%s=%s=%s", p->runner, core && !strpbrk(core, " :=") ? core : "", stub);
		append(&list, entry);
		free(entry);
		free(core);
		free(file);
		hb_platform_free(p);
	}
	hb_platform_words_free(names);
	return list;
}

static void add(hb_strings *list, const char *name, const char *value)
{
	if (!value)
		return;
	char *text = hb__format("%s=%s", name, value);
	hb__push(list, text);
	free(text);
}

static int preloaded(const char *name, char **list)
{
	char *library = hb__find_library(name);
	int code = 0;
	if (!library)
		code = hb__fail_with(HB_EXIT_USAGE,
			"libhbdb-%s.so was found neither next to hbdb nor in ../lib/hbdb: build or install it, or set HBDB_LIBRARY_FOLDER to its folder",
			name);
	else if (strpbrk(library, " :"))
		code = hb__fail_with(HB_EXIT_USAGE,
			"%s: LD_PRELOAD cannot contain a path with a blank or a colon: install hbdb in another place",
			library);
	else
		append(list, library);
	free(library);
	return code;
}

/* What the MPI library is told where one process is replayed by itself. */
static void add_for_one(hb_strings *ret, const hb_setup *setup)
{
	/* Open MPI 4 would start a daemon for a process without a launcher */
	add(ret, "OMPI_MCA_ess_singleton_isolated", "1");
	/* ... and all of these would share one folder */
	add(ret, "OMPI_MCA_orte_tmpdir_base", setup->folder);
	/* what looks for networks takes 0.2 s, and one process needs none */
	add(ret, "OMPI_MCA_pml", "ob1");
	add(ret, "OMPI_MCA_btl", "self");
	/* no memory of other processes, which libraries find by the number that a process is told (hbdb gdbserver tells copies the same) */
	add(ret, "UCX_TLS", "self");
}

/* What the user reads and writes is not between processes of the run, also where it is a pipe. */
static void add_outside(hb_strings *ret, int out)
{
	char text[3 * 24] = "";
	for (int fd = 0; fd < 3; fd++) {
		struct stat st;
		if (!fstat(fd && out ? out : fd, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
			snprintf(text + strlen(text), sizeof text - strlen(text), "%s%llu", *text ? ":" : "",
				(unsigned long long)st.st_ino);
	}
	add(ret, "HBDB_OUTSIDE", *text ? text : NULL);
}

static int preload_all(const hb_setup *setup, char **ret)
{
	int code = preloaded(hb__mpi_key(setup->mpi), ret);
	/* A sanitizer has a malloc of its own, looks after it itself, and wants to come before any other one. */
	if (!code && (setup->remarks || setup->traced) && !setup->sanitized)
		code = preloaded("heap", ret);
	/* what talks comes before what reads: a socket is read, too */
	if (!code && (setup->layers & HB_LAYER_SOCKETS))
		code = preloaded("sockets", ret);
	if (!code && (setup->layers & HB_LAYER_INPUTS))
		code = preloaded("inputs", ret);
	if (!code && (setup->layers & HB_LAYER_THREADS))
		code = preloaded("threads", ret);
	/* behind that of threads, which asks who called it */
	if (!code && setup->traced)
		code = preloaded("accesses", ret);
	return code;
}

static void add_number(hb_strings *list, const char *name, uint64_t number)
{
	char text[32];
	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	add(list, name, text);
}

int hb__setup(const hb_setup *setup, hb_strings *ret)
{
	*ret = (hb_strings){0};
	char *preload = NULL;
	int code = preload_all(setup, &preload);
	const char *old = getenv("LD_PRELOAD");
	if (!code && old && *old)
		append(&preload, old);
	if (code) {
		free(preload);
		return code;
	}
	add(ret, "LD_PRELOAD", preload);
	add(ret, "HBDB_MODE", setup->mode);
	add(ret, "HBDB_DIR", setup->folder);
	add_number(ret, "HBDB_ROOT", (uint64_t)getpid());
	add(ret, "HBDB_LEVEL", setup->level);
	if (setup->layers & HB_LAYER_SOCKETS)
		add_outside(ret, setup->out);
	char *layers = hb__layers_text(setup->layers, ":");
	add(ret, "HBDB_LAYERS", layers);
	free(layers);
	bool found = setup->layers & HB_LAYERS_FOUND,
	     both = setup->layers & HB_LAYER_SOCKETS && setup->layers & HB_LAYER_MPI;
	add(ret, "HBDB_FOUND", found ? "sockets:inputs" : NULL);
	add(ret, "HBDB_SOCKETS_INSIDE", both && !found ? "1" : NULL);
	add(ret, "HBDB_DATA_RANKS", setup->data_ranks);
	add(ret, "HBDB_DIGESTS", !setup->digests ? "0" : setup->whole ? "whole" : NULL);
	add(ret, "HBDB_PACK", setup->pack ? "1" : NULL);
	add(ret, "HBDB_FILES", setup->files);
	add(ret, "HBDB_REMARKS", setup->remarks ? "1" : NULL);
	add(ret, "HBDB_TRACE", setup->traced);
	add(ret, "HBDB_WITHOUT_MPI", setup->without_mpi ? "1" : NULL);
	add(ret, "HBDB_SCRIPT", setup->script);
	add(ret, "HBDB_ALONE", setup->alone);
	add(ret, "HBDB_BACKWARDS", setup->backwards ? "1" : NULL);
	if (setup->alone)
		add_for_one(ret, setup);
	add(ret, "HBDB_REPLAY_LOG", setup->replay_log);
	add(ret, "HBDB_DIVERGENCE", setup->divergence);
	add(ret, "HBDB_CONTENTS", setup->contents);
	if (setup->shake_us)
		add_number(ret, "HBDB_SHAKE", setup->shake_us);
	if (setup->ring)
		add_number(ret, "HBDB_RING", setup->ring);
	char *of_others = runners();
	add(ret, "HBDB_RUNNERS", of_others);
	free(of_others);
	add(ret, "HBDB_STUBS", setup->stubs);
	for (char *const *v = setup->control; v && *v; v++)
		hb__push(ret, *v);
	if (setup->sanitized) {
		const char *options = getenv("ASAN_OPTIONS");
		char *more = hb__format(
			"%s%sverify_asan_link_order=0", options ? options : "", options && *options ? ":" : "");
		add(ret, "ASAN_OPTIONS", more);
		free(more);
	}
	free(preload);
	return 0;
}

void hb__clean_environment(void)
{
	static const char *const names[] = {"HBDB_MODE", "HBDB_DIR", "HBDB_ROOT", "HBDB_LEVEL", "HBDB_LAYERS",
		"HBDB_OUTSIDE", "HBDB_FOUND", "HBDB_SOCKETS_INSIDE", "HBDB_DATA_RANKS", "HBDB_PACK", "HBDB_FILES",
		"HBDB_DIGESTS", "HBDB_REMARKS", "HBDB_TRACE", "HBDB_WITHOUT_MPI", "HBDB_SCRIPT", "HBDB_ALONE",
		"HBDB_BACKWARDS", "HBDB_RUNNERS", "HBDB_REPLAY_LOG", "HBDB_DIVERGENCE", "HBDB_CONTENTS", "HBDB_SHAKE",
		"HBDB_RING", "HBDB_MAKER", "HBDB_WORLD", HB_CONTROL_ENV, HB_CONTROL_SECRET_ENV,
		HB_CONTROL_SECRET_FILE_ENV};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
}
