/* Contents of a pair of calls: what they give and what they get, by digests and by values. */
#include <string.h>

#include "calls/calls.h"
#include "internal.h"

#define WHOLE 4096 /* contents up to this size are checked whole (hbdb-recording(5), CONTENTS) */

/* ---- digests, along the line ---- */

/* Makes sure that side->next is what comes next. False: nothing does. */
static bool ahead(struct hb__side *s, hb_status *status, hb_error *err)
{
	if (!s->held && s->digests && !*status) {
		int more = hb_digests_next(s->digests, &s->next, err);
		s->held = more > 0;
		if (more < 0)
			*status = (hb_status)more;
		if (!s->held) { /* the end: nobody asks again */
			hb_digests_close(s->digests);
			s->digests = NULL;
		}
	}
	return s->held;
}

/* The next call that is no event, up to those behind event `limit`; NULL: there is none. */
static const hb_digested *access_of(struct hb__side *s, uint64_t limit, hb_status *status, hb_error *err)
{
	while (ahead(s, status, err) && s->next.event <= limit) {
		if (s->next.call)
			return &s->next;
		s->held = false; /* of an event that was passed over */
	}
	return NULL;
}

/* The digests of the event that the side stands at; NULL: it has none. */
static const hb_digested *digests_of(struct hb__side *s, hb_status *status, hb_error *err)
{
	bool here = ahead(s, status, err) && !s->next.call && s->next.event == s->ev.row->number;
	return here ? &s->next : NULL;
}

static const hb_digest *like(const hb_digested *in, const hb_digest *d)
{
	for (uint32_t i = 0; i < in->n; i++)
		if (in->digest[i].side == d->side && in->digest[i].request == d->request)
			return &in->digest[i];
	return NULL;
}

/* Digests of one side in both: how many were compared, how many differ, and which of those compared is the first of these. */
static uint64_t compare_whole(
	const hb_digested *a, const hb_digested *b, int side, uint64_t *ret_compared, uint32_t *ret_which)
{
	uint64_t differ = 0;
	*ret_compared = 0;
	for (uint32_t i = 0; a && b && i < a->n; i++) {
		const hb_digest *other = (int)a->digest[i].side == side ? like(b, &a->digest[i]) : NULL;
		if (!other)
			continue;
		if (other->value != a->digest[i].value && !differ++)
			*ret_which = (uint32_t)*ret_compared;
		++*ret_compared;
	}
	return differ;
}

/* ---- accesses ---- */

static void accesses_differ(struct hb__walk *w, const hb_digested *a, const hb_digested *b, bool given)
{
	hb__differ(w,
		(hb_difference){.kind = HB_DIFFERENCE_ACCESS,
			.bits = 64,
			.collective = HB_NO,
			.value = {given, 0},
			.call = {a ? a->call : NULL, b ? b->call : NULL}},
		false);
}

bool hb__same_accesses(struct hb__walk *w, const uint64_t limit[2], hb_status *status)
{
	hb_error *err = w->c->err;
	for (;;) {
		const hb_digested *a = access_of(&w->side[0], limit[0], status, err),
				  *b = access_of(&w->side[1], limit[1], status, err);
		uint64_t compared;
		uint32_t which;
		/* without digests in one of the runs these calls are not known there */
		if (*status || (!a && !b) || !w->side[0].contents || !w->side[1].contents)
			return true;
		if (!a || !b || strcmp(a->call, b->call) != 0) {
			accesses_differ(w, a, b, false);
			return false;
		}
		uint64_t given = compare_whole(a, b, HB_DIGEST_OF_GIVEN, &compared, &which);
		w->c->sum->whole += compared;
		uint64_t differ = given + compare_whole(a, b, HB_DIGEST_OF_GOT, &compared, &which);
		w->c->sum->whole += compared;
		w->c->sum->differing += differ;
		if (differ)
			accesses_differ(w, a, b, given > 0);
		w->side[0].held = w->side[1].held = false;
	}
}

/* ---- given ---- */

/* The first datatype among the arguments. */
static int64_t datatype_of(const hb_event *ev)
{
	for (uint32_t i = 0; i < hb_event_fields(ev); i++)
		if (hb_event_field(ev, i).kind == HB_RECORDED_DATATYPE)
			return hb_event_field(ev, i).value;
	return HB_ABSENT;
}

/* With a tolerance real numbers are compared where they come, by their values; digests cannot tell how near they are. */
static bool by_values_only(const struct hb__walk *w)
{
	if (!w->c->tolerance->any || !w->side[0].kept || !w->side[1].kept)
		return false;
	const hb_event *ev = &w->side[0].ev;
	return ev->means->flags & HB_START || hb_contents_has_reals(w->side[0].log, datatype_of(ev));
}

