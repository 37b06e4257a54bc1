/* Files go to the nodes of a job. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "format/within/within.h"
#include "../nodes.h"

#define PUT_S 3600.0 /* a node may have much to unpack */

void hb__put_add(hb_putting *p, const char *path, const char *name)
{
	hb__push(&p->path, path);
	hb__push(&p->name, name);
}

void hb__put_free(hb_putting *p)
{
	hb__strings_free(&p->path);
	hb__strings_free(&p->name);
}

/* NULL, or why not. */
static char *put_on(hb_node *node, const hb_putting *p, uint64_t *ret_bytes)
{
	cJSON *ask = cJSON_CreateObject();
	hb_within_writer w;
	hb_stream *stream;
	hb_error err = {0};
	char piece[256], *why = NULL;
	int fd;
	ssize_t n;
	cJSON_AddStringToObject(ask, "folder", p->folder);
	if (p->into)
		cJSON_AddStringToObject(ask, "into", p->into);
	if (hb_link_stream(node->link, "put", ask, PUT_S, &fd, &stream, &err))
		return hb__copy(err.message);
	hb_within_begin(&w, fd, node->host);
	for (size_t i = 0; i < p->path.n; i++)
		hb_within_add(&w, p->path.at[i], p->name.at[i]);
	*ret_bytes = w.offset;
	hb_status status = hb_within_end(&w, &err);
	shutdown(fd, SHUT_WR);
	while ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
		;
	close(fd); /* the channel has ended when both sides have said so */
	hb_link_end end = hb_stream_wait(stream, status ? 0 : PUT_S);
	hb_stream_close(stream);
	/* what the other side says is the reason why nothing more can be written */
	if (*end.why || (status && status != HB_E_SYSTEM))
		why = hb__copy(*end.why ? end.why : err.message);
	else if (status || !end.over || end.status)
		why = hb__format(
			"what the replay needs could not be put there%s%s", *err.message ? ": " : "", err.message);
	return why;
}

struct putting {
	pthread_t thread;
	bool runs;
	hb_node *node;
	const hb_putting *what;
	uint64_t bytes;
};

static void *put_one(void *user)
{
	struct putting *p = user;
	p->node->lost = put_on(p->node, p->what, &p->bytes);
	return NULL;
}

uint64_t hb__nodes_put(hb_nodes *nodes, const hb_putting *what)
{
	struct putting *p = hb__alloc((nodes->n + 1) * sizeof *p);
	uint64_t bytes = 0;
	for (size_t i = 0; i < nodes->n; i++) {
		p[i] = (struct putting){.node = &nodes->at[i], .what = what};
		p[i].runs = !nodes->at[i].lost && !pthread_create(&p[i].thread, NULL, put_one, &p[i]);
		if (!p[i].runs && !nodes->at[i].lost)
			nodes->at[i].lost = hb__copy("no thread could be started");
	}
	for (size_t i = 0; i < nodes->n; i++) {
		if (p[i].runs)
			pthread_join(p[i].thread, NULL);
		bytes = p[i].runs && p[i].bytes > bytes ? p[i].bytes : bytes;
	}
	free(p);
	return bytes;
}
