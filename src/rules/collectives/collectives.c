/* Collectives that do not fit together. */
#include "rules/finding.h"

hb_status hb_rule_collectives(hb_case *c, hb_error *err)
{
	(void)c, (void)err;
	return HB_OK;
}
