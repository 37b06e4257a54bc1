/* The files of contents of a recording. */
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../options.h"
#include "../store/find.h"
#include "format/within/within.h"

static int fail(const char *path, const hb_error *err)
{
	if (err->status == HB_E_FOREIGN)
		return hb__fail_with(HB_EXIT_RECORDING, "%s is not a file of contents of hbdb", path);
	return hb__fail_log(path, err);
}

bool hb__contents_wanted(const hb_manifest *m, int32_t rank)
{
	return m->level && !strcmp(m->level, "data") && hb__has_process(m->data_ranks, rank, "0");
}

int hb__check_data_ranks(const char *list)
{
	for (const char *p = list; p; p += *p == ',') {
		size_t n = strspn(p, "0123456789"), more = n && p[n] == '-' ? strspn(p + n + 1, "0123456789") : 0;
		bool good = n && (p[n] != '-' || more);
		char *end = NULL;
		unsigned long first = good ? strtoul(p, NULL, 10) : 1,
			      last = more ? strtoul(p + n + 1, &end, 10) : first;
		p += more ? n + 1 + more : n;
		if (!good || last < first || last >= HB_RANKS_MAX || (*p && (*p != ',' || !p[1])))
			return hb__fail_with(
				HB_EXIT_USAGE, "--data-ranks takes ranks, as in 3,7-9, but got '%s'", list);
		if (!*p)
			break;
	}
	return 0;
}

const char *hb__size_text(uint64_t bytes, hb_size_text ret)
{
	if (bytes < 100000)
		snprintf(ret, sizeof(hb_size_text), "%llu %s", (unsigned long long)bytes,
			hb__plural(bytes, "byte", "bytes"));
	else
		snprintf(ret, sizeof(hb_size_text), "%.1f MB", (double)bytes / 1e6);
	return ret;
}

char *hb__contents_reach(const hb_data_info *info)
{
	hb_size_text size;
	if (info->stopped)
		return hb__format(
			"for the first %s: %s", hb__size_text(info->came, size), strerror((int)info->stopped));
	if (info->recovered)
		return hb__format("as far as they can be read: %s", info->trouble);
	return hb__copy(info->told ? "to its end" : "until it was killed or ended itself");
}

/* A file that is there; NULL: there is none. Free it. */
static char *path_beside(const char *log_path)
{
	char *path = hb_data_path(log_path);
	if (!path || hb_within_exists(path))
		return path;
	free(path);
	return NULL;
}

static bool is_of(const hb_data_info *info, const hb_log_info *log)
{
	return info->rank == log->rank && info->pid == log->pid;
}

int hb__open_contents(const hb_log_file *file, hb_data **ret_data)
{
	hb_error err = {0};
	int code = 0;
	*ret_data = NULL;
	char *path = path_beside(file->path);
	if (!path)
		return 0;
	if (hb_data_open(path, ret_data, &err))
		code = fail(path, &err);
	else if (!is_of(hb_data_get_info(*ret_data), hb_log_get_info(file->log))) {
		code = hb__fail_with(HB_EXIT_RECORDING,
			"%s is not of the process whose log is %s: it was put there later", path, file->path);
		hb_data_close(*ret_data);
		*ret_data = NULL;
	} else if (hb_data_get_info(*ret_data)->recovered)
		hb__say("%s ends early: %s", hb__short(path), hb_data_get_info(*ret_data)->trouble);
	free(path);
	return code;
}

static void say_trouble(hb_sum *sum, char *line)
{
	hb__push(&sum->trouble, line);
	free(line);
}

void hb__add_contents(const hb_data_info *info, const hb_log_info *log, const char *name, hb_sum *sum)
{
	hb_size_text size;
	sum->contents++;
	sum->came += info->came;
	sum->contents_bytes += info->bytes;
	if (!info->stopped)
		return;
	const char *events = log->stopped || log->recovered ? "" : "; its events are whole";
	say_trouble(sum, hb__format("%s%s stopped keeping contents after %s: %s%s", hb_rank_word(name), name,
				 hb__size_text(info->came, size), strerror((int)info->stopped), events));
}

/* The sealed form replaces the raw one only when it holds the same, byte for byte. False: the raw one stays, and the sum says why. */
static bool seal_in_place(const char *path, hb_progress *progress, void *user, hb_sum *sum)
{
	hb_error err = {0};
	uint64_t before = 0, after = 1;
	char *next = hb__format("%s.sealed", path);
	hb_status status = hb_data_verify(path, NULL, &before, &err);
	status = status ? status : hb_data_seal(path, next, progress, user, &err);
	status = status ? status : hb_data_verify(next, NULL, &after, &err);
	if (!status && before != after) {
		status = HB_E_DAMAGED;
		err = (hb_error){.status = status, .message = "the compressed contents could not be read back"};
	}
	if (!status && rename(next, path)) {
		status = HB_E_SYSTEM;
		err = (hb_error){.status = status, .sys = errno};
	}
	if (status) {
		unlink(next);
		say_trouble(
			sum, hb__format("%s stays uncompressed: %s", path, err.sys ? strerror(err.sys) : err.message));
		sum->not_sealed++;
	}
	free(next);
	return !status;
}

void hb__finish_contents(const char *log_path, bool seal, bool running, hb_progress *progress, void *user, hb_sum *sum)
{
	hb_error err = {0};
	hb_data *data = NULL;
	hb_log *log = NULL;
	char *path = path_beside(log_path);
	if (!path)
		return;
	if (!hb_data_open(path, &data, &err)) {
		bool sealed = hb_data_get_info(data)->sealed;
		hb_data_close(data);
		if (seal && !sealed && !running)
			seal_in_place(path, progress, user, sum);
		data = NULL;
		hb_data_open(path, &data, &err);
	}
	if (data && !hb_log_open(log_path, &log, &err)) {
		hb_process_name name;
		hb_process_range(0, hb_log_get_info(log)->rank, hb_log_get_info(log)->rank, name);
		hb__add_contents(hb_data_get_info(data), hb_log_get_info(log), name, sum);
		hb_log_close(log);
	} else if (!data) {
		say_trouble(sum, hb__format("%s cannot be read: %s", path, err.message));
	}
	hb_data_close(data);
	free(path);
}

int hb__verify_contents(const char *log_path, const hb_log_info *log, bool wanted, uint64_t *ret_bytes)
{
	hb_error err = {0};
	hb_data_info info;
	hb_size_text size;
	char *path = path_beside(log_path);
	int code = 0;
	if (!path)
		return wanted ? hb__fail_with(HB_EXIT_RECORDING,
					"%s: the recording is of level data, but there are no contents beside this log",
					log_path)
			      : 0;
	if (hb_data_verify(path, &info, NULL, &err))
		code = fail(path, &err);
	else if (!is_of(&info, log))
		code = hb__fail_with(HB_EXIT_RECORDING,
			"%s is not of the process whose log is %s: it was put there later", path, log_path);
	else if (info.stopped)
		code = hb__fail_with(HB_EXIT_RECORDING,
			"%s is incomplete: contents were kept for the first %s only (%s)", path,
			hb__size_text(info.came, size), strerror((int)info.stopped));
	else
		*ret_bytes += info.came;
	free(path);
	return code;
}
