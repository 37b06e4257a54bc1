/* hbdb compare zoom and find: a second pair of runs, with all reads and writes between two points. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../recorded/command.h"
#include "../../recorded/trust.h"
#include "../../store/find.h"
#include "../picture/picture.h"
#include "../verbs.h"

/* "heat.hbdb" -> "/there/heat-zoom.hbdb", here. */
static char *zoomed(const char *recording, const char *given, const char *which)
{
	const char *name = given ? given : hb__short(recording), *slash = given ? NULL : strrchr(name, '/');
	size_t n = strlen(slash ? slash + 1 : name);
	name = slash ? slash + 1 : name;
	n -= n > 5 && !strcmp(name + n - 5, ".hbdb") ? 5 : 0;
	char *here = getcwd(NULL, 0);
	char *path = *name == '/' ? hb__format("%.*s%s.hbdb", (int)n, name, which)
				  : hb__format("%s/%.*s%s.hbdb", here, (int)n, name, which);
	free(here);
	return path;
}

/* The recorded command once more, traced as the settings say. This process comes back to its folder. */
static int again(
	const hb_args *args, const char *recording, const hb_trace_settings *settings, const char *output, hb_made *ret)
{
	hb_manifest m = {0};
	*ret = (hb_made){0};
	if (hb__manifest_read(recording, &m))
		return HB_EXIT_RECORDING;
	int code = hb__trust(recording, &m, hb__option_value(args, "trust") ? HB_TRUST_GIVEN : HB_TRUST_ASK);
	if (!code && !m.command.n)
		code = hb__fail_with(
			HB_EXIT_USAGE, "%s does not contain its command: it cannot be run again", hb__short(recording));
	if (!code) {
		int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		hb_args with = *args;
		hb_making making = {.output = output, .quiet = true, .aslr = m.aslr};
		hb__recorded_place(&m);
		with.rest = m.command.at;
		code = hb__make_traced(&with, settings, &making, ret);
		if (here < 0 || fchdir(here))
			code = code ? code
				    : hb__fail_with(HB_EXIT_USAGE, "cannot go back into the current folder: %s",
					      strerror(errno));
		if (here >= 0)
			close(here);
	}
	if (!code && !ret->recording)
		code = HB_EXIT_USAGE;
	hb__manifest_free(&m);
	return code;
}

/* FULL between the points of the part, in all constructs. */
static int narrow(const char *recording, const hb_difference_place *part, hb_trace_settings *ret)
{
	hb_settings_default(ret);
	char *path = hb__format("%s/%s", recording, HB_SETTINGS_FILE);
	int code = access(path, R_OK) ? 0 : hb__read_settings_file(path, ret);
	free(path);
	ret->level = HB_TRACE_FULL;
	ret->start = part->correct;
	ret->finish = part->first;
	if (part->id.name) {
		ret->save = (hb_array_id){
			hb__copy(part->id.name), hb__copy(part->id.file), part->id.line, part->id.ordinal};
		ret->save_at = part->array_at;
	}
	for (size_t i = 0; i < ret->constructs; i++)
		ret->construct[i].level = HB_TRACE_INHERITED;
	return code;
}

static void say_part(const hb_difference_place *part)
{
	if (part->correct.number)
		hb__say("both programs run once more, with all reads and writes between %s and %s",
			hb__point_words(&part->correct), hb__point_words(&part->first));
	else
		hb__say("both programs run once more, with all reads and writes up to %s",
			hb__point_words(&part->first));
}

/* The array that differed, saved in both runs, as a picture beside the recordings. */
static int draw(const char *reference, const char *run, const hb_difference_place *part, double tolerance)
{
	char text[HB_POINT_TEXT];
	const char *name = hb__short(run);
	size_t n = strlen(name);
	n -= n > 5 && !strcmp(name + n - 5, ".hbdb") ? 5 : 0;
	char *file = hb__format("%.*s-%s-%s.svg", (int)n, name, part->id.name, hb_point_text(&part->array_at, text));
	for (char *p = file + n; *p; p++)
		if (*p == '/' || *p == ' ')
			*p = '_';
	int code = hb__picture(reference, run, &part->id, &part->array_at, tolerance, file);
	free(file);
	return code;
}

