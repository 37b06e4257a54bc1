/* The folder of a recording, as long as processes may write into it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../store/find.h"
#include "lasting.h"

#define SHARED 01777

int hb__hold_folder(const char *recording, bool *ret_busy)
{
	int fd = open(recording, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*ret_busy = false;
	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	*ret_busy = errno == EWOULDBLOCK;
	close(fd);
	return -1;
}

void hb__share_folder(const char *recording)
{
	if (!geteuid() && chmod(recording, SHARED))
		hb__say("%s: %s: processes that change their user will not be recorded", hb__short(recording),
			strerror(errno));
}

void hb__unshare_folder(const char *recording)
{
	struct stat st;
	if (lstat(recording, &st) || (st.st_mode & 07777) != SHARED)
		return;
	mode_t mask = umask(0);
	umask(mask);
	if (chmod(recording, 0777 & ~mask))
		hb__say("%s: %s: all users may write into it", hb__short(recording), strerror(errno));
	DIR *dir = opendir(recording);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (!fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode) &&
			!S_ISDIR(st.st_mode) && !unlinkat(dirfd(dir), e->d_name, 0))
			hb__say("%s/%s was no file of the recording, and is removed", recording, e->d_name);
	if (dir)
		closedir(dir);
}
