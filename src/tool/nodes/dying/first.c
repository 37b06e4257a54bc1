/* Which process died first, over nodes. */
#include "first.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../clocks/fit.h"
#include "../nodes.h"
#include "base/clock.h"

#define ASKED 8     /* times for its clock, of which the quickest counts */
#define TOLD_S 20.0 /* that a node may take to say what it saw */
#define ANSWER_MOST 1024

struct looking {
	const hb_node *node;
	int fd;
	hb_stream *stream; /* NULL: it could not be asked */
};
struct hb_first_death {
	size_t n;
	struct looking at[];
};

hb_first_death *hb__first_death_begin(const hb_nodes *nodes)
{
	hb_first_death *f = hb__alloc(sizeof *f + nodes->n * sizeof *f->at);
	f->n = nodes->n;
	for (size_t i = 0; i < f->n; i++) {
		struct looking *l = &f->at[i];
		hb_error err;
		*l = (struct looking){.node = &nodes->at[i], .fd = -1};
		cJSON *ask = cJSON_CreateObject();
		cJSON_AddStringToObject(ask, "folder", nodes->folder);
		if (hb_link_stream(nodes->at[i].link, "deaths", ask, TOLD_S, &l->fd, &l->stream, &err))
			l->stream = NULL; /* a node that cannot say is as one of which nothing is known */
	}
	return f;
}

static bool get(int fd, void *to, size_t n)
{
	for (char *p = to; n;) {
		ssize_t k = read(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

/* How far its clock is from the one here: of each question and answer it is known that the clock was read between the two. */
struct apart {
	double least, most; /* s: of what is to be added to its clock */
	double at;          /* when, by its clock */
};

static bool compare(const struct looking *l, struct apart *ret)
{
	*ret = (struct apart){.least = -1e300, .most = 1e300};
	for (int i = 0; i < ASKED; i++) {
		unsigned char clock[8];
		uint64_t ns = 0;
		double sent = hb_seconds();
		if (write(l->fd, "c", 1) != 1 || !get(l->fd, clock, sizeof clock))
			return false;
		double got = hb_seconds();
		for (int k = 8; k-- > 0;)
			ns = ns << 8 | clock[k];
		double there = (double)ns * 1e-9;
		ret->least = sent - there > ret->least ? sent - there : ret->least;
		ret->most = got - there < ret->most ? got - there : ret->most;
		ret->at = there;
	}
	return ret->least <= ret->most;
}

static hb_node_deaths told(const struct looking *l)
{
	char text[ANSWER_MOST];
	struct apart apart;
	size_t n = 0;
	int64_t first, recorded, size;
	if (!l->stream || l->node->lost || !compare(l, &apart))
		return (hb_node_deaths){.first = -1};
	shutdown(l->fd, SHUT_WR);
	for (ssize_t k; n + 1 < sizeof text && (k = read(l->fd, text + n, sizeof text - 1 - n)) != 0;)
		n += k > 0 ? (size_t)k : 0;
	cJSON *o = cJSON_ParseWithLength(text, n);
	const char *clean = hb_wire_text(o, "clean"), *by = hb_wire_text(o, "by");
	hb_node_deaths d = {.first = -1};
	if (clean && by && hb_wire_number(o, "first", &first) && hb_wire_number(o, "recorded", &recorded) &&
		hb_wire_number(o, "size", &size)) {
		double clean_s = (double)strtoll(clean, NULL, 10) * 1e-9, by_s = (double)strtoll(by, NULL, 10) * 1e-9;
		d = (hb_node_deaths){.known = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "known")),
			.any = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "any")),
			.first = (int32_t)first,
			/* they may have drifted since */
			.clean_least = clean_s + apart.least - HB_DRIFT_MOST * (apart.at - clean_s),
			.by_most = by_s + apart.most + HB_DRIFT_MOST * (apart.at - by_s),
			.recorded = (size_t)recorded,
			.size = (size_t)size};
	}
	cJSON_Delete(o);
	return d;
}

int32_t hb__first_death_end(hb_first_death *f)
{
	if (!f)
		return -1;
	hb_node_deaths *node = hb__alloc((f->n + 1) * sizeof *node);
	for (size_t i = 0; i < f->n; i++)
		node[i] = told(&f->at[i]);
	int32_t first = hb__first_of_nodes(node, f->n);
	for (size_t i = 0; i < f->n; i++) {
		if (!f->at[i].stream)
			continue;
		close(f->at[i].fd);
		hb_stream_close(f->at[i].stream);
	}
	free(node);
	free(f);
	return first;
}
