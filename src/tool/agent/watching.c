/* Recordings that are watched while they are made: which processes there are, how they are, and how they end. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../show/source.h"
#include "../store/manifest.h"
#include "../watch/watch.h"
#include "agent.h"
#include "base/clock.h"
#include "base/task.h"

#define LIST_S 1.0     /* how often a folder is looked through for new recordings */
#define NAMES_S 2.0    /* ... and the names of new processes are asked for, which reads the logs */
#define NAMELESS_S 6.0 /* so long a process whose log does not say yet what it is waits for its name to be told */
#define PART 4         /* ... of the time that looking may take: thousands of processes are looked at more seldom */
#define AGAIN_S 2.0    /* how often counters of a process are told that have changed */

struct seen {
	const hb_process_now *now; /* by place in the lanes: see at() */
	cJSON *told;               /* as it was told last; NULL: not yet */
	double when;
	int end;         /* a descriptor that tells of its end; 0: not opened yet, -1: it cannot be */
	uint64_t began;  /* of the process that the descriptor holds */
	int signal;      /* that was seen to end it; 0: none, or not known */
	int status;      /* with which it exited; -1: not known */
	bool over;       /* its end was told */
	bool sure;       /* its name is what its log says, and no guess */
	double nameless; /* since when it is not sure; 0: it was not looked at */
	hb_rates rates;
};

struct tracked {
	char *path;
	hb_watch watch;
	struct seen *seen; /* by place in watch.lanes.at */
	size_t nseen;
	char **name; /* by the same; NULL: not known yet */
	double named;
	bool hangs;
	bool of_node; /* the folder in which this node's processes of a recording write: there is no manifest, and it is there as long as it is needed */
	char *part;   /* such a folder of each node, which this recording names; NULL: its processes write here */
};

struct wish {
	char *folder;
	hb_wire *wire;
	bool recording; /* it is one, or a part of one; else a folder of them */
};

struct hb_watching {
	struct wish *wish;
	size_t nwishes;
	struct tracked **tracked;
	size_t ntracked;
	double listed;
	double next; /* when they are looked at again */
};

hb_watching *hb__watching_new(void)
{
	hb_watching *w = hb__alloc(sizeof *w);
	*w = (hb_watching){0};
	return w;
}

/* ---- which recordings ---- */

static bool is_recording(const char *path)
{
	char *manifest = hb__format("%s/manifest.json", path);
	bool is = !access(manifest, F_OK);
	free(manifest);
	return is;
}

/* A folder that hbdb record made for this node's part of a recording. */
static bool is_part(const char *path)
{
	struct stat is;
	return hb__is_part_of_node(strrchr(path, '/') + 1) && !lstat(path, &is) && S_ISDIR(is.st_mode) &&
	       is.st_uid == geteuid() && !is_recording(path);
}

/* *ret_part: the folder of each node, where it names nodes; to be freed. NULL: nobody wants to know. */
static bool is_open(const char *path, char **ret_part)
{
	hb_manifest m = {0};
	bool open = is_recording(path) && !hb__manifest_read(path, &m) && (!m.finished || m.open);
	if (open && ret_part && m.nnodes && m.node[0].folder)
		*ret_part = hb__copy(m.node[0].folder);
	hb__manifest_free(&m);
	return open;
}

/* named: it was asked for by its name, and is the part of a node, or a recording that may be complete already: of a short run that is told then. */
static void track(hb_watching *w, const char *path, bool named)
{
	for (size_t i = 0; i < w->ntracked; i++)
		if (!strcmp(w->tracked[i]->path, path))
			return;
	bool part = named && is_part(path);
	if (!part && !(named ? is_recording(path) : is_open(path, NULL)))
		return;
	struct tracked *t = hb__alloc(sizeof *t);
	*t = (struct tracked){.path = hb__copy(path),
		.of_node = part,
		.watch = {.patience = HB_WATCH_PATIENCE, .then = HB_ON_HANG_LEAVE, .quiet = true}};
	w->tracked = hb__resize(w->tracked, (w->ntracked + 1) * sizeof *w->tracked);
	w->tracked[w->ntracked++] = t;
}

