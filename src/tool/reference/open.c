/* The traces of a recording. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../store/find.h"
#include "reference.h"

/* rank.N.trace; *ret_other: rank.N.PID.trace, of a process of another world. */
static bool is_trace(const char *name, bool *ret_other)
{
	if (strncmp(name, "rank.", 5) != 0)
		return false;
	const char *p = name + 5;
	size_t n = strspn(p, "0123456789");
	*ret_other = false;
	if (n && p[n] == '.' && strcmp(p + n, ".trace") != 0) {
		*ret_other = true;
		p += n + 1;
		n = strspn(p, "0123456789");
	}
	return n && !strcmp(p + n, ".trace");
}

static bool is_open(const hb_traced *t, const char *name)
{
	for (size_t i = 0; i < t->traces.n; i++)
		if (!strcmp(t->traces.at[i], name))
			return true;
	return false;
}

static int fail(const char *path, const hb_error *err)
{
	if (err->status == HB_E_FOREIGN)
		return hb__fail_with(HB_EXIT_RECORDING, "%s", err->message);
	if (err->status == HB_E_ARGUMENT)
		return hb__fail_with(HB_EXIT_RECORDING, "%s: %s", hb__short(path), err->message);
	return hb__fail_log(path, err);
}

/* growing: one that has no whole header yet is left for later. */
static int add(hb_traced *t, bool growing)
{
	hb_error err = {0};
	int code = 0;
	DIR *dir = opendir(t->path);
	if (!dir)
		return hb__fail_with(HB_EXIT_RECORDING, "%s: %s", t->path, strerror(errno));
	t->others = 0;
	for (struct dirent *e; !code && (e = readdir(dir));) {
		bool other;
		if (!is_trace(e->d_name, &other) || is_open(t, e->d_name))
			continue;
		t->others += other;
		if (other)
			continue;
		char *path = hb__format("%s/%s", t->path, e->d_name);
		hb_status status = hb_points_add(t->points, path, &err);
		if (!status)
			hb__push(&t->traces, e->d_name);
		else if (!growing || status != HB_E_DAMAGED)
			code = fail(path, &err);
		free(path);
	}
	closedir(dir);
	return code;
}

static char *program_of(const char *path)
{
	hb_manifest m = {0};
	char *file = hb__format("%s/manifest.json", path), *name = NULL;
	FILE *f = fopen(file, "re");
	free(file);
	if (!f)
		return NULL;
	fclose(f);
	if (!hb__manifest_read(path, &m) && m.program.path) {
		const char *slash = strrchr(m.program.path, '/');
		name = hb__copy(slash ? slash + 1 : m.program.path);
	}
	hb__manifest_free(&m);
	return name;
}

int hb__begin_traced(const char *name, const char *path, hb_traced *ret)
{
	hb_error err = {0};
	*ret = (hb_traced){.name = name, .path = hb__copy(path), .program = program_of(path)};
	if (hb_points_open(&ret->points, &err))
		return hb__fail_log(path, &err);
	return 0;
}

int hb__more_traced(hb_traced *t) { return add(t, true); }

/* A file of text. */
static int open_text(const char *name, const char *path, hb_traced *ret)
{
	hb_error err = {0};
	hb_status status = HB_OK;
	int code = hb__begin_traced(name, path, ret);
	for (uint32_t i = 0; !code && !status; i++)
		status = hb_points_add_text(ret->points, path, i, &err);
	if (!code && (status != HB_E_ARGUMENT || !hb_points_processes(ret->points)))
		code = fail(path, &err);
	if (!code)
		hb_points_end(ret->points);
	return code;
}

int hb__find_traced(const char *name, char **ret_path)
{
	struct stat st;
	if (stat(name, &st) || !S_ISREG(st.st_mode))
		return hb__find_recording(name, ret_path);
	*ret_path = hb__copy(name);
	return 0;
}

int hb__open_traced(const char *name, const char *path, hb_traced *ret)
{
	struct stat st;
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		return open_text(name, path, ret);
	int code = hb__begin_traced(name, path, ret);
	code = code ? code : add(ret, false);
	if (code)
		return code;
	if (!hb_points_processes(ret->points))
		return hb__fail_with(
			HB_EXIT_USAGE, "%s has no traces: record it with 'hbdb compare record -- COMMAND'", name);
	hb_points_end(ret->points);
	if (ret->others)
		hb__say("%s: %u %s of worlds that were spawned are not compared", name, ret->others,
			hb__plural(ret->others, "process", "processes"));
	return 0;
}

void hb__close_traced(hb_traced *t)
{
	hb_points_close(t->points);
	hb__strings_free(&t->traces);
	free(t->path);
	free(t->program);
	*t = (hb_traced){0};
}

uint32_t hb__cut_traced(const hb_traced *t, bool say)
{
	uint32_t cut = 0, n = hb_points_processes(t->points), world = hb_points_world(t->points);
	for (uint32_t i = 0; i < n; i++) {
		hb_traced_process p;
		hb_points_process(t->points, i, &p);
		if (p.over && !p.damage)
			continue;
		cut++;
		if (say)
			hb__say("%s: the trace of rank %d %s%s", t->name, (int)p.rank,
				p.damage ? "ends early: " : "is cut: its process did not come to its end",
				p.damage ? p.damage : "");
	}
	if (n < world && say)
		hb__say("%s: there are traces of %u of its %u processes", t->name, n, world);
	return cut + (n < world ? world - n : 0);
}
