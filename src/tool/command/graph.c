/* hbdb graph */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../export/export.h"
#include "../graph/graph.h"
#include "../graph/key/key.h"
#include "../options.h"
#include "../store/find.h"

const hb_option hb__graph_options[] = {
	{"svg", 0, HB_OPTION_FLAG, NULL, "draw an SVG picture, for browsers and web pages (default)"},
	{"png", 0, HB_OPTION_FLAG, NULL, "draw a PNG picture"},
	{"dot", 0, HB_OPTION_FLAG, NULL, "write the graph for Graphviz"},
	{"around", 'a', HB_OPTION_TEXT, "EVENT",
		"draw the events around this one, with its cut, its past and its future"},
	{"cut", 'c', HB_OPTION_TEXT, "EVENT", "draw the cut of this event, its past and its future"},
	{"events", 'n', HB_OPTION_NUMBER, "N", "draw at most about N events"},
	{"from", 0, HB_OPTION_TEXT, "X", "start at this logical time (with --physical: in seconds), or at this event"},
	{"to", 0, HB_OPTION_TEXT, "X", "end at this time or event"},
	{"ranks", 'r', HB_OPTION_TEXT, "SET", "only these processes: ranks or names, as in 0:3,worker#2"},
	{"physical", 0, HB_OPTION_FLAG, NULL, "draw clock time from left to right, not logical time"},
	{"model", 0, HB_OPTION_TEXT, "FILE", "with --key: the model of a correct run that the key is of"},
	{"set", 0, HB_OPTION_EACH, "NAME=NUMBER", "a parameter of the model; may be given several times"},
	{"key", 'k', HB_OPTION_TEXT, "VALUE[,VALUE...]",
		"draw the events of this key of the model, and where it stopped"},
	{"coalesced", 0, HB_OPTION_FLAG, NULL, "with --key: draw a vertex for each process, not for each event"},
	{"output", 'o', HB_OPTION_TEXT, "FILE",
		"the output file; .svg, .png or .dot at its end chooses the format; - is standard output"},
	{0},
};

#define PNG_SCALE 1.5
#define PNG_PIXELS 30000.0 /* across: what libcairo can do */

enum format { SVG, PNG, DOT, UNTOLD };
static const char *const formats[] = {"svg", "png", "dot"};

/* ---- the format ---- */

static enum format format_of_name(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;
	for (int i = SVG; dot && i < UNTOLD; i++)
		if (!strcasecmp(dot + 1, formats[i]))
			return (enum format)i;
	return UNTOLD;
}

static int choose_format(const hb_args *args, enum format *ret)
{
	const char *out = hb__option_value(args, "output");
	enum format told = UNTOLD, named = format_of_name(out);
	for (int i = SVG; i < UNTOLD; i++) {
		if (!hb__option_value(args, formats[i]))
			continue;
		if (told != UNTOLD)
			return hb__fail_with(HB_EXIT_USAGE, "graph: --%s or --%s, not both", formats[told], formats[i]);
		told = (enum format)i;
	}
	if (told != UNTOLD && named != UNTOLD && told != named)
		return hb__fail_with(
			HB_EXIT_USAGE, "graph: --%s, but %s ends in .%s", formats[told], out, formats[named]);
	const char *ending = out ? strrchr(out, '.') : NULL;
	if (told == UNTOLD && named == UNTOLD && ending && ending[1] && !strchr(ending, '/'))
		return hb__fail_with(HB_EXIT_USAGE,
			"graph --output %s: there is no format %s; end the name in .svg, .png or .dot, or give --svg, --png or --dot",
			out, ending);
	*ret = told != UNTOLD ? told : named != UNTOLD ? named : SVG;
	if (*ret == PNG && !hb__pen_has_png())
		return hb__fail_with(HB_EXIT_USAGE,
			"this hbdb was built without libcairo, which draws PNG: install it (Debian: libcairo2-dev) and build again, "
			"or use --svg");
	return 0;
}

/* ---- what is asked for ---- */

static int check(const hb_args *args, hb_graph_options *ret)
{
	*ret = (hb_graph_options){.around = hb__option_value(args, "around"),
		.cut = hb__option_value(args, "cut"),
		.from = hb__option_value(args, "from"),
		.to = hb__option_value(args, "to"),
		.ranks = hb__option_value(args, "ranks"),
		.events = hb__option_number(args, "events", 0),
		.physical = hb__option_value(args, "physical") != NULL};
	bool range = ret->from || ret->to;
	if (hb__option_value(args, "events") && !ret->events)
		return hb__fail_with(
			HB_EXIT_USAGE, "graph --events 0 would draw nothing: give the number of events to draw");
	if (ret->events > HB_GRAPH_EVENTS)
		return hb__fail_with(HB_EXIT_USAGE,
			"graph --events takes at most %d: a larger picture could not be read", HB_GRAPH_EVENTS);
	if (range && ret->around)
		return hb__fail_with(HB_EXIT_USAGE,
			"graph: --around and --from/--to both choose the part to draw: leave one of them out, or use --cut");
	if (range && ret->events)
		return hb__fail_with(HB_EXIT_USAGE, "graph: --events cannot be combined with --from and --to");
	int code = ret->around ? hb__check_event(ret->around) : 0;
	return code || !ret->cut ? code : hb__check_event(ret->cut);
}

