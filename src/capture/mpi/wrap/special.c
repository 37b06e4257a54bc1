/* Start and end of MPI, and which handler a function has. */
#include <string.h>

#include "capture/core/control/control.h"
#include "capture/mpi/wrap/step.h"
#include "capture/mpi/wrap/turns/turns.h"

/* The record has begun with this call: calls before it are counted. False: there is none. */
bool hb__begin_events(struct hb__call *c)
{
	struct hb__lane *lane = hb__self;
	if (!lane)
		return false;
	lane->depth = 1;
	for (int i = 0; i < HB_FN_COUNT; i++) {
		lane->control->calls[i] += hb__early_calls[i];
		if (hb__early_calls[i] && hb__fns[i])
			hb__define_function(hb__fns[i]);
	}
	c->lane = lane;
	return true;
}

/* Everything begins when MPI_Init returns: then there is a rank. */
int hb__on_init(struct hb__call *c)
{
	static __thread bool inside;
	if (inside)
		return hb__invoke_next(c);
	inside = true;
	int code = hb__invoke_next(c);
	inside = false;
	if (code != MPI_SUCCESS || hb__config.mode == HB__OFF)
		return code;
	int level = 0;
	PMPI(Query_thread)(&level);
	hb__begin_process(level);
	hb__early_calls[c->fn->id]++;
	if (hb__began_alone() || !hb__begin_events(c))
		return code;
	hb__begin(c, false);
	hb__end(c, code);
	hb__control_start(c->lane);
	c->lane->depth = 0;
	return code;
}

/* What the library does at its end with what all copies of the process share - its sets of epoll, its files - it does only once, and a copy that
 * comes there later would do otherwise, or wait for ever. Only a callback of the program would notice that it was left out. */
static bool end_is_left_out(const struct hb__lane *lane) { return hb__config.backwards && !hb__calls_back(lane); }

int hb__on_finalize(struct hb__call *c)
{
	hb__begin(c, false);
	HB__TELL(finalizing, c);
	bool left_out = end_is_left_out(c->lane);
	if (!left_out)
		hb__library_threads_again();
	/* attributes of MPI_COMM_SELF are deleted inside: callbacks may still call MPI */
	int code = left_out ? MPI_SUCCESS : hb__invoke_next(c);
	HB__TELL(finalized, c);
	hb__end(c, code);
	hb__follow_finish();
	hb__end_process(HB_STATE_FINALIZED);
	return code;
}

/* Does not come back: what can be said is said before. MPICH 4.2 does, until its launcher has ended the process: how far
 * the program gets is chance, and neither recorded nor followed. */
int hb__on_abort(struct hb__call *c)
{
	hb__begin(c, false);
	hb__end(c, MPI_SUCCESS);
	hb__log_state(HB_STATE_ABORTED);
	hb__control_check(c->lane);
	hb__control_bye("aborted");
	hb__library_threads_again();
	int code = hb__invoke_next(c);
	hb__active = false;
	hb__self = NULL;
	return code;
}

hb__handler *hb__handlers[HB_FN_COUNT];

static hb__handler *by_class(const struct hb__fn *fn)
{
	bool event = fn->flags & (HB_EVENT | HB_NONBLOCKING | HB_PERSISTENT);
	switch (fn->cls) {
	case HB_SEND:
		return hb__on_send;
	case HB_RECV:
		return fn->flags & HB_MATCHED ? hb__on_mrecv : hb__on_recv;
	case HB_COLLECTIVE:
		return hb__on_collective;
	case HB_PROBE:
		return fn->flags & HB_POLL ? hb__on_iprobe : hb__on_probe;
	case HB_COMM:
		return fn->role[HB_R_NEWCOMM] ? hb__on_comm : hb__on_comm_free;
	default:
		break;
	}
	if (fn->role[HB_R_NEWTYPE])
		return hb__on_newtype;
	bool moves = fn->cls == HB_RMA || fn->cls == HB_IO ? fn->role[HB_R_SBUF] || fn->role[HB_R_RBUF] : false;
	if (!event)
		return moves ? hb__on_moving : hb__on_plain;
	if (fn->role[HB_R_WINPTR] || fn->role[HB_R_FILEPTR])
		return hb__on_newhandle; /* two of them end one: see below */
	return fn->flags & HB_POLL ? hb__on_poll : hb__on_event;
}

