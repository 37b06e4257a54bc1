/* What a run leaves: its folder, its manifest, its logs. */
#include "keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../store/find.h"

int hb__begin_recording(const hb_command_line *line, char **command, const char *output, char **ret)
{
	const char *program = hb__program_file(line);
	return hb__new_recording(output,
		line->script ? line->script
		: program    ? program
			     : command[line->program_at],
		ret);
}

void hb__describe_recording(const hb_command_line *line, char **command, hb_manifest *m)
{
	m->mpi = hb__copy(hb__mpi_key(line->mpi));
	hb__manifest_begin(m, command);
	hb__digest_program(hb__program_file(line), &m->program);
}

void hb__write_manifest(const hb_manifest *m, const char *recording)
{
	if (hb__manifest_write(m, recording))
		hb__say("%s/manifest.json: %s", recording, strerror(errno));
}

bool hb__keep_open(const char *recording, const hb_job_end *end, hb_manifest *m)
{
	hb_logs logs;
	if (hb__list_logs(recording, &logs))
		return false;
	m->processes = logs.n;
	hb__close_logs(&logs);
	m->finished = m->open = true;
	m->exit_status = end->status;
	m->seconds = end->seconds;
	bool written = !hb__manifest_write(m, recording);
	if (!written)
		hb__say("%s/manifest.json: %s", recording, strerror(errno));
	m->open = written;
	return written;
}

/* Processes that became another user's handed their files to that one; the recording is of who made it. */
static void take_back(const char *recording)
{
	DIR *folder = geteuid() ? NULL : opendir(recording);
	for (struct dirent *e; folder && (e = readdir(folder));) {
		struct stat st;
		if (fstatat(dirfd(folder), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) || !st.st_uid)
			continue;
		if (fchownat(dirfd(folder), e->d_name, 0, 0, AT_SYMLINK_NOFOLLOW))
			hb__say("%s/%s stays another user's: %s", recording, e->d_name, strerror(errno));
	}
	if (folder)
		closedir(folder);
}

bool hb__keep_recording(const char *recording, const hb_job_end *end, bool seal, hb_manifest *m, hb_sum *ret)
{
	take_back(recording);
	hb__finish_logs(recording, seal, ret);
	if (!ret->processes && !ret->damaged) {
		hb__remove_folder(recording);
		return false;
	}
	m->processes = ret->processes;
	m->finished = true;
	m->exit_status = end->status;
	m->seconds = end->seconds;
	hb__write_manifest(m, recording);
	return true;
}
