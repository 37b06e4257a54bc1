/* Doors on all nodes at which the processes of a session dial in. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "system/place/place.h"

#define HOST_BYTES 63 /* of a name, which processes cut there */

/* In the threads of the links. A pipe takes a number as a whole. */
static void dialled(void *user, int fd)
{
	const hb_distant *d = user;
	if (write(d->guests, &fd, sizeof fd) != sizeof fd)
		close(fd);
}

/* ---- listening, on all nodes at the same time ---- */

struct asking {
	pthread_t thread;
	bool runs;
	hb_distant *distant;
	const hb_node *node;
	const char *secret;
	char *address, *file;
	hb_status status;
	hb_error err;
};

static void *ask(void *user)
{
	struct asking *a = user;
	a->status = hb_link_dial(
		a->node->link, a->distant->name, a->secret, dialled, a->distant, &a->address, &a->file, &a->err);
	return NULL;
}

static hb_status listen_there(void *user, const char *secret, char **ret_address, char **ret_file, hb_error *err)
{
	hb_distant *d = user;
	size_t n = d->nodes->n;
	hb_status status = HB_OK;
	struct asking *all = hb__alloc(n * sizeof *all);
	for (size_t i = 0; i < n; i++) {
		all[i] = (struct asking){.distant = d, .node = &d->nodes->at[i], .secret = secret};
		all[i].runs = all[i].node->link && !pthread_create(&all[i].thread, NULL, ask, &all[i]);
	}
	for (size_t i = 0; i < n; i++) {
		struct asking *a = &all[i];
		if (a->runs)
			pthread_join(a->thread, NULL);
		if (!a->runs || d->said[i])
			; /* lost before: what runs there this time is uncontrolled, and that has been said */
		else if (a->status && !status) {
			status = a->status;
			*err = a->err;
			snprintf(err->message, sizeof err->message, "%.63s: %.180s", a->node->name, a->err.message);
		} else if (!a->status && !*ret_address) {
			*ret_address = a->address;
			*ret_file = a->file;
			a->address = a->file = NULL;
		}
		free(a->address);
		free(a->file);
	}
	free(all);
	if (!status && !*ret_address) {
		*err = (hb_error){.status = HB_E_SYSTEM};
		snprintf(err->message, sizeof err->message, "no node is left");
		status = HB_E_SYSTEM;
	}
	return status;
}

/* ---- nodes by the names that their processes give them ---- */

size_t hb__distant_node(const hb_distant *d, const char *host)
{
	for (size_t i = 0; i < d->nodes->n; i++)
		if (d->nodes->at[i].link && d->nodes->at[i].host && !strncmp(d->nodes->at[i].host, host, HOST_BYTES))
			return i;
	return d->nodes->n;
}

static hb_gdb_place *place_of(void *user, const char *host)
{
	hb_distant *d = user;
	size_t i = hb__distant_node(d, host);
	if (i == d->nodes->n)
		return NULL;
	if (!d->place[i])
		d->place[i] = hb_link_place(d->nodes->at[i].link, d->nodes->at[i].host);
	return d->place[i];
}

static bool is_lost(void *user, const char *host)
{
	const hb_distant *d = user;
	size_t i = hb__distant_node(d, host);
	char *why = i < d->nodes->n ? hb_link_lost(d->nodes->at[i].link) : NULL;
	bool lost = why != NULL;
	free(why);
	return lost;
}

size_t hb__distant_say_lost(hb_distant *d)
{
	size_t n = 0;
	for (size_t i = 0; d && i < d->nodes->n; i++) {
		char *why = d->nodes->at[i].link && !d->said[i] ? hb_link_lost(d->nodes->at[i].link) : NULL;
		if (!why)
			continue;
		d->said[i] = true;
		n++;
		hb__say("the node %s is lost: %s", d->nodes->at[i].name, why);
		free(why);
	}
	return n;
}

/* ---- opening ---- */

int hb__distant_open(const hb_nodes *nodes, hb_distant **ret)
{
	unsigned char random[16];
	int ends[2];
	hb_distant *d = *ret = hb__alloc(sizeof *d);
	*d = (hb_distant){.nodes = nodes, .guests = -1};
	d->session = (hb_session_nodes){
		.incoming = -1, .listen = listen_there, .place = place_of, .lost = is_lost, .user = d};
	d->place = hb__alloc(nodes->n * sizeof *d->place);
	d->said = hb__alloc(nodes->n * sizeof *d->said);
	for (size_t i = 0; i < nodes->n; i++) {
		d->place[i] = NULL;
		d->said[i] = false;
	}
	if (getrandom(random, sizeof random, 0) != sizeof random || pipe2(ends, O_CLOEXEC))
		return hb__fail_with(HB_EXIT_USAGE, "cannot wait for processes of other nodes: %s", strerror(errno));
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(d->name + 2 * i, 3, "%02x", random[i]);
	d->session.incoming = ends[0];
	d->guests = ends[1];
	return 0;
}

const hb_session_nodes *hb__distant_nodes(const hb_distant *d) { return d ? &d->session : NULL; }

void hb__distant_close(hb_distant *d)
{
	if (!d)
		return;
	hb__distant_logs(d, NULL);
	for (size_t i = 0; i < d->nodes->n; i++) {
		if (d->nodes->at[i].link)
			hb_link_undial(d->nodes->at[i].link);
		hb_link_place_free(d->place[i]);
	}
	free(d->place);
	free(d->said);
	if (d->guests >= 0)
		close(d->guests);
	if (d->session.incoming >= 0)
		close(d->session.incoming);
	free(d);
}
