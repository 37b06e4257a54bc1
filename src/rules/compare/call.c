/* Whether two calls are the same: function, arguments, answers. */
#include <string.h>

#include "calls/calls.h"
#include "internal.h"

static bool same_function(const hb_event *a, const hb_event *b)
{
	if (*a->means->name || *b->means->name)
		return a->means == b->means;
	if (!a->function || !b->function)
		return a->function == b->function;
	return !strcmp(a->function->name, b->function->name) && !strcmp(a->function->layer, b->function->layer);
}

static double real_of(int64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static bool near(double a, double b, const hb_tolerance *t)
{
	double d = a > b ? a - b : b - a, most = a < 0 ? -a : a, other = b < 0 ? -b : b;
	most = most > other ? most : other;
	return t->any && (d <= t->absolute || d <= t->relative * most);
}

static bool same_field(const struct hb__walk *w, const hb_field *a, const hb_field *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == HB_RECORDED_TEXT) {
		const char *x = hb_log_text(w->side[0].log, (uint32_t)a->value),
			   *y = hb_log_text(w->side[1].log, (uint32_t)b->value);
		return x && y ? !strcmp(x, y) : x == y;
	}
	if (a->kind == HB_RECORDED_REAL && a->value != b->value)
		return near(real_of(a->value), real_of(b->value), w->c->tolerance);
	return a->value == b->value || (a->kind == HB_RECORDED_DATATYPE &&
					       hb_contents_alike(w->side[0].log, a->value, w->side[1].log, b->value));
}

/* Numbers that the system gives, others in each run: ports, of pipes, of processes. What they stand for is told by the calls around them. */
static bool is_systems(const hb_event *e, const hb_field *f, uint32_t at)
{
	uint8_t cls = e->function ? e->function->cls : 0;
	return HB_IS_SOCKET(cls) && (f->kind == HB_RECORDED_TEXT || (cls == HB_FAMILY && !at));
}

/* A poll said yes in one run; the other asked too, was told no, and went on: which is a chance, and what it calls next follows from it. */
static bool is_of_polls(const hb_event *a, const hb_event *b)
{
	bool x = a->means->flags & HB_POLL, y = b->means->flags & HB_POLL;
	return (x && y) || (x && b->row->polls) || (y && a->row->polls);
}

/* The call is another one, or has other arguments. */
static bool other_call(struct hb__walk *w, hb_difference d)
{
	d.collective = HB_NO;
	if (is_of_polls(&w->side[0].ev, &w->side[1].ev)) {
		d.kind = HB_DIFFERENCE_POLL;
		d.name = NULL;
		d.value[0] = (w->side[0].ev.means->flags & HB_POLL) != 0;
		d.value[1] = (w->side[1].ev.means->flags & HB_POLL) != 0;
	}
	hb__differ(w, d, false);
	return false;
}

bool hb__same_call(struct hb__walk *w)
{
	const hb_event *a = &w->side[0].ev, *b = &w->side[1].ev;
	if (!same_function(a, b))
		return other_call(w, (hb_difference){.kind = HB_DIFFERENCE_CALL});
	uint32_t n = hb_event_fields(a);
	if (n != hb_event_fields(b))
		return other_call(w, (hb_difference){.kind = HB_DIFFERENCE_ARGUMENT});
	for (uint32_t i = 0; i < n; i++) {
		hb_field x = hb_event_field(a, i), y = hb_event_field(b, i);
		if (!same_field(w, &x, &y) && !(is_systems(a, &x, i) && is_systems(b, &y, i)))
			return other_call(w, (hb_difference){.kind = HB_DIFFERENCE_ARGUMENT,
						     .name = x.name,
						     .value_kind = x.kind,
						     .value = {x.value, y.value}});
	}
	return true;
}

/* ---- answers ---- */

static bool answered_otherwise(
	struct hb__walk *w, const int64_t source[2], const int64_t tag[2], const int64_t index[2])
{
	hb_difference d = {.kind = HB_DIFFERENCE_CHOICE, .collective = HB_NO};
	memcpy(d.source, source, sizeof d.source);
	memcpy(d.tag, tag, sizeof d.tag);
	memcpy(d.index, index, sizeof d.index);
	hb__differ(w, d, true);
	return false;
}

