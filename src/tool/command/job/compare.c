/* hbdb compare */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../reference/verbs.h"

const hb_option hb__compare_options[] = {
	{"output", 'o', HB_OPTION_RECORDING, "NAME.hbdb",
		"the recording to write (zoom and find: the names of several); config: the file of settings; picture: the file, .svg or .png"},
	{"settings", 's', HB_OPTION_TEXT, "FILE", "what is traced: a file that 'hbdb compare config' wrote"},
	{"level", 'l', HB_OPTION_CHOICE, "none|minimal|modify|full|checksum",
		"what is traced of each construct; default: checksum"},
	{"start", 0, HB_OPTION_TEXT, "POINT", "details from this point on, as in 11.E"},
	{"finish", 0, HB_OPTION_TEXT, "POINT", "details up to this point"},
	{"tolerance", 't', HB_OPTION_TEXT, "X",
		"real numbers are equal within X of the norm of their array; default: 1e-8"},
	{"absolute", 0, HB_OPTION_TEXT, "X", "... or when they differ by no more than X"},
	{"save", 0, HB_OPTION_TEXT, "ARRAY",
		"write this array into a file of the recording (NAME:FILE:LINE:ORDINAL); picture: draw this one ..."},
	{"at", 0, HB_OPTION_TEXT, "POINT", "... at this point; default: the finish"},
	{"mpi", 0, HB_OPTION_CHOICE, "auto|openmpi|mpich",
		"the MPI library of the program; default: found from launcher and program"},
	{"stop", 0, HB_OPTION_FLAG, NULL, "run: end the job at the first difference"},
	{"all", 'a', HB_OPTION_FLAG, NULL, "also list differences of arrays that differed before"},
	{"trust", 0, HB_OPTION_FLAG, NULL,
		"zoom: run the commands of recordings that may come from somebody else, without asking"},
	{"json", 0, HB_OPTION_FLAG, NULL,
		"print one JSON object per line, one for each difference, and one for the sum"},
	{0},
};

static const struct verb {
	const char *name;
	int (*run)(const hb_args *args);
	const char *options; /* it takes, with blanks around each */
} verbs[] = {
	{"record", hb__compare_record, " output settings level start finish tolerance absolute save at mpi "},
	{"run", hb__compare_run, " output settings level start finish tolerance absolute save at mpi stop all json "},
	{"report", hb__compare_report, " tolerance absolute all json "},
	{"config", hb__compare_config, " output mpi "},
	{"zoom", hb__compare_zoom, " output tolerance absolute all json trust "},
	{"control", hb__compare_control, " output mpi json "},
	{"picture", hb__compare_picture, " output tolerance absolute save at "},
	{"find", hb__compare_find, " output settings tolerance absolute mpi all json "},
};

static int check_options(const hb_args *args, const struct verb *v)
{
	for (const hb_option *o = hb__compare_options; o->name; o++) {
		char *word = hb__format(" %s ", o->name);
		bool takes = strstr(v->options, word) != NULL;
		free(word);
		if (!takes && hb__option_value(args, o->name))
			return hb__fail_with(HB_EXIT_USAGE, "compare %s has no option --%s; see 'hbdb help compare'",
				v->name, o->name);
	}
	return 0;
}

int hb__compare(const hb_args *args)
{
	signal(SIGPIPE, SIG_IGN);
	hb_guess g = {.word = args->nwords ? args->word[0] : ""};
	for (size_t i = 0; args->nwords && i < sizeof verbs / sizeof *verbs; i++) {
		hb__guess(&g, verbs[i].name);
		if (strcmp(verbs[i].name, args->word[0]) != 0)
			continue;
		int code = check_options(args, &verbs[i]);
		return code ? code : verbs[i].run(args);
	}
	if (!args->nwords)
		return hb__fail_with(HB_EXIT_USAGE,
			"compare is told what to do: 'hbdb compare record -- COMMAND' first, then 'hbdb compare run REFERENCE -- COMMAND'; or all at once, 'hbdb compare find -- COMMAND -- COMMAND'");
	return hb__fail_with(HB_EXIT_USAGE, "compare does not know '%s' (see 'hbdb help compare')%s", args->word[0],
		hb__guessed(&g));
}
