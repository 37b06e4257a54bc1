/* A run on several nodes that goes on: what the parts of its nodes hold is kept, and their recording ended. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../lasting/lasting.h"
#include "../nodes/nodes.h"
#include "../recorded/trust.h"
#include "../store/find.h"
#include "base/clock.h"
#include "format/within/within.h"
#include "kept.h"

#define KEEP_S 600.0 /* what a node has copied has to be compressed */
#define TELL_S 60.0
#define ENDING_S 120.0 /* until a run whose first parts have been fetched has them all */
#define LATE_S 0.5     /* that is said */

bool hb__writes_apart(const hb_manifest *m)
{
	bool any = false;
	for (size_t i = 0; i < m->nnodes; i++)
		any = any || (m->node[i].missing && !m->node[i].unkept);
	return any && (!m->finished || m->open);
}

/* ---- keep ---- */

struct keeping {
	const char *folder, *part, *to; /* on the nodes: their part, the copy's; here: the new recording */
	bool gone;                      /* of some node there is no part any more */
};

static void keep_one(hb_node *node, void *user)
{
	struct keeping *k = user;
	cJSON *answer = NULL, *ask = cJSON_CreateObject();
	hb_error err;
	int64_t logs = 0;
	cJSON_AddStringToObject(ask, "folder", k->folder);
	cJSON_AddStringToObject(ask, "part", k->part);
	if (hb_link_ask(node->link, "keep", ask, KEEP_S, &answer, &err)) {
		node->lost = hb__copy(err.message);
	} else if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "gone"))) {
		__atomic_store_n(&k->gone, true, __ATOMIC_RELAXED);
		node->lost = hb__format("%s is not there any more", k->folder);
	} else if (hb_wire_number(answer, "logs", &logs) && logs) {
		char *copy = hb__format("%s/kept", k->part);
		node->lost = hb__node_fetch_logs(node, copy, k->to);
		free(copy);
	}
	cJSON_Delete(answer);
}

/* Where the copy stands on the nodes: beside the part, which may be fetched and removed meanwhile. NULL: there is no number for it. */
static char *beside(const char *folder)
{
	char *id = hb__new_id();
	const char *slash = strrchr(folder, '/');
	char *part = id ? hb__format("%.*s/hbdb-%s", (int)(slash - folder), folder, id) : NULL;
	free(id);
	return part;
}

/* A part was fetched, as the run is over: waits until the hbdb that makes the recording has all of it. False: it is not over; a node may have lost its part otherwise. */
static bool is_over(const char *recording, hb_manifest *m)
{
	const struct timespec tick = {0, 50000000};
	for (double begin = hb_seconds(); hb_seconds() - begin < ENDING_S; nanosleep(&tick, NULL)) {
		hb_manifest now;
		bool busy;
		int held = hb__hold_folder(recording, &busy);
		bool read = !hb__manifest_read(recording, &now);
		if (read && !hb__writes_apart(&now)) {
			hb__manifest_free(m);
			*m = now;
		} else if (read) {
			hb__manifest_free(&now);
		}
		if (held >= 0)
			close(held);
		if (!read || !busy || !hb__writes_apart(m))
			break;
	}
	return !hb__writes_apart(m);
}

/* The files of nodes that a recording has; remove: they go; else they are copied. */
static hb_status each_node_file(const char *recording, const char *to, bool remove, hb_error *err)
{
	hb_status status = HB_OK;
	DIR *dir = opendir(recording);
	for (struct dirent *e; dir && !status && (e = readdir(dir));) {
		if (!hb__is_node_file(e->d_name))
			continue;
		char *from = hb__format("%s/%s", recording, e->d_name), *copy = hb__format("%s/%s", to, e->d_name);
		if (remove)
			unlink(from);
		else
			status = hb_within_copy(from, copy, err);
		free(from);
		free(copy);
	}
	if (dir)
		closedir(dir);
	return status;
}

static void add_line(hb_strings *lines, char *line)
{
	hb__push(lines, line);
	free(line);
}

static void add_missing(char **missing, const char *name, const char *why)
{
	char *more = hb__format("%s%s%s: %s", *missing ? *missing : "", *missing ? "; " : "", name, why);
	free(*missing);
	*missing = more;
}

