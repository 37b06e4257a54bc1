/* OTF2 archives through libotf2: a location per lane, a region per MPI function, a record per message and collective. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "otf2.h"

/* Of a request, by its posting. */
#define REQUEST_SEND 0x80000000u
#define REQUEST_RECEIVE 0x40000000u
#define REQUEST_PERSISTENT 0x20000000u /* only its starts do anything */
#define REQUEST_ID 0x1fffffffu         /* 1 + number of the receive in the model; 0: none */

/* Numbers of requests, unique in a location. */
static uint64_t send_request(int64_t posting) { return (uint64_t)posting * 4; }
static uint64_t receive_request(uint32_t id) { return (uint64_t)id * 4 + 1; }
static uint64_t collective_request(uint32_t id) { return (uint64_t)id * 4 + 2; }

void hb__otf2_check(struct hb__otf2 *o, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && o->error == OTF2_SUCCESS) {
		o->error = code;
		o->sys = o->sys ? o->sys : errno;
	}
}

/* libotf2 would print. */
static OTF2_ErrorCode on_error(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
	const char *format, va_list list)
{
	struct hb__otf2 *o = user;
	(void)file, (void)line, (void)function, (void)format, (void)list;
	if (!o->sys)
		o->sys = errno;
	return code;
}

/* ---- requests ---- */

static void remember_requests(struct hb__otf2 *o, const hb_call *call)
{
	const hb_event *ev = call->event;
	if (!ev->posts || !ev->function || ev->posting < 0 || (uint64_t)ev->posting + ev->posts > UINT32_MAX)
		return;
	size_t need = (size_t)ev->posting + ev->posts, op = 0;
	if (need > o->requests) {
		size_t room = need + need / 2 + 64;
		o->request = hb__resize(o->request, room * sizeof *o->request);
		memset(o->request + o->requests, 0, (room - o->requests) * sizeof *o->request);
		o->requests = room;
	}
	bool partitioned = ev->means->does == HB_DOES_PARTITIONED;
	int64_t dest = hb_event_argument(ev, "dest");
	for (uint32_t i = 0; i < ev->posts; i++) {
		uint32_t *r = &o->request[ev->posting + i], kind = 0;
		if (ev->shape == HB_SHAPE_STARTED) {
			hb_reference from = i < ev->nanswers ? ev->answers[i].request : (hb_reference){HB_NO, -1};
			bool known = from.lane == call->lane && from.posting >= 0 && (size_t)from.posting < o->requests;
			kind = known ? o->request[from.posting] & (REQUEST_SEND | REQUEST_RECEIVE) : 0;
		} else if (!partitioned)
			kind = (dest != HB_ABSENT && dest >= 0 ? REQUEST_SEND : 0) |
			       (ev->from != HB_ABSENT && ev->from != HB_PROC_NULL ? REQUEST_RECEIVE : 0) |
			       (ev->means->flags & HB_PERSISTENT ? REQUEST_PERSISTENT : 0);
		*r = kind;
		if (kind & REQUEST_PERSISTENT)
			continue;
		while (kind & REQUEST_RECEIVE && op < call->nops && call->op[op].kind != HB_OP_POST)
			op++;
		if (kind & REQUEST_RECEIVE && op < call->nops)
			*r |= (call->op[op++].id + 1) & REQUEST_ID;
	}
}

/* The posting of the k-th send that a call began. */
static int64_t posting_of_send(const struct hb__otf2 *o, const hb_event *ev, uint32_t k)
{
	for (uint32_t i = 0; i < ev->posts; i++)
		if (o->request[ev->posting + i] & REQUEST_SEND && !k--)
			return ev->posting + i;
	return -1;
}

