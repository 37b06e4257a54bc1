/* Sends, receives and probes. */
#include <time.h>

#include "capture/mpi/carry/carry.h"
#include "capture/mpi/check/check.h"
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

static void request_described(struct hb__call *c, struct hb__request *r)
{
	bool receive = hb__has(c, HB_R_SOURCE);
	r->persistent = c->fn->flags & HB_PERSISTENT;
	r->active = !r->persistent;
	r->receive = receive;
	if (!receive)
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
	if (code != MPI_SUCCESS)
		return NULL;
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_NEWREQ);
	struct hb__request *r = hb__request_add(c->lane, (uintptr_t)*req, req);
	if (r) {
		r->persistent = c->fn->flags & HB_PERSISTENT;
		r->active = !r->persistent;
		r->message = c->fn->cls == HB_SEND || c->fn->cls == HB_RECV;
		r->made = r->posting;
		r->made_lane = r->lane;
		if (unlikely(hb__checking))
			hb__check_posted(c, r);
	}
	return r;
}

/* A send, or a receive that posts, with a prefix before its message. */
static __attribute__((noinline)) int post_carried(struct hb__call *c, bool posts)
{
	struct hb__carried k;
	hb__carry_begin(c, NULL, &k);
	int code = hb__invoke_next(c);
	hb__carry_invoked(c, &k);
	struct hb__request *r = posts ? hb__posted(c, code) : NULL;
	if (r && c->fn->cls == HB_RECV)
		request_described(c, r);
	if (posts)
		hb__carry_posted(c, &k, r, code);
	else
		hb__carry_end(c, &k, NULL, NULL, code);
	hb__end(c, code);
	return code;
}

static __attribute__((noinline)) int recv_carried(struct hb__call *c, MPI_Status *st)
{
	struct hb__carried k;
	hb__carry_begin(c, NULL, &k);
	int code = hb__invoke_next(c);
	hb__carry_invoked(c, &k);
	hb__carry_end(c, &k, NULL, st, code);
	return code;
}

int hb__on_send(struct hb__call *c)
{
	bool posts = c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT);
	hb__begin(c, false);
	if (unlikely(hb__config.shake) && !(c->fn->flags & HB_PERSISTENT))
		shake(c->lane);
	if (unlikely(hb__carrying))
		return post_carried(c, posts);
	int code = unlikely(hb__config.mode == HB__REPLAY && posts) ? hb__again_post(c) : hb__invoke_next(c);
	struct hb__request *r = posts ? hb__posted(c, code) : NULL;
	if (unlikely(r && hb__config.mode == HB__REPLAY)) {
		hb__again_posted(c, r);
		hb__compare_posted(c, r);
	}
	hb__end(c, code);
	return code;
}

static int post_receive(struct hb__call *c)
{
	uintptr_t source = hb__arg(c, HB_R_SOURCE), tag = hb__arg(c, HB_R_LAST_TAG);
	hb__begin(c, false);
	if (unlikely(hb__carrying))
		return post_carried(c, true);
	int code = unlikely(hb__config.mode == HB__REPLAY) ? hb__again_post(c) : hb__invoke_next(c);
	c->a[hb__role(c, HB_R_SOURCE)] = source; /* replay may have asked for less */
	c->a[hb__role(c, HB_R_LAST_TAG)] = tag;
	struct hb__request *r = hb__posted(c, code);
	if (r)
		request_described(c, r);
	if (unlikely(r && hb__config.mode == HB__REPLAY))
		hb__again_posted(c, r);
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
	int code = unlikely(c->followed)    ? hb__again_recv(c)
		   : unlikely(hb__carrying) ? recv_carried(c, st)
					    : hb__invoke_next(c);
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
	MPI_Status own;
	if (!posts)
		hb__status(c, &own);
	hb__begin(c, false);
	struct hb__request *probe = hb__request_take((uintptr_t)was, NULL);
	struct hb__carried k;
	if (unlikely(hb__carrying))
		hb__carry_begin(c, probe, &k);
	int code = hb__invoke_next(c);
	if (unlikely(hb__carrying)) {
		hb__carry_invoked(c, &k);
		if (!posts)
			hb__carry_end(c, &k, probe, (MPI_Status *)hb__arg(c, HB_R_STATUS), code);
	}
	if (probe && code == MPI_SUCCESS) {
		if ((!hb__config.order || c->choice) && hb__results(c, 2))
			hb__result_ref(c, probe->lane, probe->posting);
		hb__request_remove(probe);
	} else {
		hb__request_back(probe);
	}
	struct hb__request *r = posts ? hb__posted(c, code) : NULL;
	if (r)
		r->receive = true;
	if (unlikely(hb__carrying) && posts)
		hb__carry_posted(c, &k, r, code);
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
		r = hb__request_add(c->lane, (uintptr_t)m, NULL);
	else
		c->lane->posted++;
	if (unlikely(hb__carrying) && r)
		hb__carry_matched(c, r);
}

int hb__on_probe(struct hb__call *c)
{
	MPI_Status own, *st = hb__status(c, &own);
	HB__NEED(st && (!hb__has(c, HB_R_NEWMSG) || hb__arg(c, HB_R_NEWMSG)));
	/* Without wildcards it is no choice, but for Mprobe, which posts. */
	bool wild = (int)hb__arg(c, HB_R_SOURCE) == MPI_ANY_SOURCE || (int)hb__arg(c, HB_R_TAG) == MPI_ANY_TAG;
	hb__begin(c, wild);
	int code = unlikely(c->followed) ? hb__again_probe(c, st) : hb__invoke_next(c);
	if (unlikely(hb__carrying) && code == MPI_SUCCESS)
		hb__carry_probed(c, st);
	message_posted(c, code);
	if (code == MPI_SUCCESS && (!hb__config.order || wild) && hb__results(c, 3))
		hb__result_message(c, st);
	hb__end(c, code);
	return code;
}

/* Apart from the way of a probe that says no, which is to stay short. */
static __attribute__((noinline)) int iprobe_found(struct hb__call *c, MPI_Status *st, int code)
{
	hb__begin_poll(c);
	if (code == MPI_SUCCESS) {
		if (unlikely(hb__carrying))
			hb__carry_probed(c, st);
		message_posted(c, code);
		if (hb__results(c, 3))
			hb__result_message(c, st);
	}
	hb__end_poll(c, code);
	return code;
}

static __attribute__((noinline)) int iprobe_followed(struct hb__call *c, MPI_Status *st, int *flag)
{
	enum hb__answer answer = hb__again_poll(c);
	if (answer == HB__FREE)
		return hb__invoke_next(c);
	*flag = answer == HB__YES;
	if (*flag)
		return hb__again_probe(c, st);
	if (hb__has(c, HB_R_NEWMSG))
		*(MPI_Message *)hb__arg(c, HB_R_NEWMSG) = hb__known.message_null;
	return MPI_SUCCESS;
}

int hb__on_iprobe(struct hb__call *c)
{
	MPI_Status own, *st = hb__status(c, &own);
	int *flag = (int *)hb__arg(c, HB_R_FLAG);
	HB__NEED(flag && st && (!hb__has(c, HB_R_NEWMSG) || hb__arg(c, HB_R_NEWMSG)));
	int code = likely(hb__config.mode == HB__RECORD) ? hb__invoke_next(c) : iprobe_followed(c, st, flag);
	if (likely(code == MPI_SUCCESS && !*flag)) {
		c->lane->control->polls++;
		return code;
	}
	return iprobe_found(c, st, code);
}
