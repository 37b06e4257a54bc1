/* hbdb view */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../options.h"
#include "../../page/page.h"
#include "../../store/find.h"

const hb_option hb__view_options[] = {
	{"port", 'p', HB_OPTION_NUMBER, "N", "listen on this port of 127.0.0.1; default: any free port"},
	{"no-browser", 0, HB_OPTION_FLAG, NULL, "print the address and open no browser"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print the address as a JSON object"},
	{"at", 0, HB_OPTION_TEXT, "EVENT", "open the page at this event"},
	{"model", 0, HB_OPTION_TEXT, "FILE", "show what this model of a correct run says of it, key by key"},
	{"set", 0, HB_OPTION_EACH, "NAME=NUMBER", "a parameter of the model; may be given several times"},
	{"against", 0, HB_OPTION_TEXT, "REFERENCE", "show where it differs from this recording; both of hbdb compare"},
	{"trust", 0, HB_OPTION_FLAG, NULL,
		"the page may run the command of a recording that may come from somebody else"},
	{"local", 0, HB_OPTION_TEXT, "FOLDER|off",
		"of a replay over several nodes: the folder on each for what its processes write and follow; off: they use that of the replay, which all see; default: /tmp"},
	{"html", 0, HB_OPTION_TEXT, "FILE", "write the page as one file that needs no server, and exit"},
	{"around", 0, HB_OPTION_TEXT, "EVENT", "with --html: the events around this one"},
	{"range", 0, HB_OPTION_TEXT, "FROM-TO", "with --html: the events between two logical times"},
	{"events", 0, HB_OPTION_NUMBER, "N", "with --html: at most this many events; default: 2000"},
	{0},
};

struct view {
	const hb_args *args;
	char *recording;
	hb_run run;
	hb_page_run page;
	hb_model_wish model;
	hb_manifest manifest;
	bool replayable;
	char *foreign; /* why the recorded command is not run; NULL: it may be */
	char *command;
	hb_source *sources;
	size_t nsources;
	int64_t *shift_ns;
	hb_page_replay replay;
	hb_view_control control;
	hb_view_server *server;
	char *browser; /* the file that led it here */
};

/* ---- options ---- */

static char *joined(const hb_strings *words)
{
	char *all = hb__copy("");
	for (size_t i = 0; i < words->n; i++) {
		char *more = hb__format("%s%s%s", all, i ? " " : "", words->at[i]);
		free(all);
		all = more;
	}
	return all;
}

static int check_options(const hb_args *args)
{
	const char *html = hb__option_value(args, "html"), *around = hb__option_value(args, "around");
	const char *range = hb__option_value(args, "range"), *dash = range ? strchr(range, '-') : NULL;
	uint64_t port = hb__option_number(args, "port", 0);
	if (port > 65535)
		return hb__fail_with(HB_EXIT_USAGE, "--port %llu: the highest port is 65535", (unsigned long long)port);
	if (!html && (around || range || hb__option_value(args, "events")))
		return hb__fail_with(HB_EXIT_USAGE,
			"--around, --range and --events only choose what --html FILE writes: give --html, too");
	if (html && hb__option_value(args, "against"))
		return hb__fail_with(HB_EXIT_USAGE,
			"--against needs the server, which draws its maps: leave --html away, or write a picture with hbdb compare picture");
	if (range && (strspn(range, "0123456789-") != strlen(range) || !dash || dash == range || !dash[1]))
		return hb__fail_with(HB_EXIT_USAGE, "--range %s: write FROM-TO, as in --range 100-200", range);
	if (around && range)
		return hb__fail_with(
			HB_EXIT_USAGE, "--around and --range both choose the events to write: give only one of them");
	const char *at = hb__option_value(args, "at");
	int code = at ? hb__check_event(at) : 0;
	return !code && around ? hb__check_event(around) : code;
}

static hb_view_options options_of(struct view *v)
{
	hb_view_options o = {.name = hb__short(v->recording),
		.command = v->command,
		.mpi = v->manifest.mpi,
		.level = v->manifest.level ? v->manifest.level : "events",
		.folder = v->manifest.folder,
		.sources = v->sources,
		.nsources = v->nsources,
		.shift_ns = v->shift_ns,
		.silent = hb__option_value(v->args, "html") != NULL,
		.port = (uint16_t)hb__option_number(v->args, "port", 0),
		.source = hb__page_source(&v->page)};
	v->control = hb__page_control(&v->replay);
	if (v->replayable && !o.silent)
		o.control = &v->control;
	else
		o.no_control =
			v->foreign
				? v->foreign
				: "the recording does not say how the run was started, so it cannot be replayed; give the command, as in hbdb view NAME -- COMMAND";
	return o;
}

/* ---- serving ---- */

static volatile sig_atomic_t asked_to_end;
static int wake_fd;

static void on_signal(int sig)
{
	const uint64_t one = 1;
	int error = errno;
	asked_to_end = sig;
	if (write(wake_fd, &one, sizeof one) < 0)
		asked_to_end = sig;
	errno = error;
}

static void take_signals(int fd)
{
	const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};
	wake_fd = fd;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
}

/* The page takes what is chosen from behind the #. */
static char *address_of(const struct view *v)
{
	const char *at = hb__option_value(v->args, "at");
	/* in the name of a process: worker#2 */
	const char *number = at ? strchr(at, '#') : NULL;
	char *name = number ? hb__format("%.*s%%23%s", (int)(number - at), at, number + 1) : hb__copy(at ? at : "");
	char *text = hb__format("%s%s%s%s", hb_view_address(v->server), at ? "#at=" : "", name, at ? "&near=1" : "");
	free(name);
	return text;
}

