/* Connections to the agents of the nodes: made, kept, made again. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "system/link/start.h"
#include "system/manager/inside.h"

#define SEEN_S 60     /* how often it is noted until when a node is known */
#define SKEW_S 600    /* how far clocks of nodes may be apart */
#define LATE 10000000 /* microseconds: so long behind its end it is asked for what it recorded */

struct hb__node *hb__node_of(struct hb_manager *m, int64_t number)
{
	for (size_t i = 0; i < m->nnodes; i++)
		if (m->node[i]->number == number)
			return m->node[i];
	return NULL;
}

/* ---- news ---- */

static void took_process(struct hb__node *n, const char *name, const cJSON *news)
{
	hb_complex *c = n->manager->complex;
	hb_error err;
	cJSON *process = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(news, "process"), 1);
	/* what stands beside the process belongs to it */
	static const char *const beside[] = {"signal", "status"};
	for (size_t i = 0; i < 2 && process; i++)
		if (cJSON_HasObjectItem(news, beside[i]) && !cJSON_HasObjectItem(process, beside[i]))
			cJSON_AddItemToObject(process, beside[i],
				cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(news, beside[i]), 1));
	hb_complex_end_kind kind = !strcmp(name, "death")  ? HB_ENDS_DEATH
				   : !strcmp(name, "exit") ? HB_ENDS_EXIT
							   : HB_ENDS_NOT;
	hb__manager_fine(n->manager, hb_complex_process(c, n->number, process, kind, NULL, &err), &err);
	cJSON_Delete(process);
}

/* Nothing that an agent says is believed further than its node goes: it speaks of processes there, and of nothing else. */
static void took_news(void *user, hb_wire *wire, const char *name, const cJSON *news)
{
	struct hb__node *n = user;
	hb_error err;
	(void)wire;
	if (!strcmp(name, "process") || !strcmp(name, "death") || !strcmp(name, "exit"))
		took_process(n, name, news);
	else if (!strcmp(name, "node"))
		hb__manager_fine(n->manager, hb_complex_node_news(n->manager->complex, n->number, news, &err), &err);
	else
		hb__manager_fine(n->manager, hb_complex_news(n->manager->complex, n->number, news, &err), &err);
}

static void was_asked(void *user, hb_wire *wire, uint64_t id, const char *name, const cJSON *ask)
{
	(void)user, (void)ask;
	hb_wire_refuse(wire, id, 2, "a manager is asked for nothing by its agents: %s", name);
}

/* ---- agreement ---- */

/* A node may have been forgotten meanwhile: so it is looked up by its number. */
struct question {
	struct hb_manager *manager;
	int64_t node;
	char *folder;
	/* of `ps`: what earlier parts of the answer have told */
	cJSON *processes, *started;
	int64_t time; /* by the node's clock, before it looked; 0: not told */
};

/* Until when it is known how what the node had started ended, in seconds since 1970 by the node's clock: a mark of the database. What ended long before is not told
 * again. 0: it has told nothing yet. time: a new one; 0: none. */
static int64_t known_until(struct hb__node *n, int64_t time)
{
	char mark[40], old[40];
	hb_error err;
	struct hb_manager *m = n->manager;
	snprintf(mark, sizeof mark, "known %lld", (long long)n->number);
	snprintf(old, sizeof old, "node %lld", (long long)n->number); /* of an earlier hbdb, by the manager's clock */
	int64_t until = hb_complex_mark(m->complex, mark), before = hb_complex_mark(m->complex, old);
	if (time > until + SEEN_S || (time && time < until))
		hb__manager_fine(
			m, hb_complex_set_mark(m->complex, mark, time < until ? time - SKEW_S : time, &err), &err);
	return until ? until : before > SKEW_S ? before - SKEW_S : 0;
}

/* What had ended before anybody asked the node is no news. */
static void drop_ended(cJSON *started)
{
	cJSON *next;
	for (cJSON *one = started ? started->child : NULL; one; one = next) {
		next = one->next;
		if (cJSON_HasObjectItem(one, "ended"))
			cJSON_Delete(cJSON_DetachItemViaPointer(started, one));
	}
}

static void free_question(struct question *q)
{
	free(q->folder);
	cJSON_Delete(q->processes);
	cJSON_Delete(q->started);
	free(q);
}

