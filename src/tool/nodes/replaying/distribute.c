/* A replay over several nodes. */
#include "distribute.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hbdb/data.h>

#include "../../store/find.h"
#include "format/growing/growing.h"
#include "format/within/within.h"

#define DROP_S 60 /* what a run has written may be large */

/* ---- what is put there ---- */

static void add_if_there(hb_putting *p, const char *folder, const char *name)
{
	char *path = hb__format("%s/%s", folder, name);
	if (!access(path, R_OK))
		hb__put_add(p, path, name);
	free(path);
}

/* The logs as they stand in the recording, which are much smaller than what processes follow. */
static void add_logs(hb_putting *p, const hb_replay_folder *folder, bool inputs)
{
	static const char *const others[] = {"places", "bridges", "shared", "taken"};
	for (int32_t i = 0; i < folder->size; i++) {
		char *name = hb__format("rank.%d.log", i), *data = folder->log[i] ? hb_data_path(folder->log[i]) : NULL;
		if (folder->log[i])
			hb__put_add(p, folder->log[i], name);
		free(name);
		name = hb__format("rank.%d.data", i);
		if (inputs && data && hb_within_exists(data))
			hb__put_add(p, data, name);
		free(name);
		free(data);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		add_if_there(p, folder->script, others[i]);
}

static void add_folder(hb_putting *p, const char *path)
{
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.')
			add_if_there(p, path, e->d_name);
	if (dir)
		closedir(dir);
}

static void put(hb_distributed *d, const char *into, hb_putting *p)
{
	p->folder = d->spread.nodes.folder;
	p->into = into;
	d->bytes += hb__nodes_put(&d->spread.nodes, p);
	hb__put_free(p);
}

static void put_all(hb_distributed *d, const hb_replay_folder *folder, bool inputs)
{
	hb_putting script = {0}, files = {0}, traced = {0}, none = {0};
	add_logs(&script, folder, inputs);
	put(d, "script", &script);
	if (d->files) {
		add_folder(&files, folder->files);
		put(d, "files", &files);
	}
	if (d->traced) {
		hb__put_add(&traced, folder->traced, strrchr(d->traced, '/') + 1);
		put(d, NULL, &traced);
	}
	if (d->log)
		put(d, "new", &none);
}

/* ---- before ---- */

static void stay_here(const hb_replay_folder *folder, bool inputs, const char *new_recording, hb_distributed *d)
{
	d->folder = hb__copy(folder->folder);
	d->script = hb__copy(folder->script);
	d->files = inputs && folder->files ? hb__copy(folder->files) : NULL;
	d->traced = folder->traced ? hb__copy(folder->traced) : NULL;
	d->log = new_recording ? hb__copy(new_recording) : NULL;
	d->logs = hb__copy(new_recording ? new_recording : folder->folder);
}

static int name_all(
	const char *parent, const hb_replay_folder *folder, bool inputs, const char *new_recording, hb_distributed *d)
{
	char *id = hb__new_id();
	if (!id)
		return hb__fail_with(HB_EXIT_USAGE, "the system gives no random numbers");
	d->folder = hb__format("%s/hbdb-%s", parent, id);
	d->script = hb__format("%s/script", d->folder);
	d->files = inputs && folder->files ? hb__format("%s/files", d->folder) : NULL;
	d->traced = folder->traced ? hb__format("%s%s", d->folder, strrchr(folder->traced, '/')) : NULL;
	d->log = new_recording ? hb__format("%s/new", d->folder) : NULL;
	d->logs = new_recording ? hb__format("%s/new", folder->folder) : hb__copy(folder->folder);
	d->spread.nodes.folder = hb__copy(d->folder);
	free(id);
	return 0;
}

int hb__distribute(const char *local, const hb_command_line *line, char **argv, const hb_replay_folder *folder,
	bool inputs, const char *new_recording, hb_distributed *ret)
{
	*ret = (hb_distributed){.here = folder->folder};
	hb_nodes *nodes = &ret->spread.nodes;
	int code = hb__spread_open(local, line, argv, &ret->spread);
	if (code)
		return code;
	if (!nodes->n) {
		stay_here(folder, inputs, new_recording, ret);
		return 0;
	}
	code = name_all(local ? local : HB_NODE_FOLDER, folder, inputs, new_recording, ret);
	if (code)
		return code;
	put_all(ret, folder, inputs);
	for (size_t i = 0; i < nodes->n; i++)
		if (nodes->at[i].lost)
			code = hb__fail_with(HB_EXIT_USAGE,
				"the node %s cannot be used: %s; --local chooses another folder", nodes->at[i].name,
				nodes->at[i].lost);
	if (code)
		return code;
	hb__say("%" PRIu64 " bytes went to each of %zu %s", ret->bytes, nodes->n,
		hb__plural(nodes->n, "node", "nodes"));
	ret->reports = hb__nodes_follow(nodes, ret->folder, folder->folder, true);
	if (ret->log)
		ret->written = hb__nodes_follow(nodes, ret->log, ret->logs, false);
	return 0;
}

/* ---- anew ---- */

static void drop_run(hb_distributed *d)
{
	for (size_t i = 0; i < d->spread.nodes.n; i++) {
		hb_error err;
		if (d->spread.nodes.at[i].lost)
			continue;
		cJSON *ask = cJSON_CreateObject();
		cJSON_AddStringToObject(ask, "folder", d->folder);
		hb_link_ask(d->spread.nodes.at[i].link, "drop", ask, DROP_S, NULL, &err);
	}
}

void hb__distributed_again(hb_distributed *d)
{
	hb_nodes *nodes = &d->spread.nodes;
	hb_putting none = {0};
	if (!nodes->n)
		return;
	hb__nodes_unfollow(d->reports, false);
	if (d->run)
		drop_run(d);
	free(d->run);
	free(d->folder);
	d->run = hb__format("run.%u", ++d->runs);
	d->folder = hb__format("%s/%s", nodes->folder, d->run);
	d->ended = false;
	hb__strings_free(&d->turns);
	put(d, d->run, &none);
	d->reports = hb__nodes_follow(nodes, d->folder, d->here, true);
}

/* ---- while it runs ---- */

/* Files that processes make for each other: they are to be on all nodes. */
static void hand_on(hb_distributed *d)
{
	hb_putting p = {0};
	DIR *dir = opendir(d->here);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		bool known = strncmp(e->d_name, "turn.", 5) != 0;
		for (size_t i = 0; i < d->turns.n && !known; i++)
			known = !strcmp(d->turns.at[i], e->d_name);
		if (known)
			continue;
		hb__push(&d->turns, e->d_name);
		char *path = hb__format("%s/%s", d->here, e->d_name);
		hb__put_add(&p, path, e->d_name);
		free(path);
	}
	if (dir)
		closedir(dir);
	if (p.path.n)
		put(d, d->run, &p);
}

