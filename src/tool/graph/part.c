/* Which part of a run is drawn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../options.h"
#include "../show/progress.h"
#include "../store/find.h"
#include "graph.h"
#include "session/set.h"

#define SHAPES 40000 /* of each kind that the layout may answer with */

/* ---- lines ---- */

/* Of any world; -1: no process has one. */
static int32_t greatest_rank(const hb_graph *g)
{
	int32_t greatest = -1;
	for (uint32_t i = 0; i < hb_model_get_info(g->run.model)->processes; i++) {
		const hb_process *p = &hb_model_processes(g->run.model)[i];
		if (*hb_rank_word(p->name))
			greatest = p->rank > greatest ? p->rank : greatest;
	}
	return greatest;
}

#define LISTED 8 /* processes without ranks, in a message */

/* "the ranks are 0 to 3, as in 0:3,5", "its processes are worker, worker#2". Free it. */
static char *there_are(const hb_graph *g)
{
	const hb_process *p = hb_model_processes(g->run.model);
	int told = 0;
	char *text = greatest_rank(g) < 0 ? hb__copy("its processes are ")
					  : hb__format("the ranks are 0 to %d, as in 0:3,5", greatest_rank(g));
	for (uint32_t i = 0; i < hb_model_get_info(g->run.model)->processes && told <= LISTED; i++) {
		if (!p[i].world && *hb_rank_word(p[i].name))
			continue;
		const char *between = told ? ", " : greatest_rank(g) < 0 ? "" : "; other processes are ";
		char *more = hb__format("%s%s%s", text, between, told++ < LISTED ? p[i].name : "...");
		free(text);
		text = more;
	}
	return text;
}

/* Those of one item between commas: a name, or ranks as sets have them, of any world. 0, or an exit code after having said why not. */
static int choose_item(const hb_graph *g, const char *item, bool *chosen)
{
	const hb_process *p = hb_model_processes(g->run.model);
	uint32_t n = hb_model_get_info(g->run.model)->processes;
	bool rank = (*item >= '0' && *item <= '9' && !strchr(item, '@')) || *item == '*', found = false;
	const char *at = item, *wrong = NULL;
	hb_guess guess = {.word = item};
	hb_set ranks;
	hb_set_init(&ranks, greatest_rank(g) + 1);
	if (rank && strcmp(item, "*"))
		wrong = hb_set_read(item, &ranks, &at);
	for (uint32_t i = 0; i < n && !wrong; i++) {
		bool mine = !strcmp(item, "*") || (rank ? *hb_rank_word(p[i].name) && hb_set_has(&ranks, p[i].rank)
							: !strcmp(item, p[i].name));
		found |= mine;
		chosen[i] |= mine;
		hb__guess(&guess, p[i].name);
	}
	hb_set_free(&ranks);
	if (found)
		return 0;
	char *there = there_are(g);
	int code = rank ? hb__fail_with(HB_EXIT_USAGE, "graph --ranks %s: %s at '%s'; %s", g->options.ranks,
				  wrong ? wrong : "there is no such rank", at, there)
			: hb__fail_with(HB_EXIT_USAGE, "graph --ranks %s: there is no process '%s'; %s%s",
				  g->options.ranks, item, there, hb__guessed(&guess));
	free(there);
	return code;
}

static int choose_lines(hb_graph *g)
{
	uint32_t n = hb_model_get_info(g->run.model)->lines;
	bool *chosen = hb__alloc(hb_model_get_info(g->run.model)->processes + 1);
	char *copy = hb__copy(g->options.ranks ? g->options.ranks : "*"), *rest = copy;
	int code = 0;
	for (char *item; !code && (item = strsep(&rest, ","));) {
		item += strspn(item, " \t");
		item[strcspn(item, " \t")] = 0;
		code = choose_item(g, item, chosen);
	}
	free(copy);
	g->line = hb__alloc(n * sizeof *g->line);
	g->row = hb__alloc(n * sizeof *g->row);
	for (uint32_t l = 0; l < n; l++) {
		bool drawn = chosen[hb_model_lines(g->run.model)[l].process];
		g->row[l] = drawn ? g->nlines : HB_NO;
		if (drawn)
			g->line[g->nlines++] = l;
	}
	free(chosen);
	if (code)
		return code;
	if (!g->nlines)
		return hb__fail_with(HB_EXIT_USAGE, "graph: there is no process to draw");
	if (g->nlines > HB_GRAPH_LINES)
		return hb__fail_with(HB_EXIT_USAGE,
			"%u lines are too many for a picture, which can show %d: choose some of them, as in --ranks 0:31",
			g->nlines, HB_GRAPH_LINES);
	return 0;
}