/* The rows of one part behind those of the others. */
static void append(cJSON **to, const cJSON *answer, const char *name)
{
	const cJSON *one;
	if (!*to)
		*to = cJSON_CreateArray();
	cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(answer, name))
		cJSON_AddItemToArray(*to, cJSON_Duplicate(one, 1));
}

static void ask_part(struct hb__node *n, struct question *q, const cJSON *next);

static void has_part(void *user, const cJSON *answer, const char *error, int status)
{
	struct question *q = user;
	struct hb__node *n = hb__node_of(q->manager, q->node);
	const cJSON *next = cJSON_GetObjectItemCaseSensitive(answer, "next"), *one;
	hb_error err;
	(void)status;
	if (n && !error) {
		append(&q->processes, answer, "processes");
		append(&q->started, answer, "started");
		if (!q->time)
			q->time = hb__manager_int(answer, "time");
		n->answered = hb_seconds();
		if (next && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "more"))) {
			n->asked = n->answered;
			ask_part(n, q, next);
			return;
		}
		if (!known_until(n, 0))
			drop_ended(q->started);
		cJSON_ArrayForEach(one, q->started) cJSON_AddItemToArray(q->processes, cJSON_Duplicate(one, 1));
		hb__manager_fine(n->manager, hb_complex_ps(n->manager->complex, n->number, q->processes, &err), &err);
		hb__programs_started(n, q->started);
		/* an agent of an earlier hbdb does not tell */
		known_until(n, q->time ? q->time : hb_complex_now() / 1000000 - SKEW_S);
	}
	if (n) {
		n->asking = false;
		n->answered = hb_seconds();
	}
	free_question(q);
}

/* next: where the part begins; NULL: the first one. */
static void ask_part(struct hb__node *n, struct question *q, const cJSON *next)
{
	cJSON *ask = cJSON_CreateObject();
	int64_t until = known_until(n, 0);
	if (until)
		cJSON_AddNumberToObject(ask, "since", (double)until);
	if (next)
		cJSON_AddItemToObject(ask, "after", cJSON_Duplicate(next, 1));
	hb_wire_ask(n->wire, "ps", ask, has_part, q);
}

static void ask_all(struct hb__node *n, double now)
{
	struct question *q = calloc(1, sizeof *q);
	if (!q)
		return;
	*q = (struct question){.manager = n->manager, .node = n->number};
	n->asking = true;
	n->asked = now;
	ask_part(n, q, NULL);
}

static void watches(void *user, const cJSON *answer, const char *error, int status)
{
	struct question *q = user;
	struct hb__node *n = hb__node_of(q->manager, q->node);
	(void)answer, (void)status;
	/* it is not there yet, or not any more: the next turn asks again */
	for (size_t i = 0; n && i < n->nwatched; i++)
		if (strcmp(n->watched[i].folder, q->folder)) {
			continue;
		} else if (error) {
			free(n->watched[i].folder);
			n->watched[i] = n->watched[--n->nwatched];
		} else {
			n->watched[i].there = true;
		}
	free_question(q);
}

void hb__node_watch(struct hb__node *n, const char *folder)
{
	if (!n->up)
		return;
	for (size_t i = 0; i < n->nwatched; i++)
		if (!strcmp(n->watched[i].folder, folder))
			return;
	struct question *q = calloc(1, sizeof *q);
	if (!q || !HB_GROW(n->watched, n->room, n->nwatched + 1)) {
		free(q);
		return;
	}
	n->watched[n->nwatched++] = (struct hb__watched){.folder = strdup(folder), .needed = true};
	*q = (struct question){.manager = n->manager, .node = n->number, .folder = strdup(folder)};
	cJSON *ask = cJSON_CreateObject();
	cJSON_AddStringToObject(ask, "folder", folder);
	hb_wire_ask(n->wire, "watch", ask, watches, q);
}

/* ---- a connection ---- */

static int start(struct hb__node *n, char *const *argv, int *ret_fd)
{
	int errors[2];
	if (pipe2(errors, O_CLOEXEC | O_NONBLOCK))
		return errno;
	int trouble = hb_link_start(argv, errors[1], &n->pid, ret_fd);
	close(errors[1]);
	if (trouble) {
		n->pid = 0;
		close(errors[0]);
	} else
		n->errors = errors[0];
	return trouble;
}

