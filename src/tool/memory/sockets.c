/* Where this user's sockets are. */
#include "sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state.h"

char *hb__runtime_folder(void)
{
	const char *given = getenv("XDG_RUNTIME_DIR");
	struct stat is;
	char *path = given && *given == '/' ? hb__format("%s/hbdb", given) : hb__state_path("run", true);
	if (!path) {
		hb__say("there is no folder for sockets: set XDG_RUNTIME_DIR or HOME");
		return NULL;
	}
	if ((mkdir(path, 0700) && errno != EEXIST) || lstat(path, &is)) {
		hb__say("%s: cannot be made: %s", path, strerror(errno));
	} else if (!S_ISDIR(is.st_mode) || is.st_uid != getuid() || (is.st_mode & 077)) {
		hb__say("%s is not a folder that only its user may enter: nothing is opened there", path);
	} else {
		return path;
	}
	free(path);
	return NULL;
}

char *hb__manager_socket(const char *given)
{
	const char *variable = getenv("HBDB_MANAGER");
	if (given || (variable && *variable))
		return hb__copy(given ? given : variable);
	char *folder = hb__runtime_folder(), *path = folder ? hb__format("%s/manager", folder) : NULL;
	free(folder);
	return path;
}
