/* A node as the place of a gdb: gdb and gdbserver run there, by its agent, and gdb/MI goes over a channel of the node's one connection. */
#include "system/place/place.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/grow.h"

#define ANSWER_S 20 /* for what the agent does at once */

struct child {
	hb_gdb_child c;
	hb_stream *stream;
	int32_t pid; /* 0: a server, whose number nobody needs */
	double began;
};

/* A process whose end is awaited. */
struct watched {
	int life;
	hb_stream *stream;
	cJSON *process; /* as the agent names it */
};

struct place {
	hb_gdb_place p;
	hb_link *link;
	pthread_mutex_t lock; /* of what follows: several gdbs share the place */
	struct watched *watched;
	size_t n, room;
};

static hb_status fail(hb_gdb_place *place, hb_error *err, const hb_error *why)
{
	hb_error here = *why;
	if (err) {
		*err = here;
		snprintf(err->message, sizeof err->message, "on %.63s: %.180s", place->host, here.message);
	}
	return here.status;
}

/* ---- programs ---- */

/* A shell there says which is missing. */
static hb_status look(hb_gdb_place *place, const char *gdb, const char *gdbserver, hb_error *err)
{
	static const char script[] = "for p; do command -v \"$p\" > /dev/null || { echo \"$p\"; exit; }; done";
	char *const argv[] = {
		(char *)"sh", (char *)"-c", (char *)script, (char *)"sh", (char *)gdb, (char *)gdbserver, NULL};
	char name[128] = "";
	size_t n = 0;
	ssize_t got;
	hb_stream *stream;
	hb_error why = {.status = HB_E_SYSTEM, .sys = ENOENT};
	int fd;
	if (hb_link_run(((struct place *)place)->link, argv, NULL, NULL, &fd, &stream, &why))
		return fail(place, err, &why);
	while ((got = read(fd, name + n, sizeof name - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	hb_stream_close(stream);
	name[strcspn(name, "\n")] = 0;
	if (!*name)
		return HB_OK;
	snprintf(why.message, sizeof why.message,
		"%s was not found; it is needed to stop processes and to look into them: apt-get install %s", name,
		strcmp(name, gdb) ? "gdbserver" : "gdb");
	return fail(place, err, &why);
}

/* English, UTF-8, nothing that is meant for the program; its error output is part of what it says, or of no use. A shell becomes the program: it keeps its number. */
static cJSON *command(char *const *argv, bool served)
{
	static const char gdb[] = "unset LD_PRELOAD DEBUGINFOD_URLS LANGUAGE LANG PYTHONPATH PYTHONHOME PYTHONSTARTUP; "
				  "export LC_ALL=C.UTF-8; exec \"$@\" 2>&1";
	static const char server[] = "unset LD_PRELOAD LANGUAGE LANG; export LC_ALL=C.UTF-8; exec \"$@\" 2>/dev/null";
	const char *const shell[] = {"sh", "-c", served ? server : gdb, "sh"};
	cJSON *ask = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(ask, "command");
	for (size_t i = 0; i < sizeof shell / sizeof *shell; i++)
		cJSON_AddItemToArray(words, cJSON_CreateString(shell[i]));
	for (; *argv; argv++)
		cJSON_AddItemToArray(words, cJSON_CreateString(*argv));
	if (served)
		cJSON_AddTrueToObject(ask, "door");
	return ask;
}

static hb_status begin(hb_gdb_place *place, char *const *argv, bool served, struct child **ret, hb_error *err)
{
	struct place *p = (struct place *)place;
	struct child *child = malloc(sizeof *child);
	hb_error why;
	int fd;
	if (!child)
		return HB_E_MEMORY;
	*child = (struct child){.c = {-1, -1}};
	hb_status status = hb_link_stream(p->link, "run", command(argv, served), ANSWER_S, &fd, &child->stream, &why);
	if (status) {
		free(child);
		return fail(place, err, &why);
	}
	*(served ? &child->c.life : &child->c.socket) = fd;
	*ret = child;
	return HB_OK;
}

static hb_status start(hb_gdb_place *place, char *const *argv, hb_gdb_child **ret_child, hb_error *err)
{
	struct child *child;
	int64_t pid = 0, began = 0;
	hb_status status = begin(place, argv, false, &child, err);
	if (status)
		return status;
	hb_wire_number(hb_stream_answer(child->stream), "pid", &pid);
	hb_wire_number(hb_stream_answer(child->stream), "began", &began);
	child->pid = (int32_t)pid;
	child->began = (double)began;
	*ret_child = &child->c;
	return HB_OK;
}

static hb_status serve(hb_gdb_place *place, char *const *argv, char ret_address[HB_GDB_ADDRESS],
	hb_gdb_child **ret_child, hb_error *err)
{
	struct child *child;
	hb_status status = begin(place, argv, true, &child, err);
	if (status)
		return status;
	const char *address = hb_wire_text(hb_stream_answer(child->stream), "address");
	snprintf(ret_address, HB_GDB_ADDRESS, "%s", address ? address : "");
	*ret_child = &child->c;
	return HB_OK;
}

/* The agent does that by itself. */
static hb_status served(
	hb_gdb_place *place, hb_gdb_child *server, const hb_gdb_child *client, double seconds, hb_error *err)
{
	(void)place, (void)server, (void)client, (void)seconds, (void)err;
	return HB_OK;
}

/* The agent's end of the channel tells it, behind all that it said: which the caller takes in. */
static bool over(hb_gdb_place *place, hb_gdb_child *c)
{
	char next;
	(void)place;
	return recv(c->socket < 0 ? c->life : c->socket, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool tell(struct place *p, const char *what, const cJSON *process, int signal, cJSON **ret_answer)
{
	cJSON *ask = cJSON_CreateObject();
	cJSON_AddItemToObject(ask, "process", cJSON_Duplicate(process, 1));
	cJSON_AddNumberToObject(ask, "signal", signal);
	return !hb_link_ask(p->link, what, ask, ANSWER_S, ret_answer, NULL);
}

static bool send_signal(hb_gdb_place *place, hb_gdb_child *c, int signal)
{
	const struct child *child = (struct child *)c;
	if (!child->pid)
		return false;
	cJSON *process = cJSON_CreateObject();
	cJSON_AddNumberToObject(process, "pid", child->pid);
	cJSON_AddNumberToObject(process, "began", child->began);
	bool sent = tell((struct place *)place, "signal", process, signal, NULL);
	cJSON_Delete(process);
	return sent;
}

static void release(hb_gdb_place *place, hb_gdb_child *c)
{
	struct child *child = (struct child *)c;
	(void)place;
	hb_stream_close(child->stream);
	if (c->socket >= 0)
		close(c->socket);
	if (c->life >= 0)
		close(c->life);
	free(child);
}

/* ---- processes ---- */

static void stop(struct watched *w)
{
	hb_stream_close(w->stream);
	cJSON_Delete(w->process);
	close(w->life);
}

static int watch(hb_gdb_place *place, int32_t pid)
{
	struct place *p = (struct place *)place;
	struct watched w;
	cJSON *ask = cJSON_CreateObject();
	cJSON_AddNumberToObject(ask, "pid", pid);
	if (hb_link_stream(p->link, "await", ask, ANSWER_S, &w.life, &w.stream, NULL))
		return -1;
	w.process = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(hb_stream_answer(w.stream), "process"), 1);
	pthread_mutex_lock(&p->lock);
	bool room = HB_GROW(p->watched, p->room, p->n + 1);
	if (room)
		p->watched[p->n++] = w;
	pthread_mutex_unlock(&p->lock);
	if (!room)
		stop(&w);
	return room ? w.life : -1;
}

static void unwatch(hb_gdb_place *place, int life)
{
	struct place *p = (struct place *)place;
	struct watched w = {.life = -1};
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->n && w.life < 0; i++)
		if (life >= 0 && p->watched[i].life == life) {
			w = p->watched[i];
			p->watched[i] = p->watched[--p->n];
		}
	pthread_mutex_unlock(&p->lock);
	if (w.life < 0)
		return;
	stop(&w);
}

/* Free it; NULL: it is not watched. */
static cJSON *process_of(struct place *p, int life)
{
	cJSON *process = NULL;
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->n && !process; i++)
		if (life >= 0 && p->watched[i].life == life)
			process = cJSON_Duplicate(p->watched[i].process, 1);
	pthread_mutex_unlock(&p->lock);
	return process;
}

static bool kill_process(hb_gdb_place *place, int32_t pid, int life, int signal)
{
	cJSON *process = process_of((struct place *)place, life);
	bool sent = process && tell((struct place *)place, "signal", process, signal, NULL);
	(void)pid;
	cJSON_Delete(process);
	return sent;
}

static bool rouse(hb_gdb_place *place, int32_t pid, int life, int signal)
{
	cJSON *process = process_of((struct place *)place, life), *answer = NULL;
	bool roused = process && tell((struct place *)place, "rouse", process, signal, &answer) &&
		      cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "roused"));
	(void)pid;
	cJSON_Delete(process);
	cJSON_Delete(answer);
	return roused;
}