static void tell_state(struct hb__node *n, const char *state, const char *why, const cJSON *hello)
{
	hb_error err;
	hb__manager_fine(
		n->manager, hb_complex_node_state(n->manager->complex, n->number, state, why, hello, &err), &err);
}

static void reach(struct hb__node *n, double now)
{
	static const hb_wire_calls calls = {.asked = was_asked, .news = took_news};
	char why[256] = "";
	int fd = -1;
	hb_error err = {0};
	struct hb_manager *m = n->manager;
	n->said[0] = 0;
	char **argv = m->options.reach(m->options.user, n->platform, n->address, why, sizeof why);
	int trouble = argv ? start(n, argv, &fd) : 0;
	if (trouble)
		snprintf(why, sizeof why, "cannot start %.100s: %s", argv[0], strerror(trouble));
	free(argv);
	if (!*why && hb_wire_open(fd, fd, true, "manager", &calls, n, &n->wire, &err)) {
		n->wire = NULL;
		snprintf(why, sizeof why, "%s", err.message);
	}
	n->since = now;
	if (*why || !n->wire) {
		hb__node_lose(n, why);
		return;
	}
	hb__manager_watch(m, hb_wire_fd(n->wire), EPOLLIN);
	hb__manager_watch(m, n->errors, EPOLLIN);
}

void hb__node_lose(struct hb__node *n, const char *why)
{
	double now = hb_seconds();
	char text[320];
	hb_wire *wire = n->wire;
	bool was_up = n->up;
	n->wire = NULL;
	n->up = n->asking = false;
	while (n->nwatched)
		free(n->watched[--n->nwatched].folder);
	snprintf(text, sizeof text, "%s%s%s", why, *n->said ? "; " : "", n->said);
	if (wire)
		hb_wire_close(wire);
	if (n->errors >= 0)
		close(n->errors);
	n->errors = -1;
	if (n->pid)
		kill(-n->pid, SIGTERM);
	/* one that worked is tried again at once, and then ever more seldom */
	n->wait = was_up ? 0.2 : n->wait * 2 > HB__BACK_OFF_S ? HB__BACK_OFF_S : n->wait < 0.5 ? 0.5 : n->wait * 2;
	n->next = now + n->wait;
	n->decided = true;
	if (!n->gone)
		tell_state(n, "down", text, NULL);
}

