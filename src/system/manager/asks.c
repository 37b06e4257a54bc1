/* What consoles ask for. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "system/manager/inside.h"

struct ask {
	struct hb__console *console;
	struct hb_manager *manager;
	hb_wire *wire;
	uint64_t id;
	const cJSON *object;
	char who[96]; /* as holds have it: the user, or the user and the number of his console */
};

static void refuse(const struct ask *a, const hb_error *err)
{
	hb_wire_refuse(a->wire, a->id, err->status == HB_E_ARGUMENT ? 2 : 3, "%s", err->message);
}

/* Answers with nothing, or says why not. */
static void answer(const struct ask *a, hb_status status, const hb_error *err)
{
	if (status)
		refuse(a, err);
	else
		hb_wire_answer(a->wire, a->id, NULL);
}

/* ---- rows ---- */

static bool add_row(void *user, cJSON *row) { return hb_wire_list_add(user, row); }

/* Where the next part begins: behind the last row, by its own number; reactions are counted. */
static int64_t behind(const char *what, const cJSON *rows, int64_t after)
{
	static const char *const number[][2] = {{"nodes", "node"}, {"programs", "program"}, {"processes", "process"},
		{"events", "event"}, {"holds", "hold"}};
	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		if (!strcmp(what, number[i][0]))
			return rows->child ? hb__manager_int(rows->child->prev, number[i][1]) : after;
	return after + cJSON_GetArraySize(rows);
}

static void ask_rows(struct ask *a, const char *what)
{
	hb_error err;
	hb_wire_list list = {.rows = cJSON_CreateArray()};
	hb_complex_filter filter = {.node = hb_wire_text(a->object, "node"),
		.program = hb_wire_text(a->object, "program"),
		.after = hb__manager_int(a->object, "after"),
		.since = hb__manager_int(a->object, "since"),
		.most = hb__manager_int(a->object, "most")};
	int64_t number;
	hb_complex *c = a->manager->complex;
	/* a name that is not there would have no rows, as one where nothing happens */
	hb_status status = filter.node ? hb_complex_node_find(c, filter.node, &number, &err) : HB_OK;
	if (!status && filter.program)
		status = hb_complex_program_find(c, filter.program, &number, &err);
	status = status ? status : hb_complex_rows(c, what, &filter, add_row, &list, &err);
	if (status) {
		cJSON_Delete(list.rows);
		refuse(a, &err);
		return;
	}
	cJSON *object = cJSON_CreateObject();
	const cJSON *last = list.rows->child ? list.rows->child->prev : NULL;
	if (!strcmp(what, "events") && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(a->object, "follow"))) {
		a->console->follows = true;
		/* from the last row on, or, where there was none, from what is there now */
		a->console->told = last               ? hb__manager_int(last, "event")
				   : filter.since > 0 ? filter.since
						      : hb_complex_last_event(a->manager->complex);
	}
	if (list.full)
		cJSON_AddNumberToObject(object, "next", (double)behind(what, list.rows, filter.after));
	cJSON_AddItemToObject(object, "rows", list.rows);
	cJSON_AddBoolToObject(object, "more", list.full);
	hb_wire_answer(a->wire, a->id, object);
}

/* ---- nodes ---- */

static void ask_node(struct ask *a)
{
	hb_error err = {0};
	const char *name = hb__manager_text(a->object, "name"), *platform = hb_wire_text(a->object, "platform"),
		   *address = hb_wire_text(a->object, "address");
	hb_status status;
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(a->object, "remove")))
		status = hb_complex_node_remove(a->manager->complex, name, &err);
	else {
		char why[256] = "";
		/* a platform that is not there is said now, not at each attempt */
		char **argv = a->manager->options.reach(a->manager->options.user, platform ? platform : "ssh",
			address ? address : name, why, sizeof why);
		free(argv);
		if (!argv) {
			hb_wire_refuse(a->wire, a->id, 2, "%s", why);
			return;
		}
		status = hb_complex_node(
			a->manager->complex, name, platform ? platform : "ssh", address ? address : name, &err);
	}
	if (!status)
		hb__manager_nodes_read(a->manager);
	answer(a, status, &err);
}

