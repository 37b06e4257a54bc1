/* Handles, requests and buffers from their making to their end. */
#include "rules/finding.h"

hb_status hb_rule_lifecycle(hb_case *c, hb_error *err)
{
	(void)c, (void)err;
	return HB_OK;
}
