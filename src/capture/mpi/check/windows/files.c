/* Collective calls on files: which file it is, so that who is missing from one can be told. Files have numbers of their
 * own here, in the order of opening: those of the recorded arguments begin with the first use. */
#include "capture/mpi/check/check.h"

#define MOST 256 /* open at a time; those beyond are not told */

static struct {
	uintptr_t handle;
	uint32_t number;
} file[MOST];
static uint32_t files, opened;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static uintptr_t file_of(const struct hb__call *c)
{
	const MPI_File *at = hb__has(c, HB_R_FILEPTR) ? (const MPI_File *)hb__arg(c, HB_R_FILEPTR) : NULL;
	return at ? (uintptr_t)*at : hb__has(c, HB_R_FILE) ? hb__arg(c, HB_R_FILE) : 0;
}

/* All events of this class are collective; open has no file before it returns. */
void hb__check_files_enter(struct hb__call *c)
{
	if (likely(c->fn->cls != HB_IO || !(c->fn->flags & HB_EVENT) || c->fn->means->does == HB_DOES_FILE_OPEN))
		return;
	uintptr_t handle = file_of(c);
	int64_t number = -1;
	pthread_mutex_lock(&mutex);
	for (uint32_t i = 0; i < files && number < 0; i++) {
		if (file[i].handle != handle)
			continue;
		number = file[i].number;
		if (c->fn->means->does == HB_DOES_FILE_CLOSE)
			file[i] = file[--files];
	}
	pthread_mutex_unlock(&mutex);
	if (number >= 0)
		hb__remark(c, FILESYNC, .file = number);
}

void hb__check_files_leave(struct hb__call *c, int code)
{
	if (likely(c->fn->means->does != HB_DOES_FILE_OPEN) || code != MPI_SUCCESS)
		return;
	int64_t number = -1;
	pthread_mutex_lock(&mutex);
	if (files < MOST) {
		file[files].handle = file_of(c);
		file[files++].number = opened;
		number = opened;
	}
	opened++;
	pthread_mutex_unlock(&mutex);
	if (number >= 0)
		hb__remark(c, FILESYNC, .file = number);
}