static void put_completions(struct hb__otf2 *o, const hb_call *call)
{
	const hb_event *ev = call->event;
	bool freed = ev->means->does == HB_DOES_FREE_REQUEST;
	if (!freed && (ev->shape < HB_SHAPE_STATUS || ev->shape > HB_SHAPE_SOME))
		return;
	for (uint32_t i = 0; i < ev->nanswers; i++) {
		const hb_answer *a = &ev->answers[i];
		if (a->code >= HB_ST_NULL || a->request.lane != call->lane || a->request.posting < 0 ||
			(size_t)a->request.posting >= o->requests)
			continue;
		uint32_t *r = &o->request[a->request.posting];
		bool cancelled = a->code == HB_ST_CANCELLED;
		if (*r & REQUEST_PERSISTENT)
			continue;
		if (*r & REQUEST_SEND)
			hb__otf2_check(
				o, (cancelled ? OTF2_EvtWriter_MpiRequestCancelled : OTF2_EvtWriter_MpiIsendComplete)(
					   o->writer, NULL, (uint64_t)call->ns, send_request(a->request.posting)));
		if (*r & REQUEST_RECEIVE && *r & REQUEST_ID && cancelled)
			hb__otf2_check(o, OTF2_EvtWriter_MpiRequestCancelled(o->writer, NULL, (uint64_t)call->ns,
						  receive_request((*r & REQUEST_ID) - 1)));
		*r = 0; /* told once: MPI_Request_get_status may have been first */
	}
}

/* ---- messages ---- */

static uint32_t rank_in(struct hb__otf2 *o, uint32_t group, uint32_t process, bool other)
{
	const hb_group *g = &hb_model_groups(o->m)[group];
	bool remote = g->remote_size && hb__otf2_rank(o, group, true, o->process) != OTF2_UNDEFINED_UINT32;
	return hb__otf2_rank(o, group, g->remote_size ? remote != other : false, process);
}

static void put_send(struct hb__otf2 *o, const hb_call *call, uint32_t id, int64_t posting)
{
	const hb_channel *c = &hb_model_channels(o->m)[hb_model_sends(o->m)[id].channel];
	uint32_t dest = c->dest == HB_NO ? OTF2_UNDEFINED_UINT32 : rank_in(o, c->group, c->dest, true);
	uint64_t bytes = hb_send_bytes(o->m, id), ns = (uint64_t)call->ns;
	hb__otf2_check(
		o, posting >= 0 ? OTF2_EvtWriter_MpiIsend(o->writer, NULL, ns, dest, c->group, (uint32_t)c->tag, bytes,
					  send_request(posting))
				: OTF2_EvtWriter_MpiSend(o->writer, NULL, ns, dest, c->group, (uint32_t)c->tag, bytes));
}

/* A request belongs to a location: of a receive that another thread completes only the receipt is written. */
static void put_received(struct hb__otf2 *o, const hb_call *call, uint32_t id)
{
	const hb_receive *v = &hb_model_receives(o->m)[id];
	const hb_spec *s = &hb_model_specs(o->m)[v->spec];
	uint32_t source = s->source, group = s->group;
	int64_t tag = s->tag;
	uint64_t bytes = 0, ns = (uint64_t)call->ns;
	bool posted = v->post != call->event->row->number && !(v->flags & HB_ELSEWHERE);
	if (v->send != HB_NO) {
		const hb_channel *c = &hb_model_channels(o->m)[hb_model_sends(o->m)[v->send].channel];
		source = c->source;
		tag = c->tag;
		bytes = hb_send_bytes(o->m, v->send);
	}
	if (source == HB_NO || tag == HB_ANY_TAG) {
		o->unknown++;
		return;
	}
	uint32_t from = rank_in(o, group, source, true);
	hb__otf2_check(o, posted ? OTF2_EvtWriter_MpiIrecv(
					   o->writer, NULL, ns, from, group, (uint32_t)tag, bytes, receive_request(id))
				 : OTF2_EvtWriter_MpiRecv(o->writer, NULL, ns, from, group, (uint32_t)tag, bytes));
}

/* ---- collectives ---- */

