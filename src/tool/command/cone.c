/* hbdb cone */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "../nodes/nodes.h"
#include "../options.h"
#include "../run/events.h"
#include "../store/find.h"
#include "../terminal.h"

const hb_option hb__cone_options[] = {
	{"future", 'f', HB_OPTION_FLAG, NULL,
		"show the first event of each process that depends on it, instead of the cut"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object per line, one for each process"},
	{0},
};

struct cone {
	hb_run run;
	hb_at at;
	bool future, json;
	uint32_t lines;
	uint32_t *event; /* by line; 0: none */
	hb_stop *stop;   /* the cut only */
	char name[HB_EVENT_NAME];
};

static const char *word(const struct cone *c, uint32_t line)
{
	static const char *const stops[] = {"nothing", "after", "inside", "end"};
	return c->future ? c->event[line] ? "first" : "nothing" : stops[c->stop[line]];
}

static void print_line(const struct cone *c, uint32_t line, const char *text)
{
	char name[HB_EVENT_NAME];
	hb__line_name(&c->run, line, name);
	if (c->future && !c->event[line])
		printf("%6s  nothing depends on it\n", name);
	else if (c->future)
		printf("%6s  from    %s\n", name, text);
	else if (c->stop[line] == HB_STOP_NOTHING)
		printf("%6s  does not run\n", name);
	else
		printf("%6s  %s  %s\n", name,
			c->stop[line] == HB_STOP_INSIDE  ? "inside"
			: c->stop[line] == HB_STOP_AFTER ? "after "
							 : "end   ",
			text);
}

static void put_line(const struct cone *c, hb_output *out, uint32_t line, const char *object)
{
	const hb_line *l = &hb_model_lines(c->run.model)[line];
	const hb_process *p = &hb_model_processes(c->run.model)[l->process];
	hb__put_text(out, "{\"rank\":");
	hb__put_int(out, p->rank);
	if (p->world) {
		hb__put_text(out, ",\"world\":");
		hb__put_int(out, p->world);
	}
	const char *name = hb_model_processes(c->run.model)[l->process].name;
	if (!*hb_rank_word(name)) {
		hb__put_text(out, ",\"process\":");
		hb__put_json(out, name);
	}
	hb__put_text(out, ",\"lane\":");
	hb__put_int(out, l->lane);
	hb__put_text(out, c->future ? ",\"future\":\"" : ",\"stop\":\"");
	hb__put_text(out, word(c, line));
	hb__put_text(out, "\",\"event\":");
	if (object)
		hb__put_int(out, c->event[line]);
	else
		hb__put_text(out, "null");
	hb__put_text(out, ",\"call\":");
	hb__put_text(out, object ? object : "null");
	hb__put_text(out, "}\n");
}

static void print_missing(const struct cone *c, hb_output *out)
{
	const hb_process *p = hb_model_processes(c->run.model);
	for (uint32_t i = 0; i < hb_model_get_info(c->run.model)->processes; i++) {
		if (p[i].log)
			continue;
		if (!out) {
			printf("%6d  not known: its log is missing\n", p[i].rank);
			continue;
		}
		hb__put_text(out, "{\"rank\":");
		hb__put_int(out, p[i].rank);
		hb__put_text(out, c->future ? ",\"future\":\"unknown\"" : ",\"stop\":\"unknown\"");
		hb__put_text(out, ",\"event\":null,\"call\":null}\n");
	}
}

static void print(struct cone *c)
{
	hb_at *at = hb__alloc(c->lines * sizeof *at);
	size_t n = 0, k = 0;
	for (uint32_t i = 0; i < c->lines; i++)
		if (c->event[i])
			at[n++] = (hb_at){i, c->event[i]};
	char **texts = hb__event_texts(&c->run, at, n, c->json);
	hb_output *out = c->json ? hb__alloc(sizeof *out) : NULL;
	if (out)
		out->fd = 1;
	else if (c->future)
		printf("what depends on %s begins at these events:\n", c->name);
	else
		printf("what %s depends on ends at these events:\n", c->name);
	for (uint32_t i = 0; i < c->lines; i++) {
		const char *text = c->event[i] ? texts[k++] : NULL;
		if (out)
			put_line(c, out, i, text);
		else
			print_line(c, i, text);
	}
	print_missing(c, out);
	if (out)
		hb__flush(out);
	free(out);
	hb__free_texts(texts, n);
	free(at);
}

static int answer(struct cone *c, const char *event)
{
	hb_error err = {0};
	int code = hb__read_event(&c->run, event, &c->at);
	if (code)
		return code;
	hb__event_name(&c->run, c->at, c->name);
	c->lines = hb_model_get_info(c->run.model)->lines;
	c->event = hb__alloc(c->lines * sizeof *c->event);
	c->stop = hb__alloc(c->lines * sizeof *c->stop);
	hb_status status = c->future ? hb_future(c->run.model, c->at, c->event, &err)
				     : hb_cut(c->run.model, c->at, c->event, c->stop, &err);
	if (status)
		return hb__fail_log(c->run.path, &err);
	hb__say_troubles(&c->run);
	hb__page();
	print(c);
	return 0;
}

int hb__cone(const hb_args *args)
{
	struct cone c = {
		.future = hb__option_value(args, "future") != NULL, .json = hb__option_value(args, "json") != NULL};
	char *recording = NULL;
	hb_nodes nodes = {0};
	hb_following *following = NULL;
	signal(SIGPIPE, SIG_IGN);
	if (args->nwords < 1 || args->nwords > 2)
		return hb__fail_with(
			HB_EXIT_USAGE, "cone takes an event and then the recording, as in 'hbdb cone 0:17 farm.hbdb'");
	int code = hb__check_event(args->word[0]);
	code = code ? code : hb__find_recording(args->nwords > 1 ? args->word[1] : NULL, &recording);
	if (code) {
		free(recording);
		return code;
	}
	/* of a job that runs on several nodes: what they have written until now */
	char *mirror = hb__nodes_mirror(recording, false, &nodes, &following);
	if (mirror)
		hb__nodes_followed(following);
	code = hb__open_run(mirror ? mirror : recording, &c.run);
	if (c.run.model) {
		int failed = answer(&c, args->word[0]);
		code = failed ? failed : code;
	}
	free(c.event);
	free(c.stop);
	hb__close_run(&c.run);
	hb__nodes_unfollow(following, true);
	hb__nodes_close(&nodes);
	free(mirror);
	free(recording);
	return code;
}
