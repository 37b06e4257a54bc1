/* The settings of a trace, before a job gets them. */
#include "traced.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/trace/settings.h"

int hb__read_trace_settings(const char *path, char **ret_absolute)
{
	char *text = NULL, *why = NULL;
	size_t room = 0;
	hb_trace_settings settings;
	FILE *f = fopen(path, "re");
	ssize_t bytes = f ? getdelim(&text, &room, 0, f) : -1; /* all of a text */
	if (!f || ferror(f)) {
		int code = hb__fail_with(HB_EXIT_USAGE, "cannot read the settings %s: %s", path, strerror(errno));
		free(text);
		if (f)
			fclose(f);
		return code;
	}
	fclose(f);
	hb_settings_default(&settings);
	bool good = hb_settings_read(text, bytes > 0 ? (size_t)bytes : 0, &settings, &why);
	hb_settings_free(&settings);
	free(text);
	int code = good ? 0 : hb__fail_with(HB_EXIT_USAGE, "%s: %s", path, why ? why : "out of memory");
	free(why);
	*ret_absolute = code ? NULL : realpath(path, NULL);
	return code;
}
