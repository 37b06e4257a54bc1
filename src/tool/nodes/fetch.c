/* A node's part of a recording, fetched. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/row.h"
#include "format/trace/settings.h"
#include "format/within/within.h"
#include "nodes.h"

#define SEAL_S 3600.0 /* a node may have much to compress */

static cJSON *of_folder(const char *folder)
{
	cJSON *ask = cJSON_CreateObject();
	cJSON_AddStringToObject(ask, "folder", folder);
	return ask;
}

/* From the stream into a file; NULL, or why not. */
static char *receive(int from, const char *path)
{
	char *piece = hb__alloc(1 << 18), *why = NULL;
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	ssize_t n = 0;
	if (to < 0)
		why = hb__format("%s: %s", path, strerror(errno));
	while (!why && (n = read(from, piece, 1 << 18)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		for (ssize_t at = 0, k; n > 0 && at < n && !why; at += k > 0 ? k : 0)
			if ((k = write(to, piece + at, (size_t)(n - at))) < 0 && errno != EINTR)
				why = hb__format("%s: %s", path, strerror(errno));
		if (n < 0)
			why = hb__format("the connection: %s", strerror(errno));
	}
	if (to >= 0 && close(to) && !why)
		why = hb__format("%s: %s", path, strerror(errno));
	free(piece);
	return why;
}

/* node.HOST.hbn; what could not be the name of a file is left out. */
static char *file_of(const char *recording, const char *host)
{
	char *name = hb__copy(host);
	for (char *p = name; *p; p++)
		if (*p == '/' || (unsigned char)*p < 33)
			*p = '_';
	char *path = hb__format("%s/node.%s" HB_WITHIN_SUFFIX, recording, name);
	free(name);
	return path;
}

/* A file of the node's files, whole: it gets its name only when it is. which: as in docs/agent.md; NULL: all. NULL, or why not. */
static char *fetch_file(hb_node *node, const char *folder, const char *which, const char *path)
{
	hb_stream *stream;
	hb_error err = {0};
	int fd;
	cJSON *ask = of_folder(folder);
	if (which)
		cJSON_AddStringToObject(ask, "which", which);
	if (hb_link_stream(node->link, "fetch", ask, SEAL_S, &fd, &stream, &err))
		return hb__copy(err.message);
	char *part = hb__format("%s.part", path), *why = receive(fd, part);
	close(fd); /* the channel has ended when both sides have said so */
	hb_link_end end = hb_stream_wait(stream, why ? 0 : SEAL_S);
	hb_stream_close(stream);
	if (!why && (*end.why || !end.over || end.status > 0))
		why = hb__copy(*end.why ? end.why : "its part could not be read there");
	if (!why && hb_within_verify(part, &err))
		why = hb__copy(err.message);
	if (!why && rename(part, path))
		why = hb__format("%s: %s", path, strerror(errno));
	if (why)
		unlink(part);
	free(part);
	return why;
}

/* What is in a file of the node's becomes files of a folder, which is made for the first. same: a file that is there already is the same. NULL, or why not. */
static char *unpack(const char *folder, const char *path, bool same)
{
	hb_within_list list;
	hb_error err;
	char *why = NULL;
	if (hb_within_list_open(path, &list, &err))
		return hb__copy(err.message);
	if (list.n)
		mkdir(folder, 0777);
	for (size_t i = 0; i < list.n && !why; i++) {
		char *from = hb__format("%s/%s", path, list.at[i].name),
		     *to = hb__format("%s/%s", folder, list.at[i].name);
		/* two nodes may have processes without MPI of one number; the settings of a trace came from here, and that it was ended
		 * is true of all */
		bool there = !access(to, F_OK),
		     one = !strcmp(list.at[i].name, HB_SETTINGS_FILE) || !strcmp(list.at[i].name, HB_LOGS_STOPPED);
		if (there && !same && !one)
			why = hb__format("%s is there already, from another node", to);
		else if (!there && hb_within_copy(from, to, &err))
			why = hb__copy(err.message);
		free(from);
		free(to);
	}
	hb_within_list_close(&list);
	if (!why)
		unlink(path);
	return why;
}

/* which: as in docs/system/agent.md; "files": copies of files, which are called by their contents. */
static char *fetch_unpacked(hb_node *node, const char *folder, const char *which, const char *recording)
{
	bool copies = which && !strcmp(which, "files");
	char *file = file_of(recording, node->host), *path = hb__format("%s/.%s", recording, strrchr(file, '/') + 1),
	     *to = copies ? hb__format("%s/files", recording) : hb__copy(recording);
	char *why = fetch_file(node, folder, which, path);
	why = why ? why : unpack(to, path, copies);
	free(to);
	free(path);
	free(file);
	return why;
}

char *hb__node_fetch_logs(hb_node *node, const char *folder, const char *recording)
{
	char *path = file_of(recording, node->host), *why = fetch_file(node, folder, "logs", path);
	free(path);
	return why;
}

struct fetching {
	pthread_t thread;
	bool runs, seal, drop;
	hb_node *node;
	const char *folder, *recording;
};

static void *fetch_one(void *user)
{
	struct fetching *f = user;
	hb_error err = {0};
	hb_node *node = f->node;
	if (f->seal && hb_link_ask(node->link, "seal", of_folder(f->folder), SEAL_S, NULL, &err))
		node->lost = hb__copy(err.message);
	if (!node->lost && f->seal)
		node->lost = hb__node_fetch_logs(node, f->folder, f->recording);
	if (!node->lost)
		node->lost = fetch_unpacked(node, f->folder, f->seal ? "others" : NULL, f->recording);
	if (!node->lost)
		node->lost = fetch_unpacked(node, f->folder, "files", f->recording);
	/* it is here: when that cannot be done, a folder is left over there, and nothing else */
	if (!node->lost && f->drop)
		hb_link_ask(node->link, "drop", of_folder(f->folder), SEAL_S, NULL, &err);
	return NULL;
}

void hb__nodes_fetch(hb_nodes *nodes, const char *folder, const char *recording, bool seal)
{
	struct fetching *f = hb__alloc((nodes->n + 1) * sizeof *f);
	for (size_t i = 0; i < nodes->n; i++) {
		f[i] = (struct fetching){.seal = seal,
			.drop = !strcmp(folder, nodes->folder),
			.node = &nodes->at[i],
			.folder = folder,
			.recording = recording};
		f[i].runs = nodes->at[i].link && !nodes->at[i].lost &&
			    !pthread_create(&f[i].thread, NULL, fetch_one, &f[i]);
		if (!f[i].runs && !nodes->at[i].lost)
			nodes->at[i].lost = hb__copy("no thread could be started");
	}
	for (size_t i = 0; i < nodes->n; i++)
		if (f[i].runs)
			pthread_join(f[i].thread, NULL);
	free(f);
}