static int check_key(const hb_args *args, hb_key_wish *ret)
{
	static const char *const others[] = {"around", "cut", "events", "from", "to", "ranks", "physical"};
	*ret = (hb_key_wish){.model = {hb__option_value(args, "model"), hb__option_value(args, "set")},
		.key = hb__option_value(args, "key"),
		.coalesced = hb__option_value(args, "coalesced")};
	if (!ret->key)
		return ret->model.file || ret->model.set || ret->coalesced
			       ? hb__fail_with(HB_EXIT_USAGE,
					 "graph: --model, --set and --coalesced are about a key: give --key, too")
			       : 0;
	if (!ret->model.file)
		return hb__fail_with(
			HB_EXIT_USAGE, "graph --key %s is a key of a model: give --model FILE, too", ret->key);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (hb__option_value(args, others[i]))
			return hb__fail_with(
				HB_EXIT_USAGE, "graph: --key draws all events of the key: leave --%s out", others[i]);
	return hb__model_check_wish(&ret->model);
}

static int make_key(hb_run *run, const hb_key_wish *wish, hb_findings *ret_found, hb_key_picture *ret)
{
	hb_error err = {0};
	*ret_found = (hb_findings){.run = run};
	*ret = (hb_key_picture){0};
	int code = hb__model_read(ret_found, &wish->model);
	if (!code && hb__key_picture_make(ret_found, wish->key, wish->coalesced, ret, &err))
		code = hb__fail_with(HB_EXIT_USAGE, "graph --key %s: %s", wish->key, err.message);
	return code;
}

/* ---- output ---- */

static char *base_name(const char *recording)
{
	const char *slash = strrchr(recording, '/');
	char *name = hb__copy(slash ? slash + 1 : recording);
	size_t n = strlen(name);
	if (n > 5 && !strcmp(name + n - 5, ".hbdb"))
		name[n - 5] = 0;
	return name;
}

static hb_pen *pen_of(enum format format, hb_output *out, double width, double height, const char *title)
{
	double longer = width > height ? width : height;
	double scale = longer * PNG_SCALE > PNG_PIXELS ? PNG_PIXELS / longer : PNG_SCALE;
	return format == PNG ? hb__pen_png(out, width, height, scale) : hb__pen_svg(out, width, height, title);
}

static int end_pen(hb_pen *pen)
{
	const char *wrong = hb__pen_end(pen);
	return wrong ? hb__fail_with(HB_EXIT_RECORDING, "cannot draw: %s", wrong) : 0;
}

static int draw(const hb_graph *g, enum format format, hb_output *out)
{
	hb_sheet sheet;
	if (format == DOT) {
		hb__graph_dot(g, out);
		return 0;
	}
	int code = hb__sheet_make(g, &sheet);
	if (!code) {
		char *title = hb__format("event graph of %s", g->name);
		hb_pen *pen = pen_of(format, out, sheet.width, sheet.height, title);
		hb__graph_draw(g, &sheet, pen);
		code = end_pen(pen);
		free(title);
	}
	hb__sheet_free(&sheet);
	return code;
}

static int draw_key(const hb_key_picture *key, enum format format, hb_output *out)
{
	double width, height;
	if (format == DOT) {
		hb__key_dot(key, out);
		return 0;
	}
	hb__key_size(key, &width, &height);
	hb_pen *pen = pen_of(format, out, width, height, key->title);
	hb__key_draw(key, pen);
	return end_pen(pen);
}

static void say_part(const hb_graph *g, const char *path)
{
	char from[48], to[48];
	if (path)
		hb__say("wrote %s", path);
	if (g->what)
		hb__say("drew %llu of %llu events, %s: %s %s to %s%s", (unsigned long long)g->events,
			(unsigned long long)g->total, g->what, g->options.physical ? "time" : "logical time",
			hb__graph_number(g, g->from, from), hb__graph_number(g, g->to, to),
			g->options.around || g->options.from || g->options.to
				? ""
				: " (choose another part with --around, --from and --to)");
	if (!g->picture.nboxes)
		hb__say("there is no event in this part");
	if (g->picture.hidden)
		hb__say("%llu events are too close together to be drawn one by one: choose a smaller part",
			(unsigned long long)g->picture.hidden);
}

/* key: drawn in the place of the part; NULL: there is none. */
static int write_out(const hb_graph *g, const hb_key_picture *key, const char *given, enum format format)
{
	char *path = given       ? hb__copy(given)
		     : isatty(1) ? hb__format("%s-graph.%s", g->name, formats[format])
				 : hb__copy("-");
	hb_export_target target;
	int code = hb__target_file(path, true, &target);
	if (!code) {
		int bad = key ? draw_key(key, format, target.out) : draw(g, format, target.out);
		code = hb__target_end(&target, !bad);
		code = bad ? bad : code;
		if (!code && !key)
			say_part(g, strcmp(path, "-") ? path : NULL);
		else if (!code && strcmp(path, "-"))
			hb__say("wrote %s", path);
	}
	free(path);
	return code;
}

int hb__graph(const hb_args *args)
{
	hb_graph g = {0};
	hb_key_wish wish = {0};
	hb_key_picture key;
	hb_findings found;
	enum format format;
	char *recording = NULL;
	signal(SIGPIPE, SIG_IGN);
	int code = choose_format(args, &format);
	code = code ? code : check(args, &g.options);
	code = code ? code : check_key(args, &wish);
	code = code ? code : hb__find_recording(args->operand, &recording);
	if (code) {
		free(recording);
		return code;
	}
	g.name = base_name(recording);
	code = hb__open_run(recording, &g.run);
	if (g.run.model) {
		int bad = wish.key ? make_key(&g.run, &wish, &found, &key) : hb__graph_part(&g);
		bad = bad ? bad : write_out(&g, wish.key ? &key : NULL, hb__option_value(args, "output"), format);
		code = bad ? bad : code;
		if (wish.key) {
			hb__key_picture_free(&key);
			hb__model_free(&found);
		}
	}
	hb__graph_close(&g);
	free(recording);
	return code;
}