static uint32_t collective_of(const struct hb__walk *w)
{
	const hb_event *ev = &w->side[0].ev;
	if (ev->means->cls != HB_COLLECTIVE)
		return HB_NO;
	return hb_collective_at(w->c->run[0]->model, (hb_at){w->pair->a, (uint32_t)ev->row->number});
}

static void given_differs(struct hb__walk *w, unsigned bits)
{
	w->c->sum->differing++;
	hb__differ(
		w, (hb_difference){.kind = HB_DIFFERENCE_GIVEN, .bits = bits, .collective = collective_of(w)}, false);
}

/* The check of a row, of one side of the call; 0: it is not known. */
static unsigned check_of(const struct hb__side *s, bool gives, bool gets, bool given)
{
	unsigned check = s->ev.row->has_digest ? s->ev.row->digest : 0;
	if (gives && gets)
		return given ? check & 0xff : check >> 8;
	return given == gives && gives != gets ? check : 0;
}

/* By the 16 bits, or the 8 of one side of two. True: they differ. */
static bool by_check(struct hb__walk *w, bool given)
{
	bool gives, gets;
	hb__sides_of(&w->side[0], &gives, &gets);
	if (!(given ? gives : gets && !w->side[0].ev.row->result)) /* where it failed, nothing came */
		return false;
	unsigned a = check_of(&w->side[0], gives, gets, given), b = check_of(&w->side[1], gives, gets, given);
	if (!a || !b) {
		w->c->sum->without++;
		w->pair->doubtful++;
		return false;
	}
	w->c->sum->checked++;
	w->c->sum->sampled += w->side[0].ev.bytes > WHOLE;
	w->pair->doubtful += given;
	return a != b;
}

hb_status hb__diff_given(struct hb__walk *w)
{
	hb_status status = HB_OK;
	uint64_t compared;
	uint32_t which;
	const hb_digested *a = digests_of(&w->side[0], &status, w->c->err),
			  *b = digests_of(&w->side[1], &status, w->c->err);
	if (status)
		return status;
	uint64_t differ = compare_whole(a, b, HB_DIGEST_OF_GIVEN, &compared, &which);
	w->given_differs = false;
	if (by_values_only(w)) {
		bool collective = w->side[0].ev.means->cls == HB_COLLECTIVE;
		w->given_differs = differ && collective;
		w->c->sum->untold += w->given_differs;
		w->pair->doubtful += collective && !compared;
		return HB_OK;
	}
	w->c->sum->whole += compared;
	if (differ)
		given_differs(w, 64);
	if (!compared && by_check(w, true))
		given_differs(w, 16);
	return HB_OK;
}

/* ---- got ---- */

/* What content number k of `all` that the event of a side got is of: a receive, or a collective that began earlier; NULL: not known. */
static const hb_op *came_by(struct hb__walk *w, int side, uint32_t k, uint32_t all)
{
	uint64_t event = w->side[side].ev.row->number, *at = &w->at_op[side];
	const hb_op *found = NULL;
	uint32_t n = 0;
	uint8_t cls = w->side[side].ev.means->cls;
	if (cls != HB_RECV && cls != HB_COMPLETE) /* it fetched, or read */
		return NULL;
	while (*at < w->nop[side] && w->op[side][*at].event < event)
		++*at;
	for (uint64_t i = *at; i < w->nop[side] && w->op[side][i].event == event; i++) {
		const hb_op *op = &w->op[side][i];
		if ((op->kind == HB_OP_RECEIVED || op->kind == HB_OP_LEAVE) && n++ == k)
			found = op;
	}
	return n == all ? found : NULL;
}

static hb_at sender_of(const struct hb__walk *w, int side, const hb_op *op)
{
	const hb_model *m = w->c->run[side]->model;
	uint32_t send = op && op->kind == HB_OP_RECEIVED ? hb_model_receives(m)[op->id].send : HB_NO;
	return send == HB_NO ? (hb_at){HB_NO, 0} : hb_send_at(m, send);
}

/* What came in another way than it was sent in one of the runs is the sender's, who may not know. told: his own line tells. */
static void blame(struct hb__walk *w, hb_at sender, hb_at sender_b, bool told, const hb_values_differ *values)
{
	struct hb__blamed *b = sender.event && sender_b.event ? &w->c->blamed[sender.line] : NULL;
	if (!b || (b->event && b->event <= sender.event))
		return;
	*b = (struct hb__blamed){
		.event = sender.event, .event_b = sender_b.event, .told = told, .valued = values != NULL};
	if (values)
		b->values = *values;
}

