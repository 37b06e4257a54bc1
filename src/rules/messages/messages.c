/* Messages without a receive, receives without a message, and those that do not fit. */
#include "rules/finding.h"

hb_status hb_rule_messages(hb_case *c, hb_error *err)
{
	(void)c, (void)err;
	return HB_OK;
}