/* agent: NULL, its loop is over. */
static void free_tracked(hb_agent *agent, struct tracked *t)
{
	for (size_t i = 0; i < t->nseen; i++) {
		if (t->seen[i].end > 0 && agent)
			hb_agent_let_go(agent, t->seen[i].end);
		if (t->seen[i].end > 0)
			close(t->seen[i].end);
		cJSON_Delete(t->seen[i].told);
		hb__rates_free(&t->seen[i].rates);
		free(t->name[i]);
	}
	free(t->seen);
	free(t->name);
	hb__watch_close(&t->watch);
	free(t->part);
	free(t->path);
	free(t);
}

static void list(hb_watching *w)
{
	double now = hb_seconds();
	if (now - w->listed < LIST_S)
		return;
	w->listed = now;
	for (size_t i = 0; i < w->nwishes; i++) {
		if (w->wish[i].recording || is_recording(w->wish[i].folder)) {
			track(w, w->wish[i].folder, true);
			continue;
		}
		DIR *d = opendir(w->wish[i].folder);
		for (const struct dirent *e; d && (e = readdir(d));)
			if (e->d_name[0] != '.') {
				char *path = hb__format("%s/%s", w->wish[i].folder, e->d_name);
				track(w, path, false);
				free(path);
			}
		if (d)
			closedir(d);
	}
}

static bool wanted(const hb_watching *w, const char *path)
{
	bool is = false;
	for (size_t i = 0; i < w->nwishes && !is; i++) {
		size_t n = strlen(w->wish[i].folder);
		is = !strncmp(w->wish[i].folder, path, n) &&
		     (!path[n] || (path[n] == '/' && !strchr(path + n + 1, '/')));
	}
	return is;
}

/* What is over is looked for no longer. */
static void fulfil(hb_watching *w, const char *path)
{
	for (size_t i = 0; i < w->nwishes;)
		if (!strcmp(w->wish[i].folder, path)) {
			free(w->wish[i].folder);
			w->wish[i] = w->wish[--w->nwishes];
		} else {
			i++;
		}
}

static void drop(hb_agent *agent, hb_watching *w, size_t i)
{
	free_tracked(agent, w->tracked[i]);
	w->tracked[i] = w->tracked[--w->ntracked];
}

/* ---- processes ---- */

/* Whether some have no name that is sure; *ret_soon: one of them waits for it to be told. */
static bool look_for_nameless(struct tracked *t, double now, bool *ret_soon)
{
	bool any = *ret_soon = false;
	for (size_t i = 0; i < t->nseen; i++) {
		struct seen *s = &t->seen[i];
		if (!s->sure && !s->over && t->watch.lanes.at[i].pid) {
			s->nameless = s->nameless > 0 ? s->nameless : now;
			any = true;
			*ret_soon |= !t->name[i] && now - s->nameless < NAMELESS_S;
		}
	}
	return any;
}

static void name_processes(struct tracked *t)
{
	bool soon;
	double now = hb_seconds();
	if (!look_for_nameless(t, now, &soon) || now - t->named < (soon ? NAMES_S / 10 : NAMES_S))
		return;
	hb_run run;
	hb__live_run(t->path, &run);
	for (size_t i = 0; i < t->nseen; i++)
		for (size_t k = 0; !t->seen[i].sure && run.logs.worlds.name && k < run.logs.n; k++) {
			const hb_log_file *f = &run.logs.at[k];
			struct seen *s = &t->seen[i];
			if (!f->log || strcmp(f->path, t->watch.lanes.at[i].path))
				continue;
			/* else it may be a rank, or a program without MPI, whose log is called after a rank, too */
			s->sure = hb_log_identity(f->log) || hb_log_get_info(f->log)->version < 2 ||
				  hb__is_over(&t->watch.lanes.at[i]);
			if (s->sure || now - s->nameless >= NAMELESS_S) {
				free(t->name[i]);
				t->name[i] = hb__copy(run.logs.worlds.name[k]);
			}
		}
	hb__close_run(&run);
	t->named = hb_seconds();
}