/* The handler of a completion: by how it answers and whether it may answer no. */
static hb__handler *of_completion(const struct hb__fn *fn)
{
	static hb__handler *const waits[] = {[HB_SHAPE_STATUS] = hb__on_wait,
		[HB_SHAPE_ALL] = hb__on_waitall,
		[HB_SHAPE_ANY] = hb__on_waitany,
		[HB_SHAPE_SOME] = hb__on_waitsome};
	static hb__handler *const tests[] = {[HB_SHAPE_STATUS] = hb__on_test,
		[HB_SHAPE_ALL] = hb__on_testall,
		[HB_SHAPE_ANY] = hb__on_testany,
		[HB_SHAPE_SOME] = hb__on_testsome};
	return (fn->flags & HB_POLL ? tests : waits)[fn->means->shape];
}

/* NULL: what its class says. */
static hb__handler *by_meaning(const struct hb__fn *fn)
{
	switch (fn->means->turn) {
	case HB_TURN_LOCK:
		return hb__on_window_lock;
	case HB_TURN_UNLOCK:
		return hb__on_window_unlock;
	case HB_TURN_ATOMIC:
		return hb__on_atomic;
	case HB_TURN_POINTER:
		return hb__on_shared_pointer;
	default:
		break;
	}
	switch (fn->means->does) {
	case HB_DOES_INIT:
		return hb__on_late_init;
	case HB_DOES_SESSION_INIT:
	case HB_DOES_SESSION_END:
		return hb__on_session;
	case HB_DOES_FINALIZE:
		return hb__on_finalize;
	case HB_DOES_ABORT:
		return hb__on_abort;
	case HB_DOES_COMPLETE:
		return of_completion(fn);
	case HB_DOES_LOOK:
		return fn->role[HB_R_REQS] ? hb__on_look_at_several : hb__on_get_status;
	case HB_DOES_FREE_REQUEST:
		return hb__on_request_free;
	case HB_DOES_START:
		return fn->means->posts == HB_POSTS_COUNT ? hb__on_startall : hb__on_start;
	case HB_DOES_CANCEL:
		return hb__on_cancel;
	case HB_DOES_WINDOW_START:
		return hb__on_window_start;
	case HB_DOES_WINDOW_COMPLETE:
		return hb__on_window_complete;
	case HB_DOES_WINDOW_FREE:
	case HB_DOES_FILE_CLOSE:
		return hb__on_handle_free;
	case HB_DOES_ATTACH_BUFFER:
		return fn->param[0].kind == HB_P_SESSION ? NULL : hb__on_buffer_attach;
	case HB_DOES_DETACH_BUFFER:
		return fn->param[0].kind == HB_P_SESSION ? NULL : hb__on_buffer_detach;
	case HB_DOES_SET_NAME:
		return hb__on_set_name;
	default:
		break;
	}
	if (fn->role[HB_R_TYPEPTR])
		return fn->means->frees ? hb__on_type_free : hb__on_type_commit;
	if (fn->role[HB_R_OPPTR])
		return fn->means->frees ? hb__on_op_free : hb__on_newop;
	/* only hands out a communicator that is known since the process began */
	return fn->cls == HB_COMM && !(fn->flags & HB_EVENT) ? hb__on_plain : NULL;
}

static __attribute__((constructor)) void choose_handlers(void)
{
	for (int i = 0; i < HB_FN_COUNT; i++) {
		hb__handler *own = hb__fns[i] ? by_meaning(hb__fns[i]) : NULL;
		hb__handlers[i] = own ? own : hb__fns[i] ? by_class(hb__fns[i]) : NULL;
	}
}
