/* hbdb dump */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../contents/files.h"
#include "../contents/show.h"
#include "../options.h"
#include "../reference/dump/dump.h"
#include "../remarks/remarks.h"
#include "../run/run.h"
#include "../store/find.h"
#include "../terminal.h"

const hb_option hb__dump_options[] = {
	{"rank", 'r', HB_OPTION_TEXT, "R[,R...]", "only these ranks; A-B is a range"},
	{"from", 0, HB_OPTION_NUMBER, "I", "start at this event of each process; the first is 1"},
	{"to", 0, HB_OPTION_NUMBER, "J", "stop after this event"},
	{"function", 'f', HB_OPTION_TEXT, "NAME", "only calls of this function, with or without MPI_"},
	{"choices", 'c', HB_OPTION_FLAG, NULL, "only events that MPI could have answered differently"},
	{"time", 't', HB_OPTION_FLAG, NULL, "merge all processes, in the order in which their calls returned"},
	{"plain", 0, HB_OPTION_FLAG, NULL,
		"leave out times and source lines: the output is the same for every run in which MPI made the same choices"},
	{"polls", 0, HB_OPTION_FLAG, NULL, "with --plain, also how many polls failed before an event"},
	{"remarks", 0, HB_OPTION_FLAG, NULL,
		"before an event, what the recorder itself saw there (recordings made with --check)"},
	{"data", 0, HB_OPTION_MAYBE, "VALUES",
		"behind an event, what came in with it (recordings at level data); of each piece the first VALUES values; default: 8"},
	{"compare", 0, HB_OPTION_FLAG, NULL,
		"the traces of hbdb compare, in the text form of hbdb-trace(5); only --rank and --json go with it"},
	{"json", 0, HB_OPTION_FLAG, NULL, "one JSON object per line"},
	{0},
};

/* One lane of one process, read forward. */
struct stream {
	hb_view *view;
	const hb_remark_list *remarks;
	hb_events *events;
	hb_contents_view *contents; /* .contents NULL: none are shown */
	hb_content_calls *calls;    /* likewise NULL */
	uint32_t lane;
	hb_event event;
	int64_t time_ns; /* exit of event */
	bool ended;
	const char *path;
};

struct dump {
	const hb_args *args;
	const char *ranks, *function;
	uint64_t from, to;
	bool json, choices;
	hb_logs logs;
	hb_view *views;
	hb_remark_list *remarks; /* by log; empty where they are not wanted */
	hb_data **data;          /* these two by log */
	hb_contents_view *contents;
	hb_output *out;
	int code;
};

static bool is_function(const char *name, const char *wanted)
{
	return !strcmp(name, wanted) || (!strncmp(name, "MPI_", 4) && !strcmp(name + 4, wanted));
}

static bool wanted_function(const struct dump *d, const hb_event *ev)
{
	if (!d->function)
		return true;
	return is_function(ev->function ? ev->function->name : "", d->function);
}

/* Those of some events of a lane, or of the process (HB_NO). */
static void print_remarks(struct dump *d, struct stream *s, uint32_t lane, uint64_t from, uint64_t to)
{
	const hb_remark_list *list = s->remarks;
	for (size_t i = hb__first_remark(list, lane, from); i < list->n; i++) {
		if (list->at[i].lane != lane || list->at[i].event > to)
			return;
		if (d->json)
			hb__put_remark_object(d->out, s->view, &list->at[i]);
		else
			hb__put_remark_line(d->out, s->view, &list->at[i]);
	}
}

static void fail_contents(struct dump *d, struct stream *s, hb_status status, const hb_error *err)
{
	if (status < 0)
		d->code = hb__fail_log(s->path, err);
}

/* What came with the event. */
static void print_data(struct dump *d, struct stream *s, const hb_event *ev)
{
	const hb_content *content;
	uint32_t n;
	hb_error err = {0};
	if (!s->contents->contents)
		return;
	int found = hb_contents_of(s->contents->contents, ev, &content, &n, &err);
	if (found > 0)
		found = (int)hb__put_contents(d->out, s->contents, s->lane, ev->row->number, NULL, content, n, &err);
	fail_contents(d, s, (hb_status)found, &err);
}

