/* Begins and ends of the program's spans. */
#include "model/spans.h"

#include "base/grow.h"

bool hb_span_begin(hb_span_stack *s, uint32_t name, uint32_t event)
{
	if (!HB_GROW(s->at, s->room, s->n + 1))
		return false;
	s->at[s->n++] = (hb_span_open){name, event};
	return true;
}

size_t hb_span_ends(const hb_span_stack *s, uint32_t name)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->at[i].name == name)
			return s->n - i;
	return 0;
}