/* By the names that the call table has from OTF2. */
static OTF2_CollectiveOp operation(const hb_meaning *means)
{
	static const struct {
		const char *name;
		OTF2_CollectiveOp op;
	} table[] = {
#define OP(name) {#name, OTF2_COLLECTIVE_OP_##name}
		OP(BARRIER),
		OP(BCAST),
		OP(GATHER),
		OP(GATHERV),
		OP(SCATTER),
		OP(SCATTERV),
		OP(ALLGATHER),
		OP(ALLGATHERV),
		OP(ALLTOALL),
		OP(ALLTOALLV),
		OP(ALLTOALLW),
		OP(ALLREDUCE),
		OP(REDUCE),
		OP(REDUCE_SCATTER),
		OP(REDUCE_SCATTER_BLOCK),
		OP(SCAN),
		OP(EXSCAN),
		OP(DESTROY_HANDLE),
#undef OP
	};
	for (size_t i = 0; means->otf2 && i < sizeof table / sizeof *table; i++)
		if (!strcmp(means->otf2, table[i].name))
			return table[i].op;
	return OTF2_COLLECTIVE_OP_CREATE_HANDLE; /* communicators, windows, files */
}

static uint32_t root_of(struct hb__otf2 *o, const hb_collective *c)
{
	const hb_group *g = &hb_model_groups(o->m)[c->group];
	if (c->root == HB_NO)
		return OTF2_COLLECTIVE_ROOT_NONE;
	if (!g->remote_size)
		return rank_in(o, c->group, c->root, false);
	if (c->root == o->process)
		return OTF2_COLLECTIVE_ROOT_SELF;
	if (rank_in(o, c->group, c->root, false) != OTF2_UNDEFINED_UINT32)
		return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
	return rank_in(o, c->group, c->root, true);
}

/* Sizes: what this process gave as count and datatype, as sent, or as received where it only receives. */
static void put_left(struct hb__otf2 *o, const hb_call *call, uint32_t id, bool blocking)
{
	const hb_collective *c = &hb_model_collectives(o->m)[id];
	const hb_function *f = hb_log_function(hb_model_processes(o->m)[c->process].log, c->function);
	OTF2_CollectiveOp op = operation(blocking       ? call->event->means
					 : f && f->name ? hb_meaning_of(f->name, f->cls)
							: hb_meaning_of("", HB_COMM));
	uint64_t bytes = blocking && call->event->bytes > 0 ? (uint64_t)call->event->bytes : 0;
	bool receives = c->order == HB_ORDER_OUT && c->root != o->process;
	uint64_t sent = receives ? 0 : bytes, received = receives ? bytes : 0;
	if (blocking)
		hb__otf2_check(o, OTF2_EvtWriter_MpiCollectiveEnd(o->writer, NULL, (uint64_t)call->ns, op, c->group,
					  root_of(o, c), sent, received));
	else
		hb__otf2_check(o, OTF2_EvtWriter_NonBlockingCollectiveComplete(o->writer, NULL, (uint64_t)call->ns, op,
					  c->group, root_of(o, c), sent, received, collective_request(id)));
}

/* ---- points ---- */

static bool is_blocking(const hb_event *ev) { return !ev->posts && ev->shape != HB_SHAPE_STARTED; }

static void put_begun(struct hb__otf2 *o, const hb_call *call)
{
	uint32_t sends = 0;
	remember_requests(o, call);
	for (size_t i = 0; i < call->nops; i++) {
		const hb_op *op = &call->op[i];
		uint64_t ns = (uint64_t)call->ns;
		if (op->kind == HB_OP_SEND) {
			bool blocking = is_blocking(call->event);
			put_send(o, call, op->id, blocking ? -1 : posting_of_send(o, call->event, sends));
			sends++;
		} else if (op->kind == HB_OP_POST && !is_blocking(call->event) &&
			   !(hb_model_receives(o->m)[op->id].flags & HB_ELSEWHERE))
			hb__otf2_check(o, OTF2_EvtWriter_MpiIrecvRequest(o->writer, NULL, ns, receive_request(op->id)));
		else if (op->kind == HB_OP_ENTER && is_blocking(call->event))
			hb__otf2_check(o, OTF2_EvtWriter_MpiCollectiveBegin(o->writer, NULL, ns));
		else if (op->kind == HB_OP_ENTER)
			hb__otf2_check(o, OTF2_EvtWriter_NonBlockingCollectiveRequest(
						  o->writer, NULL, ns, collective_request(op->id)));
	}
}

