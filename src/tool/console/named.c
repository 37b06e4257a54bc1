/* Programs and processes by what a user writes. */
#include <stdlib.h>
#include <string.h>

#include "console.h"

static int find_process(hb_asker *console, const char *program, const char *name, cJSON *ask)
{
	cJSON *rows, *filter = cJSON_CreateObject();
	const cJSON *row, *found = NULL;
	cJSON_AddStringToObject(filter, "program", program);
	int code = hb__asker_rows(console, "processes", filter, &rows);
	if (code)
		return code;
	/* of several runs the last one's */
	cJSON_ArrayForEach(row, rows) if (!strcmp(hb__field(row, "name"), name)) found = row;
	if (found)
		cJSON_AddNumberToObject(
			ask, "process", cJSON_GetObjectItemCaseSensitive(found, "process")->valuedouble);
	else
		code = hb__fail_with(
			HB_EXIT_USAGE, "program %s has no process '%s'; hbdb ps shows them", program, name);
	cJSON_Delete(rows);
	return code;
}

int hb__named_in(hb_asker *console, const char *name, bool program_only, cJSON *ask)
{
	const char *colon = strchr(name, ':');
	char *end;
	if (*name == '#' && !program_only) {
		double number = strtod(name + 1, &end);
		if (end == name + 1 || *end || number < 1)
			return hb__fail_with(
				HB_EXIT_USAGE, "'%s' is no number of a process: #12, as hbdb ps shows it", name);
		cJSON_AddNumberToObject(ask, "process", number);
		return 0;
	}
	if (colon && program_only)
		return hb__fail_with(HB_EXIT_USAGE, "this is done to a program, not to a process: '%.*s'",
			(int)(colon - name), name);
	if (!colon) {
		cJSON_AddStringToObject(ask, "program", name);
		return 0;
	}
	char *program = hb__format("%.*s", (int)(colon - name), name);
	int code = find_process(console, program, colon + 1, ask);
	free(program);
	return code;
}