/* ---- programs ---- */

static bool find_program(struct ask *a, int64_t *ret, hb_error *err)
{
	return !hb_complex_program_find(a->manager->complex, hb__manager_text(a->object, "program"), ret, err);
}

static void ask_program(struct ask *a)
{
	hb_error err = {0};
	int64_t program = 0;
	hb_complex *c = a->manager->complex;
	const char *name = hb__manager_text(a->object, "name");
	hb_status status = HB_OK;
	if (!hb_complex_program_find(c, name, &program, NULL))
		status = hb_complex_may(c, 0, program, a->who, &err);
	if (!status && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(a->object, "remove")))
		status = hb_complex_program_remove(c, name, &err);
	else if (!status)
		status = hb_complex_program(c, a->object, &err);
	answer(a, status, &err);
}

static void ask_begin(struct ask *a)
{
	hb_error err = {0};
	int64_t program;
	struct hb_manager *m = a->manager;
	hb_status status =
		find_program(a, &program, &err) ? hb_complex_may(m->complex, 0, program, a->who, &err) : HB_E_ARGUMENT;
	status = status ? status : hb__program_begin(m, program, &err);
	status = status ? status : hb_complex_program_wanted(m->complex, program, true, &err);
	answer(a, status, &err);
}

static void end_program(struct ask *a, bool again)
{
	hb_error err = {0};
	int64_t program;
	struct hb_manager *m = a->manager;
	hb_status status =
		find_program(a, &program, &err) ? hb_complex_may(m->complex, 0, program, a->who, &err) : HB_E_ARGUMENT;
	answer(a, status ? status : hb__program_end(m, program, again, &err), &err);
}

static void ask_end(struct ask *a) { end_program(a, false); }
static void ask_restart(struct ask *a) { end_program(a, true); }

/* ---- processes ---- */

/* An answer of an agent that a console waits for; the console may have gone meanwhile. */
struct pass {
	struct hb_manager *manager;
	int console;
	uint64_t id;
	int64_t program;
	size_t waits;
	bool failed, lacks, ring; /* of `keep`; lacks: a node's part */
	char error[300];
};

static struct hb__console *console_of(const struct pass *p)
{
	for (size_t i = 0; i < p->manager->nconsoles; i++)
		if (p->manager->console[i]->number == p->console)
			return p->manager->console[i];
	return NULL;
}

static void passed(void *user, const cJSON *answer, const char *error, int status)
{
	struct pass *p = user;
	struct hb__console *c = console_of(p);
	if (c && error)
		hb_wire_refuse(c->wire, p->id, status, "%s", error);
	else if (c) {
		cJSON *copy = cJSON_Duplicate(answer, 1);
		cJSON_DeleteItemFromObjectCaseSensitive(copy, "id");
		hb_wire_answer(c->wire, p->id, copy);
	}
	free(p);
}

static struct pass *new_pass(const struct ask *a)
{
	struct pass *p = calloc(1, sizeof *p);
	if (p)
		*p = (struct pass){.manager = a->manager, .console = a->console->number, .id = a->id};
	return p;
}

static void move_process(struct ask *a, const char *what)
{
	hb_error err = {
		.status = HB_E_ARGUMENT, .message = "there is no process of this number; hbdb ps --json has them"};
	int64_t process = hb__manager_int(a->object, "process"), signal = hb__manager_int(a->object, "signal");
	cJSON *row = process > 0 ? hb_complex_row(a->manager->complex, "processes", process) : NULL;
	struct pass *p = new_pass(a);
	const char *state = row ? hb__manager_text(row, "state") : "";
	hb_status status = row ? hb_complex_may(a->manager->complex, process, 0, a->who, &err) : HB_E_ARGUMENT;
	if (!status && !strcmp(what, "signal") && (signal < 1 || signal > SIGRTMAX)) {
		status = err.status = HB_E_ARGUMENT;
		snprintf(err.message, sizeof err.message, "the ask says no signal");
	}
	bool over = !status && (!strcmp(state, "ended") || !strcmp(state, "gone"));
	status = status ? status
			: hb__process_ask(
				  a->manager, row, what, !strcmp(what, "signal") ? (int)signal : 0, passed, p, &err);
	if (status)
		free(p);
	if (status && over) /* as its agent would say it, which may know it first */
		hb_wire_refuse(a->wire, a->id, 1, "%s", err.message);
	else if (status)
		refuse(a, &err);
	cJSON_Delete(row);
}

