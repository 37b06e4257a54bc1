/* What is to be traced: a file of settings, and options. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs.h"

static int read_point(const hb_args *args, const char *option, hb_point *point)
{
	const char *text = hb__option_value(args, option);
	hb_point_error error = text ? hb_point_read(text, point) : HB_POINT_FINE;
	if (error == HB_POINT_FINE)
		return 0;
	char *why = hb_point_trouble(error, text, "");
	int code = hb__fail_with(HB_EXIT_USAGE, "compare --%s: %s", option, why ? why : "out of memory");
	free(why);
	return code;
}

static int check_window(const hb_trace_settings *s)
{
	char a[HB_POINT_TEXT], b[HB_POINT_TEXT];
	hb_point_error error = hb_point_window(&s->start, &s->finish);
	if (error == HB_POINT_FINE)
		return 0;
	char *why = hb_point_trouble(error, hb_point_text(&s->start, a), hb_point_text(&s->finish, b));
	int code = hb__fail_with(HB_EXIT_USAGE, "compare: %s", why ? why : "out of memory");
	free(why);
	return code;
}

/* NAME:FILE:LINE:ORDINAL, as it stands in messages; the ordinal may be left away. */
static int read_array(const char *text, hb_array_id *ret)
{
	char *copy = hb__copy(text), *part[4], *rest = copy;
	unsigned n = 0;
	while (n < 4 && (part[n] = strsep(&rest, ":")))
		n++;
	unsigned long number[2] = {0, 0};
	bool good = n >= 3 && !rest && *part[0] && *part[1];
	for (unsigned i = 2; good && i < n; i++) {
		char *end;
		number[i - 2] = strtoul(part[i], &end, 10);
		good = end != part[i] && !*end && part[i][0] != '-' && number[i - 2] <= UINT32_MAX;
	}
	if (good) {
		free(ret->name);
		free(ret->file);
		*ret = (hb_array_id){hb__copy(part[0]), hb__copy(part[1]), (uint32_t)number[0], (uint32_t)number[1]};
	}
	free(copy);
	return good ? 0
		    : hb__fail_with(HB_EXIT_USAGE,
			      "compare --save takes NAME:FILE:LINE or NAME:FILE:LINE:ORDINAL, as messages call the array, but got '%s'",
			      text);
}

int hb__read_saved(const hb_args *args, const hb_point *otherwise, hb_array_id *id, hb_point *at)
{
	const char *save = hb__option_value(args, "save");
	int code = read_point(args, "at", at);
	code = !code && save ? read_array(save, id) : code;
	if (!code && hb__option_value(args, "at") && !save)
		return hb__fail_with(HB_EXIT_USAGE,
			"compare --at says at which point the array of --save is meant: give --save, too");
	if (!code && save && !at->number)
		*at = *otherwise;
	if (!code && save && !at->number)
		return hb__fail_with(
			HB_EXIT_USAGE, "compare --save needs the point at which the array is meant: --at POINT");
	return code;
}

static int apply_options(const hb_args *args, hb_trace_settings *s)
{
	const char *level = hb__option_value(args, "level");
	for (unsigned i = 0; level && i < HB_TRACE_INHERITED; i++)
		if (!strcasecmp(level, hb_trace_level_name((hb_trace_level)i)))
			s->level = (hb_trace_level)i;
	hb_reference_tolerance t = {s->tolerance, s->absolute};
	int code = hb__read_tolerances(args, &t);
	s->tolerance = t.relative;
	s->absolute = t.absolute;
	code = code ? code : read_point(args, "start", &s->start);
	code = code ? code : read_point(args, "finish", &s->finish);
	code = code ? code : check_window(s);
	code = code ? code : hb__read_saved(args, &s->finish, &s->save, &s->save_at);
	return code;
}

int hb__wished_settings(const hb_args *args, const char *reference, hb_trace_settings *ret)
{
	const char *file = hb__option_value(args, "settings");
	char *kept = reference ? hb__format("%s/" HB_SETTINGS_FILE, reference) : NULL;
	int code = 0;
	hb_settings_default(ret);
	if (file)
		code = hb__read_settings_file(file, ret);
	else if (kept && !access(kept, F_OK))
		code = hb__read_settings_file(kept, ret);
	free(kept);
	return code ? code : apply_options(args, ret);
}

int hb__put_settings(const hb_trace_settings *s, char **ret)
{
	const char *folder = getenv("TMPDIR");
	char *path = hb__format("%s/hbdb-settings-XXXXXX", folder && *folder == '/' ? folder : "/tmp");
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	*ret = path;
	if (f)
		hb_settings_write(s, f);
	bool good = f && !ferror(f);
	if (f)
		good = !fclose(f) && good;
	return good ? 0 : hb__fail_with(HB_EXIT_USAGE, "cannot write the settings to %s: %s", path, strerror(errno));
}

void hb__forget_settings(char *path)
{
	if (path)
		unlink(path);
	free(path);
}

int hb__make_traced(const hb_args *args, const hb_trace_settings *settings, hb_making *making, hb_made *ret)
{
	char *path = NULL;
	*ret = (hb_made){0};
	int code = hb__put_settings(settings, &path);
	making->argv = args->rest;
	making->mpi = hb__option_value(args, "mpi");
	making->level = "events";
	making->contents = true;
	making->traced = path;
	code = code ? code : hb__make(making, ret);
	hb__forget_settings(path);
	return code;
}
