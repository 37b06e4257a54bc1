/* hbdb record */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../contents/files.h"
#include "../../findings/findings.h"
#include "../../making/make.h"
#include "../../making/traced.h"
#include "../../options.h"
#include "../../stopping/kept.h"
#include "../../stopping/stop.h"
#include "../../watch/watch.h"

const hb_option hb__record_options[] = {
	{"output", 'o', HB_OPTION_RECORDING, "NAME.hbdb",
		"the recording to write; default: the program's name, a dash and a number"},
	{"level", 'l', HB_OPTION_CHOICE, "order|racing|events|data",
		"what to store: order, only what MPI chose, which is enough for a replay; racing, of that only what raced; events, every call (default); data, also what the messages contain"},
	{"data-ranks", 0, HB_OPTION_TEXT, "RANKS",
		"at level data, keep contents of these ranks only, as in 3,7-9; default: of all"},
	{"inputs", 0, HB_OPTION_CHOICE, "on|off",
		"at level data, also record what the program asks the system for: clocks, random numbers, files and the like; default: on"},
	{"layers", 0, HB_OPTION_TEXT, "LAYERS",
		"of what events are recorded: some of mpi, user, threads, inputs, sockets, with commas between; default: mpi,user,threads (with --ring without threads), and inputs at level data"},
	{"threads", 0, HB_OPTION_CHOICE, "on|off",
		"record the order between threads of a process, by locks and the like, for a replay; default: on, and off with --ring"},
	{"pack", 0, HB_OPTION_FLAG, NULL,
		"at level data, put the files that the program reads into the recording, for a replay elsewhere"},
	{"mpi", 0, HB_OPTION_CHOICE, "auto|openmpi|mpich",
		"the MPI library of the program; default: found from launcher and program"},
	{"shake", 0, HB_OPTION_NUMBER, "USEC",
		"delay every send by a random time of less than USEC microseconds, to provoke rare orders"},
	{"digests", 0, HB_OPTION_CHOICE, "short|whole",
		"what is known of the contents of messages and collectives: a check of sixteen bits (default), or also 64 bits of the whole contents, for hbdb diff"},
	{"no-contents", 0, HB_OPTION_FLAG, NULL, "do not store a check of the contents of messages and collectives"},
	{"check", 0, HB_OPTION_FLAG, NULL, "also record what hbdb check needs: arguments, handles, buffers, datatypes"},
	{"watch", 0, HB_OPTION_MAYBE, "SECONDS",
		"report when the job hangs, and why; after SECONDS without progress it is called hung, even without proof; default: 10"},
	{"model", 0, HB_OPTION_TEXT, "FILE",
		"with --watch: hold the run against this model of a correct one, too; what it does not allow is told at once"},
	{"set", 0, HB_OPTION_EACH, "NAME=NUMBER", "a parameter of the model; may be given several times"},
	{"on-hang", 0, HB_OPTION_CHOICE, "leave|stacks|kill",
		"what to do with a job that hangs: leave it running (default), also print its stacks with gdb, or end it"},
	{"keep-raw", 0, HB_OPTION_FLAG, NULL, "keep the logs as the processes wrote them; do not compress them"},
	{"send", 0, HB_OPTION_TEXT, "COMMAND",
		"write the recording into this command's standard input while it is made, as in --send 'ssh HOST hbdb receive'"},
	{"send-when", 0, HB_OPTION_TEXT, "\"TIME LOWER UPPER\"|@FILE",
		"with --send: until TIME seconds, send the events of a process when there are more than UPPER, or more than LOWER and it waits in MPI; default: at once"},
	{"trace", 0, HB_OPTION_TEXT, "SETTINGS",
		"also write a trace of each process: loops, regions and arrays of its marks and of OpenMP, as this file says"},
	{"ring", 0, HB_OPTION_TEXT, "SIZE",
		"keep of each process only the last SIZE bytes of its log, as in 64M, for as long as it runs"},
	{"keep", 0, HB_OPTION_FLAG, NULL,
		"make a recording NAME-kept-1.hbdb of what the recording NAME, which goes on, holds now; default: the last one that is being made"},
	{"stop", 0, HB_OPTION_FLAG, NULL,
		"end the recording NAME, whose processes live on after the command: they are no longer recorded; default: the last such one"},
	{"local", 0, HB_OPTION_TEXT, "FOLDER|off",
		"of a job on several nodes: where each node keeps its part until the job is over; off: all nodes see the folder of the recording, and write there; default: /tmp"},
	{"fetch", 0, HB_OPTION_FLAG, NULL,
		"fetch what nodes of the recording NAME still have that could not be reached when it was made; default: the last recording"},
	{"from-elsewhere", 0, HB_OPTION_FLAG, NULL,
		"with --fetch, --keep and --stop: also of a recording that you did not make here; hbdb connects to the nodes that it names"},
	{"aslr", 0, HB_OPTION_FLAG, NULL, "do not switch off address space randomisation"},
	{0},
};