static const char *state_of(const hb_process_now *p, const char *system)
{
	if (p->gone || p->state != HB_STATE_RUNNING)
		return "ended";
	if (!strcmp(system, "running") && hb__only_waits(p, 0.3))
		return "waiting";
	return system;
}

/* Two digits behind the point: a rate that changes in the ninth is no news. */
static double rounded(double x) { return round(x * 100) / 100; }

/* Who is over is at rest. */
static void add_rates(cJSON *o, const hb_rates *r, bool over)
{
	if (!r->when)
		return;
	cJSON_AddNumberToObject(o, "messages", (double)r->messages);
	cJSON_AddNumberToObject(o, "event_rate", over ? 0 : rounded(r->event_rate));
	cJSON_AddNumberToObject(o, "message_rate", over ? 0 : rounded(r->message_rate));
}

static cJSON *describe(const struct tracked *t, size_t i)
{
	const hb_process_now *p = &t->watch.lanes.at[i];
	uint64_t events = 0;
	cJSON *o = p->gone ? NULL : hb_agent_describe((int32_t)p->pid);
	if (!o && t->seen[i].told) {
		o = cJSON_Duplicate(t->seen[i].told, 1);
	} else if (!o) {
		o = cJSON_CreateObject();
		cJSON_AddNumberToObject(o, "pid", p->pid);
		cJSON_AddNumberToObject(o, "began", 0);
		cJSON_AddStringToObject(o, "boot", hb_boot_id());
		cJSON_AddStringToObject(o, "state", "gone");
	}
	static const char *const own[] = {"name", "recording", "log", "rank", "events", "messages", "event_rate",
		"message_rate", "signal", "status", "how"};
	for (size_t k = 0; k < sizeof own / sizeof *own; k++)
		cJSON_DeleteItemFromObjectCaseSensitive(o, own[k]);
	for (size_t k = 0; k < p->nlanes; k++)
		events += p->lane[k].is.events;
	cJSON *state = cJSON_DetachItemFromObjectCaseSensitive(o, "state");
	cJSON_AddStringToObject(o, "state", state_of(p, cJSON_GetStringValue(state)));
	cJSON_Delete(state);
	if (t->name[i])
		cJSON_AddStringToObject(o, "name", t->name[i]);
	cJSON_AddStringToObject(o, "recording", t->path);
	cJSON_AddStringToObject(o, "log", strrchr(p->path, '/') + 1);
	if (t->name[i] && *hb_rank_word(t->name[i]))
		cJSON_AddNumberToObject(o, "rank", p->rank);
	if (p->nlanes) /* of a log that was complete when it was found they were not counted */
		cJSON_AddNumberToObject(o, "events", (double)events);
	add_rates(o, &t->seen[i].rates, hb__is_over(p));
	if (t->seen[i].signal)
		cJSON_AddNumberToObject(o, "signal", t->seen[i].signal);
	if (t->seen[i].status >= 0)
		cJSON_AddNumberToObject(o, "status", t->seen[i].status);
	if (p->gone || p->state != HB_STATE_RUNNING)
		cJSON_AddStringToObject(o, "how",
			p->state == HB_STATE_FINALIZED ? "finalized"
			: p->state == HB_STATE_ABORTED ? "aborted"
			: p->state == HB_STATE_LEFT    ? "left"
						       : "died");
	return o;
}

static bool same_text(const cJSON *a, const cJSON *b, const char *field)
{
	const char *x = hb_wire_text(a, field), *y = hb_wire_text(b, field);
	return x == y || (x && y && !strcmp(x, y));
}