static bool other_number(struct hb__walk *w, hb_difference_kind kind, int64_t a, int64_t b)
{
	hb__differ(w, (hb_difference){.kind = kind, .value = {a, b}, .collective = HB_NO}, true);
	return false;
}

static const int64_t nothing[2] = {HB_ABSENT, HB_ABSENT};

static bool both_told(int64_t a, int64_t b) { return a != HB_ABSENT && b != HB_ABSENT; }

/* The same message? Of which not everything is told in both runs where it was not as asked for in one. Behind another one in the same receive the
 * line walks on. */
static bool same_message(struct hb__walk *w, const int64_t source[2], const int64_t tag[2], const int64_t bytes[2],
	const int64_t index[2])
{
	if ((both_told(source[0], source[1]) && source[0] != source[1]) ||
		(both_told(tag[0], tag[1]) && tag[0] != tag[1])) {
		answered_otherwise(w, source, tag, index);
		w->other_message = true;
		return true;
	}
	if (bytes[0] != bytes[1] && bytes[0] != -1 && bytes[1] != -1)
		return other_number(w, HB_DIFFERENCE_LENGTH, bytes[0], bytes[1]);
	return true;
}

static bool same_answer(struct hb__walk *w, const hb_answer *a, const hb_answer *b)
{
	const int64_t source[2] = {a->source, b->source}, tag[2] = {a->tag, b->tag}, index[2] = {a->index, b->index};
	if (a->index != b->index || hb_answer_fate(a) != hb_answer_fate(b) || a->request.lane != b->request.lane ||
		a->request.posting != b->request.posting)
		return answered_otherwise(w, source, tag, index);
	if (a->error != b->error)
		return other_number(w, HB_DIFFERENCE_RESULT, a->error, b->error);
	const int64_t bytes[2] = {a->bytes, b->bytes};
	return same_message(w, source, tag, bytes, index);
}

static bool same_answers(struct hb__walk *w, const hb_event *a, const hb_event *b)
{
	if (a->nanswers != b->nanswers || a->undefined != b->undefined) {
		const int64_t n[2] = {a->nanswers, b->nanswers};
		return answered_otherwise(w, nothing, nothing, n);
	}
	for (uint32_t i = 0; i < a->nanswers; i++)
		if (!same_answer(w, &a->answers[i], &b->answers[i]))
			return false;
	return true;
}

/* Which came before which: a lock, an atomic operation. Of the counts of a lock those that order it (hbdb-recording(5), TURNS): shared locks are not ordered
 * among each other, nor exclusive ones of several processes. */
static bool same_turn(struct hb__walk *w, const hb_event *a, const hb_event *b)
{
	bool locks = a->means->turn == HB_TURN_LOCK;
	uint32_t n = a->used < b->used ? a->used : b->used;
	for (uint32_t i = 0; i < n; i++) {
		bool orders = !locks || (n == 4 ? i != 2 : i == 0);
		const int64_t turn[2] = {a->row->results[i], b->row->results[i]};
		if (orders && turn[0] != turn[1])
			return answered_otherwise(w, nothing, nothing, turn);
	}
	return true;
}

bool hb__same_answers(struct hb__walk *w)
{
	const hb_event *a = &w->side[0].ev, *b = &w->side[1].ev;
	if (a->row->result != b->row->result)
		return other_number(w, HB_DIFFERENCE_RESULT, a->row->result, b->row->result);
	const int64_t source[2] = {a->source, b->source}, tag[2] = {a->source_tag, b->source_tag},
		      bytes[2] = {a->bytes, b->bytes};
	switch (a->shape) {
	case HB_SHAPE_MESSAGE:
		return same_message(w, source, tag, bytes, nothing);
	case HB_SHAPE_STATUS:
	case HB_SHAPE_ALL:
	case HB_SHAPE_ANY:
	case HB_SHAPE_SOME:
	case HB_SHAPE_STARTED:
	case HB_SHAPE_MATCHED:
	case HB_SHAPE_REQUEST:
		return same_answers(w, a, b);
	case HB_SHAPE_COMM:
		return a->made == b->made || other_number(w, HB_DIFFERENCE_RESULT, a->made, b->made);
	case HB_SHAPE_TURN:
		return same_turn(w, a, b);
	default:
		return true;
	}
}
