/* What the pieces of an event are: by the parameters of its function, and of what a request brought by the call that made it. */
#include "contents.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "calls/neutral.h"
#include "format/data/raw.h"
#include "format/row.h"
#include "internal.h"
#include "parts.h"

static hb_status out_of_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

hb_status hb_contents_open(hb_log *log, hb_data *data, hb_contents **ret_contents, hb_error *err)
{
	hb_contents *c = calloc(1, sizeof *c);
	*ret_contents = c;
	if (!c)
		return out_of_memory(err);
	c->log = log;
	c->data = data;
	return HB_OK;
}

void hb_contents_close(hb_contents *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->lanes; i++)
		free(c->lane[i].datatype);
	free(c->lane);
	free(c->found.at);
	free(c);
}

/* ---- datatypes ---- */

/* The datatype of a buffer: that of the first parameter of this kind behind it. */
static int64_t datatype_of(const hb_event *ev, const struct hb__param *param, unsigned n, unsigned buffer)
{
	for (unsigned i = buffer + 1; i < n; i++) {
		if (param[i].kind == HB_P_DTYPE)
			return hb_event_argument(ev, param[i].name);
		if (param[i].kind == HB_P_DTYPES)
			break;
	}
	return HB_ABSENT;
}

/* The datatype of what a call that makes a request will bring. */
static int64_t datatype_to_come(const hb_event *ev)
{
	unsigned n;
	const struct hb__param *param = hb_parameters_of(ev->means, &n);
	for (unsigned i = 0; i < n; i++)
		if (param[i].kind == HB_P_RBUF)
			return datatype_of(ev, param, n, i);
	return HB_ABSENT;
}

static int64_t posted(const hb_contents *c, hb_reference r)
{
	bool known = r.posting >= 0 && r.lane < c->lanes && (size_t)r.posting < c->lane[r.lane].n;
	return known ? c->lane[r.lane].datatype[r.posting] : HB_ABSENT;
}

static bool note_posts(hb_contents *c, struct hb__posted *lane, const hb_event *ev)
{
	int64_t datatype = ev->shape == HB_SHAPE_STARTED ? HB_ABSENT : datatype_to_come(ev);
	if (ev->posting < 0 || (uint64_t)ev->posting > lane->n ||
		!HB_GROW(lane->datatype, lane->cap, (size_t)ev->posting + ev->posts))
		return false;
	for (uint32_t i = 0; i < ev->posts; i++) {
		bool started = ev->shape == HB_SHAPE_STARTED && i < ev->nanswers;
		int64_t one = started ? posted(c, ev->answers[i].request) : datatype;
		lane->datatype[(size_t)ev->posting + i] = one >= 0 && one < INT32_MAX ? (int32_t)one : -1;
	}
	lane->n = (size_t)ev->posting + ev->posts;
	return true;
}

/* Reads all lanes once: which datatype each posting has. */
static hb_status read_postings(hb_contents *c, hb_error *err)
{
	uint32_t lanes = hb_log_get_info(c->log)->lanes;
	c->lane = calloc((size_t)lanes + 1, sizeof *c->lane);
	if (!c->lane)
		return out_of_memory(err);
	c->lanes = lanes;
	for (uint32_t i = 0; i < lanes; i++) {
		hb_events *events;
		hb_event ev;
		hb_status status = hb_events_open(c->log, i, &events, err);
		if (status)
			return status;
		hb_events_skip_times(events);
		bool good = true;
		while (good && hb_events_next(events, &ev, NULL) == 1)
			good = !ev.posts || note_posts(c, &c->lane[i], &ev);
		hb_events_close(events);
	}
	return HB_OK;
}

/* Of request k of those that the call was given. */
static int64_t datatype_of_request(hb_contents *c, const hb_event *ev, int64_t k, hb_status *status, hb_error *err)
{
	*status = c->lane ? HB_OK : read_postings(c, err);
	for (uint32_t i = 0; i < ev->nanswers && !*status; i++) {
		const hb_answer *a = &ev->answers[i];
		int64_t index = a->index == HB_ABSENT ? (int64_t)i : a->index;
		if (index == k && a->code != HB_ST_NULL && a->code != HB_ST_UNKNOWN) {
			int64_t datatype = posted(c, a->request);
			return datatype < 0 ? HB_ABSENT : datatype;
		}
	}
	return HB_ABSENT;
}

/* ---- pieces ---- */

