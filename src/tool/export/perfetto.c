/* Perfetto's trace: a packet per point, a track per lane, a slice per call, a flow per message.
 * Field numbers: protos/perfetto/trace in Perfetto's source; tests/export/perfetto.proto has those used here. */
#include <stdlib.h>

#include "model/spans.h"
#include "../show/line.h"
#include "proto.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { TRACK_UUID = 1, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum {
	EVENT_CATEGORY_IID = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_SOURCE_IID = 34,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
	EVENT_CORRELATION = 52,
};
enum { SLICE_BEGIN = 1, SLICE_END = 2 };
enum { ANNOTATION_NAME_IID = 1, ANNOTATION_INT = 4, ANNOTATION_DOUBLE = 5, ANNOTATION_TEXT = 6 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ANNOTATION = 3, INTERNED_SOURCE = 4 };
enum { IID = 1, IID_NAME = 2, SOURCE_FILE = 2, SOURCE_LINE = 4 };

struct perfetto {
	hb_export *x;
	hb_output *out;
	hb_proto packet, interned;
	hb_names names, categories, annotations, sources;
	uint64_t track;      /* of the lane that is written */
	hb_span_stack spans; /* of the program, in that lane */
	uint64_t ended;      /* the event that ended some of them last */
	bool no_memory;
	bool begun; /* a packet has been written */
};

static void end_packet(struct perfetto *f)
{
	hb__proto_uint(&f->packet, PACKET_SEQUENCE, 1);
	hb__proto_uint(&f->packet, PACKET_FLAGS, f->begun ? FLAG_NEEDS_STATE : FLAG_CLEARED | FLAG_NEEDS_STATE);
	f->begun = true;
	if (f->interned.n)
		hb__proto_bytes(&f->packet, PACKET_INTERNED, f->interned.at, f->interned.n);
	f->interned.n = 0;
	hb__proto_close(&f->packet);
	hb__put(f->out, (const char *)f->packet.at, f->packet.n);
	f->packet.n = 0;
}

/* The number of a text that the reader knows, or learns with this packet. 0 means none. */
static uint64_t intern(struct perfetto *f, hb_names *names, uint32_t field, const char *text)
{
	bool fresh;
	uint64_t iid = (uint64_t)hb__name(names, text, &fresh) + 1;
	if (fresh) {
		hb__proto_open(&f->interned, field);
		hb__proto_uint(&f->interned, IID, iid);
		hb__proto_text(&f->interned, IID_NAME, text);
		hb__proto_close(&f->interned);
	}
	return iid;
}

static uint64_t intern_source(struct perfetto *f, const struct hb_place *place)
{
	bool fresh;
	uint64_t iid = (uint64_t)hb__name(&f->sources, place->text, &fresh) + 1;
	if (fresh) {
		hb__proto_open(&f->interned, INTERNED_SOURCE);
		hb__proto_uint(&f->interned, IID, iid);
		hb__proto_text(&f->interned, SOURCE_FILE, place->file ? place->file : place->text);
		if (place->file)
			hb__proto_uint(&f->interned, SOURCE_LINE, (uint64_t)place->line);
		hb__proto_close(&f->interned);
	}
	return iid;
}

/* ---- tracks ---- */

/* Numbers of processes and threads are our own: those of several hosts may be equal. */
static uint64_t process_track(size_t log) { return 1 + log; }
static uint64_t lane_track(size_t log, uint32_t lane) { return (uint64_t)(1 + log) << 32 | (lane + 1); }

static void put_process(struct perfetto *f, size_t log)
{
	char *name = hb__export_line_name(f->x, log, 0);
	const char *program = strrchr(f->x->run.views[log].info->program, '/');
	char *full = hb__format("%s %s", name, program ? program + 1 : f->x->run.views[log].info->program);
	hb__proto_open(&f->packet, TRACE_PACKET);
	hb__proto_open(&f->packet, PACKET_TRACK_DESCRIPTOR);
	hb__proto_uint(&f->packet, TRACK_UUID, process_track(log));
	hb__proto_open(&f->packet, TRACK_PROCESS);
	hb__proto_uint(&f->packet, PROCESS_PID, 1 + log);
	hb__proto_text(&f->packet, PROCESS_NAME, full);
	hb__proto_close(&f->packet);
	hb__proto_close(&f->packet);
	end_packet(f);
	free(full);
	free(name);
}

static void put_lane(struct perfetto *f, size_t log, uint32_t lane)
{
	/* Thread numbers above all process numbers, but for lane 0, which is the process's main thread. */
	uint64_t tid = lane ? 1 + f->x->run.logs.n + (uint64_t)log * 4096 + lane : 1 + log;
	char *name = hb__export_line_name(f->x, log, lane);
	hb__proto_open(&f->packet, TRACE_PACKET);
	hb__proto_open(&f->packet, PACKET_TRACK_DESCRIPTOR);
	hb__proto_uint(&f->packet, TRACK_UUID, lane_track(log, lane));
	hb__proto_uint(&f->packet, TRACK_PARENT, process_track(log));
	hb__proto_open(&f->packet, TRACK_THREAD);
	hb__proto_uint(&f->packet, THREAD_PID, 1 + log);
	hb__proto_uint(&f->packet, THREAD_TID, tid & INT32_MAX);
	hb__proto_text(&f->packet, THREAD_NAME, name);
	hb__proto_close(&f->packet);
	hb__proto_close(&f->packet);
	end_packet(f);
	free(name);
}

