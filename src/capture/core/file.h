/* A file of the recording that grows: pieces of it are mapped, and no descriptor of it stays open. */
#ifndef HBDB_CAPTURE_CORE_FILE_H
#define HBDB_CAPTURE_CORE_FILE_H

#include <signal.h>
#include <sys/types.h>

#include "capture/core/core.h"

#pragma GCC visibility push(hidden)

struct hb__file {
	dev_t device;
	ino_t inode;
	char path[4200];
};

/* A lock under which no signal comes: a handler of the program may jump out of here or call MPI, and its timer would interrupt each try to
 * allocate. */
struct hb__file_lock {
	pthread_mutex_t mutex;
	sigset_t signals; /* of the thread that has it */
};
void hb__file_lock(struct hb__file_lock *lock);
void hb__file_unlock(struct hb__file_lock *lock);

/* Holds the folder of the recording, by a descriptor with a high number: another user, or who is below another root, finds files in it by that.
 * It is done once. A program that closes it takes that away again. */
void hb__file_hold_folder(const char *folder);
/* From here on no system call is made for files: each of these functions returns EPERM. */
void hb__file_no_more(void);
bool hb__file_is_over(void);

/* Whether the folder has a file of this name. */
bool hb__file_is_there(const char *folder, const char *name);

/* All return 0 or an errno. */
int hb__file_create(struct hb__file *file); /* at file->path; it must not be there */
/* Allocates space before it maps it, so that a full disk is an error here and never a SIGBUS in the program. */
int hb__file_map(struct hb__file *file, off_t from, size_t bytes, void **ret);
/* Has the pages of space that was allocated, and is mapped at `mapped`, made now, filled with zeros, many at once: the system takes several times as
 * long for each by itself, and the caches lose what the program had there. Failing to is harmless. */
void hb__file_prepare(struct hb__file *file, off_t from, size_t bytes, void *mapped);
/* Allocates space that is not mapped; writes to such. */
int hb__file_reserve(struct hb__file *file, off_t from, size_t bytes);
int hb__file_write(struct hb__file *file, off_t from, const void *p, size_t bytes);
int hb__file_give(const struct hb__file *file, uid_t user); /* ... another owner */
int hb__file_remove(const struct hb__file *file);
int hb__file_cut(const struct hb__file *file, off_t bytes);
int hb__file_give_name(const char *from, const char *to); /* EEXIST: another file has it */

#pragma GCC visibility pop

#endif