static hb_content_kind kind_of(unsigned param)
{
	switch (param) {
	case HB_P_RBUF:
	case HB_P_SBUF:
	case HB_P_AS:
		return HB_CONTENT_BUFFER;
	case HB_P_STATUS:
	case HB_P_STATUSES:
		return HB_CONTENT_STATUS;
	case HB_P_STR:
		return HB_CONTENT_TEXT;
	case HB_P_NEWCOMM:
	case HB_P_COMMPTR:
	case HB_P_OPPTR:
	case HB_P_NEWTYPE:
	case HB_P_TYPEPTR:
	case HB_P_LENT:
	case HB_P_REQUEST:
	case HB_P_NEWREQ:
	case HB_P_MESSAGE:
	case HB_P_NEWMSG:
	case HB_P_WINPTR:
	case HB_P_FILEPTR:
	case HB_P_INFOPTR:
	case HB_P_GROUPPTR:
	case HB_P_ERRHPTR:
	case HB_P_SESSIONPTR:
		return HB_CONTENT_HANDLE;
	default:
		return HB_CONTENT_NUMBERS;
	}
}

struct in_event { /* ev NULL: a call that is no event */
	const hb_event *ev;
	const struct hb__param *param;
	unsigned n;
	int64_t error_told; /* the last request whose error was told */
	int64_t place[3];   /* window, rank and offset of the bytes that come */
};

/* Where the next part of a window lies that others changed: three numbers. */
static hb_status read_place(hb_contents *c, struct in_event *in, const hb_data_piece *piece, hb_error *err)
{
	uint8_t b[3 * HB_UV_MAX];
	const uint8_t *p = b, *end = b + (piece->bytes < sizeof b ? piece->bytes : sizeof b);
	uint64_t v = 0;
	hb_status status = hb_data_read(c->data, piece, 0, (uint64_t)(end - b), b, err);
	for (int i = 0; i < 3 && !status; i++) {
		p = p ? hb_get_uv(p, end, &v) : NULL;
		in->place[i] = p ? hb_unzigzag(v) : HB_ABSENT;
	}
	return status;
}

/* Numbers are as many as bytes that end one. */
static hb_status count_numbers(hb_contents *c, hb_content *content, hb_error *err)
{
	uint8_t b[4096];
	for (uint64_t at = 0; at < content->piece.bytes;) {
		uint64_t left = content->piece.bytes - at, n = left < sizeof b ? left : sizeof b;
		hb_status status = hb_data_read(c->data, &content->piece, at, n, b, err);
		if (status)
			return status;
		for (uint64_t i = 0; i < n; i++)
			content->values += !(b[i] & 0x80);
		at += n;
	}
	return HB_OK;
}

static hb_status count_values(hb_contents *c, hb_content *content, hb_error *err)
{
	struct hb__layout layout;
	content->values = 0;
	if (content->kind != HB_CONTENT_BUFFER && content->kind != HB_CONTENT_WINDOW &&
		content->kind != HB_CONTENT_TEXT)
		return count_numbers(c, content, err);
	const hb_datatype *type = content->datatype >= 0 ? hb_log_datatype(c->log, (uint32_t)content->datatype) : NULL;
	content->typed = hb__layout_of(c->log, content->datatype, &layout);
	content->values = hb__layout_values(c->log, &layout, content->piece.bytes);
	content->elements = type && type->size ? content->piece.bytes / type->size : content->values;
	return HB_OK;
}

static hb_status understand(
	hb_contents *c, struct in_event *in, const hb_data_piece *piece, hb_content *ret, hb_error *err)
{
	const hb_event *ev = in->ev;
	hb_status status = HB_OK;
	*ret = (hb_content){.kind = in->param || !piece->what ? HB_CONTENT_NUMBERS : HB_CONTENT_BUFFER,
		.piece = *piece,
		.request = HB_ABSENT,
		.datatype = HB_ABSENT};
	if (piece->what >= HB_DATA_WINDOW) {
		ret->kind = HB_CONTENT_WINDOW;
		ret->window = in->place[0];
		ret->rank = in->place[1];
		ret->offset = in->place[2];
	} else if (piece->what >= HB_DATA_REQUEST && ev) {
		ret->request = (int64_t)piece->what - HB_DATA_REQUEST;
		bool error = ev->row->result == HB_ERR_IN_STATUS && in->error_told != ret->request;
		in->error_told = ret->request;
		ret->kind = error ? HB_CONTENT_ERROR : HB_CONTENT_BUFFER;
		/* a collective that was complete at once brings it with its own event */
		if (!error)
			ret->datatype = ev->posts ? datatype_to_come(ev)
						  : datatype_of_request(c, ev, ret->request, &status, err);
	} else if (piece->what && piece->what <= in->n) {
		const struct hb__param *p = &in->param[piece->what - 1];
		ret->name = p->name;
		ret->kind = kind_of(p->kind);
		if (ev && ret->kind == HB_CONTENT_BUFFER)
			ret->datatype = datatype_of(ev, in->param, in->n, piece->what - 1);
	}
	return status ? status : count_values(c, ret, err);
}

