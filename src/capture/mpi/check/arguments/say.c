/* The remark about an argument that is wrong. */
#include <stdarg.h>

#include "capture/mpi/check/arguments/look.h"

/* A call in a loop does not fill the disk: the first few are enough, the rule counts what it gets. */
#define FEW 4
#define PLACES 512u

bool hb__fault_enough(const struct hb__call *c, unsigned word, unsigned param)
{
	static struct {
		const void *pc;
		uint32_t what, times;
	} said[PLACES];
	uint32_t what = (uint32_t)c->fn->id << 12 | word << 5 | param;
	uint64_t h = ((uintptr_t)c->pc ^ (uint64_t)what << 32) * 0x9e3779b97f4a7c15u;
	for (uint32_t i = (uint32_t)(h >> 55), tries = 0; tries < 8; i++, tries++) {
		uint32_t at = i % PLACES;
		if (!said[at].pc) {
			said[at].pc = c->pc;
			said[at].what = what;
		}
		if (said[at].pc == c->pc && said[at].what == what)
			return said[at].times++ >= FEW;
	}
	return false;
}

const char *hb__argument(const struct hb__look *l, unsigned param, int place, char *ret, size_t size)
{
	snprintf(ret, size, place < 0 ? "%s" : "%s[%d]", hb__name(l, param), place);
	return ret;
}

static void say(
	struct hb__look *l, enum hb_remark_word word, unsigned param, int place, const char *value, const char *text)
{
	l->faulty = true;
	if (hb__fault_enough(l->c, word, param))
		return;
	char arg[80];
	const struct hb_remark_argument fields = {.arg = hb__argument(l, param, place, arg, sizeof arg),
		.value = value,
		.comm = l->comm ? l->comm->number : -1,
		.type = l->type,
		.text = text};
	hb__remark_of(l->c, word, &fields);
}

void hb__fault(struct hb__look *l, enum hb_remark_word word, unsigned param, int place, const char *value,
	const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	say(l, word, param, place, value, text);
}

void hb__fault_number(
	struct hb__look *l, enum hb_remark_word word, unsigned param, int place, int64_t value, const char *format, ...)
{
	char text[400], number[24];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	snprintf(number, sizeof number, "%lld", (long long)value);
	say(l, word, param, place, number, text);
}
