/* where, up, down, list */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../debug.h"

/* ---- where ---- */

struct where {
	size_t most;
	bool all;
	size_t hidden; /* frames that were not shown, of the process that has most */
};

static char *frame_json(const hb_frame *f, size_t level)
{
	char *function = hb__d_json(f->function), *file = hb__d_json(f->fullname[0] ? f->fullname : f->file),
	     *module = hb__d_json(f->module);
	char *json = hb__format("{\"level\":%zu,\"function\":%s,\"file\":%s,\"line\":%d,\"module\":%s,\"own\":%s}",
		level, function, f->line ? file : "null", f->line, module, f->ours ? "false" : "true");
	free(function);
	free(file);
	free(module);
	return json;
}

static void where(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	struct where *w = user;
	hb_frames frames;
	hb_error err = {0};
	if (!hb__d_frames(d, rank, gdb, &frames, &err)) {
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
		return;
	}
	bool all = w->all || !frames.nown;
	size_t n = all ? frames.n : frames.nown, shown = n < w->most ? n : w->most;
	char *text = hb__copy(""), *json = hb__copy("\"frames\":[");
	for (size_t i = 0; i < shown; i++) {
		const hb_frame *f = &frames.all[all ? i : frames.own[i]];
		bool chosen =
			frames.nown && d->frame[rank] < frames.nown && f == &frames.all[frames.own[d->frame[rank]]];
		char *words = hb__d_frame_text(f), *object = frame_json(f, all ? i : i);
		char *more = hb__format(
			"%s%s%c%zu  %s", text, i ? "\n" : "", chosen && d->frame[rank] ? '>' : '#', i, words);
		char *longer = hb__format("%s%s%s", json, i ? "," : "", object);
		free(text);
		free(json);
		free(words);
		free(object);
		text = more;
		json = longer;
	}
	size_t hidden = n - shown + (all ? 0 : frames.n - frames.nown);
	w->hidden = hidden > w->hidden ? hidden : w->hidden;
	hb__d_reply(d, rank, false, hb__format("%s]", json), "%s%s", text,
		n > shown ? "\n... (where N shows N frames)"
		: shown   ? ""
			  : "no stack");
	free(text);
	free(json);
	hb__d_frames_free(&frames);
}

int hb__v_where(hb_debug *d, char *args)
{
	hb_d_option options[] = {{"-all", true, NULL}, {NULL, false, NULL}};
	int code = hb__d_options(args, options);
	long n = *args ? hb__d_number(args) : d->settings.frames;
	struct where w = {.most = (size_t)n, .all = options[0].value != NULL};
	free(options[0].value);
	if (code || n < 1)
		return code ? code : hb__d_fail(d, HB_EXIT_USAGE, "where takes a number of frames, but got '%s'", args);
	hb__d_poll(d, 0);
	hb__d_look(d, &d->set, where, &w);
	code = hb__d_replies(d, "where");
	if (w.hidden && !w.all)
		hb__d_note(d, "(%s%zu %s of hbdb, MPI and the C library hidden; where -all shows them)", "up to ",
			w.hidden, hb__plural(w.hidden, "frame", "frames"));
	return code;
}

/* ---- up, down ---- */

static void show_chosen(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	hb_frame frame;
	long by = *(long *)user;
	long wanted = (long)d->frame[rank] + by;
	hb_frames frames;
	hb_error err = {0};
	if (!hb__d_frames(d, rank, gdb, &frames, &err)) {
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
		return;
	}
	long last = (long)frames.nown - 1;
	hb__d_frames_free(&frames);
	if (wanted < 0 || wanted > last) {
		hb__d_reply(d, rank, true, NULL,
			wanted < 0 ? "the innermost frame is already selected"
				   : "the outermost frame is already selected");
		return;
	}
	d->frame[rank] = (uint32_t)wanted;
	if (!hb__d_chosen(d, rank, gdb, &frame))
		return;
	char *text = hb__d_frame_text(&frame);
	hb__d_reply(d, rank, false, NULL, "#%ld  %s", wanted, text);
	free(text);
}

static int choose(hb_debug *d, const char *verb, char *args, int way)
{
	long n = *args ? hb__d_number(args) : 1;
	if (n < 1)
		return hb__d_fail(d, HB_EXIT_USAGE, "%s takes a number of frames, but got '%s'", verb, args);
	n *= way;
	free(d->list_file);
	d->list_file = NULL;
	hb__d_look(d, &d->set, show_chosen, &n);
	return hb__d_replies(d, verb);
}