#define SHAKE_MAX_US 10000000

static bool watched(const hb_args *args)
{
	return hb__option_value(args, "watch") || hb__option_value(args, "on-hang");
}

static bool is_data(const char *level) { return level && !strcmp(level, "data"); }

static bool is_whole(const hb_args *args)
{
	const char *digests = hb__option_value(args, "digests");
	return digests && !strcmp(digests, "whole");
}

/* --layers as bits, 0: not given. 0, or the exit code after having said what is wrong. */
static int read_layers(const hb_args *args, unsigned *ret)
{
	const char *list = hb__option_value(args, "layers"), *level = hb__option_value(args, "level");
	*ret = 0;
	for (const char *p = list; p && *p; p += strspn(p, ",")) {
		size_t n = strcspn(p, ",");
		unsigned layer = hb__layer_named(p, n);
		if (!layer) {
			char *all = hb__layers_text(HB_LAYERS, ", ");
			int code = hb__fail_with(HB_EXIT_USAGE,
				"record --layers: there is no layer '%.*s'; there are %s", (int)n, p, all);
			free(all);
			return code;
		}
		*ret |= layer;
		p += n;
	}
	if (!list)
		return 0;
	if (!*ret)
		return hb__fail_with(
			HB_EXIT_USAGE, "record --layers names no layer: give one, as in --layers mpi,user");
	if (hb__option_value(args, "threads") || hb__option_value(args, "inputs"))
		return hb__fail_with(HB_EXIT_USAGE,
			"record --layers says whether threads and inputs are recorded: leave --threads and --inputs away");
	if ((*ret & HB_LAYER_INPUTS) && !is_data(level) && !(*ret & HB_LAYER_SOCKETS))
		return hb__fail_with(HB_EXIT_USAGE,
			"record --layers inputs: without the layer of sockets they are kept at --level data alone: add it");
	if ((*ret & HB_LAYER_SOCKETS) && level && (!strcmp(level, "order") || !strcmp(level, "racing")))
		return hb__fail_with(HB_EXIT_USAGE,
			"record --level %s stores only what MPI chose: with --layers sockets, which needs every call, use --level events, the default, or --level data",
			level);
	if ((*ret & HB_LAYER_THREADS) && (hb__option_value(args, "check") || watched(args)))
		return hb__fail_with(HB_EXIT_USAGE,
			"record --check and --watch do not record the order between threads: leave threads out of --layers");
	return 0;
}