/* Content number k of `all` that the event got differs. values: NULL, how they differ is not known. */
static void got_differs(struct hb__walk *w, uint32_t k, uint32_t all, unsigned bits, const hb_values_differ *values)
{
	hb_difference d = {.kind = HB_DIFFERENCE_GOT,
		.bits = bits,
		.collective = collective_of(w),
		.valued = values,
		.given_differs = w->given_differs};
	if (values)
		d.values = *values;
	const hb_op *op = d.collective == HB_NO ? came_by(w, 0, k, all) : NULL;
	if (op && op->kind == HB_OP_LEAVE)
		d.collective = op->id;
	if (d.collective != HB_NO)
		d.begun = hb_collective_enter(w->c->run[0]->model, d.collective, w->side[0].process);
	d.sender = sender_of(w, 0, op);
	d.in_flight = d.sender.event && bits == 64;
	w->c->sum->differing++;
	blame(w, d.sender, sender_of(w, 1, came_by(w, 1, k, all)), bits == 64, values);
	hb__differ(w, d, true);
}

/* Collects what has values among the contents of an event. */
static bool next_valued(const hb_content *at, uint32_t n, uint32_t *i)
{
	while (*i < n && at[*i].kind != HB_CONTENT_BUFFER && at[*i].kind != HB_CONTENT_WINDOW)
		++*i;
	return *i < n;
}

static uint32_t count_valued(const hb_content *at, uint32_t n)
{
	uint32_t count = 0;
	for (uint32_t i = 0; next_valued(at, n, &i); i++)
		count++;
	return count;
}

/* By values, at level data. bits: by which the contents are known to differ already. */
static hb_status by_values(struct hb__walk *w, unsigned bits, bool *ret_any)
{
	const hb_content *a, *b;
	uint32_t n, m, i = 0, k = 0, number = 0;
	hb_error *err = w->c->err;
	int x = hb_contents_of(w->side[0].contents, &w->side[0].ev, &a, &n, err);
	int y = x > 0 ? hb_contents_of(w->side[1].contents, &w->side[1].ev, &b, &m, err) : 0;
	*ret_any = false;
	if (x <= 0 || y <= 0)
		return (hb_status)(x < 0 ? x : y < 0 ? y : 0);
	uint32_t all = count_valued(a, n);
	for (; next_valued(a, n, &i) && next_valued(b, m, &k); i++, k++, number++) {
		hb_values_differ v;
		hb_status status = hb__diff_values(w->side, &a[i], &b[k], w->c->tolerance, &v, err);
		if (status)
			return status;
		*ret_any = true;
		w->c->sum->valued++;
		if (v.differing && !v.beyond) {
			w->c->sum->tolerated++;
			hb__values_join(&w->c->sum->within, &v);
		}
		if (v.beyond)
			got_differs(w, number, all, bits, &v);
	}
	return HB_OK;
}

static bool has_check(const hb_event *ev, uint32_t i)
{
	return i < ev->nanswers && ev->answers[i].digest != HB_ABSENT && ev->answers[i].digest;
}

/* Of collectives that began earlier: their checks stand among the answers. */
static void by_answers(struct hb__walk *w)
{
	const hb_event *a = &w->side[0].ev, *b = &w->side[1].ev;
	uint32_t all = 0, number = 0;
	for (uint32_t i = 0; i < a->nanswers; i++)
		all += has_check(a, i);
	for (uint32_t i = 0; i < a->nanswers; i++) {
		uint32_t k = number;
		number += has_check(a, i);
		if (!has_check(a, i) || !has_check(b, i))
			continue;
		w->c->sum->checked++;
		if (a->answers[i].digest != b->answers[i].digest)
			got_differs(w, k, all, 16, NULL);
	}
}

hb_status hb__diff_got(struct hb__walk *w)
{
	hb_status status = HB_OK;
	uint64_t compared = 0;
	uint32_t which = 0;
	bool any = false, kept = w->side[0].kept && w->side[1].kept;
	const hb_digested *a = digests_of(&w->side[0], &status, w->c->err),
			  *b = digests_of(&w->side[1], &status, w->c->err);
	if (status)
		return status;
	uint64_t differ = compare_whole(a, b, HB_DIGEST_OF_GOT, &compared, &which);
	w->side[0].held = w->side[0].held && !a;
	w->side[1].held = w->side[1].held && !b;
	w->c->sum->whole += compared;
	if (kept && (differ || !compared))
		status = by_values(w, differ ? 64 : 0, &any);
	if (status || any)
		return status;
	if (differ)
		got_differs(w, which, (uint32_t)compared, 64, NULL);
	else if (!compared) {
		if (by_check(w, false))
			got_differs(w, 0, 1, 16, NULL);
		by_answers(w);
	}
	return HB_OK;
}