int hb__v_up(hb_debug *d, char *args) { return choose(d, "up", args, 1); }
int hb__v_down(hb_debug *d, char *args) { return choose(d, "down", args, -1); }

/* ---- list ---- */

/* Lines of a file as text; *ret_last: the last that there was. NULL: it cannot be read. */
static char *source(const char *path, int first, int last, int mark, int *ret_last)
{
	FILE *f = fopen(path, "re"), *to;
	char *line = NULL, *text = NULL;
	size_t room = 0, size = 0;
	*ret_last = 0;
	if (!f)
		return NULL;
	to = open_memstream(&text, &size);
	for (int n = 1; to && n <= last && getline(&line, &room, f) >= 0; n++) {
		line[strcspn(line, "\r\n")] = 0;
		if (n >= first) {
			fprintf(to, "%s%c%5d  %s", *ret_last ? "\n" : "", n == mark ? '>' : ' ', n, line);
			*ret_last = n;
		}
	}
	free(line);
	fclose(f);
	if (to)
		fclose(to);
	return text;
}

struct list {
	int line; /* 0: where it stands */
	const char *file, *function;
	char *shown; /* the file that was shown */
	int next;
};

static void list_function(hb_debug *d, int32_t rank, hb_gdb *gdb, const char *function)
{
	hb_error err = {0};
	char *output = NULL, *command = hb__format("list %s", function);
	if (hb_gdb_command(gdb, rank, 0, command, &output, &err))
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
	else
		hb__d_reply(d, rank, false, NULL, "%s", output);
	free(output);
	free(command);
}

/* The file that a name means, seen from the frame: as given, or beside the frame's own. */
static char *file_of(const hb_frame *frame, const char *name)
{
	const char *path = frame->fullname[0] ? frame->fullname : frame->file;
	const char *slash = strrchr(path, '/');
	if (!name)
		return hb__copy(path);
	if (*name == '/' || !slash)
		return hb__copy(name);
	return hb__format("%.*s/%s", (int)(slash - path), path, name);
}

static void list(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	struct list *l = user;
	hb_frame frame;
	if (l->function) {
		list_function(d, rank, gdb, l->function);
		return;
	}
	if (!hb__d_chosen(d, rank, gdb, &frame))
		return;
	int middle = l->line ? l->line : frame.line, lines = (int)d->settings.lines, last;
	int first = middle > lines / 2 ? middle - lines / 2 : 1;
	if (!l->file && !frame.line) {
		char *text = hb__d_frame_text(&frame);
		hb__d_reply(d, rank, true, NULL, "%s: its source is not known (was it compiled with -g?)", text);
		free(text);
		return;
	}
	char *path = file_of(&frame, l->file);
	char *text = source(path, first, first + lines - 1, l->file ? 0 : frame.line, &last);
	if (!text)
		hb__d_reply(d, rank, true, NULL, "%s cannot be read", path);
	else if (!last)
		hb__d_reply(d, rank, true, NULL, "%s has no line %d", path, first);
	else {
		hb__d_reply(d, rank, false, NULL, "%s\n%s", path, text);
		free(l->shown);
		l->shown = hb__copy(path);
		l->next = last + 1;
	}
	free(path);
	free(text);
}

/* `list` again goes on where the last ended. False: there is nothing to go on with. */
static bool go_on(hb_debug *d)
{
	int last;
	if (!d->list_file)
		return false;
	char *text = source(d->list_file, d->list_line, d->list_line + (int)d->settings.lines - 1, 0, &last);
	if (text && last)
		hb__d_print(d, "%s\n", text);
	else
		hb__d_note(d, "%s ends here", d->list_file);
	d->list_line = last ? last + 1 : d->list_line;
	free(text);
	return true;
}

int hb__v_list(hb_debug *d, char *args)
{
	struct list l = {0};
	char *colon = strrchr(args, ':');
	if (!*args && go_on(d))
		return 0;
	if (colon && hb__d_number(colon + 1) > 0) {
		*colon = 0;
		l.file = args;
		l.line = (int)hb__d_number(colon + 1);
	} else if (hb__d_number(args) > 0)
		l.line = (int)hb__d_number(args);
	else if (*args)
		l.function = args;
	hb__d_poll(d, 0);
	hb__d_look(d, &d->set, list, &l);
	free(d->list_file);
	d->list_file = l.shown;
	d->list_line = l.next;
	return hb__d_replies(d, "list");
}