static void ask_stop(struct ask *a) { move_process(a, "stop"); }
static void ask_go(struct ask *a) { move_process(a, "go"); }
static void ask_signal(struct ask *a) { move_process(a, "signal"); }

/* What the threads of a process' recording do, where it is recorded. */
static void ask_state(struct ask *a)
{
	int64_t process = hb__manager_int(a->object, "process");
	cJSON *row = process > 0 ? hb_complex_row(a->manager->complex, "processes", process) : NULL;
	struct hb__node *n = row ? hb__node_of(a->manager, hb__manager_int(row, "node")) : NULL;
	const char *recording = row ? hb_wire_text(row, "recording") : NULL;
	struct pass *p = n && n->up && recording ? new_pass(a) : NULL;
	if (!row)
		hb_wire_refuse(a->wire, a->id, 2, "there is no process of this number; hbdb ps --json has them");
	else if (!recording)
		hb_wire_refuse(a->wire, a->id, 2, "process #%lld is not recorded: what its threads do is not known",
			(long long)process);
	else if (!p)
		hb_wire_refuse(a->wire, a->id, 2, "node %s is down", hb__manager_text(row, "node_name"));
	else {
		cJSON *ask = cJSON_CreateObject();
		const cJSON *after = cJSON_GetObjectItemCaseSensitive(a->object, "after");
		cJSON_AddStringToObject(ask, "folder", recording);
		if (after)
			cJSON_AddItemToObject(ask, "after", cJSON_Duplicate(after, 1));
		if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(a->object, "alone")))
			cJSON_AddItemToObject(ask, "process", hb__process_named(row));
		hb_wire_ask(n->wire, "state", ask, passed, p);
	}
	cJSON_Delete(row);
}

static bool held(struct ask *a, int64_t *ret_process, int64_t *ret_program, hb_error *err)
{
	*ret_process = hb__manager_int(a->object, "process");
	*ret_program = 0;
	return *ret_process > 0 || find_program(a, ret_program, err);
}

static void ask_hold(struct ask *a)
{
	hb_error err = {0};
	int64_t process, program;
	const char *why = hb__manager_text(a->object, "why");
	hb_status status = held(a, &process, &program, &err) ? HB_OK : HB_E_ARGUMENT;
	answer(a,
		status ? status
		       : hb_complex_hold(
				 a->manager->complex, process, program, a->who, *why ? why : "no reason given", &err),
		&err);
}

static void ask_release(struct ask *a)
{
	hb_error err = {0};
	int64_t process, program;
	hb_status status = held(a, &process, &program, &err) ? HB_OK : HB_E_ARGUMENT;
	/* who runs the manager may release what anybody holds, when he says so */
	bool force = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(a->object, "force")) &&
		     !strcmp(a->console->user, a->manager->user);
	answer(a,
		status ? status
		       : hb_complex_release(a->manager->complex, process, program, force ? NULL : a->who, &err),
		&err);
}

/* ---- others ---- */

static void ask_note(struct ask *a)
{
	hb_error err = {0};
	const char *text = hb__manager_text(a->object, "text");
	int64_t process = hb__manager_int(a->object, "process");
	cJSON *row = process > 0 ? hb_complex_row(a->manager->complex, "processes", process) : NULL;
	if (!*text || (process && !row)) {
		hb_wire_refuse(a->wire, a->id, 2, *text ? "there is no process of this number" : "a note needs a text");
	} else {
		char *said = NULL;
		if (asprintf(&said, "%s: %.2000s", a->console->user, text) > 0) {
			hb_complex_happened happened = {
				.process = process, .kind = "note", .weight = "note", .text = said};
			answer(a, hb_complex_event(a->manager->complex, &happened, NULL, &err), &err);
		}
		free(said);
	}
	cJSON_Delete(row);
}