/* ---- slices ---- */

static void annotate(struct perfetto *f, const char *name, int64_t value)
{
	if (value == HB_ABSENT)
		return;
	uint64_t iid = intern(f, &f->annotations, INTERNED_ANNOTATION, name);
	hb__proto_open(&f->packet, EVENT_ANNOTATION);
	hb__proto_uint(&f->packet, ANNOTATION_NAME_IID, iid);
	hb__proto_uint(&f->packet, ANNOTATION_INT, (uint64_t)value);
	hb__proto_close(&f->packet);
}

static void annotate_real(struct perfetto *f, const char *name, int64_t bits)
{
	uint64_t iid = intern(f, &f->annotations, INTERNED_ANNOTATION, name);
	hb__proto_open(&f->packet, EVENT_ANNOTATION);
	hb__proto_uint(&f->packet, ANNOTATION_NAME_IID, iid);
	hb__proto_fixed64(&f->packet, ANNOTATION_DOUBLE, (uint64_t)bits);
	hb__proto_close(&f->packet);
}

static void annotate_text(struct perfetto *f, const char *name, const char *value)
{
	uint64_t iid = intern(f, &f->annotations, INTERNED_ANNOTATION, name);
	hb__proto_open(&f->packet, EVENT_ANNOTATION);
	hb__proto_uint(&f->packet, ANNOTATION_NAME_IID, iid);
	hb__proto_text(&f->packet, ANNOTATION_TEXT, value);
	hb__proto_close(&f->packet);
}

static void put_arguments(struct perfetto *f, const hb_call *call)
{
	const hb_log *log = f->x->run.logs.at[call->log].log;
	for (uint32_t i = 0; i < hb_event_fields(call->event); i++) {
		hb_field field = hb_event_field(call->event, i);
		const char *word = hb__word(log, field.kind, field.value);
		if (word)
			annotate_text(f, field.name, word);
		else if (field.kind == HB_RECORDED_REAL)
			annotate_real(f, field.name, field.value);
		else
			annotate(f, field.name, field.value);
	}
}

static void put_answers(struct perfetto *f, const hb_event *ev)
{
	const char *error = ev->row->result ? hb__error_class_name(ev->row->result) : NULL;
	if (error)
		annotate_text(f, "error", error);
	else if (ev->row->result)
		annotate(f, "error", ev->row->result);
	if (ev->source != HB_ABSENT) {
		annotate(f, "received.source", ev->source);
		annotate(f, "received.tag", ev->source_tag);
		annotate(f, "received.bytes", ev->bytes);
	}
	if (ev->shape == HB_SHAPE_ANY && ev->nanswers)
		annotate(f, "index", ev->answers[0].index);
	if (ev->row->polls)
		annotate(f, "polls", (int64_t)ev->row->polls);
}

/* A flow only where both ends are in the output. */
static void put_flow(struct perfetto *f, uint32_t send, uint32_t receive, uint32_t field)
{
	const hb_model *m = f->x->run.model;
	if (send != HB_NO && receive != HB_NO && hb__export_wants_event(f->x, hb_send_at(m, send)) &&
		hb__export_wants_event(f->x, hb_receive_done(m, receive)))
		hb__proto_fixed64(&f->packet, field, (uint64_t)send + 1);
}

/* A slice has room for one correlation: of a call that begins several collectives (MPI_Startall) none is told. */
static void put_begin_ops(struct perfetto *f, const hb_call *call)
{
	const hb_model *m = f->x->run.model;
	uint32_t entered = HB_NO, n = 0;
	for (size_t i = 0; i < call->nops; i++) {
		if (call->op[i].kind == HB_OP_SEND)
			put_flow(f, call->op[i].id, hb_model_sends(m)[call->op[i].id].receive, EVENT_FLOW);
		if (call->op[i].kind == HB_OP_ENTER) {
			entered = call->op[i].id;
			n++;
		}
	}
	if (n == 1)
		hb__proto_uint(&f->packet, EVENT_CORRELATION, (uint64_t)entered + 1);
}

/* Perfetto draws a flow from the earlier of its points to the later: it ends where the receive ends. */
static void put_end_ops(struct perfetto *f, const hb_call *call)
{
	for (size_t i = 0; i < call->nops; i++)
		if (call->op[i].kind == HB_OP_RECEIVED)
			put_flow(f, hb_model_receives(f->x->run.model)[call->op[i].id].send, call->op[i].id,
				EVENT_FLOW_END);
}