/* A status stands before what its request brought. */
static void tell_requests(struct hb__found *f)
{
	for (uint32_t i = 0; i + 1 < f->n; i++)
		if (f->at[i].kind == HB_CONTENT_STATUS && f->at[i + 1].request != HB_ABSENT &&
			f->at[i + 1].kind == HB_CONTENT_BUFFER)
			f->at[i].request = f->at[i + 1].request;
}

static hb_status all_pieces(
	hb_contents *c, struct in_event *in, const hb_data_item *item, struct hb__found *f, hb_error *err)
{
	f->n = 0;
	if (!HB_GROW(f->at, f->cap, (size_t)item->pieces + 1))
		return out_of_memory(err);
	for (uint32_t i = 0; i < item->pieces; i++) {
		const hb_data_piece *piece = &item->piece[i];
		/* how many parts of windows there are is not told by itself, nor where one lies */
		bool part = piece->what >= HB_DATA_WINDOW,
		     bytes = part && piece->what > HB_DATA_WINDOW && !(piece->what & 1);
		hb_status status = part && !bytes ? piece->what & 1 ? read_place(c, in, piece, err) : HB_OK
						  : understand(c, in, piece, &f->at[f->n], err);
		if (status)
			return status;
		f->n += !part || bytes;
	}
	tell_requests(f);
	return HB_OK;
}

int hb_contents_of(hb_contents *c, const hb_event *ev, const hb_content **ret, uint32_t *ret_n, hb_error *err)
{
	hb_data_item item;
	hb_lane_info lane;
	struct in_event in = {.ev = ev, .error_told = -1};
	*ret_n = 0;
	if (hb_log_lane(c->log, ev->row->lane, &lane))
		return 0;
	int found = hb_data_of(c->data, lane.thread, ev->row->number, &item, err);
	if (found <= 0)
		return found;
	in.param = hb_parameters_of(ev->means, &in.n);
	hb_status status = all_pieces(c, &in, &item, &c->found, err);
	*ret = c->found.at;
	*ret_n = c->found.n;
	return status ? (int)status : 1;
}

/* ---- calls that are no events ---- */

struct hb_content_calls {
	hb_contents *c;
	hb_data_cursor *cursor;
	hb_data_item item; /* read ahead */
	bool held;
	struct hb__found found;
};

hb_status hb_content_calls_open(
	hb_contents *c, uint32_t lane, uint64_t from, hb_content_calls **ret_calls, hb_error *err)
{
	hb_lane_info info;
	hb_content_calls *k = calloc(1, sizeof *k);
	*ret_calls = k;
	if (!k)
		return out_of_memory(err);
	k->c = c;
	hb_status status = hb_log_lane(c->log, lane, &info);
	status = status ? status : hb_data_cursor_open(c->data, info.thread, from, &k->cursor, err);
	if (status) {
		hb_content_calls_close(k);
		*ret_calls = NULL;
	}
	return status;
}

int hb_content_calls_next(hb_content_calls *k, uint64_t to, hb_content_call *ret, hb_error *err)
{
	static const char digests[] = HB_DIGEST_LAYER;
	int more = 1;
	while (!k->held && more > 0) {
		more = hb_data_cursor_next(k->cursor, &k->item, err);
		/* digests are not what came: digests.c */
		k->held = more > 0 && k->item.name && strncmp(k->item.name, digests, sizeof digests - 1) != 0;
	}
	if (more <= 0 || k->item.event > to)
		return more < 0 ? more : 0;
	struct in_event in = {.error_told = -1};
	const char *colon = strchr(k->item.name, ':');
	if (colon && !strncmp(k->item.name, "mpi:", 4))
		in.param = hb_parameters_of(hb_meaning_of(colon + 1, HB_LOCAL), &in.n);
	hb_status status = all_pieces(k->c, &in, &k->item, &k->found, err);
	*ret = (hb_content_call){k->item.name, k->item.event, k->found.at, k->found.n};
	k->held = false;
	return status ? (int)status : 1;
}

void hb_content_calls_close(hb_content_calls *k)
{
	if (!k)
		return;
	hb_data_cursor_close(k->cursor);
	free(k->found.at);
	free(k);
}