static void kept(void *user, const cJSON *object, const char *error, int status)
{
	struct pass *p = user;
	const char *missing = object ? hb_wire_text(object, "missing") : NULL;
	(void)status;
	if (error) {
		p->failed = true;
		snprintf(p->error, sizeof p->error, "%s", error);
	} else if (missing && !p->failed) {
		p->lacks = true;
		snprintf(p->error, sizeof p->error, ", but not that of %s", missing);
	}
	if (--p->waits)
		return;
	hb__manager_note(p->manager, "note", p->failed || p->lacks ? "warning" : "note", 0, p->program, 0,
		p->failed ? "its ring could not be kept: %s"
		: p->ring ? "its ring was kept%s"
			  : "what its recording held was kept%s",
		p->error);
	struct hb__console *c = console_of(p);
	if (c && p->failed)
		hb_wire_refuse(c->wire, p->id, 2, "%s", p->error);
	else if (c)
		hb_wire_answer(c->wire, p->id, NULL);
	free(p);
}

/* Every node on which it is recorded; of a job whose processes write on their nodes the one where it was begun, whose agent reaches the others. console: 0 for a reaction. */
void hb__manager_keep(struct hb_manager *m, const cJSON *program, int console, uint64_t id, const char *output)
{
	struct pass *p = calloc(1, sizeof *p);
	if (!p)
		return;
	*p = (struct pass){
		.manager = m, .console = console, .id = id, .program = hb__manager_int(program, "program"), .waits = 1};
	const cJSON *word;
	cJSON_ArrayForEach(word, cJSON_GetObjectItemCaseSensitive(program, "record")) p->ring |=
		cJSON_IsString(word) && !strncmp(word->valuestring, "--ring", 6);
	bool apart = *hb__manager_text(program, "part");
	for (size_t i = 0; i < m->nnodes; i++) {
		struct hb__node *n = m->node[i];
		bool there = false;
		for (size_t k = 0; k < n->nwatched; k++)
			there |= n->watched[k].there &&
				 !strcmp(n->watched[k].folder, hb__manager_text(program, "recording"));
		if (!n->up || !there || (apart && n->number != hb__manager_int(program, "node")))
			continue;
		cJSON *ask = cJSON_CreateObject();
		cJSON_AddStringToObject(ask, "folder", hb__manager_text(program, "recording"));
		if (output && *output)
			cJSON_AddStringToObject(ask, "output", output);
		p->waits++;
		hb_wire_ask(n->wire, "keep", ask, kept, p);
	}
	bool nobody = p->waits == 1;
	kept(p, NULL, nobody ? "it is not recorded on a node that is up" : NULL, 2);
}

static void ask_keep(struct ask *a)
{
	hb_error err = {0};
	int64_t program;
	if (!find_program(a, &program, &err)) {
		refuse(a, &err);
		return;
	}
	cJSON *row = hb_complex_row(a->manager->complex, "programs", program);
	hb__manager_keep(a->manager, row, a->console->number, a->id, hb_wire_text(a->object, "output"));
	cJSON_Delete(row);
}

/* ---- a command on a node, its standard input and output the console's ---- */

/* Both channels have it; the last one that closes frees it. */
struct through {
	struct hb_manager *manager;
	int console;
	int64_t node;
	uint32_t channel, there; /* of the console, of the node */
	int owners;
	bool over;
};

static void run_ended(void *user, uint32_t channel, const cJSON *how)
{
	struct through *t = user;
	const struct pass p = {.manager = t->manager, .console = t->console};
	struct hb__console *c = console_of(&p);
	(void)channel;
	t->over = true;
	if (c)
		hb_wire_end(c->wire, t->channel, cJSON_Duplicate(how, 1));
	if (!--t->owners)
		free(t);
}