/* Whether the options go together: 0, or the exit code after having said which do not. */
static int check_options(const hb_args *args, unsigned layers)
{
	const char *level = hb__option_value(args, "level"), *ranks = hb__option_value(args, "data-ranks"),
		   *inputs = hb__option_value(args, "inputs");
	bool data = is_data(level), pack = hb__option_value(args, "pack");
	if (hb__option_number(args, "shake", 0) > SHAKE_MAX_US)
		return hb__fail_with(HB_EXIT_USAGE, "record --shake takes at most %d microseconds", SHAKE_MAX_US);
	if (ranks && !data)
		return hb__fail_with(HB_EXIT_USAGE, "record --data-ranks is for --level data, which keeps contents");
	if (!data && (inputs || pack))
		return hb__fail_with(
			HB_EXIT_USAGE, "record --inputs and --pack are for --level data, which keeps inputs");
	if (pack && layers && !(layers & HB_LAYER_INPUTS))
		return hb__fail_with(HB_EXIT_USAGE, "record --pack needs the inputs: add them to --layers");
	if (pack && inputs && !strcmp(inputs, "off"))
		return hb__fail_with(HB_EXIT_USAGE, "record --pack needs the inputs: leave --inputs off away");
	if (ranks && hb__check_data_ranks(ranks))
		return HB_EXIT_USAGE;
	if (level && !data && strcmp(level, "events") != 0 && (hb__option_value(args, "check") || watched(args)))
		return hb__fail_with(HB_EXIT_USAGE,
			"record --check and --watch need every call: use --level events, the default, or --level data");
	const hb_model_wish model = {hb__option_value(args, "model"), hb__option_value(args, "set")};
	if (model.file && !watched(args))
		return hb__fail_with(HB_EXIT_USAGE,
			"record --model goes with --watch; afterwards 'hbdb check --model %s' does it", model.file);
	if (hb__model_check_wish(&model))
		return HB_EXIT_USAGE;
	if (is_whole(args) &&
		(hb__option_value(args, "no-contents") || ranks || (level && !data && strcmp(level, "events") != 0)))
		return hb__fail_with(HB_EXIT_USAGE,
			"record --digests whole is for the levels events and data, of all ranks, and not with --no-contents");
	const char *local = hb__option_value(args, "local");
	if (local && *local != '/' && strcmp(local, "off") != 0)
		return hb__fail_with(
			HB_EXIT_USAGE, "record --local takes an absolute path, the same on all nodes, or off");
	if (hb__option_value(args, "send-when") && !hb__option_value(args, "send"))
		return hb__fail_with(HB_EXIT_USAGE, "record --send-when goes with --send COMMAND");
	return 0;
}

/* --stop [NAME], --keep [NAME], --fetch [NAME]: what stands in the place of the command is the name. */
static int with_name(const hb_args *args, const char *option, int (*does)(const char *name, bool elsewhere))
{
	for (const hb_option *o = hb__record_options; o->name; o++)
		if (hb__option_value(args, o->name) && strcmp(o->name, option) != 0 &&
			strcmp(o->name, "from-elsewhere") != 0)
			return hb__fail_with(
				HB_EXIT_USAGE, "record --%s goes with no other option, as --%s is", option, o->name);
	if (args->rest && args->rest[0] && args->rest[1])
		return hb__fail_with(HB_EXIT_USAGE,
			"record --%s takes the name of one recording, as in 'hbdb record --%s NAME.hbdb'", option,
			option);
	return does(args->rest ? args->rest[0] : NULL, hb__option_value(args, "from-elsewhere"));
}

/* What is done to a recording that there is. */
static int of_recording(const hb_args *args)
{
	if (hb__option_value(args, "stop"))
		return with_name(args, "stop", hb__stop_recording);
	if (hb__option_value(args, "keep"))
		return with_name(args, "keep", hb__keep_now);
	if (hb__option_value(args, "fetch"))
		return with_name(args, "fetch", hb__fetch_missing);
	return hb__fail_with(HB_EXIT_USAGE, "record --from-elsewhere goes with --fetch, --keep and --stop");
}

#define RING_LEAST (1u << 17)

/* 64M, 1G, 500000. 0, or the exit code after having said what is wrong. */
static int read_ring(const hb_args *args, uint64_t *ret, unsigned layers)
{
	static const char *const without[] = {
		"check", "watch", "on-hang", "model", "send", "trace", "data-ranks", "inputs", "pack"};
	const char *text = hb__option_value(args, "ring"), *level = hb__option_value(args, "level");
	char *end;
	if (!text)
		return 0;
	errno = 0;
	unsigned long long size = strtoull(text, &end, 10);
	const char *unit = strchr("KMG", *end);
	unsigned shift = *end && unit ? 10 * (unsigned)(1 + (unit - "KMG")) : 0;
	if (errno || *text < '0' || *text > '9' || (*end && (!shift || end[1])) || size > UINT64_MAX >> shift)
		return hb__fail_with(HB_EXIT_USAGE, "record --ring takes a size, as in 64M or 1G, not '%s'", text);
	*ret = size << shift;
	if (*ret < RING_LEAST || *ret > (uint64_t)1 << 40)
		return hb__fail_with(
			HB_EXIT_USAGE, "record --ring: the log of a process has at least 128K and at most 1024G");
	if (level && strcmp(level, "events") != 0)
		return hb__fail_with(HB_EXIT_USAGE,
			"record --ring is for --level events, the default: what the other levels store is of use from the beginning on only");
	for (size_t i = 0; i < sizeof without / sizeof *without; i++)
		if (hb__option_value(args, without[i]))
			return hb__fail_with(HB_EXIT_USAGE,
				"record --ring does not go with --%s, which needs the beginning of the run",
				without[i]);
	if (is_whole(args))
		return hb__fail_with(
			HB_EXIT_USAGE, "record --ring does not go with --digests whole, which keeps all of them");
	if (layers & HB_LAYER_INPUTS)
		return hb__fail_with(HB_EXIT_USAGE, "record --ring keeps no inputs: leave them out of --layers");
	return 0;
}

