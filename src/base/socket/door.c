#include "base/socket/door.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/socket/unix.h"

bool hb_door_open(hb_door *ret)
{
	const char *where = getenv("TMPDIR");
	bool fits = where && *where == '/' && strlen(where) < 40;
	*ret = (hb_door){.fd = -1};
	snprintf(ret->folder, sizeof ret->folder, "%s/hbdb-gdb.XXXXXX", fits ? where : "/tmp");
	if (!mkdtemp(ret->folder)) {
		ret->folder[0] = 0;
		return false;
	}
	snprintf(ret->path, sizeof ret->path, "%s/s", ret->folder);
	ret->fd = hb_unix_listen(ret->path, SOCK_STREAM);
	if (ret->fd >= 0)
		return true;
	int trouble = errno;
	hb_door_close(ret);
	errno = trouble;
	return false;
}

void hb_door_close(hb_door *door)
{
	if (door->fd >= 0)
		close(door->fd);
	if (door->folder[0]) {
		unlink(door->path);
		rmdir(door->folder);
	}
	*door = (hb_door){.fd = -1};
}
