/* The recordings that were made here. */
#include "made.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../memory/state.h"

#define FOLDER "made"
#define MADE_MOST 2000 /* recordings that are remembered; then an eighth goes, the least used ones */

/* A name that can be nothing but one of our files. */
static bool is_id(const char *id)
{
	return id && strlen(id) == HB_ID_LENGTH && strspn(id, "0123456789abcdef") == HB_ID_LENGTH;
}

/* What of a manifest decides what is run, and on which nodes. */
static char *steering(const hb_manifest *m)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *command = cJSON_AddArrayToObject(root, "command");
	for (size_t i = 0; i < m->command.n; i++)
		cJSON_AddItemToArray(command, cJSON_CreateString(m->command.at[i]));
	cJSON_AddStringToObject(root, "folder", m->folder ? m->folder : "");
	cJSON *environment = cJSON_AddArrayToObject(root, "environment");
	for (size_t i = 0; i < m->environment.n; i++)
		if (hb__manifest_sets(m->environment.at[i]))
			cJSON_AddItemToArray(environment, cJSON_CreateString(m->environment.at[i]));
	cJSON *nodes = m->nnodes ? cJSON_AddArrayToObject(root, "nodes") : NULL;
	for (size_t i = 0; i < m->nnodes; i++) {
		cJSON_AddItemToArray(nodes, cJSON_CreateString(m->node[i].name));
		cJSON_AddItemToArray(nodes, cJSON_CreateString(m->node[i].folder));
		cJSON_AddItemToArray(nodes, cJSON_CreateString(m->node[i].slurm ? m->node[i].slurm : ""));
	}
	char *text = cJSON_PrintUnformatted(root);
	cJSON_Delete(root);
	return text;
}

/* ---- writing ---- */

struct aged {
	char name[HB_ID_LENGTH + 1];
	struct timespec time;
};

static int by_age(const void *a, const void *b)
{
	const struct aged *x = a, *y = b;
	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
	return (x->time.tv_nsec > y->time.tv_nsec) - (x->time.tv_nsec < y->time.tv_nsec);
}

static void forget_old(void)
{
	struct aged *all = NULL;
	size_t n = 0, room = 0;
	char *folder = hb__state_path(FOLDER, false);
	DIR *dir = folder ? opendir(folder) : NULL;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct stat st;
		if (!is_id(e->d_name) || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (n == room)
			all = hb__resize(all, (room = 2 * room + 64) * sizeof *all);
		memcpy(all[n].name, e->d_name, sizeof all[n].name);
		all[n++].time = st.st_mtim;
	}
	if (n > MADE_MOST) {
		qsort(all, n, sizeof *all, by_age);
		for (size_t i = 0; i < n - MADE_MOST + MADE_MOST / 8; i++)
			unlinkat(dirfd(dir), all[i].name, 0);
	}
	if (dir)
		closedir(dir);
	free(all);
	free(folder);
}

void hb__made_note(const hb_manifest *m)
{
	char *name = is_id(m->id) ? hb__format(FOLDER "/%s", m->id) : NULL;
	char *path = name ? hb__state_path(name, true) : NULL, *text = steering(m);
	if (!path)
		hb__say("neither XDG_STATE_HOME nor HOME names a folder: hbdb cannot remember that this recording is yours, "
			"and will ask before it runs its command again");
	else if (hb__state_write(path, text))
		hb__say("%s: %s: hbdb cannot remember that this recording is yours, and will ask before it runs its command again "
			"(XDG_STATE_HOME names another folder for that)",
			path, strerror(errno));
	else
		forget_old();
	free(text);
	free(path);
	free(name);
}

/* ---- reading ---- */

char *hb__made_not(const hb_manifest *m)
{
	if (!is_id(m->id))
		return hb__copy("it does not say which recording it is: an older hbdb made it, or none");
	char *name = hb__format(FOLDER "/%s", m->id), *path = hb__state_path(name, false), *why = NULL;
	free(name);
	if (!path)
		return hb__copy(
			"neither XDG_STATE_HOME nor HOME names a folder in which hbdb could remember which ones you made");
	char *now = steering(m), *then = hb__state_read(path);
	int error = errno;
	if (!then && error == ENOENT)
		why = hb__format("hbdb does not remember to have made it for you (%.*s has the last %d that it made)",
			(int)(strrchr(path, '/') - path), path, MADE_MOST);
	else if (!then && error == EPERM)
		why = hb__format("%s, where hbdb remembers that it made it, is not a private file of yours", path);
	else if (!then)
		why = hb__format("%s, where hbdb remembers that it made it: %s", path, strerror(error));
	else if (strcmp(now, then) != 0)
		why = hb__copy(
			"its command, folder, environment or nodes are no longer what they were when it was recorded");
	else
		utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW); /* used: it is remembered for longer */
	free(then);
	free(now);
	free(path);
	return why;
}
