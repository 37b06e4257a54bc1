/* Whether the command of a recording may be run. A recording is a file, and anybody can write anything into it. */
#ifndef HBDB_RECORDED_TRUST_H
#define HBDB_RECORDED_TRUST_H

#include "../store/manifest.h"

typedef enum {
	HB_TRUST_ASK,    /* who sits at the terminal; nobody: no */
	HB_TRUST_REFUSE, /* nobody can be asked */
	HB_TRUST_GIVEN,  /* --trust */
} hb_trust;

/* Why the user has to be asked before the recorded command is run: a sentence to be freed; NULL: this user recorded it here,
 * and it would run as it did then. */
char *hb__trust_not(const char *recording, const hb_manifest *manifest);
/* Shows the command where it is to be seen before it is run, and asks where that is needed. 0: it may run; or an exit code
 * after having said why. */
int hb__trust(const char *recording, const hb_manifest *manifest, hb_trust how);

/* Whether hbdb may connect to the nodes that the recording names, which runs its agents there as this user: when it was made by him, here, or when he says so (given:
 * --from-elsewhere was). 0; or an exit code after having said why not. */
int hb__trust_nodes(const char *recording, const hb_manifest *manifest, bool given);

#endif
