/* Processes are moved, and commands run, through the agents of their nodes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "system/manager/inside.h"

cJSON *hb__process_named(const cJSON *row)
{
	static const char *const fields[] = {"pid", "began", "boot"};
	cJSON *named = cJSON_CreateObject();
	for (size_t i = 0; i < 3; i++)
		cJSON_AddItemToObject(
			named, fields[i], cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(row, fields[i]), 1));
	return named;
}

static void ignored(void *user, const cJSON *answer, const char *error, int status)
{
	(void)user, (void)answer, (void)error, (void)status;
}

hb_status hb__process_ask(struct hb_manager *m, const cJSON *row, const char *name, int signal,
	hb_wire_answered *answered, void *user, hb_error *err)
{
	struct hb__node *n = hb__node_of(m, hb__manager_int(row, "node"));
	const char *state = hb__manager_text(row, "state");
	*err = (hb_error){.status = HB_E_ARGUMENT};
	if (!strcmp(state, "ended") || !strcmp(state, "gone"))
		snprintf(err->message, sizeof err->message, "process %s has ended", hb__manager_text(row, "name"));
	else if (!n || !n->up)
		snprintf(err->message, sizeof err->message, "node %s is down", hb__manager_text(row, "node_name"));
	else {
		cJSON *ask = cJSON_CreateObject();
		cJSON_AddItemToObject(ask, "process", hb__process_named(row));
		if (signal)
			cJSON_AddNumberToObject(ask, "signal", abs(signal));
		if (signal < 0)
			cJSON_AddBoolToObject(ask, "group", true);
		hb_wire_ask(n->wire, name, ask, answered ? answered : ignored, user);
		return HB_OK;
	}
	return HB_E_ARGUMENT;
}

/* ---- commands on a node ---- */

struct run {
	struct run *next;
	int fd; /* -1: all has been read */
	bool over;
	int owners; /* the channel, and the answer */
	int status;
	char *text;
	size_t n, most;
	hb__manager_ran *ran;
	void *user;
};
static struct run *runs;

/* When all of it has come: its output, its end, the answer to the ask. */
static void finish(struct run *run)
{
	if (run->fd >= 0 || run->owners)
		return;
	for (struct run **at = &runs; *at; at = &(*at)->next)
		if (*at == run) {
			*at = run->next;
			break;
		}
	run->text[run->n] = 0;
	if (run->ran)
		run->ran(run->user, run->status, run->text);
	free(run->text);
	free(run);
}

static void stop_reading(struct run *run)
{
	if (run->fd >= 0)
		close(run->fd);
	run->fd = -1;
}

static void closed(void *user, uint32_t channel, const cJSON *how)
{
	struct run *run = user;
	int64_t status = -1;
	(void)channel;
	if (hb_wire_number(how, "status", &status))
		run->status = (int)status;
	run->owners--;
	finish(run);
}

static void answered(void *user, const cJSON *answer, const char *error, int status)
{
	struct run *run = user;
	(void)answer, (void)status;
	run->owners--;
	if (error) {
		run->status = -1;
		run->n = (size_t)snprintf(run->text, run->most, "%s", error);
		stop_reading(run);
	}
	finish(run);
}

void hb__manager_run_on(struct hb__node *n, const char *const *argv, size_t most, hb__manager_ran *ran, void *user)
{
	int end[2] = {-1, -1};
	struct run *run = calloc(1, sizeof *run);
	char *text = malloc(most + 1);
	if (!n || !n->up || !run || !text || most < 256 ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, end)) {
		free(run);
		free(text);
		ran(user, -1, "the node is down");
		return;
	}
	*run = (struct run){.next = runs,
		.fd = end[1],
		.owners = 2,
		.status = -1,
		.text = text,
		.most = most,
		.ran = ran,
		.user = user};
	runs = run;
	uint32_t channel = hb_wire_channel(n->wire);
	cJSON *ask = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(ask, "command");
	for (; *argv; argv++)
		cJSON_AddItemToArray(words, cJSON_CreateString(*argv));
	cJSON_AddNumberToObject(ask, "channel", channel);
	if (!hb_wire_join(n->wire, channel, end[0], end[0], false, closed, run))
		run->owners--;
	hb__manager_watch(n->manager, run->fd, EPOLLIN);
	hb_wire_ask(n->wire, "run", ask, answered, run);
}

bool hb__manager_run_heard(struct hb_manager *m, int fd)
{
	(void)m;
	struct run *run = runs;
	while (run && run->fd != fd)
		run = run->next;
	if (!run)
		return false;
	char piece[4096];
	ssize_t got = read(fd, piece, sizeof piece);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	size_t take = got > 0 ? (size_t)got : 0;
	if (take > run->most - run->n)
		take = run->most - run->n; /* the rest is of no use */
	memcpy(run->text + run->n, piece, take);
	run->n += take;
	if (got <= 0) {
		stop_reading(run);
		finish(run);
	}
	return true;
}

void hb__manager_runs_close(void)
{
	while (runs) {
		struct run *run = runs;
		stop_reading(run);
		run->ran = NULL;
		run->owners = 0;
		finish(run);
	}
}
