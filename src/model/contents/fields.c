/* What an event was given and what it told, one value after the other, by name. */
#include <string.h>

#include "format/row.h"
#include "model/event.h"

int64_t hb_event_value(const hb_event *event, const char *name)
{
	for (uint32_t i = 0; event->function && i < event->function->nvalues && i < event->row->nresults; i++)
		if (event->shape == HB_SHAPE_VALUES && !strcmp(event->function->value_name[i], name))
			return event->row->results[i];
	return HB_ABSENT;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

uint32_t hb_event_fields(const hb_event *event)
{
	const hb_function *f = event->function;
	uint32_t values = f && event->shape == HB_SHAPE_VALUES ? event->row->nresults : 0;
	if (f && (!event->means->repeats || f->nvalues < event->means->repeats))
		values = least(f->nvalues, values);
	return f ? least(f->nargs, event->row->nargs) + values : 0;
}

hb_field hb_event_field(const hb_event *event, uint32_t i)
{
	static const uint8_t kinds[HB_TYPES] = {[HB_TYPE_INTEGER] = HB_RECORDED_NUMBER,
		[HB_TYPE_REAL] = HB_RECORDED_REAL,
		[HB_TYPE_TEXT] = HB_RECORDED_TEXT,
		[HB_TYPE_UNSIGNED] = HB_RECORDED_UNSIGNED};
	const hb_function *f = event->function;
	uint32_t arguments = least(f->nargs, event->row->nargs);
	if (i < arguments)
		return (hb_field){f->arg_name[i], f->arg_kind[i], event->row->arg[i], 0, true};
	i -= arguments;
	uint32_t again = f->nvalues < event->means->repeats ? 0 : event->means->repeats, once = f->nvalues - again;
	uint32_t v = i < f->nvalues ? i : once + (i - f->nvalues) % again;
	return (hb_field){f->value_name[v], kinds[f->value_type[v]], event->row->results[i], v < once ? 0 : again,
		i < f->nvalues};
}