/* What came with calls that are no events and were made behind events up to `to`. */
static void print_calls(struct dump *d, struct stream *s, uint64_t to)
{
	hb_content_call call;
	hb_error err = {0};
	int more = s->calls ? 1 : 0;
	while (more > 0) {
		more = hb_content_calls_next(s->calls, to, &call, &err);
		hb_status status = more > 0 ? hb__put_contents(d->out, s->contents, s->lane, call.event, call.name,
						      call.content, call.contents, &err)
					    : HB_OK;
		more = status ? (int)status : more;
	}
	fail_contents(d, s, (hb_status)more, &err);
}

static void print(struct dump *d, struct stream *s)
{
	const hb_event *ev = &s->event;
	if (ev->row->number < d->from || ev->row->number > d->to || !wanted_function(d, ev) ||
		(d->choices && !ev->choice))
		return;
	print_calls(d, s, ev->row->number - 1);
	print_remarks(d, s, s->lane, ev->row->number, ev->row->number);
	if (d->json)
		hb__put_object(d->out, s->view, ev);
	else
		hb__put_line(d->out, s->view, ev);
	print_data(d, s, ev);
}

static bool step(struct dump *d, struct stream *s)
{
	hb_error err = {0};
	int got = hb_events_next(s->events, &s->event, &err);
	if (got < 0)
		d->code = hb__fail_log(s->path, &err);
	if (got == 1)
		s->time_ns = hb__view_ns(s->view, s->event.row->exit);
	s->ended = got != 1;
	return got == 1;
}

/* Only some of the events are wanted, wherever they stand. */
static bool is_choosy(const struct dump *d) { return d->choices || d->function; }

/* What was remarked behind the last event that was printed of a lane: of calls that are no events. */
static void print_rest(struct dump *d, struct stream *s, uint64_t last)
{
	print_calls(d, s, d->to);
	if (!is_choosy(d) && last < d->to)
		print_remarks(d, s, s->lane, last + 1 > d->from ? last + 1 : d->from, d->to);
}

/* After the last event of a lane: the call that its thread never returned from. Whether there is one. */
static bool print_inside(struct dump *d, struct stream *s, uint64_t last)
{
	hb_event ev;
	if (s->view->plain || last >= d->to || d->choices || hb_events_inside(s->events, &ev) != 1)
		return false;
	hb_row row = *ev.row;
	row.number = last + 1;
	row.lane = s->event.row ? s->event.row->lane : row.lane;
	ev.row = &row;
	s->event = ev;
	s->view->never = true;
	print(d, s);
	s->view->never = false;
	return true;
}

static bool open_stream(struct dump *d, size_t i, uint32_t lane, struct stream *ret)
{
	hb_error err = {0};
	*ret = (struct stream){.view = &d->views[i],
		.remarks = &d->remarks[i],
		.contents = &d->contents[i],
		.lane = lane,
		.path = d->logs.at[i].path};
	if (!hb_events_open(d->logs.at[i].log, lane, &ret->events, &err)) {
		if (!lane && d->from == 1 && !is_choosy(d))
			print_remarks(d, ret, HB_NO, 0, UINT64_MAX);
		hb_status status =
			!d->contents[i].contents || is_choosy(d)
				? HB_OK
				: hb_content_calls_open(d->contents[i].contents, lane, d->from - 1, &ret->calls, &err);
		fail_contents(d, ret, status, &err);
		return true;
	}
	d->code = hb__fail_log(ret->path, &err);
	return false;
}

static void close_stream(struct stream *s)
{
	hb_events_close(s->events);
	hb_content_calls_close(s->calls);
}

static void dump_by_rank(struct dump *d)
{
	for (size_t i = 0; i < d->logs.n; i++) {
		if (!d->logs.at[i].log || !hb__has_process(d->ranks, d->logs.at[i].rank, d->views[i].name))
			continue;
		for (uint32_t lane = 0; lane < d->views[i].info->lanes; lane++) {
			struct stream s;
			uint64_t last = 0;
			if (!open_stream(d, i, lane, &s))
				continue;
			while (last < d->to && !d->out->broken && step(d, &s)) {
				last = s.event.row->number;
				print(d, &s);
			}
			last += last < d->to && print_inside(d, &s, last);
			print_rest(d, &s, last);
			close_stream(&s);
		}
	}
}

