/* Points as text, and their partial order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/trace/point.h"

/* A number without sign, without leading zeros that would give a point two names, and below 2^63. */
static bool number(const char **at, uint64_t *ret)
{
	const char *s = *at;
	if (*s < '0' || *s > '9' || (*s == '0' && s[1] >= '0' && s[1] <= '9'))
		return false;
	uint64_t n = 0;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (n >= (UINT64_C(1) << 63) / 10)
			return false;
		n = n * 10 + (uint64_t)(*s - '0');
	}
	*at = s;
	*ret = n;
	return true;
}

hb_point_error hb_point_read(const char *text, hb_point *ret)
{
	*ret = (hb_point){0};
	if (!*text)
		return HB_POINT_FINE;
	uint64_t part[3];
	unsigned n = 0;
	const char *s = text;
	for (;;) {
		if (n == 3 || !number(&s, &part[n]))
			break;
		n++;
		if (*s != '.')
			break;
		s++;
	}
	bool dot = s > text && s[-1] == '.';
	if (!n || (*s && (!dot || (strcmp(s, "B") && strcmp(s, "E")))))
		return HB_POINT_SYNTAX;
	if (!*s)
		return dot ? HB_POINT_SYNTAX : HB_POINT_SIDE;
	if (n == 2)
		return HB_POINT_UNFINISHED;
	if (!part[0] || (n == 3 && !part[2]))
		return HB_POINT_ZERO;
	*ret = (hb_point){.number = part[0], .nested = n == 3, .end = *s == 'E'};
	if (n == 3) {
		ret->task = part[1];
		ret->inner = part[2];
	}
	return HB_POINT_FINE;
}

const char *hb_point_text(const hb_point *p, char text[HB_POINT_TEXT])
{
	const char *side = p->end ? "E" : "B";
	if (!p->number)
		text[0] = 0;
	else if (p->nested)
		snprintf(text, HB_POINT_TEXT, "%" PRIu64 ".%" PRIu64 ".%" PRIu64 ".%s", p->number, p->task, p->inner,
			side);
	else
		snprintf(text, HB_POINT_TEXT, "%" PRIu64 ".%s", p->number, side);
	return text;
}

static hb_point_order by(uint64_t a, uint64_t b)
{
	return a < b ? HB_POINT_LESS : a > b ? HB_POINT_GREATER : HB_POINT_EQUAL;
}

hb_point_order hb_point_compare(const hb_point *a, const hb_point *b)
{
	if (!a->number || !b->number)
		return HB_POINT_INCOMPARABLE;
	if (a->number != b->number)
		return by(a->number, b->number);
	if (a->nested && b->nested) {
		if (a->task != b->task)
			return HB_POINT_INCOMPARABLE;
		return a->inner != b->inner ? by(a->inner, b->inner) : by(a->end, b->end);
	}
	if (a->nested)
		return b->end ? HB_POINT_LESS : HB_POINT_GREATER;
	if (b->nested)
		return a->end ? HB_POINT_GREATER : HB_POINT_LESS;
	return by(a->end, b->end);
}

hb_point_error hb_point_window(const hb_point *start, const hb_point *finish)
{
	if (!start->number || !finish->number)
		return HB_POINT_FINE;
	hb_point_order order = hb_point_compare(start, finish);
	return order == HB_POINT_LESS           ? HB_POINT_FINE
	       : order == HB_POINT_INCOMPARABLE ? HB_POINT_APART
						: HB_POINT_BACKWARDS;
}

bool hb_point_within(const hb_point *start, const hb_point *finish, const hb_point *here)
{
	if (start->number) {
		hb_point_order order = hb_point_compare(start, here);
		if (order != HB_POINT_LESS && order != HB_POINT_EQUAL)
			return false;
	}
	return !finish->number || !here->number || hb_point_compare(here, finish) == HB_POINT_LESS;
}

char *hb_point_trouble(hb_point_error error, const char *text, const char *other)
{
	static const char *const sentence[HB_POINT_ERRORS] = {
		[HB_POINT_FINE] = "\"%s\" is a point",
		[HB_POINT_SYNTAX] =
			"\"%s\" is no point: one looks like 13.E, or 256.3.4.B for construct 4 in task 3 of region 256",
		[HB_POINT_SIDE] = "\"%s\" does not say whether the begin or the end is meant: put .B or .E behind it",
		[HB_POINT_ZERO] = "\"%s\": constructs are numbered from 1",
		[HB_POINT_UNFINISHED] =
			"\"%s\" names a region and a task and no construct in it: REGION.TASK.CONSTRUCT.B, or REGION.B for the region itself",
		[HB_POINT_BACKWARDS] = "the start \"%s\" is not before the finish \"%s\"",
		[HB_POINT_APART] =
			"\"%s\" and \"%s\" are in different tasks of one region: neither comes before the other",
		[HB_POINT_NO_REGION] = "\"%s\" implies a task region, but there is a parallel loop: all of it is taken",
	};
	char *ret = NULL;
	return asprintf(&ret, sentence[error], text, other ? other : "") < 0 ? NULL : ret;
}