/* Who asked for it is gone: what was run is ended. */
static void asker_left(void *user, uint32_t channel, const cJSON *how)
{
	struct through *t = user;
	struct hb__node *n = t->over ? NULL : hb__node_of(t->manager, t->node);
	(void)channel, (void)how;
	if (n && n->wire) {
		hb_wire_cut(n->wire, t->there);
		t->owners--; /* a channel that is cut says nothing more */
	}
	if (!--t->owners)
		free(t);
}

static void ask_run(struct ask *a)
{
	hb_error err;
	int64_t number, channel = hb__manager_int(a->object, "channel");
	struct hb_manager *m = a->manager;
	int end[2];
	if (hb_complex_node_find(m->complex, hb__manager_text(a->object, "node"), &number, &err)) {
		refuse(a, &err);
		return;
	}
	struct hb__node *n = hb__node_of(m, number);
	if (!n || !n->up || channel < 1 || channel > UINT32_MAX ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end)) {
		hb_wire_refuse(a->wire, a->id, 2,
			n && !n->up && !n->decided ? "node %s is being reached: try again in a moment"
			: !n || !n->up             ? "node %s is down"
						   : "node %s: the ask says no channel",
			hb__manager_text(a->object, "node"));
		return;
	}
	struct pass *p = new_pass(a);
	struct through *t = calloc(1, sizeof *t);
	uint32_t there = hb_wire_channel(n->wire);
	cJSON *ask = cJSON_CreateObject();
	static const char *const fields[] = {"command", "cwd", "environment"};
	for (size_t i = 0; i < 3; i++)
		if (cJSON_HasObjectItem(a->object, fields[i]))
			cJSON_AddItemToObject(ask, fields[i],
				cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(a->object, fields[i]), 1));
	cJSON_AddNumberToObject(ask, "channel", there);
	if (t)
		*t = (struct through){m, a->console->number, number, (uint32_t)channel, there, 2, false};
	if (!p || !t || !hb_wire_join(a->wire, (uint32_t)channel, end[0], end[0], true, asker_left, t)) {
		close(end[1]);
		free(p);
		free(t);
		cJSON_Delete(ask);
		hb_wire_refuse(a->wire, a->id, 2, "the channel %lld is in use", (long long)channel);
		return;
	}
	if (!hb_wire_join(n->wire, there, end[1], end[1], false, run_ended, t))
		t->owners--;
	hb_wire_ask(n->wire, "run", ask, passed, p);
}

/* ---- the table ---- */

static const struct {
	const char *name;
	void (*ask)(struct ask *a);
} all[] = {
	{"node", ask_node},
	{"program", ask_program},
	{"begin", ask_begin},
	{"end", ask_end},
	{"restart", ask_restart},
	{"stop", ask_stop},
	{"go", ask_go},
	{"signal", ask_signal},
	{"hold", ask_hold},
	{"release", ask_release},
	{"note", ask_note},
	{"state", ask_state},
	{"keep", ask_keep},
	{"run", ask_run},
};

void hb__console_asked(void *user, hb_wire *wire, uint64_t id, const char *name, const cJSON *object)
{
	struct hb__console *c = user;
	struct ask a = {.console = c, .manager = c->manager, .wire = wire, .id = id, .object = object};
	static const char *const rows[] = {"nodes", "programs", "processes", "events", "reactions", "holds"};
	if (hb_wire_waiting(wire) > HB__FLOOD) {
		hb_wire_refuse(wire, id, 2, "answers have to be read, too");
		return;
	}
	if (hb__ask_later(c, id, name, object))
		return;
	/* a hold that is to stay is the user's, and any of his consoles may go on with it */
	bool own = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "while_here"));
	snprintf(a.who, sizeof a.who, own ? "%s/%d" : "%s", c->user, c->number);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i], name)) {
			ask_rows(&a, name);
			return;
		}
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, name)) {
			all[i].ask(&a);
			return;
		}
	hb_wire_refuse(wire, id, 2, "this manager cannot be asked for '%.80s': its hbdb is of another version", name);
}