/* ---- x ---- */

const char *hb__graph_number(const hb_graph *g, double x, char buffer[48])
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
	int i = 0;
	if (g->axis == HB_AXIS_LOGICAL) {
		snprintf(buffer, 48, "%.0f", x);
		return buffer;
	}
	while (i < 3 && g->to - g->from < 2 * units[i].ns)
		i++;
	double step = (g->to - g->from) / units[i].ns / 20;
	int decimals = step <= 0 || step >= 1 ? 0 : (int)fmin(6, ceil(-log10(step)));
	snprintf(buffer, 48, "%.*f %s", decimals, x / units[i].ns, units[i].unit);
	return buffer;
}

/* An event, or a number: seconds on the physical axis. */
static int read_x(const hb_graph *g, const char *option, const char *text, bool end, double *ret)
{
	char *rest;
	hb_at at;
	double enter, exit;
	if (!text)
		return 0;
	if (strchr(text, ':')) {
		int code = hb__read_event(&g->run, text, &at);
		if (code)
			return code;
		hb_layout_x(g->layout, g->axis, at, &enter, &exit);
		*ret = end ? exit : enter;
		return 0;
	}
	double number = strtod(text, &rest);
	if (rest == text || *rest || !isfinite(number) || number < 0)
		return hb__fail_with(HB_EXIT_USAGE, "graph --%s %s: give %s, or an event, as in 0:17", option, text,
			g->options.physical ? "seconds" : "a logical time, a number from 0 on");
	*ret = g->options.physical ? number * 1e9 : number;
	return 0;
}

/* Events of the lines drawn that are under way between two points. */
static uint64_t events_between(const hb_graph *g, double from, double to)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < g->nlines; i++) {
		double enter, exit;
		uint32_t last = hb_layout_event_at(g->layout, g->axis, g->line[i], to);
		uint32_t first = hb_layout_event_at(g->layout, g->axis, g->line[i], from);
		if (first) { /* it may be over by then */
			hb_layout_x(g->layout, g->axis, (hb_at){g->line[i], first}, &enter, &exit);
			first += exit < from;
		}
		first = first ? first : 1;
		n += last >= first ? last - first + 1 : 0;
	}
	return n;
}

/* The widest part with `middle` in its middle that has at most so many events. */
static void widen(hb_graph *g, double middle, uint64_t most)
{
	double first, last;
	hb_layout_span(g->layout, g->axis, &first, &last);
	double low = 0, high = fmax(middle - first, last - middle);
	for (int i = 0; i < 60 && high - low > (g->axis == HB_AXIS_LOGICAL ? 0.5 : 1); i++) {
		double half = (low + high) / 2;
		if (events_between(g, middle - half, middle + half) <= most)
			low = half;
		else
			high = half;
	}
	if (events_between(g, middle - high, middle + high) <= most)
		low = high;
	if (g->axis == HB_AXIS_LOGICAL) { /* half a column shows nothing */
		low = floor(low);
		middle = round(middle);
	}
	g->from = fmax(first, middle - low);
	g->to = fmin(last, middle + low);
}

/* ---- the first race ---- */

struct search {
	hb_graph *g;
	hb_at at;
	double x;
};

static bool earlier(void *user, const hb_race *race)
{
	struct search *s = user;
	double enter, exit;
	hb_at at = race->done.event ? race->done : race->post;
	if (s->g->row[at.line] == HB_NO)
		return true;
	hb_layout_x(s->g->layout, s->g->axis, at, &enter, &exit);
	if (s->at.event && exit >= s->x)
		return true;
	s->at = at;
	s->x = exit;
	return true;
}