/* What nobody waits for may be told later. */
static bool is_news(const struct seen *s, const cJSON *now)
{
	if (!s->told || !same_text(s->told, now, "state") || !same_text(s->told, now, "name"))
		return true;
	return hb_seconds() - s->when >= AGAIN_S && !cJSON_Compare(s->told, now, true);
}

/* How a process ended: newer systems keep it for those who hold a descriptor; else it is known until the parent has asked for it. */
static void look_how(struct seen *s, const hb_process_now *p)
{
	hb_task task;
	int how;
	if (s->end <= 0 || s->signal || s->status >= 0)
		return;
	if (hb_task_ended(s->end, &how)) {
		s->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
		s->status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
	} else if (hb_task_read((int32_t)p->pid, 0, &task) && task.began == s->began && task.state == 'Z') {
		s->signal = task.ended_by; /* 0 may mean that we may not know */
	}
}

static void ends(hb_agent *agent, void *user, int fd)
{
	struct tracked *t = user;
	(void)agent;
	for (size_t i = 0; i < t->nseen; i++) {
		hb_process_now *p = &t->watch.lanes.at[i];
		if (t->seen[i].end != fd)
			continue;
		look_how(&t->seen[i], p);
		/* a part is sealed, fetched and removed as soon as the job is over: perhaps before the next look */
		if (t->of_node && !p->gone && !hb_growing_look(&p->log, p->path, NULL)) {
			p->state = p->log.head.state;
			p->gone = true;
		}
	}
}

/* A launcher asks for the status of its process at once: so the end is listened for, and not only looked for. */
static void listen_for_end(hb_agent *agent, struct tracked *t, size_t i)
{
	struct seen *s = &t->seen[i];
	hb_task task;
	if (s->end || t->watch.lanes.at[i].gone)
		return;
	int32_t pid = (int32_t)t->watch.lanes.at[i].pid;
	s->end = pidfd_open(pid, 0);
	/* it is there after the look: so the look was at this one, and no later one of its number */
	if (s->end > 0 && hb_task_read(pid, 0, &task) && !pidfd_send_signal(s->end, 0, NULL, 0)) {
		s->began = task.began;
		hb_agent_listen(agent, s->end, ends, t);
	} else if (s->end > 0) {
		close(s->end);
		s->end = -1;
	}
}

static void tell_end(hb_agent *agent, struct seen *s, const hb_process_now *p)
{
	cJSON *news = cJSON_CreateObject();
	bool died = p->state == HB_STATE_RUNNING || p->state == HB_STATE_ABORTED || s->signal;
	cJSON_AddItemToObject(news, "process", cJSON_Duplicate(s->told, 1));
	if (s->signal)
		cJSON_AddNumberToObject(news, "signal", s->signal);
	if (s->status >= 0)
		cJSON_AddNumberToObject(news, "status", s->status);
	hb_agent_tell(agent, died ? "death" : "exit", news);
	s->over = true;
}

static void tell_processes(hb_agent *agent, struct tracked *t)
{
	size_t n = t->watch.lanes.n;
	if (n > t->nseen) {
		t->seen = hb__resize(t->seen, n * sizeof *t->seen);
		t->name = hb__resize(t->name, n * sizeof *t->name);
		memset(t->seen + t->nseen, 0, (n - t->nseen) * sizeof *t->seen);
		memset(t->name + t->nseen, 0, (n - t->nseen) * sizeof *t->name);
		for (; t->nseen < n; t->nseen++)
			t->seen[t->nseen].status = -1;
	}
	name_processes(t);
	for (size_t i = 0; i < n; i++) {
		struct seen *s = &t->seen[i];
		const hb_process_now *p = &t->watch.lanes.at[i];
		if (!p->pid || s->over || !p->seen)
			continue;
		listen_for_end(agent, t, i);
		if (p->gone) /* else its descriptor tells */
			look_how(s, p);
		if (!p->gone)
			hb__rates_look(&s->rates, p);
		if (!t->name[i] && !p->gone && hb_seconds() - s->nameless < NAMELESS_S)
			continue; /* rules know it by its name */
		cJSON *now = describe(t, i);
		if (!is_news(s, now)) {
			cJSON_Delete(now);
		} else {
			cJSON *news = cJSON_CreateObject();
			cJSON_AddItemToObject(news, "process", cJSON_Duplicate(now, 1));
			hb_agent_tell(agent, "process", news);
			cJSON_Delete(s->told);
			s->told = now;
			s->when = hb_seconds();
		}
		if (p->gone)
			tell_end(agent, s, p);
	}
}