static int zoom(const hb_args *args, const char *reference, const char *run, const hb_reference_tolerance *tolerance,
	const hb_difference_place *part)
{
	hb_trace_settings settings;
	const char *given = hb__option_value(args, "output");
	char *output[2] = {
		zoomed(reference, given, given ? "-reference" : "-zoom"), zoomed(run, given, given ? "" : "-zoom")};
	hb_made made[2] = {0};
	hb_difference_place closer = {0};
	say_part(part);
	int code = narrow(reference, part, &settings);
	code = code ? code : again(args, reference, &settings, output[0], &made[0]);
	code = code ? code : again(args, run, &settings, output[1], &made[1]);
	code = code ? code : hb__place_of_difference(args, made[0].recording, made[1].recording, tolerance, &closer);
	if (closer.compared && !closer.values)
		hb__say("no reads and writes were seen: build the program with hbdb cc and hbdb fc, as in 'make CC=\"hbdb cc mpicc\"', and compare again");
	else if (closer.compared && !closer.any)
		hb__say("these two runs do not differ between these points: does the difference come in every run?");
	if (closer.compared && part->id.name)
		draw(made[0].recording, made[1].recording, part, tolerance->relative);
	if (closer.compared)
		code = HB_EXIT_FINDING; /* whatever these two runs did: the first two differ */
	hb__place_free(&closer);
	hb_settings_free(&settings);
	for (int i = 0; i < 2; i++) {
		free(output[i]);
		free(made[i].recording);
	}
	return code;
}

int hb__compare_zoom(const hb_args *args)
{
	char *path[2] = {NULL, NULL};
	hb_difference_place part = {0};
	hb_reference_tolerance tolerance = {.relative = 1e-8};
	if (args->nwords != 3 || args->rest)
		return hb__fail_with(HB_EXIT_USAGE,
			"compare zoom takes the two recordings that differ, as in 'hbdb compare zoom reference.hbdb run.hbdb'; their commands run once more");
	int code = hb__read_tolerances(args, &tolerance);
	code = code ? code : hb__find_recording(args->word[1], &path[0]);
	code = code ? code : hb__find_recording(args->word[2], &path[1]);
	code = code ? code : hb__place_of_difference(NULL, path[0], path[1], &tolerance, &part);
	if (!code && !part.any) {
		printf("same: there is no difference to look into\n");
	} else if (!code) {
		code = zoom(args, path[0], path[1], &tolerance, &part);
	}
	hb__place_free(&part);
	free(path[0]);
	free(path[1]);
	return code;
}

/* ---- find ---- */

/* The two commands, with -- between them. The first one ends there: NULL stands in the place of --. */
static char **second_command(char **rest)
{
	for (; rest && *rest; rest++)
		if (!strcmp(*rest, "--")) {
			*rest = NULL;
			return rest + 1;
		}
	return NULL;
}

static int record(
	const hb_args *args, char **command, const hb_trace_settings *settings, const char *output, hb_made *ret)
{
	hb_args with = *args;
	hb_making making = {.output = output, .quiet = true};
	with.rest = command;
	int code = hb__make_traced(&with, settings, &making, ret);
	if (!code && !ret->recording)
		code = HB_EXIT_USAGE;
	return code;
}

int hb__compare_find(const hb_args *args)
{
	char **second = second_command(args->rest);
	const char *given = hb__option_value(args, "output");
	hb_trace_settings settings = {0};
	hb_made made[2] = {0};
	hb_difference_place part = {0};
	if (args->nwords != 1 || !args->rest || !*args->rest || !second || !*second)
		return hb__fail_with(HB_EXIT_USAGE,
			"compare find takes two commands, the reference first, as in 'hbdb compare find -- mpirun -n 1 ./program -- mpirun -n 4 ./program'");
	char *output = given ? zoomed(given, given, "-first") : NULL;
	int code = hb__wished_settings(args, NULL, &settings);
	hb_reference_tolerance tolerance = {settings.tolerance, settings.absolute};
	if (!code)
		hb__say("the reference run");
	code = code ? code : record(args, args->rest, &settings, output, &made[0]);
	if (!code)
		hb__say("the run that is compared with it");
	free(output);
	output = given ? zoomed(given, given, "-second") : NULL;
	code = code ? code : record(args, second, &settings, output, &made[1]);
	code = code ? code : hb__place_of_difference(args, made[0].recording, made[1].recording, &tolerance, &part);
	if (code == HB_EXIT_FINDING && part.any)
		code = zoom(args, made[0].recording, made[1].recording, &tolerance, &part);
	hb__place_free(&part);
	hb_settings_free(&settings);
	free(output);
	free(made[0].recording);
	free(made[1].recording);
	return code;
}
