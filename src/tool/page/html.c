/* The page with a part of the run in one file: what its server would have answered stands in it. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "view/page/page.h"

#define CONES_MOST 100000 /* lines of all cones together */
#define COLUMNS 1600
#define SHAPES_MOST 20000 /* of a kind, that the server draws */

struct writer {
	hb_view_server *server;
	const char *path;
	FILE *file;
	double from, to;    /* logical */
	double first, last; /* physical, of the events in it */
	size_t boxes, lines;
	char **name; /* of the events, by box */
};

/* ---- asking ---- */

/* The answer, also as a tree; NULL after having said why. */
static cJSON *ask(struct writer *w, hb_text *text, const char *format, ...) __attribute__((format(printf, 3, 4)));
static cJSON *ask(struct writer *w, hb_text *text, const char *format, ...)
{
	char *address;
	va_list ap;
	va_start(ap, format);
	int n = vasprintf(&address, format, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	text->n = 0;
	int status = hb_view_answer(w->server, address, text);
	free(address);
	cJSON *answer = cJSON_Parse(text->at ? text->at : "");
	const cJSON *why = cJSON_GetObjectItemCaseSensitive(answer, "error");
	if (status == 200 && answer)
		return answer;
	hb__say("%s", cJSON_IsString(why) ? why->valuestring : "the recording cannot be shown");
	cJSON_Delete(answer);
	return NULL;
}

static double number_of(const cJSON *object, const char *name)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, name);
	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

/* x of an event on an axis. */
static void x_of(const cJSON *event, const char *axis, double *ret_enter, double *ret_exit)
{
	const cJSON *x = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(event, "x"), axis);
	*ret_enter = cJSON_GetArraySize(x) == 2 ? cJSON_GetArrayItem(x, 0)->valuedouble : 0;
	*ret_exit = cJSON_GetArraySize(x) == 2 ? cJSON_GetArrayItem(x, 1)->valuedouble : 0;
}

/* ---- the range ---- */

/* Events between two logical times; < 0: failed. */
static double events_in(struct writer *w, hb_text *text, double from, double to)
{
	cJSON *view = ask(w, text, "view?axis=logical&from=%.0f&to=%.0f&columns=16&most=1", from, to);
	double n = view ? number_of(view, "events") : -1;
	cJSON_Delete(view);
	return n;
}

/* The widest range around a time with so many events at most. */
static bool narrow(struct writer *w, hb_text *text, double middle, double most)
{
	double from = w->from, to = w->to, low = 1, high = to - from + 1;
	double n = events_in(w, text, from, to);
	if (n < 0 || n <= most)
		return n >= 0;
	while (high - low >= 1) {
		double half = (double)(long long)((low + high) / 2);
		n = events_in(w, text, middle - half, middle + half);
		if (n < 0)
			return false;
		if (n > most)
			high = half;
		else if (half > low)
			low = half;
		else
			break;
	}
	w->from = middle - low > from ? middle - low : from;
	w->to = middle + low < to ? middle + low : to;
	return true;
}

static int choose_range(struct writer *w, const hb_page_part *part)
{
	hb_text text = {0};
	cJSON *run = ask(w, &text, "run");
	const cJSON *span = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(run, "span"), "logical");
	bool good = cJSON_GetArraySize(span) == 2;
	double middle, exit, all;
	w->lines = (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(run, "lines"));
	w->from = good ? cJSON_GetArrayItem(span, 0)->valuedouble : 0;
	w->to = good ? cJSON_GetArrayItem(span, 1)->valuedouble : 0;
	cJSON_Delete(run);
	if (part->from)
		w->from = strtod(part->from, NULL);
	if (part->to)
		w->to = strtod(part->to, NULL);
	if (good && part->around) {
		cJSON *event = ask(w, &text, "event?at=%s", part->around);
		x_of(event, "logical", &middle, &exit);
		good = event && narrow(w, &text, middle, (double)part->events);
		cJSON_Delete(event);
	} else if (good && (all = events_in(w, &text, w->from, w->to)) > (double)part->events) {
		hb__say("there are %.0f events in that range, but the page may hold %llu: choose a smaller part with --around or --range, or raise --events",
			all, (unsigned long long)part->events);
		good = false;
	}
	free(text.at);
	return good ? 0 : HB_EXIT_USAGE;
}

/* ---- writing ---- */

/* Inside a script element no `<` may stand; in JSON it only does in strings. */
static void put_json(struct writer *w, const hb_text *text)
{
	for (const char *p = text->at; p && *p;) {
		size_t n = strcspn(p, "<");
		fwrite(p, 1, n, w->file);
		p += n;
		if (*p) {
			fputs("\\u003c", w->file);
			p++;
		}
	}
}

static bool put_view(struct writer *w, hb_text *text, const char *axis, double from, double to, cJSON **ret)
{
	cJSON *view = ask(
		w, text, "view?axis=%s&from=%.17g&to=%.17g&columns=%d&most=%d", axis, from, to, COLUMNS, SHAPES_MOST);
	if (view)
		put_json(w, text);
	if (ret)
		*ret = view;
	else
		cJSON_Delete(view);
	return view;
}