static bool entered_here(const hb_call *call, uint32_t id)
{
	for (size_t i = 0; i < call->nops; i++)
		if (call->op[i].kind == HB_OP_ENTER && call->op[i].id == id)
			return true;
	return false;
}

static void put_ended(struct hb__otf2 *o, const hb_call *call)
{
	for (size_t i = 0; i < call->nops; i++) {
		if (call->op[i].kind == HB_OP_RECEIVED)
			put_received(o, call, call->op[i].id);
		if (call->op[i].kind == HB_OP_LEAVE)
			put_left(o, call, call->op[i].id, entered_here(call, call->op[i].id));
	}
	put_completions(o, call);
}

static uint32_t region_of(struct hb__otf2 *o, const hb_call *call)
{
	bool fresh;
	uint32_t region =
		hb__name(&o->regions, call->event->function ? call->event->function->name : "unknown", &fresh);
	if (fresh) {
		o->region_class = hb__resize(o->region_class, (region + 1) * sizeof *o->region_class);
		o->region_class[region] = call->event->function ? call->event->function->cls : 0;
	}
	return region;
}

static void add_attributes(struct hb__otf2 *o, const hb_call *call)
{
	const struct hb_place *place = hb__view_place(&o->x->run.views[call->log], call->event->row->site);
	bool fresh;
	hb__otf2_check(o, OTF2_AttributeList_AddUint64(o->attributes, HB__OTF2_EVENT, call->event->row->number));
	if (!place)
		return;
	uint32_t id = hb__name(&o->places, place->text, &fresh);
	if (fresh) {
		o->place_file = hb__resize(o->place_file, (id + 1) * sizeof *o->place_file);
		o->place_line = hb__resize(o->place_line, (id + 1) * sizeof *o->place_line);
		o->place_file[id] = hb__name(&o->strings, place->file ? place->file : place->text, NULL);
		o->place_line[id] = place->file ? (uint32_t)place->line : 0;
	}
	hb__otf2_check(o, OTF2_AttributeList_AddSourceCodeLocationRef(o->attributes, HB__OTF2_PLACE, id));
}

static void put_point(void *user, const hb_call *call, bool end)
{
	struct hb__otf2 *o = user;
	uint64_t ns = (uint64_t)call->ns;
	o->first_ns = call->ns < o->first_ns ? call->ns : o->first_ns;
	o->last_ns = call->ns > o->last_ns ? call->ns : o->last_ns;
	if (!end) {
		add_attributes(o, call);
		hb__otf2_check(o, OTF2_EvtWriter_Enter(o->writer, o->attributes, ns, region_of(o, call)));
	}
	if (!end)
		put_begun(o, call);
	if (!end)
		return;
	put_ended(o, call);
	hb__otf2_check(o, OTF2_EvtWriter_Leave(o->writer, NULL, ns, region_of(o, call)));
}

/* ---- the archive ---- */

static OTF2_FlushType on_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static void put_lane(struct hb__otf2 *o, uint32_t line)
{
	const hb_line *l = &hb_model_lines(o->m)[line];
	o->process = l->process;
	o->log = o->x->run.log_of[l->process];
	o->writer = OTF2_Archive_GetEvtWriter(o->archive, line);
	if (!o->writer) {
		hb__otf2_check(o, OTF2_ERROR_MEM_ALLOC_FAILED);
		return;
	}
	if (hb__export_wants_process(o->x, l->process)) {
		int code = hb__walk(o->x, o->log, l->lane, put_point, o);
		o->x->code = code ? code : o->x->code;
	}
	hb__otf2_check(o, OTF2_EvtWriter_GetNumberOfEvents(o->writer, &o->written[line]));
	hb__otf2_check(o, OTF2_Archive_CloseEvtWriter(o->archive, o->writer));
	free(o->request);
	o->request = NULL;
	o->requests = 0;
}

