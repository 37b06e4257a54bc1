/* What requests ask of the live run: the side of the request reads it, the thread that has the session does it. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "view/answer/answer.h"
#include "view/answer/sources.h"

#define FRAMES_MOST 200

/* ---- in the thread that has the session ---- */

static void done(struct hb_wish *w) { hb_text_put(&w->request->out, "{}"); }

static void run_to(hb_view_server *s, struct hb_wish *w)
{
	const hb_view_control *c = s->o.control;
	const char *why = c->run_to(c->user, w->at, w->event, w->stop);
	if (why) {
		hb__view_refuse(w->request, 409, "%s", why);
		return;
	}
	pthread_mutex_lock(&s->live->mutex);
	snprintf(s->live->state.target, sizeof s->live->state.target, "%s", w->name);
	pthread_mutex_unlock(&s->live->mutex);
	done(w);
}

static void end(hb_view_server *s, struct hb_wish *w)
{
	const char *why = s->o.control->end(s->o.control->user);
	if (why)
		hb__view_refuse(w->request, 409, "%s", why);
	else
		done(w);
}

static void move(hb_session *session, struct hb_wish *w, bool go)
{
	hb_set set;
	hb_error err = {0};
	const char *where, *why = NULL;
	hb_set_init(&set, hb_session_size(session));
	if (w->ranks)
		why = hb_session_read_set(session, w->ranks, &set, &where);
	else
		hb_set_all(&set);
	if (why)
		hb__view_refuse(w->request, 400, "%s: '%s'", why, w->ranks);
	else if (go)
		hb_text_format(&w->request->out, "{\"moved\":%d}", hb_session_go(session, &set));
	else if (hb_session_halt(session, &set, &err))
		hb__view_refuse(w->request, 409, "%s", err.message);
	else
		done(w);
	hb_set_free(&set);
}

/* gdb counts frames from the innermost one. A held process keeps MPI going between two looks, and the frames of that come
 * and go above the program's: the page counts from the program's innermost frame. */
static uint32_t first_own(const hb_frame *frame, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!frame[i].ours)
			return frame[i].level;
	return 0;
}

/* gdb's level of a frame now. */
static hb_status level_now(hb_gdb *gdb, const struct hb_wish *w, uint32_t *ret, hb_error *err)
{
	hb_frame *frames = NULL;
	size_t n = 0;
	hb_status status = hb_gdb_stack(gdb, w->rank, FRAMES_MOST, &frames, &n, err);
	if (status)
		return status;
	int64_t level = (int64_t)first_own(frames, n) + w->level;
	free(frames);
	*ret = level < 0 ? 0 : (uint32_t)level;
	return HB_OK;
}

static void put_frames(struct hb_request *r, const hb_frame *frame, size_t n)
{
	int64_t first = first_own(frame, n);
	hb_text_put(&r->out, "{\"frames\":[");
	for (size_t i = 0; i < n; i++) {
		hb_text_format(&r->out, "%s{\"level\":%lld,\"function\":", i ? "," : "",
			(long long)((int64_t)frame[i].level - first));
		hb_text_json(&r->out, frame[i].function);
		hb_text_put(&r->out, ",\"file\":");
		hb_text_json(&r->out, frame[i].fullname[0] ? frame[i].fullname : frame[i].file);
		hb_text_format(&r->out, ",\"row\":%d,\"module\":", frame[i].line);
		hb_text_json(&r->out, frame[i].module);
		hb_text_format(&r->out, ",\"ours\":%s}", frame[i].ours ? "true" : "false");
	}
	hb_text_put(&r->out, "]}");
}

static hb_status stack(hb_view_server *s, hb_gdb *gdb, struct hb_wish *w, hb_error *err)
{
	hb_frame *frames = NULL;
	size_t n = 0;
	hb_status status = hb_gdb_stack(gdb, w->rank, FRAMES_MOST, &frames, &n, err);
	if (status)
		return status;
	put_frames(w->request, frames, n);
	hb__view_lock(&s->lock);
	for (size_t i = 0; i < n; i++)
		hb__sources_know(
			s->files, frames[i].fullname[0] ? frames[i].fullname : frames[i].file, frames[i].module);
	hb__view_unlock(&s->lock);
	free(frames);
	return HB_OK;
}

static hb_status variables(hb_gdb *gdb, struct hb_wish *w, hb_error *err)
{
	hb_text *out = &w->request->out;
	hb_variable *v = NULL;
	size_t n = 0;
	uint32_t level = 0;
	hb_status status = level_now(gdb, w, &level, err);
	if (!status)
		status = hb_gdb_variables(gdb, w->rank, level, &v, &n, err);
	if (status)
		return status;
	hb_text_put(out, "{\"variables\":[");
	for (size_t i = 0; i < n; i++) {
		hb_text_put(out, i ? ",{\"name\":" : "{\"name\":");
		hb_text_json(out, v[i].name);
		hb_text_put(out, ",\"type\":");
		hb_text_json(out, v[i].type ? v[i].type : "");
		hb_text_put(out, ",\"value\":");
		if (v[i].value)
			hb_text_json(out, v[i].value);
		else
			hb_text_put(out, "null");
		hb_text_format(out, ",\"argument\":%s}", v[i].argument ? "true" : "false");
	}
	hb_text_put(out, "]}");
	hb_gdb_free_variables(v, n);
	return HB_OK;
}

static hb_status evaluate(hb_gdb *gdb, struct hb_wish *w, hb_error *err)
{
	char *value = NULL;
	uint32_t level = 0;
	hb_status status = level_now(gdb, w, &level, err);
	if (!status)
		status = hb_gdb_evaluate(gdb, w->rank, level, w->expression, &value, err);
	if (status)
		return status;
	hb_text_put(&w->request->out, "{\"value\":");
	hb_text_json(&w->request->out, value ? value : "");
	hb_text_put(&w->request->out, "}");
	free(value);
	return HB_OK;
}

