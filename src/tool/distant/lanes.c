/* What the threads of processes on nodes do, as the agents there read it from their logs. Each node has a thread that asks; an answer is of all processes of the node, so that
 * a look at many costs one question for each node. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "inside.h"

#define ANSWER_S 60

/* A log, and what the last answer says of it. */
struct log_there {
	char *name;
	hb_counters *lane;
	size_t n;
};

struct hb_lanes_there {
	pthread_t thread;
	bool runs;
	hb_link *link;
	pthread_mutex_t mutex;
	pthread_cond_t change;
	char *folder;
	struct log_there *log;
	size_t n;
	bool wanted, ended; /* for the thread: a question is to be asked; it is to end */
	bool lost;          /* no answer will come any more */
	double asked;       /* when what stands in `log` was asked for; 0: never */
};

/* ---- in the thread ---- */

static uint64_t number(const cJSON *row, int i)
{
	const cJSON *n = cJSON_GetArrayItem(row, i);
	return cJSON_IsNumber(n) && n->valuedouble > 0 ? (uint64_t)n->valuedouble : 0;
}

static void take(struct log_there *log, const cJSON *one)
{
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(one, "lanes"), *row;
	int n = cJSON_GetArraySize(rows);
	log->lane = hb__resize(log->lane, ((size_t)n + 1) * sizeof *log->lane);
	log->n = 0;
	cJSON_ArrayForEach(row, rows) log->lane[log->n++] = (hb_counters){.lane = (uint32_t)number(row, 0),
		.events = number(row, 1),
		.polls = number(row, 2),
		.inside = number(row, 3),
		.task = number(row, 4)};
}

/* One part of the answer: an answer may not have all. How many logs it told of, or that nothing is known of. With the mutex held, but for the question. */
static size_t ask_part(struct hb_lanes_there *l, size_t from, size_t to)
{
	cJSON *ask = cJSON_CreateObject(), *answer = NULL, *names = cJSON_AddArrayToObject(ask, "logs");
	const cJSON *one;
	hb_error err = {0};
	cJSON_AddStringToObject(ask, "folder", l->folder);
	for (size_t i = from; i < to; i++)
		cJSON_AddItemToArray(names, cJSON_CreateString(l->log[i].name));
	pthread_mutex_unlock(&l->mutex);
	hb_status status = hb_link_ask(l->link, "lanes", ask, ANSWER_S, &answer, &err);
	pthread_mutex_lock(&l->mutex);
	l->lost |= status == HB_E_SYSTEM;
	size_t n = 0;
	cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(answer, "logs")) if (from + n < to)
		take(&l->log[from + n++], one);
	cJSON_Delete(answer);
	if (n)
		return n;
	for (size_t i = from; i < to; i++)
		l->log[i].n = 0;
	return to - from;
}

static void *ask_again_and_again(void *user)
{
	struct hb_lanes_there *l = user;
	pthread_mutex_lock(&l->mutex);
	while (!l->ended && !l->lost) {
		if (!l->wanted) {
			pthread_cond_wait(&l->change, &l->mutex);
			continue;
		}
		l->wanted = false;
		double asked = hb_seconds();
		size_t n = l->n, at = 0;
		while (at < n && !l->lost && !l->ended)
			at += ask_part(l, at, n);
		if (!l->lost && !l->ended)
			l->asked = asked;
		pthread_cond_broadcast(&l->change);
	}
	pthread_cond_broadcast(&l->change);
	pthread_mutex_unlock(&l->mutex);
	return NULL;
}

/* ---- outside of it ---- */

static void begin(hb_link *link, const char *folder, struct hb_lanes_there *l)
{
	*l = (struct hb_lanes_there){.link = link, .folder = hb__copy(folder)};
	pthread_mutex_init(&l->mutex, NULL);
	pthread_cond_init(&l->change, NULL);
	l->runs = !pthread_create(&l->thread, NULL, ask_again_and_again, l);
	l->lost = !l->runs;
}

static void finish(struct hb_lanes_there *l)
{
	pthread_mutex_lock(&l->mutex);
	l->ended = true;
	pthread_cond_broadcast(&l->change);
	pthread_mutex_unlock(&l->mutex);
	if (l->runs)
		pthread_join(l->thread, NULL);
	pthread_mutex_destroy(&l->mutex);
	pthread_cond_destroy(&l->change);
	for (size_t i = 0; i < l->n; i++) {
		free(l->log[i].name);
		free(l->log[i].lane);
	}
	free(l->log);
	free(l->folder);
}