static void read_errors(struct hb__node *n)
{
	char piece[512];
	ssize_t got = read(n->errors, piece, sizeof piece - 1);
	if (got <= 0) {
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		close(n->errors);
		n->errors = -1;
		return;
	}
	piece[got] = 0;
	char *end = piece + got;
	while (end > piece && (end[-1] == '\n' || end[-1] == '\r'))
		*--end = 0;
	const char *line = strrchr(piece, '\n');
	snprintf(n->said, sizeof n->said, "%.199s", line ? line + 1 : piece);
	for (char *p = n->said; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
}

static void watch_recordings(struct hb__node *n);

static void turn(struct hb__node *n)
{
	bool open = hb_wire_turn(n->wire);
	if (open && !n->up && hb_wire_peer(n->wire)) {
		n->up = n->decided = true;
		n->wait = 0;
		n->answered = hb_seconds();
		tell_state(n, "up", "", hb_wire_peer(n->wire));
		watch_recordings(n);
		ask_all(n, n->answered);
	}
	if (!open) {
		char why[256];
		if (n->errors >= 0)
			read_errors(n);
		snprintf(why, sizeof why, "%s", hb_wire_why(n->wire));
		hb__node_lose(n, why);
	}
}

bool hb__node_heard(struct hb_manager *m, int fd)
{
	for (size_t i = 0; i < m->nnodes; i++) {
		struct hb__node *n = m->node[i];
		if (n->wire && hb_wire_fd(n->wire) == fd)
			turn(n);
		else if (n->errors >= 0 && n->errors == fd)
			read_errors(n);
		else
			continue;
		return true;
	}
	return false;
}

bool hb__node_reaped(struct hb_manager *m, pid_t pid)
{
	for (size_t i = 0; i < m->nnodes; i++)
		if (m->node[i]->pid == pid) {
			m->node[i]->pid = 0;
			return true;
		}
	return false;
}

/* ---- which nodes ---- */

static bool put_node(void *user, cJSON *row)
{
	struct hb_manager *m = user;
	struct hb__node *n = hb__node_of(m, hb__manager_int(row, "node"));
	if (!n && HB_GROW(m->node, m->node_room, m->nnodes + 1) && (n = calloc(1, sizeof *n))) {
		*n = (struct hb__node){.manager = m,
			.number = hb__manager_int(row, "node"),
			.errors = -1,
			.name = strdup(hb__manager_text(row, "name")),
			.platform = strdup(""),
			.address = strdup("")};
		m->node[m->nnodes++] = n;
	}
	if (n && (strcmp(n->platform, hb__manager_text(row, "platform")) ||
			 strcmp(n->address, hb__manager_text(row, "address")))) {
		free(n->platform);
		free(n->address);
		n->platform = strdup(hb__manager_text(row, "platform"));
		n->address = strdup(hb__manager_text(row, "address"));
		n->wait = n->next = 0;
		if (n->wire)
			hb__node_lose(n, "it is reached in another way now");
		n->decided = false;
		n->next = 0;
	}
	/* what the manager before us knew is old */
	if (n && !n->wire && !n->since)
		tell_state(n, "unknown", "it is being reached", NULL);
	if (n)
		n->gone = false;
	cJSON_Delete(row);
	return true;
}

static void forget(struct hb_manager *m, size_t i)
{
	struct hb__node *n = m->node[i];
	m->node[i] = m->node[--m->nnodes];
	hb__node_lose(n, "");
	free(n->watched);
	free(n->name);
	free(n->platform);
	free(n->address);
	free(n);
}

void hb__manager_nodes_read(struct hb_manager *m)
{
	for (size_t i = 0; i < m->nnodes; i++)
		m->node[i]->gone = true;
	hb_complex_rows(m->complex, "nodes", &(hb_complex_filter){0}, put_node, m, NULL);
	/* not within a call of their wires: the next tick forgets them */
}

void hb__manager_nodes_tick(struct hb_manager *m, double now)
{
	for (size_t i = 0; i < m->nnodes; i++) {
		struct hb__node *n = m->node[i];
		if (n->gone) {
			forget(m, i--);
			continue;
		}
		if (!n->wire && now >= n->next && !n->pid)
			reach(n, now);
		else if (!n->wire && n->pid && now > n->next + 5)
			kill(-n->pid, SIGKILL);
		else if (n->wire && !n->up && now > n->since + HB__HELLO_S)
			hb__node_lose(n,
				"no agent answers: is hbdb installed there, and in the PATH of a login without a terminal?");
		else if (n->up && n->asking && now > n->asked + HB__SILENT_S)
			hb__node_lose(n, "its agent does not answer any more");
		else if (n->up && !n->asking && now > n->asked + HB__PS_S) {
			watch_recordings(n);
			ask_all(n, now);
		}
	}
}

static bool watch_one(void *user, cJSON *row)
{
	struct hb__node *n = user;
	const char *recording = hb_wire_text(row, "recording"), *part = hb_wire_text(row, "part"),
		   *state = hb__manager_text(row, "state");
	/* a short run may be over before its folder was found */
	bool runs = !strcmp(state, "running") || !strcmp(state, "stopped") || !strcmp(state, "hangs") ||
		    hb__manager_int(row, "since") + LATE > hb_complex_now();
	for (size_t i = 0; i < n->nwatched; i++)
		if ((recording && !strcmp(n->watched[i].folder, recording)) ||
			(part && !strcmp(n->watched[i].folder, part)))
			n->watched[i].needed = true;
	if (runs && recording)
		hb__node_watch(n, recording);
	if (runs && part)
		hb__node_watch(n, part);
	cJSON_Delete(row);
	return true;
}

/* Those of programs that run: also on nodes where they did not begin, for their processes may be there. */
static void watch_recordings(struct hb__node *n)
{
	for (size_t i = 0; i < n->nwatched; i++)
		n->watched[i].needed = false;
	hb_complex_rows(n->manager->complex, "programs", &(hb_complex_filter){0}, watch_one, n, NULL);
	/* those of earlier runs */
	for (size_t i = 0; i < n->nwatched;)
		if (n->watched[i].needed) {
			i++;
		} else {
			free(n->watched[i].folder);
			n->watched[i] = n->watched[--n->nwatched];
		}
}

void hb__manager_nodes_close(struct hb_manager *m)
{
	while (m->nnodes) {
		m->node[0]->gone = true; /* their states are for the next manager to find out */
		forget(m, 0);
	}
}
