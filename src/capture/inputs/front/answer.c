/* A call and its answer: one item for each. */
#include <string.h>

#include "capture/inputs/front/front.h"

enum { RESULT, ERROR, CONTENTS, MORE, FLAGS };

void hb__differs(enum hb__kind kind, const void *pc, const char *format, ...)
{
	static bool told[HB__KINDS];
	char what[1024];
	va_list args;
	if (__atomic_exchange_n(&told[kind], true, __ATOMIC_RELAXED))
		return;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	hb__door->differs(pc, what);
}

enum hb__where hb__position(uint64_t event)
{
	uint64_t now = hb__door->event();
	return event == now || now == UINT64_MAX ? HB__HERE : event < now ? HB__PASSED : HB__AHEAD;
}

void hb__called_less(const struct hb__source *source, enum hb__kind kind, const void *pc)
{
	hb__differs(kind, pc,
		"the recorded run called %s more often before this event than the program did now; what it was answered then is passed over",
		hb__called(source));
}

void hb__called_more(const struct hb__source *source, enum hb__kind kind, const void *pc)
{
	hb__differs(kind, pc,
		"the program calls %s here, and did not in the recorded run; the system answers, and what follows from it may differ",
		hb__called(source));
}

void hb__keep(struct hb__source *source, int64_t result, int error, const void *p, size_t bytes)
{
	bool failed = result < 0 && error;
	if (!hb__door->call(source, 1 + failed + (bytes != 0)))
		return;
	hb__door->number(RESULT, result);
	if (failed)
		hb__door->number(ERROR, error);
	if (bytes)
		hb__door->piece(CONTENTS, p, bytes);
}

bool hb__give(struct hb__source *source, enum hb__kind kind, const void *pc, struct hb__answer *ret)
{
	struct hb__item item;
	struct hb__piece piece;
	enum hb__where where = HB__AHEAD;
	while (hb__door->peek(source->name, &item) && (where = hb__position(item.event)) == HB__PASSED) {
		hb__called_less(source, kind, pc);
		hb__door->next(source->name, &item);
		where = HB__AHEAD;
	}
	if (where == HB__AHEAD) {
		hb__called_more(source, kind, pc);
		return false;
	}
	hb__door->next(source->name, &item);
	*ret = (struct hb__answer){0};
	while (hb__door->item_piece(&item, &piece)) {
		if (piece.what == RESULT)
			ret->result = hb__door->piece_number(&piece);
		else if (piece.what == ERROR)
			ret->error = (int)hb__door->piece_number(&piece);
		else if (piece.what == CONTENTS) {
			ret->p = piece.p;
			ret->bytes = piece.bytes;
		} else if (piece.what == MORE) {
			ret->more = piece.p;
			ret->more_bytes = piece.bytes;
		} else if (piece.what == FLAGS) {
			ret->flags = (int)hb__door->piece_number(&piece);
		}
	}
	hb__door->given();
	return true;
}
