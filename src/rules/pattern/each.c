/* The keys by which events are judged, as others may ask for them. */
#include "rules/pattern/language/ast.h"

const uint8_t *hb_pattern_each(const hb_pattern *p, uint32_t binding, uint32_t *ret_n)
{
	const struct hb__route *r = &p->routes[binding];
	*ret_n = r->part == HB_NO ? 0 : p->parts[r->part].nkeys;
	return r->at;
}
