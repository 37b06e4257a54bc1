/* A process that outlives the one who keeps a folder, and removes it with the processes that work in it. */
#ifndef HBDB_STORE_REPLAYED_GUARD_H
#define HBDB_STORE_REPLAYED_GUARD_H

#include <sys/types.h>

typedef struct hb_folder_guard {
	pid_t pid; /* 0: none */
	int fd;    /* it waits for the end of this pipe */
} hb_folder_guard;

/* From here on, when this process ends, however it does, the processes of that folder, or of one in it (HBDB_DIR in their environment), are ended, and it is removed. Where no
 * process can be made there is no guard. */
void hb__folder_guard_set(const char *folder, hb_folder_guard *ret);
/* Nothing of that happens any more. */
void hb__folder_guard_dismiss(hb_folder_guard *guard);
/* It happens now; this returns at once. hb__folder_guard_wait when it is to be over. */
void hb__folder_guard_release(hb_folder_guard *guard);
void hb__folder_guard_wait(hb_folder_guard *guard);

#endif