/* A heap of streams, the one with the earliest exit on top. */
static void sift(struct stream **heap, size_t n, size_t i)
{
	for (;;) {
		size_t least = i;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
			if (heap[k]->time_ns < heap[least]->time_ns)
				least = k;
		if (least == i)
			return;
		struct stream *t = heap[i];
		heap[i] = heap[least];
		heap[least] = t;
		i = least;
	}
}

static void dump_by_time(struct dump *d)
{
	struct stream **heap = NULL;
	size_t n = 0;
	for (size_t i = 0; i < d->logs.n; i++)
		for (uint32_t lane = 0;
			d->logs.at[i].log && hb__has_process(d->ranks, d->logs.at[i].rank, d->views[i].name) &&
			lane < d->views[i].info->lanes;
			lane++) {
			struct stream *s = hb__alloc(sizeof *s);
			if (!open_stream(d, i, lane, s) || !step(d, s)) {
				close_stream(s);
				free(s);
				continue;
			}
			heap = hb__resize(heap, (n + 1) * sizeof *heap);
			heap[n++] = s;
		}
	for (size_t i = n; i-- > 0;)
		sift(heap, n, i);
	while (n && !d->out->broken) {
		print(d, heap[0]);
		uint64_t last = heap[0]->event.row->number;
		if (!step(d, heap[0])) {
			print_rest(d, heap[0], last);
			close_stream(heap[0]);
			free(heap[0]);
			heap[0] = heap[--n];
		}
		sift(heap, n, 0);
	}
	while (n) {
		close_stream(heap[--n]);
		free(heap[n]);
	}
	free(heap);
}

static void make_views(struct dump *d)
{
	bool wanted = hb__option_value(d->args, "remarks") != NULL;
	uint64_t found = 0;
	d->views = hb__make_views(&d->logs);
	d->remarks = hb__alloc((d->logs.n + 1) * sizeof *d->remarks);
	for (size_t i = 0; i < d->logs.n; i++) {
		if (wanted && d->logs.at[i].log)
			hb__list_remarks(d->logs.at[i].log, &d->remarks[i]);
		found += d->remarks[i].n;
		d->views[i].plain = hb__option_value(d->args, "plain") != NULL;
		d->views[i].polls = hb__option_value(d->args, "polls") != NULL;
	}
	if (wanted && !found)
		hb__say("there are no remarks: this was recorded without --check");
}

/* What came into the processes that are shown. */
static void open_contents(struct dump *d)
{
	bool wanted = hb__option_value(d->args, "data") != NULL, found = false;
	uint64_t shown = hb__option_number(d->args, "data", HB_CONTENTS_SHOWN);
	d->data = hb__alloc((d->logs.n + 1) * sizeof *d->data);
	d->contents = hb__alloc((d->logs.n + 1) * sizeof *d->contents);
	for (size_t i = 0; i < d->logs.n && wanted; i++) {
		hb_error err = {0};
		d->contents[i] = (hb_contents_view){.view = &d->views[i], .shown = shown, .json = d->json};
		if (!d->logs.at[i].log || !hb__has_process(d->ranks, d->logs.at[i].rank, d->views[i].name))
			continue;
		int code = hb__open_contents(&d->logs.at[i], &d->data[i]);
		if (d->data[i] && hb_contents_open(d->logs.at[i].log, d->data[i], &d->contents[i].contents, &err))
			code = hb__fail_log(d->logs.at[i].path, &err);
		bool early = d->data[i] && hb_data_get_info(d->data[i])->recovered;
		d->code = code ? code : early ? HB_EXIT_RECORDING : d->code;
		found = found || d->data[i] || code;
	}
	if (wanted && !found)
		hb__say("there are no contents of these processes: record with --level data to keep them");
}

