/* The replay that the page controls. It is prepared when somebody asks for it: that takes a copy of the logs. */
#include <stdlib.h>

#include "page.h"

static hb_session *session(void *user)
{
	hb_page_replay *r = user;
	return r->live ? hb__live_session(r->live) : NULL;
}

/* What was wrong stands on the terminal. */
static const char *failed(hb_page_replay *r, const char *what)
{
	free(r->why);
	r->why = hb__format("%s; the terminal in which hbdb view runs shows why", what);
	return r->why;
}

static const char *run_to(void *user, hb_at at, const uint32_t *event, const hb_stop *stop)
{
	hb_page_replay *r = user;
	bool again;
	if (!r->live && hb__live_open(&r->options, &r->live)) {
		hb__live_close(r->live);
		r->live = NULL;
		return failed(r, "the replay cannot be prepared");
	}
	return hb__live_run_to_cut(r->live, at, event, stop, &again) ? failed(r, "the replay could not begin") : NULL;
}

static const char *end(void *user)
{
	hb_page_replay *r = user;
	if (r->live)
		hb__live_end(r->live);
	return NULL;
}

static bool running(void *user, double *ret_seconds, double *ret_reached)
{
	hb_page_replay *r = user;
	*ret_seconds = r->live ? hb__live_seconds(r->live) : -1;
	*ret_reached = r->live ? hb__live_reached(r->live) : -1;
	return r->live && hb__live_running(r->live);
}

static const char *inside(void *user, int32_t rank)
{
	hb_page_replay *r = user;
	return r->live ? hb__live_inside(r->live, rank) : NULL;
}

hb_view_control hb__page_control(hb_page_replay *r)
{
	return (hb_view_control){
		.user = r, .session = session, .run_to = run_to, .end = end, .running = running, .inside = inside};
}

void hb__page_end_replay(hb_page_replay *r)
{
	hb__live_close(r->live);
	free(r->why);
}