static int status_of(const hb_made *made)
{
	return made->end.ended                   ? HB_EXIT_FINDING
	       : !made->end.status && made->lost ? HB_EXIT_RECORDING
						 : made->end.status;
}

int hb__record(const hb_args *args)
{
	hb_send_policy policy = {0};
	uint64_t ring = 0;
	if (hb__option_value(args, "stop") || hb__option_value(args, "keep") || hb__option_value(args, "fetch") ||
		hb__option_value(args, "from-elsewhere"))
		return of_recording(args);
	if (!args->rest)
		return hb__fail_with(
			HB_EXIT_USAGE, "record needs the command to run, as in 'hbdb record -- mpirun -n 4 ./program'");
	const char *level = hb__option_value(args, "level"), *then = hb__option_value(args, "on-hang"),
		   *inputs = hb__option_value(args, "inputs"), *threads = hb__option_value(args, "threads");
	unsigned layers;
	int code = read_layers(args, &layers);
	code = code ? code : check_options(args, layers);
	code = code ? code : read_ring(args, &ring, layers);
	code = code ? code : hb__read_send_policy(hb__option_value(args, "send-when"), &policy);
	char *settings = NULL;
	if (!code && hb__option_value(args, "trace"))
		code = hb__read_trace_settings(hb__option_value(args, "trace"), &settings);
	if (code)
		return code;
	/* with --check alone it tells what is wrong with arguments, and no hangs */
	hb_model_wish model = {hb__option_value(args, "model"), hb__option_value(args, "set")};
	hb_watch watch = {.model = model.file ? &model : NULL,
		.patience = watched(args) ? (double)hb__option_number(args, "watch", HB_WATCH_PATIENCE) : 0,
		.then = then && !strcmp(then, "kill")     ? HB_ON_HANG_KILL
			: then && !strcmp(then, "stacks") ? HB_ON_HANG_STACKS
							  : HB_ON_HANG_LEAVE};
	hb_making making = {.argv = args->rest,
		.output = hb__option_value(args, "output"),
		.level = level,
		.data_ranks = hb__option_value(args, "data-ranks"),
		.layers = layers,
		.ring = ring,
		.inputs = is_data(level) && !(inputs && !strcmp(inputs, "off")),
		.pack = hb__option_value(args, "pack") != NULL,
		/* a flight recorder is to cost next to nothing, and servers lock more often than they do anything else */
		.unordered = threads ? !strcmp(threads, "off") : ring != 0,
		.mpi = hb__option_value(args, "mpi"),
		.contents = !hb__option_value(args, "no-contents"),
		.whole = is_whole(args),
		.remarks = hb__option_value(args, "check") || watched(args),
		.aslr = hb__option_value(args, "aslr") != NULL,
		.raw = hb__option_value(args, "keep-raw") != NULL,
		.shake_us = hb__option_number(args, "shake", 0),
		.traced = settings,
		.local = hb__option_value(args, "local"),
		.send = hb__option_value(args, "send"),
		.send_policy = policy,
		.watch = watched(args) || hb__option_value(args, "check") ? hb__watch : NULL,
		.user = &watch};
	hb_made made;
	code = hb__make(&making, &made);
	hb__watch_close(&watch);
	free(settings);
	free(made.recording);
	return code ? code : status_of(&made);
}