/* A folder of recordings may be one that several nodes see: each agent tells of the processes of its own. */
static bool ran_here(const char *path)
{
	hb_log *log;
	if (hb_log_open(path, &log, NULL))
		return false;
	bool here = hb_host_is_here(hb_log_get_info(log)->host);
	hb_log_close(log);
	return here;
}

/* The recording is complete: its logs may have been sealed before the ends of their processes were seen here. */
static void tell_ends(hb_agent *agent, struct tracked *t)
{
	/* those of a short run may have come and gone since they were looked for */
	t->watch.lanes.listed = 0;
	hb__lanes_look(&t->watch.lanes);
	for (size_t i = 0; i < t->watch.lanes.n; i++) {
		hb_process_now *p = &t->watch.lanes.at[i];
		if (hb_growing_look(&p->log, p->path, NULL) || (!p->seen && !ran_here(p->path)))
			continue;
		p->pid = p->log.head.pid;
		p->state = p->log.head.state;
		p->gone = !hb_task_lives((int32_t)p->pid);
		p->seen = true;
	}
	t->named = 0;
	tell_processes(agent, t);
}

static void tell_hang(hb_agent *agent, struct tracked *t, bool hangs)
{
	cJSON *news = cJSON_CreateObject();
	char *text = NULL;
	size_t n = 0;
	FILE *f = hangs ? open_memstream(&text, &n) : NULL;
	if (f) {
		hb__put_verdict(&t->watch, f);
		fclose(f);
	}
	cJSON_AddStringToObject(news, "folder", t->path);
	cJSON_AddStringToObject(news, "verdict",
		!hangs                                                              ? "moves"
		: t->watch.stuck == HB_STUCK_ALL || t->watch.stuck == HB_STUCK_SOME ? "proven"
										    : "stands");
	cJSON_AddStringToObject(news, "text", text ? text : "");
	hb_wire_shorten(news); /* of many processes there is much to say */
	hb_agent_tell(agent, "hang", news);
	free(text);
	t->hangs = hangs;
}

static cJSON *describe_part(const struct tracked *t)
{
	cJSON *news = cJSON_CreateObject();
	cJSON_AddStringToObject(news, "folder", t->path);
	cJSON_AddStringToObject(news, "part", t->part);
	return news;
}

void hb__watching_tick(hb_agent *agent, hb_watching *w)
{
	double began = hb_seconds();
	if (began < w->next)
		return;
	list(w);
	for (size_t i = 0; i < w->ntracked; i++) {
		struct tracked *t = w->tracked[i];
		hb_moving moving = hb__watch_look(&t->watch, t->path);
		tell_processes(agent, t);
		/* who waits in a part may wait for other nodes */
		bool hangs = moving == HB_HANGS && !t->of_node;
		if (hangs != t->hangs && (hangs || moving == HB_MOVES || moving == HB_NOBODY))
			tell_hang(agent, t, hangs);
		bool known = t->part != NULL;
		bool over = t->of_node ? !is_part(t->path) : !is_open(t->path, known ? NULL : &t->part);
		if (t->part && !known)
			hb_agent_tell(agent, "recording", describe_part(t));
		/* of a part they were told there, also where raw logs of it come to the recording in the end */
		if (over && !t->of_node && !t->part)
			tell_ends(agent, t);
		if (over)
			fulfil(w, t->path);
		if (over || !wanted(w, t->path))
			drop(agent, w, i--);
	}
	double ended = hb_seconds();
	w->next = ended + (PART - 1) * (ended - began);
}