bool hb__distributed_look(hb_distributed *d)
{
	hb_nodes *nodes = &d->spread.nodes;
	bool lost = false;
	if (nodes->n)
		hand_on(d);
	for (size_t i = 0; i < nodes->n; i++) {
		if (!nodes->at[i].lost)
			nodes->at[i].lost = hb_link_lost(nodes->at[i].link);
		lost |= nodes->at[i].lost != NULL;
	}
	return lost;
}

void hb__distributed_ending(hb_distributed *d)
{
	hb_putting p = {0};
	if (!d->spread.nodes.n || d->ended)
		return;
	d->ended = true;
	add_if_there(&p, d->here, "ending");
	put(d, d->run, &p);
}

/* ---- after ---- */

void hb__distributed_over(hb_distributed *d)
{
	if (!d->spread.nodes.n)
		return;
	hb__nodes_followed(d->reports);
	if (d->written)
		hb__nodes_followed(d->written);
	hb__distributed_look(d);
}

void hb__distributed_fetch(hb_distributed *d, const char *new_recording)
{
	if (d->spread.nodes.n)
		hb__nodes_fetch(&d->spread.nodes, d->log, new_recording, true);
}

size_t hb__distributed_say_lost(const hb_distributed *d)
{
	size_t lost = 0;
	for (size_t i = 0; i < d->spread.nodes.n; i++)
		if (d->spread.nodes.at[i].lost) {
			hb__say("the node %s is lost: %s", d->spread.nodes.at[i].name, d->spread.nodes.at[i].lost);
			lost++;
		}
	return lost;
}

/* "ranks 0-1,4" of those whose log says that they ran there; "": none. */
static char *called(const hb_logs *logs, const char *host, char *const *name, int32_t size)
{
	char *text = hb__copy("");
	size_t n = 0;
	for (size_t i = 0, last; i < logs->n; i = last + 1) {
		hb_log_head h;
		last = i;
		int32_t first = logs->at[i].rank, to = first;
		if (first < 0 || first >= size || hb_log_head_read(logs->at[i].path, &h, NULL) ||
			strcmp(h.host, host) != 0)
			continue;
		while (last + 1 < logs->n && logs->at[last + 1].rank == to + 1 && to + 1 < size &&
			!hb_log_head_read(logs->at[last + 1].path, &h, NULL) && !strcmp(h.host, host)) {
			to++;
			last++;
		}
		char *more = to > first ? hb__format("%s%s%s-%s", text, *text ? "," : "", name[first], name[to])
					: hb__format("%s%s%s", text, *text ? "," : "", name[first]);
		n += 1 + (to > first);
		free(text);
		text = more;
	}
	char *all = *text ? hb__format("%s %s", n > 1 ? "ranks" : "rank", text) : hb__copy("");
	free(text);
	return all;
}

char *hb__distributed_places(const hb_distributed *d, char *const *name, int32_t size)
{
	hb_logs logs;
	char *text = hb__copy("");
	if (!d->spread.nodes.n || hb__list_logs(d->logs, &logs)) {
		free(text);
		return NULL;
	}
	for (size_t i = 0; i < d->spread.nodes.n; i++) {
		char *ranks = called(&logs, d->spread.nodes.at[i].host, name, size);
		char *more =
			*ranks ? hb__format("%s%s%s: %s", text, *text ? "; " : "", d->spread.nodes.at[i].name, ranks)
			       : hb__copy(text);
		free(ranks);
		free(text);
		text = more;
	}
	hb__close_logs(&logs);
	if (*text)
		return text;
	free(text);
	return NULL;
}

void hb__distribute_end(hb_distributed *d)
{
	hb__nodes_unfollow(d->reports, false);
	hb__nodes_unfollow(d->written, true);
	hb__spread_end(&d->spread);
	hb__strings_free(&d->turns);
	free(d->folder);
	free(d->run);
	free(d->script);
	free(d->files);
	free(d->traced);
	free(d->log);
	free(d->logs);
	*d = (hb_distributed){0};
}