/* Readers want files of all locations, and warn when the local definitions are missing; there is nothing to say in them. */
static void put_empty_files(struct hb__otf2 *o, bool definitions)
{
	const hb_model_info *info = hb_model_get_info(o->m);
	for (uint32_t i = 0; i < info->processes + hb__otf2_strangers(o->m) && o->error == OTF2_SUCCESS; i++) {
		uint32_t n = i < info->processes ? hb_model_processes(o->m)[i].nlines : 0;
		uint64_t location = hb__otf2_location(o, i);
		for (uint32_t k = 0; definitions && k < (n ? n : 1); k++) {
			OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(o->archive, location + k);
			hb__otf2_check(o,
				writer ? OTF2_Archive_CloseDefWriter(o->archive, writer) : OTF2_ERROR_MEM_ALLOC_FAILED);
		}
		OTF2_EvtWriter *writer = definitions || n ? NULL : OTF2_Archive_GetEvtWriter(o->archive, location);
		if (writer)
			hb__otf2_check(o, OTF2_Archive_CloseEvtWriter(o->archive, writer));
	}
}

static void put_archive(struct hb__otf2 *o, const char *folder)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = on_flush};
	uint32_t lines = hb_model_get_info(o->m)->lines;
	o->archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
		OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!o->archive) {
		hb__otf2_check(o, OTF2_ERROR_EIO);
		return;
	}
	hb__otf2_check(o, OTF2_Archive_SetFlushCallbacks(o->archive, &flush, NULL));
	hb__otf2_check(o, OTF2_Archive_SetSerialCollectiveCallbacks(o->archive));
	hb__otf2_check(o, OTF2_Archive_SetCreator(o->archive, "hbdb " HBDB_VERSION));
	hb__otf2_check(o, OTF2_Archive_SetDescription(o->archive, o->x->name));
	hb__otf2_check(o, OTF2_Archive_OpenEvtFiles(o->archive));
	for (uint32_t i = 0; i < lines && o->error == OTF2_SUCCESS && hb__export_step(o->x, 0); i++)
		put_lane(o, i);
	put_empty_files(o, false);
	hb__otf2_check(o, OTF2_Archive_CloseEvtFiles(o->archive));
	hb__otf2_check(o, OTF2_Archive_OpenDefFiles(o->archive));
	put_empty_files(o, true);
	hb__otf2_check(o, OTF2_Archive_CloseDefFiles(o->archive));
	if (o->error == OTF2_SUCCESS)
		hb__otf2_definitions(o);
	hb__otf2_check(o, OTF2_Archive_Close(o->archive));
}

static void release(struct hb__otf2 *o)
{
	OTF2_AttributeList_Delete(o->attributes);
	hb__names_free(&o->strings);
	hb__names_free(&o->regions);
	hb__names_free(&o->places);
	free(o->place_file);
	free(o->place_line);
	free(o->region_class);
	free(o->written);
	free(o->request);
	for (uint32_t i = 0; i < 2 * hb_model_get_info(o->m)->groups; i++)
		free(o->ranks[i]);
	free(o->ranks);
}

int hb__export_otf2(hb_export *x)
{
	hb_export_target target;
	char *path = x->out ? hb__copy(x->out) : hb__format("%s.otf2", x->name);
	int code = hb__target_folder(path, x->force, &target);
	if (!code) {
		struct hb__otf2 o = {.x = x, .m = x->run.model, .first_ns = INT64_MAX};
		const hb_model_info *info = hb_model_get_info(o.m);
		o.written = hb__alloc(info->lines * sizeof *o.written);
		o.ranks = hb__alloc(2 * (size_t)info->groups * sizeof *o.ranks);
		o.attributes = OTF2_AttributeList_New();
		OTF2_Error_RegisterCallback(on_error, &o);
		put_archive(&o, target.part);
		bool good = o.error == OTF2_SUCCESS && hb__export_step(x, 0);
		code = hb__target_end(&target, good);
		if (o.error != OTF2_SUCCESS)
			code = hb__fail_with(HB_EXIT_RECORDING, "cannot write %s: %s", path,
				o.sys ? strerror(o.sys) : OTF2_Error_GetDescription(o.error));
		else if (!code && good)
			hb__export_wrote(x, path);
		if (o.unknown)
			hb__say("%llu messages came from senders that are not known: they are not in the archive",
				(unsigned long long)o.unknown);
		release(&o);
	}
	free(path);
	return code;
}