static void put_slice_end(struct perfetto *f, const hb_call *call, bool values)
{
	hb__proto_open(&f->packet, TRACE_PACKET);
	hb__proto_uint(&f->packet, PACKET_TIMESTAMP, (uint64_t)(call->ns > 0 ? call->ns : 0));
	hb__proto_open(&f->packet, PACKET_TRACK_EVENT);
	hb__proto_uint(&f->packet, EVENT_TYPE, SLICE_END);
	hb__proto_uint(&f->packet, EVENT_TRACK, f->track);
	if (values)
		put_arguments(f, call);
	hb__proto_close(&f->packet);
	end_packet(f);
}

/* A span of the program is one slice from its begin to its end, whose values stand at the slice. True: so it was, and there is
 * nothing of this point to write; an end that nothing began is a slice of its own, as other events are. */
static bool put_span(struct perfetto *f, const hb_call *call, bool end)
{
	const hb_function *function = call->event->function;
	if (!function || (function->cls != HB_USER_BEGIN && function->cls != HB_USER_END))
		return false;
	uint32_t name = (uint32_t)intern(f, &f->names, INTERNED_NAME, function->name);
	if (function->cls == HB_USER_BEGIN) {
		f->no_memory |= !end && !hb_span_begin(&f->spans, name, (uint32_t)call->event->row->number);
		return end;
	}
	if (end) /* the slices ended as the call began */
		return call->event->row->number == f->ended;
	size_t ends = hb_span_ends(&f->spans, name);
	f->ended = ends ? call->event->row->number : 0;
	f->spans.n -= ends;
	for (size_t i = 0; i < ends; i++)
		put_slice_end(f, call, i + 1 == ends);
	return ends != 0;
}

static void put_point(void *user, const hb_call *call, bool end)
{
	struct perfetto *f = user;
	if (put_span(f, call, end))
		return;
	const struct hb_place *place = end ? NULL : hb__view_place(&f->x->run.views[call->log], call->event->row->site);
	const char *name = call->event->function ? call->event->function->name : "unknown";
	const char *class = call->event->function ? hb__class_name(call->event->function->cls) : "unknown";
	hb__proto_open(&f->packet, TRACE_PACKET);
	hb__proto_uint(&f->packet, PACKET_TIMESTAMP, (uint64_t)(call->ns > 0 ? call->ns : 0));
	hb__proto_open(&f->packet, PACKET_TRACK_EVENT);
	hb__proto_uint(&f->packet, EVENT_TYPE, end ? SLICE_END : SLICE_BEGIN);
	hb__proto_uint(&f->packet, EVENT_TRACK, f->track);
	if (!end) {
		hb__proto_uint(&f->packet, EVENT_NAME_IID, intern(f, &f->names, INTERNED_NAME, name));
		hb__proto_uint(&f->packet, EVENT_CATEGORY_IID, intern(f, &f->categories, INTERNED_CATEGORY, class));
		annotate(f, "event", (int64_t)call->event->row->number);
	}
	if (place)
		hb__proto_uint(&f->packet, EVENT_SOURCE_IID, intern_source(f, place));
	if (!end) {
		put_arguments(f, call);
		put_begin_ops(f, call);
	}
	if (end) {
		put_answers(f, call->event);
		put_end_ops(f, call);
	}
	hb__proto_close(&f->packet);
	end_packet(f);
}

static void put_all(struct perfetto *f)
{
	hb_export *x = f->x;
	for (size_t i = 0; i < x->run.logs.n; i++) {
		if (!hb__export_wants(x, i))
			continue;
		put_process(f, i);
		for (uint32_t lane = 0; lane < x->run.views[i].info->lanes; lane++)
			put_lane(f, i, lane);
	}
	for (size_t i = 0; i < x->run.logs.n; i++)
		for (uint32_t lane = 0; hb__export_wants(x, i) && lane < x->run.views[i].info->lanes; lane++) {
			f->track = lane_track(i, lane);
			f->spans.n = 0;
			f->ended = 0;
			int code = hb__walk(x, i, lane, put_point, f);
			x->code = code ? code : x->code;
			if (f->out->broken || !hb__export_step(x, 0))
				return;
		}
}

int hb__export_perfetto(hb_export *x)
{
	hb_export_target target;
	char *path = x->out ? hb__copy(x->out) : hb__format("%s.perfetto-trace", x->name);
	int code = hb__target_file(path, x->force, &target);
	if (!code) {
		struct perfetto f = {.x = x, .out = target.out};
		put_all(&f);
		if (f.no_memory)
			x->code = hb__fail_with(
				HB_EXIT_RECORDING, "there is not enough memory for the spans of the program");
		free(f.packet.at);
		free(f.spans.at);
		free(f.interned.at);
		hb__names_free(&f.names);
		hb__names_free(&f.categories);
		hb__names_free(&f.annotations);
		hb__names_free(&f.sources);
		code = hb__target_end(&target, hb__export_step(x, 0));
		if (!code && strcmp(path, "-") != 0 && hb__export_step(x, 0))
			hb__export_wrote(x, path);
	}
	free(path);
	return code;
}