/* Which nodes are missing, and which were late, for the manifest and for the user. */
static void describe(const hb_nodes *nodes, const char *to, hb_manifest *m, char **ret_missing, hb_strings *lines)
{
	for (size_t i = 0, k = 0; i < m->nnodes; i++) {
		hb_manifest_node *is = &m->node[i];
		if (!is->missing || is->unkept)
			continue;
		const hb_node *node = &nodes->at[k++];
		is->missing = is->unkept = node->lost != NULL;
		if (!node->lost && node->late > LATE_S)
			add_line(lines,
				hb__format("the node %s answered %.1f s later than the others: its part was kept then",
					node->name, node->late));
		if (!node->lost)
			continue;
		add_line(lines, hb__format("the node %s has not kept its part: %s", node->name, node->lost));
		add_missing(ret_missing, node->name, node->lost);
	}
	hb_logs logs;
	char *ranks = *ret_missing && !hb__list_logs(to, &logs) ? hb__ranks_without_logs(&logs) : NULL;
	if (*ret_missing)
		hb__close_logs(&logs);
	if (ranks)
		add_line(lines, hb__format("%s %s %s missing", strpbrk(ranks, ",-") ? "ranks" : "rank", ranks,
					strpbrk(ranks, ",-") ? "are" : "is"));
	free(ranks);
}

static const char *folder_of(const hb_manifest *m)
{
	size_t i = 0;
	while (!m->node[i].missing || m->node[i].unkept)
		i++;
	return m->node[i].folder;
}

/* Of a run that is over: what its recording has. What that lacks is to be fetched for it, and not for a copy. */
static hb_status copy_parts(
	const char *recording, const char *to, hb_manifest *m, char **ret_missing, hb_strings *lines, hb_error *err)
{
	for (size_t i = 0; i < m->nnodes; i++) {
		hb_manifest_node *is = &m->node[i];
		if (!is->missing || is->unkept)
			continue;
		is->unkept = true;
		add_line(lines,
			hb__format("what was recorded on %s is missing in %s: hbdb record --fetch fetches it there",
				is->name, hb__short(recording)));
		add_missing(ret_missing, is->name, "it is missing in the recording, too");
	}
	return each_node_file(recording, to, false, err);
}

hb_status hb__keep_apart(const char *recording, const char *to, bool elsewhere, hb_manifest *m, char **ret_missing,
	hb_strings *ret_lines, hb_error *err)
{
	if (!hb__writes_apart(m))
		return copy_parts(recording, to, m, ret_missing, ret_lines, err);
	char *part = hb__trust_nodes(recording, m, elsewhere) ? NULL : beside(folder_of(m));
	if (!part) {
		*err = (hb_error){.status = HB_E_ARGUMENT};
		snprintf(err->message, sizeof err->message, "%.200s: its nodes were not asked", hb__short(recording));
		return err->status;
	}
	hb_nodes nodes = {0};
	struct keeping k = {.folder = folder_of(m), .part = part, .to = to};
	hb__nodes_together(m, keep_one, &k, &nodes);
	hb_status status = HB_OK;
	if (k.gone && is_over(recording, m)) {
		each_node_file(to, to, true, err);
		status = copy_parts(recording, to, m, ret_missing, ret_lines, err);
	} else {
		describe(&nodes, to, m, ret_missing, ret_lines);
	}
	hb__nodes_close(&nodes);
	free(part);
	return status;
}

/* ---- stop ---- */

static void stop_one(hb_node *node, void *user)
{
	struct keeping *k = user;
	cJSON *answer = NULL, *ask = cJSON_CreateObject();
	hb_error err;
	cJSON_AddStringToObject(ask, "folder", k->folder);
	if (hb_link_ask(node->link, "unrecord", ask, TELL_S, &answer, &err))
		node->lost = hb__copy(err.message);
	else if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "gone")))
		__atomic_store_n(&k->gone, true, __ATOMIC_RELAXED);
	cJSON_Delete(answer);
}

int hb__stop_apart(const char *recording, const hb_manifest *m, bool elsewhere, hb_nodes *ret, bool *ret_over)
{
	struct keeping k = {.folder = folder_of(m)};
	int code = hb__trust_nodes(recording, m, elsewhere);
	*ret_over = false;
	if (code)
		return code;
	hb__nodes_together(m, stop_one, &k, ret);
	*ret_over = k.gone;
	for (size_t i = 0; i < ret->n; i++)
		if (ret->at[i].lost)
			hb__say("the node %s is not reached, and its processes are recorded further: %s",
				ret->at[i].name, ret->at[i].lost);
	return 0;
}
