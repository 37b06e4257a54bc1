/* Asking how two events are ordered. */
#include <stdlib.h>

#include "../terminal.h"
#include "ordering.h"

const hb_option hb__order_options[] = {
	{"all", 'a', HB_OPTION_FLAG, NULL, "print every step of a long chain"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object"},
	{0},
};

int hb__ordering_operands(const hb_args *args)
{
	if (args->nwords < 2 || args->nwords > 3)
		return hb__fail_with(HB_EXIT_USAGE,
			"order takes two events and then the recording, as in 'hbdb order 0:17 2:5 farm.hbdb'");
	return hb__check_event(args->word[0]) || hb__check_event(args->word[1]) ? HB_EXIT_USAGE : 0;
}

int hb__ordering_ask(struct hb_ordering *o, const hb_args *args)
{
	hb_model *m = o->run.model;
	hb_error err = {0};
	int code = hb__read_event(&o->run, args->word[0], &o->a);
	int other = hb__read_event(&o->run, args->word[1], &o->b);
	if (code || other)
		return code ? code : other;
	hb__event_name(&o->run, o->a, o->a_name);
	hb__event_name(&o->run, o->b, o->b_name);
	hb__line_name(&o->run, o->a.line, o->a_line);
	hb__line_name(&o->run, o->b.line, o->b_line);
	hb_status status = hb_order_of(m, o->a, o->b, &o->relation, &o->strict, &o->chain, &o->n, &err);
	if (!status) {
		o->fact = hb__alloc((o->n + 1) * sizeof *o->fact);
		status = hb_link_facts(m, o->chain, o->n, o->fact, &err);
	}
	status = status ? status : hb_known(m, o->a, o->b.line, &o->a_knows, &err);
	status = status ? status : hb_known(m, o->b, o->a.line, &o->b_knows, &err);
	if (status)
		return hb__fail_log(o->run.path, &err);
	hb__say_troubles(&o->run);
	return 0;
}

void hb__ordering_print(struct hb_ordering *o, const hb_args *args)
{
	hb__page();
	if (hb__option_value(args, "json"))
		hb__ordering_json(o);
	else
		hb__ordering_text(o, hb__option_value(args, "all") != NULL);
}

void hb__ordering_close(struct hb_ordering *o)
{
	free(o->chain);
	free(o->fact);
	hb__close_run(&o->run);
}
