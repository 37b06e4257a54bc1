/* Reads the logs of a recording for the ends that its processes have. */
#include "foreign/known/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static char **cell_of(const struct hb__known *k, const char *text)
{
	size_t i = XXH3_64bits(text, strlen(text)) & (k->cap - 1);
	while (k->text[i] && strcmp(k->text[i], text))
		i = (i + 1) & (k->cap - 1);
	return &k->text[i];
}

bool hb__known_has(const struct hb__known *k, const char *text) { return k->cap && *cell_of(k, text); }

static bool more_cells(struct hb__known *k)
{
	struct hb__known old = *k;
	k->cap = old.cap ? 2 * old.cap : 256;
	k->text = calloc(k->cap, sizeof *k->text);
	if (!k->text) {
		*k = old;
		return false;
	}
	for (size_t i = 0; i < old.cap; i++)
		if (old.text[i])
			*cell_of(k, old.text[i]) = old.text[i];
	free(old.text);
	return true;
}

static bool add_text(struct hb__known *k, const char *text)
{
	if (2 * (k->n + 1) > k->cap && !more_cells(k))
		return false;
	char **cell = cell_of(k, text);
	if (*cell)
		return true;
	*cell = strdup(text);
	k->n += *cell != NULL;
	return *cell != NULL;
}

/* When the last event of a log was over, in ticks. */
static uint64_t last_tick(hb_log *log)
{
	uint64_t last = 0;
	for (uint32_t lane = 0; lane < hb_log_get_info(log)->lanes; lane++) {
		hb_lane_info of;
		hb_cursor *c;
		hb_row row;
		if (hb_log_lane(log, lane, &of) || !of.events || hb_cursor_open(log, lane, of.events, &c, NULL))
			continue;
		if (hb_cursor_next(c, &row, NULL) > 0 && row.exit > last)
			last = row.exit;
		hb_cursor_close(c);
	}
	return last;
}

/* False: out of memory. */
static bool add_log(struct hb__known *k, hb_log *log)
{
	const hb_log_info *info = hb_log_get_info(log);
	uint64_t network = hb_log_network(log),
		 ended = info->origin_real + (uint64_t)((double)last_tick(log) * info->tick_ns);
	k->begun = !k->begun || info->origin_real < k->begun ? info->origin_real : k->begun;
	k->ended = ended > k->ended ? ended : k->ended;
	if (!network) /* it talks to nobody */
		return true;
	if (!k->network) {
		snprintf(k->host, sizeof k->host, "%s", info->host);
		k->network = network;
		k->ahead = info->origin_real - info->origin_mono;
	}
	k->several = k->several || strcmp(k->host, info->host) || k->network != network;
	const char *text;
	for (uint32_t i = 0; (text = hb_log_text(log, i)); i++)
		if (!add_text(k, text))
			return false;
	return true;
}

static hb_status refuse(hb_error *err, const char *file, const char *message)
{
	*err = (hb_error){.status = HB_E_ARGUMENT};
	snprintf(err->file, sizeof err->file, "%s", file);
	snprintf(err->message, sizeof err->message, "%s", message);
	return err->status;
}

hb_status hb__known_read(const char *const *path, size_t logs, struct hb__known *ret, hb_error *err)
{
	*ret = (struct hb__known){0};
	for (size_t i = 0; i < logs; i++) {
		hb_log *log;
		hb_status status = hb_log_open(path[i], &log, err);
		if (status)
			return status;
		bool calls = hb_log_get_info(log)->level == HB_LEVEL_EVENTS, good = !calls || add_log(ret, log);
		hb_log_close(log);
		if (!calls)
			return refuse(err, path[i],
				"its recording has choices alone, and not all calls: record at level events or data");
		if (!good) {
			refuse(err, path[i], "out of memory");
			return err->status = HB_E_MEMORY;
		}
	}
	return ret->network
		       ? HB_OK
		       : refuse(err, logs ? path[0] : "",
				 "no process of its recording has events of sockets: record with --layers sockets");
}

void hb__known_free(struct hb__known *k)
{
	for (size_t i = 0; i < k->cap; i++)
		free(k->text[i]);
	free(k->text);
	*k = (struct hb__known){0};
}
