/* Files that come to this node: what the processes of a replay follow, settings of a trace. The folder that is made for them ends with its connection, together with the
 * processes that work in it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hbdb/data.h>
#include <hbdb/format.h>

#include "../store/logs.h"
#include "../store/replayed/guard.h"
#include "agent.h"
#include "format/within/within.h"

/* ---- folders that end with their connection ---- */

struct lent {
	const hb_wire *wire; /* NULL: it is being removed */
	char *folder;
	hb_folder_guard guard;
	struct lent *next;
};
static struct lent *all;

void hb__put_gone(const hb_wire *wire)
{
	for (struct lent *l = all; l; l = l->next)
		if (l->wire && (!wire || l->wire == wire)) {
			l->wire = NULL;
			hb__folder_guard_release(&l->guard);
		}
}

void hb__put_wait(void)
{
	while (all) {
		struct lent *l = all;
		all = l->next;
		hb__folder_guard_wait(&l->guard);
		free(l->folder);
		free(l);
	}
}

bool hb__lend_folder(hb_wire *wire, uint64_t id, const char *folder)
{
	for (const struct lent *l = all; l; l = l->next)
		if (l->wire == wire && !strcmp(l->folder, folder))
			return true;
	bool there = mkdir(folder, 0700);
	if (there && errno == EEXIST)
		return true;
	if (there) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "the folder %s cannot be made: %s", folder, strerror(errno));
		return false;
	}
	struct lent *l = hb__alloc(sizeof *l);
	*l = (struct lent){.wire = wire, .folder = hb__copy(folder), .next = all};
	hb__folder_guard_set(folder, &l->guard);
	all = l;
	if (l->guard.pid)
		return true;
	rmdir(folder);
	hb_wire_refuse(wire, id, HB_EXIT_USAGE, "no process could be started that looks after %s: %s", folder,
		strerror(errno));
	all = l->next;
	free(l->folder);
	free(l);
	return false;
}

/* ---- what comes ---- */

/* Why it could not be done goes to the other side, by the end of the channel. */
static _Noreturn void fail(int said, const char *path, const char *why)
{
	dprintf(said, "%s: %s", path, why);
	_exit(HB_EXIT_RECORDING);
}

static void store(int from, const char *path, int said)
{
	static char piece[1 << 18];
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t n;
	if (to < 0)
		fail(said, path, strerror(errno));
	while ((n = read(from, piece, sizeof piece)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		for (ssize_t at = 0, k; at<n; at += k> 0 ? k : 0)
			if ((k = write(to, piece + at, (size_t)(n - at))) < 0 && errno != EINTR)
				fail(said, path, strerror(errno));
		if (n < 0)
			fail(said, "the connection", strerror(errno));
	}
	if (close(to))
		fail(said, path, strerror(errno));
}

/* Logs and contents as processes follow them. It is there when it is whole. */
static hb_status unpack(const char *from, const char *folder, const char *name, hb_error *err)
{
	size_t n = strlen(name), ending = strlen(".data");
	bool data = !strncmp(name, "rank.", 5) && n > ending && !strcmp(name + n - ending, ".data");
	char *part = hb__format("%s/.%s", folder, name), *to = hb__format("%s/%s", folder, name);
	hb_status status = hb__is_log_name(name) ? hb_log_unseal(from, part, UINT64_MAX, err)
			   : data                ? hb_data_unseal(from, part, err)
						 : hb_within_copy(from, part, err);
	if (!status && rename(part, to)) {
		status = HB_E_SYSTEM;
		snprintf(err->message, sizeof err->message, "%s: %s", to, strerror(errno));
	}
	free(part);
	free(to);
	return status;
}

static _Noreturn void put(const char *folder, const char *into, int from, int said)
{
	char *to = into ? hb__format("%s/%s", folder, into) : hb__copy(folder),
	     *path = hb__format("%s/.put.%d.hbn", folder, (int)getpid());
	hb_within_list list;
	hb_error err = {0};
	if (into && mkdir(to, 0700) && errno != EEXIST)
		fail(said, to, strerror(errno));
	store(from, path, said);
	hb_status status = hb_within_verify(path, &err);
	status = status ? status : hb_within_list_open(path, &list, &err);
	for (size_t i = 0; !status && i < list.n; i++) {
		char *file = hb__format("%s/%s", path, list.at[i].name);
		status = unpack(file, to, list.at[i].name, &err);
		free(file);
	}
	unlink(path);
	if (status)
		fail(said, to, *err.message ? err.message : "what came cannot be unpacked");
	_exit(0);
}

void hb__ask_put(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb_wire_text(ask, "folder"), *into = hb_wire_text(ask, "into"),
		   *slash = folder ? strrchr(folder, '/') : NULL;
	if (!folder || *folder != '/' || !hb__is_part_of_node(slash + 1)) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE,
			"the ask says no folder of a node's part: an absolute path that ends with hbdb-ID");
		return;
	}
	if (into && (!*into || *into == '.' || strchr(into, '/'))) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "'%s' is no name of a folder", into);
		return;
	}
	if (!hb__lend_folder(wire, id, folder) || !hb__the_folder(wire, id, ask))
		return;
	int said = memfd_create("hbdb-put", MFD_CLOEXEC);
	if (said < 0) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "there is no place for the answer: %s", strerror(errno));
		return;
	}
	int from = hb__channel_for(agent, wire, id, ask, said);
	if (from >= 0)
		put(folder, into, from, said);
}
