/* The folder of a replay: the logs in raw form, and the reports of the processes. */
#ifndef HBDB_STORE_REPLAY_FOLDER_H
#define HBDB_STORE_REPLAY_FOLDER_H

#include <sys/types.h>

#include "logs.h"

typedef struct hb_replay_folder {
	char *folder, *script; /* script: where the logs are */
	int32_t size;          /* processes of the recording */
	uint64_t events;
	hb_sum sum;               /* of the recording: its notes tell what is not enforced */
	uint64_t *last;           /* per rank: events of its first lane when it broke off, else UINT64_MAX */
	pid_t guard;              /* removes the folder when this process dies without doing it; 0: none */
	int guard_fd;             /* it waits for the end of this pipe */
	unsigned char *broke_off; /* per rank: it ended inside MPI when it was recorded */
} hb_replay_folder;

/* Makes the folder beside the recording, for the logs may be large, and
 * elsewhere ($TMPDIR) when that cannot be written or is full. 0, or an exit code after having said why. */
int hb__open_replay_folder(const char *recording, hb_replay_folder *ret);
/* Removes it. */
void hb__close_replay_folder(hb_replay_folder *session);

#endif
