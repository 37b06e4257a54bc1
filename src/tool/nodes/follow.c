/* A job on several nodes, seen here while it runs: what all nodes write, in one folder. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../recorded/trust.h"
#include "../sending/sending.h"
#include "../store/find.h"
#include "nodes.h"

struct following {
	pthread_t thread;
	const char *folder;
	int fd;
	hb_stream *stream;
	bool over; /* the thread has ended */
};

struct hb_following {
	char *folder;
	struct following *at;
	size_t n;
};

static void *take(void *user)
{
	struct following *f = user;
	FILE *from = fdopen(dup(f->fd), "re");
	bool whole;
	if (from && hb__stream_begins(from))
		hb__receive_stream(from, f->folder, &whole);
	if (from)
		fclose(from);
	return NULL;
}

hb_following *hb__nodes_follow(const hb_nodes *nodes, const char *there, const char *folder, bool files)
{
	hb_following *all = hb__alloc(sizeof *all);
	*all = (hb_following){.folder = hb__copy(folder), .at = hb__alloc((nodes->n + 1) * sizeof *all->at)};
	mkdir(folder, 0700);
	for (size_t i = 0; i < nodes->n; i++) {
		struct following *f = &all->at[all->n];
		hb_error err;
		if (!nodes->at[i].link || nodes->at[i].lost)
			continue;
		cJSON *ask = cJSON_CreateObject();
		cJSON_AddStringToObject(ask, "folder", there);
		if (files)
			cJSON_AddTrueToObject(ask, "files");
		*f = (struct following){.folder = all->folder};
		if (hb_link_stream(nodes->at[i].link, "follow", ask, 60, &f->fd, &f->stream, &err))
			hb__say("the node %s cannot be watched: %s", nodes->at[i].name, err.message);
		else if (pthread_create(&f->thread, NULL, take, f)) {
			hb_stream_close(f->stream);
			close(f->fd);
		} else
			all->n++;
	}
	return all;
}

char *hb__nodes_mirror(const char *recording, bool elsewhere, hb_nodes *ret_nodes, hb_following **ret_following)
{
	const char *temporary = getenv("TMPDIR");
	hb_manifest m;
	char *folder = NULL;
	if (!hb__manifest_read(recording, &m) && !m.finished && m.nnodes && !hb__trust_nodes(recording, &m, elsewhere))
		hb__nodes_reopen(&m, ret_nodes);
	for (size_t i = 0; i < ret_nodes->n; i++)
		if (ret_nodes->at[i].lost)
			hb__say("the node %s cannot be reached: %s", ret_nodes->at[i].name, ret_nodes->at[i].lost);
	if (ret_nodes->n)
		folder = hb__format("%s/hbdb-nodes-XXXXXX", temporary && *temporary == '/' ? temporary : "/tmp");
	if (folder && !mkdtemp(folder)) {
		hb__say("%s: cannot be made: %s", folder, strerror(errno));
		free(folder);
		folder = NULL;
	}
	if (folder)
		*ret_following = hb__nodes_follow(ret_nodes, ret_nodes->folder, folder, false);
	hb__manifest_free(&m);
	return folder;
}

void hb__nodes_followed(hb_following *all)
{
	for (size_t i = 0; i < all->n; i++)
		shutdown(all->at[i].fd, SHUT_WR);
	for (size_t i = 0; i < all->n; i++) {
		pthread_join(all->at[i].thread, NULL);
		all->at[i].over = true;
	}
}

void hb__nodes_unfollow(hb_following *all, bool remove)
{
	for (size_t i = 0; all && i < all->n; i++) {
		shutdown(all->at[i].fd, SHUT_RDWR);
		hb_stream_close(all->at[i].stream);
		if (!all->at[i].over)
			pthread_join(all->at[i].thread, NULL);
		close(all->at[i].fd);
	}
	if (!all)
		return;
	if (remove)
		hb__remove_folder(all->folder);
	free(all->folder);
	free(all->at);
	free(all);
}
