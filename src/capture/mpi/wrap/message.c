/* Sends, receives and probes. */
#include <time.h>

#include "capture/mpi/wrap/step.h"

/* A delay below what was asked for: makes orders happen that are rare. */
static void shake(struct hb__lane *lane)
{
	lane->random ^= lane->random << 13;
	lane->random ^= lane->random >> 7;
	lane->random ^= lane->random << 17;
	uint64_t ns = lane->random % (hb__config.shake * 1000ull);
	struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
	nanosleep(&t, NULL);
}

/* What a receive asks for. */
static void describe(struct hb__call *c, struct hb__request *r)
{
	r->receive = true;
	r->source = HB_ANY_SOURCE;
	if (!hb__has(c, HB_R_SOURCE)) /* of a message that a probe took: the probe has told from whom */
		return;
	int source = (int)hb__arg(c, HB_R_SOURCE), tag = (int)hb__arg(c, HB_R_LAST_TAG);
	r->source = hb__neutral_rank(source);
	r->tag = hb__neutral_tag(tag);
	r->wild = r->source != HB_PROC_NULL && (r->source == HB_ANY_SOURCE || r->tag == HB_ANY_TAG);
	if (r->wild && hb__known.sendrecv_untold && hb__has(c, HB_R_DEST)) {
		static bool told;
		if (!told)
			hb__row_note(
				"MPI_Isendrecv with a wildcard: this MPI library does not report what was received, so it is not replayed");
		told = true;
	}
	r->bytes = r->source == HB_PROC_NULL ? 0 : hb__config.order ? -1 : c->slot->bytes;
}

struct hb__request *hb__posted(struct hb__call *c, int code)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_NEWREQ);
	struct hb__request *r = code == MPI_SUCCESS ? hb__request_add(c->lane, (uintptr_t)*req, req, true) : NULL;
	if (r) {
		r->persistent = c->fn->flags & HB_PERSISTENT;
		r->active = !r->persistent;
		r->message = c->fn->cls == HB_SEND || c->fn->cls == HB_RECV;
		r->made = r->posting;
		r->made_lane = r->lane;
		if (c->fn->cls == HB_RECV)
			describe(c, r);
	}
	HB__TELL(posted, c, r, code);
	return r;
}

int hb__on_send(struct hb__call *c)
{
	bool posts = c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT);
	hb__begin(c, false);
	if (unlikely(hb__config.shake) && !(c->fn->flags & HB_PERSISTENT))
		shake(c->lane);
	int code = posts ? HB__GO(post, c, NULL) : HB__GO(send, c);
	if (posts)
		hb__posted(c, code);
	hb__end(c, code);
	return code;
}

static int post_receive(struct hb__call *c)
{
	hb__begin(c, false);
	int code = HB__GO(post, c, NULL);
	hb__posted(c, code);
	hb__end(c, code);
	return code;
}

int hb__on_recv(struct hb__call *c)
{
	if (c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT))
		return post_receive(c);
	MPI_Status own, *st = hb__status(c, &own);
	HB__NEED(st);
	int source = (int)hb__arg(c, HB_R_SOURCE), tag = (int)hb__arg(c, HB_R_LAST_TAG);
	bool null = source == MPI_PROC_NULL;
	bool wild = !null && (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG);
	hb__begin(c, wild);
	if (unlikely(hb__config.shake) && hb__has(c, HB_R_DEST))
		shake(c->lane);
	int code = HB__GO(recv, c, st);
	bool told = !hb__config.order || c->choice;
	if (told && !null && (wild || code != MPI_SUCCESS || hb__status_bytes(st) != c->slot->bytes) &&
		(code == MPI_SUCCESS || hb__error_class(code) == 15 /* truncated: there was a message */) &&
		hb__results(c, 3))
		hb__result_message(c, st);
	hb__end(c, code);
	return code;
}

/* Mrecv and Imrecv: what they receive was chosen by the probe. */
int hb__on_mrecv(struct hb__call *c)
{
	bool posts = c->fn->flags & HB_NONBLOCKING;
	MPI_Message *message = (MPI_Message *)hb__arg(c, HB_R_MESSAGE);
	HB__NEED(message);
	MPI_Message was = *message;
	MPI_Status own, *st = posts ? NULL : hb__status(c, &own);
	hb__begin(c, false);
	struct hb__request *probe = hb__request_take((uintptr_t)was, NULL);
	int code = posts ? HB__GO(post, c, probe) : HB__GO(mrecv, c, probe, st);
	if (probe && code == MPI_SUCCESS) {
		if ((!hb__config.order || c->choice) && hb__results(c, 2))
			hb__result_ref(c, probe->lane, probe->posting);
		hb__request_remove(probe);
	} else {
		hb__request_back(probe);
	}
	if (posts)
		hb__posted(c, code);
	hb__end(c, code);
	return code;
}

static void message_posted(struct hb__call *c, int code)
{
	if (!hb__has(c, HB_R_NEWMSG) || code != MPI_SUCCESS)
		return;
	MPI_Message m = *(MPI_Message *)hb__arg(c, HB_R_NEWMSG);
	struct hb__request *r = NULL;
	if (m != hb__known.message_null && m != hb__known.message_no_proc)
		r = hb__request_add(c->lane, (uintptr_t)m, NULL, true);
	else
		c->lane->posted++;
	if (r)
		HB__TELL(matched, c, r);
}

int hb__on_probe(struct hb__call *c)
{
	MPI_Status own, *st = hb__status(c, &own);
	HB__NEED(st && (!hb__has(c, HB_R_NEWMSG) || hb__arg(c, HB_R_NEWMSG)));
	/* Without wildcards it is no choice, but for Mprobe, which posts. */
	bool wild = (int)hb__arg(c, HB_R_SOURCE) == MPI_ANY_SOURCE || (int)hb__arg(c, HB_R_TAG) == MPI_ANY_TAG;
	hb__begin(c, wild);
	int code = HB__GO(probe, c, st);
	if (code == MPI_SUCCESS)
		HB__TELL(probed, c, st);
	message_posted(c, code);
	if (code == MPI_SUCCESS && (!hb__config.order || wild) && hb__results(c, 3))
		hb__result_message(c, st);
	hb__end(c, code);
	return code;
}

/* Apart from the way of a probe that says no, which is to stay short. */
__attribute__((noinline)) int hb__iprobe_found(struct hb__call *c, MPI_Status *st, int code)
{
	hb__begin_poll(c);
	if (code == MPI_SUCCESS) {
		HB__TELL(probed, c, st);
		message_posted(c, code);
		if (hb__results(c, 3))
			hb__result_message(c, st);
	}
	hb__end_poll(c, code);
	return code;
}

int hb__on_iprobe(struct hb__call *c)
{
	MPI_Status own, *st = hb__status(c, &own);
	int *flag = (int *)hb__arg(c, HB_R_FLAG);
	HB__NEED(flag && st && (!hb__has(c, HB_R_NEWMSG) || hb__arg(c, HB_R_NEWMSG)));
	int code = HB__GO(iprobe, c, st, flag);
	if (likely(code == MPI_SUCCESS && !*flag)) {
		c->lane->control->polls++;
		return code;
	}
	return hb__iprobe_found(c, st, code);
}
