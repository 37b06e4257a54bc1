/* The settings of a trace, before a job gets them. */
#include "traced.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/trace/settings.h"

#define SETTINGS_MOST (64u << 20) /* bytes; more are no settings */

int hb__read_settings_file(const char *path, hb_trace_settings *s)
{
	struct stat st;
	char *text = NULL, *why = NULL;
	FILE *f = fopen(path, "re");
	if (!f || fstat(fileno(f), &st)) {
		int error = errno;
		if (f)
			fclose(f);
		return hb__fail_with(HB_EXIT_USAGE, "%s: %s", path, strerror(error));
	}
	int code = 0;
	if (!S_ISREG(st.st_mode) || st.st_size > SETTINGS_MOST)
		code = hb__fail_with(
			HB_EXIT_USAGE, "%s is no file of settings; 'hbdb compare config -- COMMAND' writes one", path);
	else {
		text = hb__alloc((size_t)st.st_size + 1);
		size_t n = fread(text, 1, (size_t)st.st_size, f);
		if (ferror(f))
			code = hb__fail_with(HB_EXIT_USAGE, "%s: %s", path, strerror(errno));
		else if (!hb_settings_read(text, n, s, &why))
			code = hb__fail_with(HB_EXIT_USAGE, "%s: %s", path, why ? why : "out of memory");
	}
	fclose(f);
	free(text);
	free(why);
	return code;
}

int hb__read_trace_settings(const char *path, char **ret_absolute)
{
	hb_trace_settings settings;
	hb_settings_default(&settings);
	int code = hb__read_settings_file(path, &settings);
	hb_settings_free(&settings);
	*ret_absolute = code ? NULL : realpath(path, NULL);
	return code;
}

int hb__keep_trace_settings(const char *path, const char *recording, char **ret_kept, char **ret_level)
{
	hb_trace_settings settings;
	*ret_kept = *ret_level = NULL;
	hb_settings_default(&settings);
	int code = hb__read_settings_file(path, &settings);
	if (!code) {
		char *kept = hb__format("%s/" HB_SETTINGS_FILE, recording);
		FILE *f = fopen(kept, "we");
		if (f)
			hb_settings_write(&settings, f);
		bool good = f && !ferror(f);
		if (f)
			good = !fclose(f) && good;
		if (!good)
			code = hb__fail_with(HB_EXIT_USAGE, "cannot write %s: %s", kept, strerror(errno));
		*ret_kept = kept;
		*ret_level = hb__copy(settings.dry ? "DRY" : hb_trace_level_name(settings.level));
	}
	hb_settings_free(&settings);
	return code;
}
