/* hbdb cc and hbdb fc: the compiler as it was called, and then once more. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "building.h"

/* A folder of ours with everything in it; there are two storeys. */
static void clear(const char *folder)
{
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		char *path = hb__format("%s/%s", folder, e->d_name);
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlink(path))
			clear(path);
		free(path);
	}
	if (d)
		closedir(d);
	rmdir(folder);
}

int hb__build(const char *command, char **words)
{
	if (!words)
		return hb__fail_with(HB_EXIT_USAGE, "%s: which compiler? as in make %s='hbdb %s %s'", command,
			strcmp(command, "fc") ? "CC" : "FC", command, strcmp(command, "fc") ? "mpicc" : "mpifort");
	hb_build build;
	int error, status = hb__build_run(words, NULL, &error);
	if (error)
		return hb__fail_with(status, "%s cannot be run: %s", words[0], strerror(error));
	if (status)
		return status;
	hb__build_read(words, &build);
	if (build.purpose == HB_PURPOSE_COMPILE)
		hb__build_compile(&build);
	else if (build.purpose == HB_PURPOSE_LINK)
		hb__build_link(&build);
	if (build.folder)
		clear(build.folder);
	hb__build_free(&build);
	return 0;
}