/* ---- asks ---- */

static int by_pid(const void *a, const void *b)
{
	const hb_watched *x = a, *y = b;
	if (x->now->pid != y->now->pid)
		return x->now->pid < y->now->pid ? -1 : 1;
	return strcmp(x->now->path, y->now->path);
}

bool hb__watched_all(const hb_watching *w, const char *folder, hb_watched **ret_all, size_t *ret_n)
{
	bool is = !folder;
	*ret_all = NULL;
	*ret_n = 0;
	for (size_t i = 0; i < w->ntracked; i++) {
		const struct tracked *t = w->tracked[i];
		if (folder && strcmp(t->path, folder) != 0)
			continue;
		is = true;
		*ret_all = hb__resize(*ret_all, (*ret_n + t->nseen + 1) * sizeof **ret_all);
		for (size_t k = 0; k < t->nseen; k++)
			if (t->watch.lanes.at[k].pid && t->watch.lanes.at[k].seen)
				(*ret_all)[(*ret_n)++] = (hb_watched){&t->watch.lanes.at[k], t, k};
	}
	if (*ret_n)
		qsort(*ret_all, *ret_n, sizeof **ret_all, by_pid);
	return is;
}

cJSON *hb__watched_describe(const hb_watched *process) { return describe(process->of, process->at); }

void hb__ask_watch(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	hb_watching *w = ((hb_tool_agent *)hb_agent_user(agent))->watching;
	const char *folder = hb_wire_text(ask, "folder");
	struct stat is;
	if (!folder || *folder != '/' || stat(folder, &is) || !S_ISDIR(is.st_mode)) {
		hb_wire_refuse(
			wire, id, 2, "%s is no folder here, or not an absolute path", folder ? folder : "(none)");
		return;
	}
	w->wish = hb__resize(w->wish, (w->nwishes + 1) * sizeof *w->wish);
	w->wish[w->nwishes++] = (struct wish){hb__copy(folder), wire, is_recording(folder) || is_part(folder)};
	w->listed = 0;
	list(w);
	/* whoever begins to watch is told all that there is */
	for (size_t i = 0; i < w->ntracked; i++) {
		if (w->tracked[i]->part)
			hb_wire_news(wire, "recording", describe_part(w->tracked[i]));
		for (size_t k = 0; k < w->tracked[i]->nseen; k++)
			if (w->tracked[i]->seen[k].told) {
				cJSON *news = cJSON_CreateObject();
				cJSON_AddItemToObject(news, "process", cJSON_Duplicate(w->tracked[i]->seen[k].told, 1));
				hb_wire_news(wire, "process", news);
			}
	}
	hb_wire_answer(wire, id, NULL);
}

static void forget(hb_watching *w, const hb_wire *wire, const char *folder)
{
	for (size_t i = 0; i < w->nwishes;)
		if (w->wish[i].wire == wire && (!folder || !strcmp(folder, w->wish[i].folder))) {
			free(w->wish[i].folder);
			w->wish[i] = w->wish[--w->nwishes];
		} else {
			i++;
		}
}

void hb__watching_gone(hb_watching *watching, hb_wire *wire) { forget(watching, wire, NULL); }

void hb__ask_unwatch(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb_wire_text(ask, "folder");
	if (folder)
		forget(((hb_tool_agent *)hb_agent_user(agent))->watching, wire, folder);
	hb_wire_answer(wire, id, NULL);
}

void hb__watching_free(hb_watching *w)
{
	while (w->nwishes)
		free(w->wish[--w->nwishes].folder);
	while (w->ntracked)
		drop(NULL, w, 0);
	free(w->wish);
	free(w->tracked);
	free(w);
}
