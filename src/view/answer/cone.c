/* What an event depends on and what depends on it: where the borders of both cross each line. */
#include <stdlib.h>

#include "answer.h"

static uint64_t exit_time(void *user, hb_at at)
{
	hb_view_server *s = user;
	double enter, exit;
	hb_layout_x(s->layout, HB_AXIS_LOGICAL, at, &enter, &exit);
	return (uint64_t)exit;
}

enum side { ENTER, MIDDLE, EXIT };

static double x_of(const hb_view_server *s, hb_axis axis, hb_at at, enum side side)
{
	double enter, exit;
	if (!at.event) {
		hb_layout_span(s->layout, axis, &enter, &exit);
		return hb__shown_x(axis, enter);
	}
	hb_layout_x(s->layout, axis, at, &enter, &exit);
	return hb__shown_x(axis, side == ENTER ? enter : side == EXIT ? exit : enter + (exit - enter) / 2);
}

static void put_crossing(struct hb_request *r, hb_at at, enum side side)
{
	hb_text_put(&r->out, ",\"logical\":");
	hb_text_number(&r->out, x_of(r->server, HB_AXIS_LOGICAL, at, side));
	hb_text_put(&r->out, ",\"physical\":");
	hb_text_number(&r->out, x_of(r->server, HB_AXIS_PHYSICAL, at, side));
	hb_text_put(&r->out, "}");
}

static void put_cut(struct hb_request *r, uint32_t lines, const uint32_t *event, const hb_stop *stop)
{
	static const char *const stops[] = {"nothing", "after", "inside", "end"};
	hb_text_put(&r->out, "{\"cut\":[");
	for (uint32_t i = 0; i < lines; i++) {
		hb_text_format(&r->out, "%s{\"line\":%u,\"event\":%u,\"stop\":\"%s\"", i ? "," : "", i, event[i],
			stops[stop[i]]);
		put_crossing(r, (hb_at){i, event[i]}, stop[i] == HB_STOP_INSIDE ? MIDDLE : EXIT);
	}
	hb_text_put(&r->out, "]");
}

/* The future of an event begins at its own enter, elsewhere at the exits that waited for it. */
static void put_future(struct hb_request *r, uint32_t lines, hb_at at, const uint32_t *event)
{
	bool first = true;
	hb_text_put(&r->out, ",\"future\":[");
	for (uint32_t i = 0; i < lines; i++) {
		if (!event[i])
			continue;
		bool own = i == at.line && event[i] == at.event;
		hb_text_format(&r->out, "%s{\"line\":%u,\"event\":%u", first ? "" : ",", i, event[i]);
		put_crossing(r, (hb_at){i, event[i]}, own ? ENTER : EXIT);
		first = false;
	}
	hb_text_put(&r->out, "]}");
}

void hb__answer_cone(struct hb_request *r)
{
	hb_view_server *s = r->server;
	uint32_t lines = hb_model_get_info(s->model)->lines;
	hb_error err = {0};
	hb_at at;
	if (!hb__view_event(r, "at", &at))
		return;
	uint32_t *event = calloc((size_t)lines + 1, sizeof *event), *future = calloc((size_t)lines + 1, sizeof *future);
	hb_stop *stop = calloc((size_t)lines + 1, sizeof *stop);
	if (!event || !future || !stop)
		hb__view_refuse(r, 500, "out of memory");
	else if (hb_cut_by(s->model, at, exit_time, s, event, stop, &err) ||
		 hb_future_by(s->model, at, exit_time, s, future, &err))
		hb__view_refuse(r, 500, "%s", err.message);
	else {
		put_cut(r, lines, event, stop);
		put_future(r, lines, at, future);
	}
	free(event);
	free(future);
	free(stop);
}
