/* What rules have found so far: of check.c and together.c alone. */
#ifndef HBDB_RULES_FOUND_H
#define HBDB_RULES_FOUND_H

#include "rules/finding.h"

struct hb_found {
	hb_finding *at; /* owns sentence, advice and points */
	size_t n, room;
	uint32_t *cell; /* 1 + finding, by hash of what alike() compares */
	size_t cells;
	struct waiting { /* receives that a finding is about, by the place of their request */
		uint32_t process, site;
		uint64_t times;
	} * waiting;
	size_t nwaiting;
};

void hb__found_free(struct hb_found *found);

/* ---- together.c ---- */
/* All rules, by all members of a team: what each has found goes to the first, into the case's. */
hb_status hb__rules_together(hb_case *c, const hb_team *team, hb_error *err);

#endif
