/* Messages without a receive, receives without a message, and those that do not fit. */
#include "rules/messages/messages.h"

hb_status hb_rule_messages(hb_case *c, hb_error *err)
{
	struct hb__letters l;
	hb_status status = hb__letters_gather(c, &l, err);
	if (!status)
		status = hb__letters_fit(&l);
	if (!status)
		status = hb__letters_short(&l);
	if (!status)
		status = hb__letters_parts(&l);
	if (!status)
		status = hb__letters_late(&l);
	if (!status)
		status = hb__letters_alone(&l);
	if (!status)
		status = hb__letters_datagrams(&l);
	if (!status)
		status = hb__letters_ready(&l);
	if (!status && c->shares < 2)
		status = hb__letters_raced(&l);
	hb__letters_free(&l);
	return status;
}

hb_status hb_rule_raced(hb_case *c, hb_error *err)
{
	struct hb__letters l;
	hb__letters_begin(c, &l, err);
	hb_status status = hb__letters_raced(&l);
	hb__letters_free(&l);
	return status;
}