static int around_race(hb_graph *g, uint64_t most)
{
	struct search s = {.g = g};
	hb_error err = {0};
	hb_race_sum sum;
	char name[HB_EVENT_NAME];
	double first, last;
	if (hb_races(g->run.model, 0, earlier, &s, &sum, NULL, NULL, &err))
		return hb__fail_log(g->run.path, &err);
	hb_layout_span(g->layout, g->axis, &first, &last);
	widen(g, s.at.event ? s.x : (first + last) / 2, most);
	g->what = s.at.event ? hb__format("around %s, the first race", hb__event_name(&g->run, s.at, name))
			     : hb__copy("in the middle of the run");
	return 0;
}

/* ---- the part ---- */

static int read_events(hb_graph *g)
{
	const char *name = g->options.cut ? g->options.cut : g->options.around;
	hb_error err = {0};
	if (!name)
		return 0;
	int code = hb__read_event(&g->run, name, &g->at);
	if (code)
		return code;
	uint32_t n = hb_model_get_info(g->run.model)->lines;
	g->stop_event = hb__alloc(n * sizeof *g->stop_event);
	g->stop = hb__alloc(n * sizeof *g->stop);
	g->future = hb__alloc(n * sizeof *g->future);
	if (hb_cut(g->run.model, g->at, g->stop_event, g->stop, &err) ||
		hb_future(g->run.model, g->at, g->future, &err))
		return hb__fail_log(g->run.path, &err);
	return 0;
}

static int given_part(hb_graph *g)
{
	char from[48], to[48];
	hb_layout_span(g->layout, g->axis, &g->from, &g->to);
	int code = read_x(g, "from", g->options.from, false, &g->from);
	code = code ? code : read_x(g, "to", g->options.to, true, &g->to);
	if (!code && g->from > g->to)
		code = hb__fail_with(HB_EXIT_USAGE, "graph: --from (%s) lies after --to (%s)",
			hb__graph_number(g, g->from, from), hb__graph_number(g, g->to, to));
	if (!code)
		g->what = hb__copy("as asked for");
	return code;
}

static int choose_part(hb_graph *g)
{
	uint64_t whole = g->options.events ? g->options.events : HB_GRAPH_WHOLE,
		 some = g->options.events ? g->options.events : HB_GRAPH_SOME;
	double enter, exit;
	hb_at at;
	if (g->options.from || g->options.to)
		return given_part(g);
	hb_layout_span(g->layout, g->axis, &g->from, &g->to);
	if (g->options.around) {
		int code = hb__read_event(&g->run, g->options.around, &at);
		if (code)
			return code;
		if (g->row[at.line] == HB_NO)
			return hb__fail_with(HB_EXIT_USAGE, "graph: event %s does not belong to --ranks %s",
				g->options.around, g->options.ranks);
		hb_layout_x(g->layout, g->axis, at, &enter, &exit);
		widen(g, exit, some);
		g->what = hb__format("around %s", g->options.around);
		return 0;
	}
	return events_between(g, g->from, g->to) <= whole ? 0 : around_race(g, some);
}

static int check_size(const hb_graph *g)
{
	char from[48], to[48];
	if (g->events <= HB_GRAPH_EVENTS)
		return 0;
	return hb__fail_with(HB_EXIT_USAGE,
		"%llu events from %s to %s are more than a picture can show (%d): narrow it with --from and --to, --ranks, or "
		"--around and --events",
		(unsigned long long)g->events, hb__graph_number(g, g->from, from), hb__graph_number(g, g->to, to),
		HB_GRAPH_EVENTS);
}

/* ---- messages ---- */