static struct log_there *log_named(struct hb_lanes_there *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->log[i].name, name))
			return &l->log[i];
	l->log = hb__resize(l->log, (l->n + 1) * sizeof *l->log);
	l->log[l->n] = (struct log_there){.name = hb__copy(name)};
	l->n++;
	return NULL; /* no answer knows of it yet */
}

/* A log that came after a question was asked is in no answer to it: then another one is waited for. */
static bool wait_for_answer(struct hb_lanes_there *l, double since)
{
	while (l->asked < since && !l->lost) {
		l->wanted = true;
		pthread_cond_broadcast(&l->change);
		pthread_cond_wait(&l->change, &l->mutex);
	}
	return !l->lost;
}

bool hb__distant_lanes(void *user, const char *host, const char *log, bool now, hb_growing *growing, double *ret_asked)
{
	hb_distant *d = user;
	size_t i = hb__distant_node(d, host);
	struct hb_lanes_there *l = i < d->nodes->n && d->lanes ? &d->lanes[i] : NULL;
	bool known = false;
	if (!l || !l->link)
		return false;
	pthread_mutex_lock(&l->mutex);
	const struct log_there *there = log_named(l, log);
	if (now && wait_for_answer(l, hb_seconds()))
		there = log_named(l, log);
	else if (!now) {
		l->wanted = true;
		pthread_cond_broadcast(&l->change);
	}
	if (!l->lost && there && there->n) {
		known = HB_GROW(growing->lane, growing->room, there->n);
		growing->nlanes = known ? there->n : 0;
		for (size_t k = 0; k < growing->nlanes; k++)
			growing->lane[k] = there->lane[k];
		*ret_asked = l->asked;
	}
	pthread_mutex_unlock(&l->mutex);
	return known;
}

void hb__distant_logs(hb_distant *d, const char *folder)
{
	for (size_t i = 0; d && d->lanes && i < d->nodes->n; i++)
		if (d->lanes[i].link)
			finish(&d->lanes[i]);
	if (!d)
		return;
	free(d->lanes);
	d->lanes = NULL;
	d->session.lanes = NULL;
	if (!folder)
		return;
	d->lanes = hb__alloc((d->nodes->n + 1) * sizeof *d->lanes);
	for (size_t i = 0; i < d->nodes->n; i++) {
		d->lanes[i] = (struct hb_lanes_there){0};
		if (d->nodes->at[i].link)
			begin(d->nodes->at[i].link, folder, &d->lanes[i]);
	}
	d->session.lanes = hb__distant_lanes;
}

/* ---- what is asked for seldom ---- */

static cJSON *ask_of_log(hb_distant *d, const char *host, const char *name, const char *log, cJSON *ask)
{
	size_t i = hb__distant_node(d, host);
	struct hb_lanes_there *l = i < d->nodes->n && d->lanes ? &d->lanes[i] : NULL;
	cJSON *answer = NULL;
	hb_error err = {0};
	if (!l || !l->link) {
		cJSON_Delete(ask);
		return NULL;
	}
	cJSON_AddStringToObject(ask, "folder", l->folder);
	cJSON_AddStringToObject(ask, "log", log);
	return hb_link_ask(l->link, name, ask, ANSWER_S, &answer, &err) ? NULL : answer;
}

char *hb__distant_inside(hb_distant *d, const char *host, const char *log, uint32_t lane, uint64_t event, uint32_t slot)
{
	cJSON *ask = cJSON_CreateObject();
	cJSON_AddNumberToObject(ask, "lane", lane);
	cJSON_AddNumberToObject(ask, "event", (double)event);
	cJSON_AddNumberToObject(ask, "slot", slot);
	cJSON *answer = ask_of_log(d, host, "inside", log, ask);
	const char *text = hb_wire_text(answer, "text");
	char *copy = text ? hb__copy(text) : NULL;
	cJSON_Delete(answer);
	return copy;
}

hb_called *hb__distant_calls(hb_distant *d, const char *host, const char *log, size_t *ret_n)
{
	cJSON *answer = ask_of_log(d, host, "calls", log, cJSON_CreateObject());
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(answer, "calls"), *row;
	hb_called *all = hb__alloc(((size_t)cJSON_GetArraySize(rows) + 1) * sizeof *all);
	*ret_n = 0;
	cJSON_ArrayForEach(row, rows)
	{
		const cJSON *name = cJSON_GetArrayItem(row, 0);
		all[(*ret_n)++] = (hb_called){hb__copy(cJSON_IsString(name) ? name->valuestring : ""), number(row, 1)};
	}
	cJSON_Delete(answer);
	return all;
}