/* The names of the boxes' events: the line's name and the number. */
static bool name_boxes(struct writer *w, const cJSON *view)
{
	hb_text text = {0};
	const cJSON *boxes = cJSON_GetObjectItemCaseSensitive(view, "boxes"), *box;
	cJSON *run = ask(w, &text, "run");
	const cJSON *lines = cJSON_GetObjectItemCaseSensitive(run, "lines");
	w->name = hb__alloc(((size_t)cJSON_GetArraySize(boxes) + 1) * sizeof *w->name);
	cJSON_ArrayForEach(box, boxes)
	{
		const cJSON *line = cJSON_GetArrayItem(lines, cJSON_GetArrayItem(box, 0)->valueint);
		w->name[w->boxes++] = hb__format("%s:%.0f", cJSON_GetObjectItemCaseSensitive(line, "name")->valuestring,
			cJSON_GetArrayItem(box, 1)->valuedouble);
	}
	cJSON_Delete(run);
	free(text.at);
	return run;
}

static bool put_events(struct writer *w, hb_text *text)
{
	double enter, exit;
	for (size_t i = 0; i < w->boxes; i++) {
		cJSON *event = ask(w, text, "event?at=%s", w->name[i]);
		if (!event)
			return false;
		x_of(event, "physical", &enter, &exit);
		w->first = !i || enter < w->first ? enter : w->first;
		w->last = !i || exit > w->last ? exit : w->last;
		cJSON_Delete(event);
		fprintf(w->file, "%s\"%s\":", i ? "," : "", w->name[i]);
		put_json(w, text);
	}
	return true;
}

static bool put_cones(struct writer *w, hb_text *text)
{
	for (size_t i = 0; i < w->boxes && w->boxes * w->lines <= CONES_MOST; i++) {
		cJSON *cone = ask(w, text, "cone?at=%s", w->name[i]);
		if (!cone)
			return false;
		cJSON_Delete(cone);
		fprintf(w->file, "%s\"%s\":", i ? "," : "", w->name[i]);
		put_json(w, text);
	}
	return true;
}

static bool put_data(struct writer *w)
{
	hb_text text = {0};
	cJSON *view = NULL, *run = ask(w, &text, "run");
	bool good = run;
	fputs("{\"run\":", w->file);
	put_json(w, &text);
	cJSON_Delete(run);
	fputs(",\"views\":[", w->file);
	good = good && put_view(w, &text, "logical", w->from, w->to, &view) && name_boxes(w, view);
	cJSON_Delete(view);
	hb_text events = {0}; /* they tell the physical range; they stand behind the views */
	char *kept = NULL;
	size_t n = 0;
	FILE *file = w->file;
	w->file = open_memstream(&kept, &n);
	good = good && w->file && put_events(w, &events);
	if (w->file)
		fclose(w->file);
	w->file = file;
	fputs(",", w->file);
	good = good && put_view(w, &text, "physical", w->first, w->last, NULL);
	fputs("],\"events\":{", w->file);
	fwrite(kept, 1, n, w->file);
	fputs("},\"cones\":{", w->file);
	good = good && put_cones(w, &text);
	fputs("}}", w->file);
	free(kept);
	free(events.at);
	free(text.at);
	return good;
}

static const struct hb_page_file *part_of_page(const char *name)
{
	for (size_t i = 0; i < hb_page_files_n; i++)
		if (!strcmp(hb_page_files[i].name, name))
			return &hb_page_files[i];
	return NULL;
}

static int write_file(struct writer *w)
{
	const struct hb_page_file *head = part_of_page("alone.head"), *tail = part_of_page("alone.tail");
	if (!head || !tail)
		return hb__fail_with(HB_EXIT_USAGE, "this hbdb was built without its page");
	w->file = fopen(w->path, "we");
	if (!w->file)
		return hb__fail_with(HB_EXIT_USAGE, "cannot write %s: %s", w->path, strerror(errno));
	fwrite(head->bytes, 1, head->n, w->file);
	bool good = put_data(w);
	fwrite(tail->bytes, 1, tail->n, w->file);
	bool broken = ferror(w->file);
	if ((fclose(w->file) || broken) && good) {
		good = false;
		hb__say("cannot write %s: %s", w->path, strerror(errno));
	}
	if (!good)
		remove(w->path);
	return good ? 0 : HB_EXIT_USAGE;
}

int hb__write_page(hb_view_server *server, const char *path, const hb_page_part *part)
{
	struct writer w = {.server = server, .path = path};
	int code = choose_range(&w, part);
	code = code ? code : write_file(&w);
	for (size_t i = 0; i < w.boxes; i++)
		free(w.name[i]);
	free(w.name);
	if (!code)
		hb__say("%s: %zu events", path, w.boxes);
	return code;
}
