/* clocks.json. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clocks.h"
#include "format/clock.h"

#define BYTES_MOST (64u << 20)

void hb__clocks_free(hb_clocks *c)
{
	for (size_t i = 0; i < c->hosts; i++)
		free(c->host[i].host);
	for (size_t i = 0; i < c->logs; i++)
		free(c->log[i].log);
	free(c->host);
	free(c->log);
	*c = (hb_clocks){0};
}

void hb__clocks_write(const char *recording, const hb_clocks *c)
{
	cJSON *root = cJSON_CreateObject(), *hosts, *logs;
	cJSON_AddStringToObject(root, "format", "hbdb-clocks");
	cJSON_AddNumberToObject(root, "version", 1);
	cJSON_AddNumberToObject(root, "origin", (double)c->origin);
	hosts = cJSON_AddArrayToObject(root, "hosts");
	for (size_t i = 0; i < c->hosts; i++) {
		cJSON *o = cJSON_CreateObject();
		cJSON_AddStringToObject(o, "host", c->host[i].host);
		cJSON_AddNumberToObject(o, "shift_ns", c->host[i].shift_ns);
		cJSON_AddNumberToObject(o, "rate", c->host[i].rate);
		cJSON_AddBoolToObject(o, "known", c->host[i].known);
		cJSON_AddItemToArray(hosts, o);
	}
	logs = cJSON_AddArrayToObject(root, "logs");
	for (size_t i = 0; i < c->logs; i++) {
		cJSON *o = cJSON_CreateObject();
		cJSON_AddStringToObject(o, "log", c->log[i].log);
		cJSON_AddNumberToObject(o, "shift_ns", c->log[i].shift_ns);
		cJSON_AddItemToArray(logs, o);
	}
	cJSON_AddNumberToObject(root, "messages", (double)c->messages);
	cJSON_AddNumberToObject(root, "early", (double)c->early);
	cJSON_AddNumberToObject(root, "early_ns", c->early_ns);
	char *text = cJSON_Print(root), *path = hb__format("%s/" HB_CLOCKS_FILE, recording),
	     *next = hb__format("%s.new", path);
	cJSON_Delete(root);
	FILE *f = text ? fopen(next, "we") : NULL;
	bool good = f && fprintf(f, "%s\n", text) > 0;
	good = f && !fclose(f) && good;
	if (!good || rename(next, path)) {
		hb__say("%s: %s: the clocks of the nodes stay as they were", path, strerror(errno));
		unlink(next);
	}
	free(text);
	free(path);
	free(next);
}

static double number(const cJSON *o, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);
	return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : 0;
}

static void read_hosts(const cJSON *root, hb_clocks *ret)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "hosts"))
	{
		const char *host = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "host"));
		double rate = number(item, "rate"), shift = number(item, "shift_ns");
		if (!host || fabs(rate) > 0.5 || fabs(shift) > 4e18)
			continue;
		ret->host = hb__resize(ret->host, (ret->hosts + 1) * sizeof *ret->host);
		ret->host[ret->hosts++] = (hb_host_clock){
			hb__copy(host), shift, rate, cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "known"))};
	}
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "logs"))
	{
		const char *log = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "log"));
		if (!log || fabs(number(item, "shift_ns")) > 4e18)
			continue;
		ret->log = hb__resize(ret->log, (ret->logs + 1) * sizeof *ret->log);
		ret->log[ret->logs++] = (hb_log_clock){hb__copy(log), number(item, "shift_ns")};
	}
}

bool hb__clocks_read(const char *recording, hb_clocks *ret)
{
	char *path = hb__format("%s/" HB_CLOCKS_FILE, recording);
	FILE *f = fopen(path, "re");
	*ret = (hb_clocks){0};
	char *text = f ? hb__alloc(BYTES_MOST) : NULL;
	size_t n = f ? fread(text, 1, BYTES_MOST, f) : 0;
	cJSON *root = f ? cJSON_ParseWithLength(text, n) : NULL;
	const char *format = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "format"));
	bool good = format && !strcmp(format, "hbdb-clocks") && number(root, "version") == 1;
	if (f && !good)
		hb__say("%s is damaged, or of another version: the times of nodes are those of their own clocks", path);
	if (good) {
		ret->origin = (int64_t)number(root, "origin");
		read_hosts(root, ret);
		ret->messages = (uint64_t)fmax(0, number(root, "messages"));
		ret->early = (uint64_t)fmax(0, number(root, "early"));
		ret->early_ns = number(root, "early_ns");
	}
	if (f)
		fclose(f);
	cJSON_Delete(root);
	free(text);
	free(path);
	return good;
}

void hb__clocks_apply(const char *recording, hb_logs *logs)
{
	hb_clocks c;
	size_t folder = strlen(recording);
	if (!hb__clocks_read(recording, &c))
		return;
	for (size_t i = 0; i < logs->n; i++) {
		hb_log *log = logs->at[i].log;
		if (!log)
			continue;
		const hb_log_info *info = hb_log_get_info(log);
		double shift = 0, rate = 0;
		for (size_t k = 0; k < c.hosts; k++)
			if (!strcmp(c.host[k].host, info->host)) {
				rate = c.host[k].rate;
				shift = c.host[k].shift_ns +
					rate * (double)((int64_t)info->origin_real - c.origin * 1000000000);
			}
		for (size_t k = 0; k < c.logs; k++)
			if (!strncmp(logs->at[i].path, recording, folder) && logs->at[i].path[folder] == '/' &&
				!strcmp(c.log[k].log, logs->at[i].path + folder + 1))
				shift += c.log[k].shift_ns;
		hb_log_set_clock(log, (int64_t)llround(shift), rate);
	}
	hb__clocks_free(&c);
}