static void close_contents(struct dump *d)
{
	for (size_t i = 0; i < d->logs.n; i++) {
		hb_contents_close(d->contents[i].contents);
		hb_data_close(d->data[i]);
	}
	free(d->contents);
	free(d->data);
}

static int check(const struct dump *d)
{
	if (d->from > d->to)
		return hb__fail_with(HB_EXIT_USAGE, "dump --from %llu lies after --to %llu",
			(unsigned long long)d->from, (unsigned long long)d->to);
	return d->ranks ? hb__check_ranks("dump", d->ranks) : 0;
}

/* --function and --from that no event of the whole recording meets. */
static int check_filters(const struct dump *d)
{
	hb_guess g = {.word = d->function};
	bool called = !d->function;
	uint64_t most = 0;
	for (size_t i = 0; i < d->logs.n; i++) {
		const hb_log_info *info = d->views[i].info;
		most = info->events > most ? info->events : most;
		for (uint32_t k = 0; !called && k < info->functions; k++) {
			const hb_function *f = hb_log_function(d->logs.at[i].log, k);
			if (!f || !f->name)
				continue;
			called = is_function(f->name, d->function);
			hb__guess(&g, f->name);
			hb__guess(&g, strncmp(f->name, "MPI_", 4) ? f->name : f->name + 4);
		}
	}
	if (!called)
		return hb__fail_with(HB_EXIT_USAGE,
			"dump --function %s: no process called it%s; 'hbdb info' lists the functions that were called",
			d->function, hb__guessed(&g));
	if (most && d->from > most + 1)
		return hb__fail_with(HB_EXIT_USAGE, "dump --from %llu: no process has more than %llu events",
			(unsigned long long)d->from, (unsigned long long)most);
	return 0;
}

static int check_logs(const struct dump *d)
{
	for (size_t i = 0; i < d->logs.n; i++)
		if (d->logs.at[i].log && d->views[i].info->level != HB_LEVEL_EVENTS &&
			hb__option_value(d->args, "time"))
			return hb__fail_with(HB_EXIT_USAGE, "dump --time: a recording at level %s has no times",
				d->views[i].info->level ? "racing" : "order");
	if (d->ranks && hb__check_run_ranks("dump --rank", d->ranks, &d->logs))
		return HB_EXIT_USAGE;
	return hb__logs_whole(&d->logs) ? check_filters(d) : 0;
}

int hb__dump(const hb_args *args)
{
	struct dump d = {.args = args,
		.ranks = hb__option_value(args, "rank"),
		.function = hb__option_value(args, "function"),
		.from = hb__option_number(args, "from", 1),
		.to = hb__option_number(args, "to", UINT64_MAX),
		.json = hb__option_value(args, "json") != NULL,
		.choices = hb__option_value(args, "choices") != NULL};
	char *recording = NULL;
	signal(SIGPIPE, SIG_IGN);
	int code = check(&d);
	if (!code && hb__option_value(args, "compare"))
		return hb__dump_traces(args);
	code = code ? code : hb__find_recording(args->operand, &recording);
	if (code)
		return code;
	d.code = hb__open_logs(recording, &d.logs);
	d.out = hb__alloc(sizeof *d.out);
	d.out->fd = 1;
	make_views(&d);
	code = d.logs.n ? check_logs(&d) : d.code;
	if (!code) {
		open_contents(&d);
		hb__page();
		if (hb__option_value(args, "time"))
			dump_by_time(&d);
		else
			dump_by_rank(&d);
		hb__flush(d.out);
		close_contents(&d);
		code = d.code || hb__logs_whole(&d.logs) ? d.code : HB_EXIT_RECORDING;
		if (d.out->broken && d.out->error != EPIPE)
			code = hb__fail_with(HB_EXIT_RECORDING, "cannot write the output: %s", strerror(d.out->error));
	}
	for (size_t i = 0; i < d.logs.n; i++)
		free(d.remarks[i].at);
	free(d.remarks);
	hb__free_views(d.views, d.logs.n);
	free(d.out);
	hb__close_logs(&d.logs);
	free(recording);
	return code;
}
