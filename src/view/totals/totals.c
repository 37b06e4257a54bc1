/* One pass over the rows of all logs: calls and times by line, function and call site; and one over the messages. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

/* Where the calls of a function at a site stand in the list of the line: open addressing. */
struct slots {
	uint32_t *at; /* 1 more than the index; 0: free */
	uint32_t room;
};

static hb_status fail(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

static uint32_t *slot_of(const struct slots *s, const struct hb__line_calls *c, uint32_t function, uint32_t site)
{
	for (uint32_t i = function * 40503u ^ site * 2246822519u;; i++) {
		uint32_t *slot = &s->at[i & (s->room - 1)];
		if (!*slot || (c->at[*slot - 1].function == function && c->at[*slot - 1].site == site))
			return slot;
	}
}

static bool grow(struct slots *s, struct hb__line_calls *c)
{
	uint32_t room = c->room ? 2 * c->room : 32;
	hb_calls *more = realloc(c->at, room * sizeof *more);
	if (!more)
		return false;
	c->at = more;
	c->room = room;
	free(s->at);
	s->room = 2 * room;
	s->at = calloc(s->room, sizeof *s->at);
	for (uint32_t i = 0; s->at && i < c->n; i++)
		*slot_of(s, c, c->at[i].function, c->at[i].site) = i + 1;
	return s->at != NULL;
}

static hb_calls *calls_of(struct slots *s, struct hb__line_calls *c, uint32_t function, uint32_t site)
{
	if (c->n == c->room && !grow(s, c))
		return NULL;
	uint32_t *slot = slot_of(s, c, function, site);
	if (!*slot) {
		c->at[c->n] = (hb_calls){.function = function, .site = site};
		*slot = ++c->n;
	}
	return &c->at[*slot - 1];
}

static bool add(hb_totals *t, struct slots *s, hb_at at, uint32_t site)
{
	hb_calls *calls = calls_of(s, &t->calls[at.line], hb_layout_function(t->layout, at), site);
	if (!calls)
		return false;
	calls->calls++;
	calls->time += hb_layout_took(t->layout, at, &calls->waited);
	return true;
}

/* Rows that the log does not give have no site. */
static hb_status read_line(hb_totals *t, uint32_t number, struct slots *s, hb_error *err)
{
	const hb_line *line = &hb_model_lines(t->model)[number];
	hb_log *log = hb_model_processes(t->model)[line->process].log;
	hb_cursor *cursor;
	hb_row row;
	hb_lane_info lane;
	uint32_t event = 0;
	int more = 1;
	hb_status status = hb_cursor_open(log, line->lane, 1, &cursor, err);
	if (status)
		return status;
	hb_cursor_skip_times(cursor);
	bool room = true;
	while (room && event < line->events - line->inside && (more = hb_cursor_next(cursor, &row, err)) == 1)
		room = add(t, s, (hb_at){number, ++event}, row.site);
	while (line->inside && more == 1 && hb_cursor_next(cursor, &row, NULL) == 1)
		continue; /* a slot is known where the cursor has come to the end */
	if (room && line->inside && more == 1 && event + 1 == line->events && !hb_log_lane(log, line->lane, &lane) &&
		!hb_cursor_slot(cursor, lane.inside_slot, &row))
		room = add(t, s, (hb_at){number, ++event}, row.site);
	while (room && event < line->events)
		room = add(t, s, (hb_at){number, ++event}, HB_NO);
	hb_cursor_close(cursor);
	return !room ? fail(err) : more < 0 ? (hb_status)more : HB_OK;
}

static hb_status read_all(hb_totals *t, hb_progress *progress, void *user, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(t->model);
	uint64_t done = 0;
	hb_status status = HB_OK;
	for (uint32_t i = 0; i < info->lines && !status; i++) {
		const hb_line *line = &hb_model_lines(t->model)[i];
		struct slots s = {0};
		if (hb_model_processes(t->model)[line->process].log)
			status = read_line(t, i, &s, err);
		free(s.at);
		done += line->events;
		if (progress)
			progress(user, (double)done / (double)(info->events + 1));
	}
	return status;
}

static void add_messages(hb_totals *t)
{
	const hb_send *send = hb_model_sends(t->model);
	for (uint32_t i = 0; i < hb_model_get_info(t->model)->sends; i++) {
		if (send[i].flags & HB_CANCELLED)
			continue;
		hb_traffic *traffic = &t->traffic[send[i].channel];
		traffic->messages++;
		traffic->bytes += hb_send_bytes(t->model, i);
		traffic->unreceived += send[i].receive == HB_NO;
	}
}

hb_status hb_totals_build(
	hb_model *model, hb_layout *layout, hb_progress *progress, void *user, hb_totals **ret, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(model);
	hb_totals *t = calloc(1, sizeof *t);
	if (!t)
		return fail(err);
	*t = (hb_totals){.model = model, .layout = layout};
	t->calls = calloc((size_t)info->lines + 1, sizeof *t->calls);
	t->alike = calloc((size_t)info->lines + 1, sizeof *t->alike);
	t->traffic = calloc((size_t)info->channels + 1, sizeof *t->traffic);
	hb_status status = t->calls && t->alike && t->traffic ? read_all(t, progress, user, err) : fail(err);
	if (!status && !hb__alike_build(t))
		status = fail(err);
	if (status) {
		hb_totals_close(t);
		return status;
	}
	add_messages(t);
	*ret = t;
	return HB_OK;
}

void hb_totals_close(hb_totals *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; t->calls && i < hb_model_get_info(t->model)->lines; i++)
		free(t->calls[i].at);
	free(t->calls);
	free(t->alike);
	free(t->traffic);
	free(t);
}

const hb_calls *hb_totals_calls(const hb_totals *t, uint32_t line, uint32_t *ret_n)
{
	*ret_n = t->calls[line].n;
	return t->calls[line].at;
}

const uint32_t *hb_totals_alike(const hb_totals *t, uint32_t *ret_kinds)
{
	*ret_kinds = t->kinds;
	return t->alike;
}

const hb_traffic *hb_totals_traffic(const hb_totals *t) { return t->traffic; }
