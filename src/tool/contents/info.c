/* What hbdb info says of contents: which processes have some, how much, how far. */
#include "info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"

hb_contents_info *hb__gather_contents(const hb_logs *logs, hb_sum *sum, int *ret_code)
{
	hb_contents_info *of = hb__alloc((logs->n + 1) * sizeof *of);
	for (size_t i = 0; i < logs->n; i++) {
		hb_data *data = NULL;
		of[i].threads = UINT32_MAX;
		int code = logs->at[i].log ? hb__open_contents(&logs->at[i], &data) : 0;
		*ret_code = code ? code : *ret_code;
		if (!data)
			continue;
		of[i] = *hb_data_get_info(data);
		if (of[i].recovered)
			*ret_code = HB_EXIT_RECORDING;
		hb__add_contents(
			&of[i], hb_log_get_info(logs->at[i].log), logs->worlds.name ? logs->worlds.name[i] : "0", sum);
		hb_data_close(data);
	}
	return of;
}

bool hb__has_contents(const hb_contents_info *info) { return info->threads != UINT32_MAX; }

void hb__print_contents_info(const hb_contents_info *of, const hb_logs *logs, const hb_sum *sum, size_t most)
{
	size_t shown = 0;
	if (!sum->contents)
		return;
	if (!sum->came) { /* of what came in the command would be the first */
		printf("\ncontents      digests of those of %llu %s, kept in %llu bytes\n",
			(unsigned long long)sum->contents, hb__plural(sum->contents, "process", "processes"),
			(unsigned long long)sum->contents_bytes);
		return;
	}
	printf("\ncontents      %llu bytes came into %llu %s, kept in %llu bytes\n", (unsigned long long)sum->came,
		(unsigned long long)sum->contents, hb__plural(sum->contents, "process", "processes"),
		(unsigned long long)sum->contents_bytes);
	for (size_t i = 0; i < logs->n; i++) {
		if (!hb__has_contents(&of[i]))
			continue;
		if (shown++ == most) {
			printf("              and %llu more (--json lists all)\n",
				(unsigned long long)(sum->contents - most));
			break;
		}
		const char *name = logs->worlds.name ? logs->worlds.name[i] : "0";
		char *reach = hb__contents_reach(&of[i]);
		printf("              %s%s: %llu bytes came in, kept in %llu, %s\n", hb_rank_word(name), name,
			(unsigned long long)of[i].came, (unsigned long long)of[i].bytes, hb__tame(reach));
		free(reach);
	}
}

void hb__put_contents_members(hb_output *o, const hb_contents_info *info)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {{"came", info->came}, {"bytes", info->bytes}, {"items", info->items}};
	hb__put_text(o, ",\"contents\":{");
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		hb__put_text(o, i ? ",\"" : "\"");
		hb__put_text(o, numbers[i].name);
		hb__put_text(o, "\":");
		hb__put_int(o, (int64_t)numbers[i].value);
	}
	hb__put_text(o, info->sealed ? ",\"sealed\":true" : ",\"sealed\":false");
	if (info->stopped || info->recovered || !info->told) {
		char *reach = hb__contents_reach(info);
		hb__put_text(o, ",\"kept\":");
		hb__put_json(o, reach);
		free(reach);
	}
	hb__put_char(o, '}');
}