static int print_address(const struct view *v, const char *address)
{
	if (hb__option_value(v->args, "json"))
		printf("{\"address\":\"%s\",\"port\":%u,\"pid\":%d}\n", address, hb_view_port(v->server),
			(int)getpid());
	else
		printf("%s\n", address);
	if (fflush(stdout))
		return hb__fail_with(HB_EXIT_USAGE, "cannot print the address: %s", strerror(errno));
	if (isatty(2))
		hb__say("press Ctrl-C to end it");
	return 0;
}

static int serve(struct view *v)
{
	hb_error err = {0};
	bool told = false;
	struct pollfd fd = {.fd = hb_view_fd(v->server), .events = POLLIN};
	take_signals(fd.fd);
	char *address = address_of(v);
	int code = print_address(v, address);
	if (!code && !hb__option_value(v->args, "no-browser"))
		hb__open_browser(address, &v->browser);
	free(address);
	while (!code && !asked_to_end) {
		bool running = v->replay.live && hb__live_running(v->replay.live);
		poll(&fd, 1, running ? 20 : 1000);
		if (v->replay.live)
			hb__live_poll(v->replay.live, 0);
		hb_view_turn(v->server);
		if (!told && hb_view_ready(v->server, &err)) {
			hb__say_troubles(&v->run);
			told = true;
		}
		if (!told && err.status)
			code = hb__fail_log(v->recording, &err);
	}
	return code;
}

static int write_page(struct view *v)
{
	hb_error err = {0};
	const char *range = hb__option_value(v->args, "range"), *dash = range ? strchr(range, '-') : NULL;
	hb_page_part part = {
		.around = hb__option_value(v->args, "around"), .events = hb__option_number(v->args, "events", 2000)};
	part.from = range;
	part.to = dash ? dash + 1 : NULL;
	if (hb_view_wait(v->server, &err))
		return hb__fail_log(v->recording, &err);
	hb__say_troubles(&v->run);
	return hb__write_page(v->server, hb__option_value(v->args, "html"), &part);
}

static int open_server(struct view *v)
{
	hb_error err = {0};
	hb_view_options options = options_of(v);
	if (!hb_view_open(&options, &v->server, &err))
		return 0;
	v->server = NULL;
	if (err.status == HB_E_SYSTEM && err.sys == EADDRINUSE)
		return hb__fail_with(
			HB_EXIT_USAGE, "port %u is in use: without --port hbdb takes a free one", options.port);
	if (err.status == HB_E_SYSTEM && err.sys == EACCES)
		return hb__fail_with(HB_EXIT_USAGE, "you may not use port %u: choose one above 1023", options.port);
	return hb__fail_with(HB_EXIT_USAGE, "cannot serve the page: %s%s%s", err.message, err.sys ? ": " : "",
		err.sys ? strerror(err.sys) : "");
}

static int view(struct view *v)
{
	int code = hb__page_begin(v->recording, &v->run, &v->page);
	v->page.model = v->model.file ? &v->model : NULL;
	if (!v->run.views) {
		if (code == HB_EXIT_RECORDING)
			hb__say("none of the logs can be read, so there is nothing to show and no page is served");
		return code;
	}
	const char *reference = hb__option_value(v->args, "against");
	code = reference ? hb__page_compare(reference, v->recording, &v->page.compare) : 0;
	if (code)
		return code;
	v->replayable = !hb__manifest_read(v->recording, &v->manifest) && v->manifest.command.n;
	v->replayable = (v->replayable || v->args->rest) && !v->manifest.imported_from;
	char *why = v->replayable && !v->args->rest && !hb__option_value(v->args, "trust")
			    ? hb__trust_not(v->recording, &v->manifest)
			    : NULL;
	if (why)
		v->foreign = hb__format("%s; hbdb view --trust %s replays it", why, hb__short(v->recording));
	free(why);
	v->replayable = v->replayable && !v->foreign;
	v->command = joined(&v->manifest.command);
	v->sources = hb__page_sources(&v->page, &v->nsources, &v->shift_ns);
	v->replay.options = (hb_live_options){.recording = v->recording,
		.command = v->args->rest,
		.trust = hb__option_value(v->args, "trust") ? HB_TRUST_GIVEN : HB_TRUST_REFUSE,
		.local = hb__option_value(v->args, "local"),
		.run = &v->run,
		.out = 2};
	code = open_server(v);
	if (!code)
		code = hb__option_value(v->args, "html") ? write_page(v) : serve(v);
	return code;
}

int hb__view(const hb_args *args)
{
	struct view v = {.args = args, .model = {hb__option_value(args, "model"), hb__option_value(args, "set")}};
	int code = check_options(args);
	code = code ? code : hb__model_check_wish(&v.model);
	code = code ? code : hb__find_recording(args->operand, &v.recording);
	code = code ? code : view(&v);
	/* first the job, for as long as it ends nobody is answered; then who asks the run, then the run */
	hb__page_end_replay(&v.replay);
	hb_view_close(v.server);
	hb__page_end(&v.page);
	hb__close_run(&v.run);
	if (v.browser)
		unlink(v.browser);
	free(v.browser);
	free(v.sources);
	free(v.shift_ns);
	free(v.command);
	free(v.foreign);
	hb__manifest_free(&v.manifest);
	free(v.recording);
	return code;
}