static char *file(hb_gdb_place *place, int32_t pid, int life, const char *name)
{
	cJSON *ask = cJSON_CreateObject(), *answer = NULL;
	(void)life;
	cJSON_AddNumberToObject(ask, "pid", pid);
	cJSON_AddStringToObject(ask, "file", name);
	if (hb_link_ask(((struct place *)place)->link, "look", ask, ANSWER_S, &answer, NULL))
		return NULL;
	const char *text = hb_wire_text(answer, "text");
	char *copy = text ? strdup(text) : NULL;
	cJSON_Delete(answer);
	return copy;
}

hb_gdb_place *hb_link_place(hb_link *link, const char *host)
{
	struct place *p = malloc(sizeof *p);
	if (!p)
		return NULL;
	*p = (struct place){.p = {.host = host,
				    .look = look,
				    .start = start,
				    .serve = serve,
				    .served = served,
				    .over = over,
				    .signal = send_signal,
				    .release = release,
				    .watch = watch,
				    .unwatch = unwatch,
				    .kill = kill_process,
				    .rouse = rouse,
				    .file = file},
		.link = link};
	pthread_mutex_init(&p->lock, NULL);
	return &p->p;
}

void hb_link_place_free(hb_gdb_place *place)
{
	struct place *p = (struct place *)place;
	if (!p)
		return;
	while (p->n)
		unwatch(place, p->watched[0].life);
	free(p->watched);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