/* Of the type hb_race_visit: what the receive of a race in the part could have got instead. */
static bool add_others(void *user, const hb_race *race)
{
	hb_graph *g = user;
	hb_at to = race->done.event ? race->done : race->post, from;
	double enter, exit, x0, x1;
	if (g->row[to.line] == HB_NO)
		return true;
	hb_layout_x(g->layout, g->axis, to, &enter, &exit);
	if (exit < g->from || exit > g->to)
		return true;
	for (uint32_t i = 0, n = 0; i < race->nalternatives && n < HB_GRAPH_OTHERS; i++) {
		from = hb_send_at(g->run.model, race->alternative[i].send);
		if (g->row[from.line] == HB_NO)
			continue;
		hb_layout_x(g->layout, g->axis, from, &x0, &x1);
		g->arrows = hb__resize(g->arrows, (g->narrows + 1) * sizeof *g->arrows);
		g->arrows[g->narrows++] = (hb_arrow){.from = from,
			.to = to,
			.x0 = x0,
			.x1 = exit,
			.send = race->alternative[i].send,
			.merged = 1,
			.flags = HB_ARROW_ALTERNATIVE};
		n++;
	}
	return true;
}

static int find_arrows(hb_graph *g)
{
	hb_error err = {0};
	hb_race_sum sum;
	g->arrows = hb__alloc(g->picture.narrows * sizeof *g->arrows);
	for (size_t i = 0; i < g->picture.narrows; i++)
		if (!(g->picture.arrows[i].flags & HB_ARROW_ALTERNATIVE))
			g->arrows[g->narrows++] = g->picture.arrows[i];
	if (hb_races(g->run.model, 0, add_others, g, &sum, NULL, NULL, &err))
		return hb__fail_log(g->run.path, &err);
	return 0;
}

static int query(hb_graph *g)
{
	hb_error err = {0};
	hb_window window = {.axis = g->axis,
		.from = g->from,
		.to = fmax(g->to, g->from + 0.25), /* a single point of time */
		.columns = 1u << 20,
		.line = g->line,
		.nlines = g->nlines,
		.most = SHAPES};
	if (hb_layout_query(g->layout, &window, &g->picture, &err))
		return hb__fail_log(g->run.path, &err);
	hb_at *at = hb__alloc(g->picture.nboxes * sizeof *at);
	for (size_t i = 0; i < g->picture.nboxes; i++)
		at[i] = g->picture.boxes[i].at;
	g->texts = hb__event_texts(&g->run, at, g->picture.nboxes, false);
	free(at);
	return find_arrows(g);
}

static int build(hb_graph *g)
{
	hb_error err = {0};
	hb_bar bar;
	uint32_t n = hb_model_get_info(g->run.model)->processes;
	int64_t *shift = hb__alloc(n * sizeof *shift);
	for (uint32_t p = 0; p < n; p++)
		shift[p] = g->run.log_of[p] == HB_NO ? 0 : g->run.views[g->run.log_of[p]].shift_ns;
	hb__bar_begin(&bar, "laying out");
	hb_status status = hb_layout_build(g->run.model, shift, hb__bar_step, &bar, &g->layout, &err);
	hb__bar_end(&bar);
	free(shift);
	hb__say_troubles(&g->run);
	return status ? hb__fail_log(g->run.path, &err) : 0;
}

int hb__graph_part(hb_graph *g)
{
	g->axis = g->options.physical ? HB_AXIS_PHYSICAL : HB_AXIS_LOGICAL;
	g->total = hb_model_get_info(g->run.model)->events;
	int code = choose_lines(g);
	code = code ? code : build(g);
	code = code ? code : read_events(g);
	code = code ? code : choose_part(g);
	if (code)
		return code;
	g->events = events_between(g, g->from, g->to);
	code = check_size(g);
	return code ? code : query(g);
}

void hb__graph_close(hb_graph *g)
{
	if (g->texts)
		hb__free_texts(g->texts, g->picture.nboxes);
	hb_picture_free(&g->picture);
	hb_layout_close(g->layout);
	hb__close_run(&g->run);
	free(g->arrows);
	free(g->line);
	free(g->row);
	free(g->stop_event);
	free(g->stop);
	free(g->future);
	free(g->what);
	free(g->name);
}