/* Looking at a process leaves it as it was: a held one must keep MPI going for the others. */
static void look(hb_view_server *s, hb_session *session, struct hb_wish *w)
{
	const hb_proc *p = hb_session_proc(session, w->rank);
	const char *name = w->request->name;
	hb_error err = {0};
	hb_gdb *gdb;
	if (!p) {
		hb__view_refuse(w->request, 409, "there is no process number %d", w->rank);
		return;
	}
	if (p->life == HB_LIFE_ABSENT) {
		hb__view_refuse(w->request, 409, "%s%s has not %s yet", hb_rank_word(p->name), p->name,
			*hb_rank_word(p->name) ? "called MPI_Init" : "come to its first event");
		return;
	}
	bool was_broken = p->life == HB_LIFE_BROKEN;
	hb_status status = hb_session_gdb(session, w->rank, &gdb, &err);
	if (!status) {
		status = !strcmp(name, "stack")       ? stack(s, gdb, w, &err)
			 : !strcmp(name, "variables") ? variables(gdb, w, &err)
						      : evaluate(gdb, w, &err);
		if (!was_broken)
			hb_session_resume(session, w->rank);
	}
	if (status)
		hb__view_refuse(w->request, 409, "%s", err.message);
}

void hb__live_act(hb_view_server *s, struct hb_wish *w)
{
	const hb_view_control *c = s->o.control;
	const char *name = w->request->name;
	double seconds, reached;
	if (!strcmp(name, "run-to")) {
		run_to(s, w);
		return;
	}
	hb_session *session = c->session(c->user);
	if (!session || !c->running(c->user, &seconds, &reached))
		hb__view_refuse(w->request, 409, "no replay is running: run to an event first");
	else if (!strcmp(name, "end"))
		end(s, w);
	else if (!strcmp(name, "go") || !strcmp(name, "halt"))
		move(session, w, *name == 'g');
	else
		look(s, session, w);
}

/* ---- in the thread of the request ---- */

static bool read_event(struct hb_request *r, const char *name, struct hb_wish *w)
{
	hb_view_server *s = r->server;
	const char *why = "there is no such event";
	hb_error err = {0};
	w->name = name;
	if (!hb__view_ready(r))
		return false;
	hb__view_lock(&s->lock);
	uint32_t lines = hb_model_get_info(s->model)->lines;
	bool good = s->o.source.read_event(s->o.source.user, name, &w->at, &why);
	w->event = calloc((size_t)lines + 1, sizeof *w->event);
	w->stop = calloc((size_t)lines + 1, sizeof *w->stop);
	if (!good)
		hb__view_refuse(r, 404, "%s", why);
	else if (!w->event || !w->stop)
		hb__view_refuse(r, 500, "out of memory");
	else if (hb_stops(s->model, w->at, w->event, w->stop, &err))
		hb__view_refuse(r, 500, "%s", err.message);
	hb__view_unlock(&s->lock);
	return r->status == 200;
}

/* What the body of a POST says. */
static bool read_body(struct hb_request *r, const cJSON *body, struct hb_wish *w)
{
	const cJSON *at = cJSON_GetObjectItemCaseSensitive(body, "at");
	const cJSON *ranks = cJSON_GetObjectItemCaseSensitive(body, "ranks");
	const cJSON *rank = cJSON_GetObjectItemCaseSensitive(body, "rank");
	const cJSON *level = cJSON_GetObjectItemCaseSensitive(body, "level");
	const cJSON *expression = cJSON_GetObjectItemCaseSensitive(body, "expression");
	if (!cJSON_IsObject(body) || (ranks && !cJSON_IsString(ranks))) {
		hb__view_refuse(r, 400, "the body must be a JSON object");
		return false;
	}
	w->ranks = ranks ? ranks->valuestring : NULL;
	if (!strcmp(r->name, "run-to")) {
		if (cJSON_IsString(at))
			return read_event(r, at->valuestring, w);
		hb__view_refuse(r, 400, "at must be an event, as in 0:17");
		return false;
	}
	if (strcmp(r->name, "evaluate") != 0)
		return true;
	if (!cJSON_IsNumber(rank) || rank->valueint < 0 || !cJSON_IsString(expression) ||
		(level && !cJSON_IsNumber(level))) {
		hb__view_refuse(r, 400, "rank, level and expression must be given");
		return false;
	}
	for (const char *p = expression->valuestring; *p; p++)
		if ((unsigned char)*p < ' ') { /* a line feed would begin another command of gdb */
			hb__view_refuse(r, 400, "an expression is one line");
			return false;
		}
	w->rank = rank->valueint;
	w->level = level ? level->valueint : 0;
	w->expression = expression->valuestring;
	return true;
}

void hb__answer_live(struct hb_request *r)
{
	hb_view_server *s = r->server;
	struct hb_wish w = {.request = r};
	int64_t rank = 0, level = 0;
	cJSON *body = NULL;
	if (!s->o.control) {
		hb__view_refuse(r, 409, "%s", s->o.no_control ? s->o.no_control : "this recording cannot be replayed");
		return;
	}
	if (r->post)
		body = cJSON_Parse(r->body);
	bool good = r->post ? read_body(r, body, &w)
			    : hb__view_whole(r, "rank", 0, 0, INT32_MAX, &rank) &&
				      hb__view_whole(r, "level", 0, -100000, 100000, &level);
	if (!r->post) {
		w.rank = (int32_t)rank;
		w.level = (int32_t)level;
	}
	if (good)
		hb__live_wish(s, &w);
	cJSON_Delete(body);
	free(w.event);
	free(w.stop);
}
