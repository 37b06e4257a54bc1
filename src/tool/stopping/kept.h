/* A recording of what another one holds now: hbdb record --keep, and the agent's ask `keep`. */
#ifndef HBDB_STOPPING_KEPT_H
#define HBDB_STOPPING_KEPT_H

#include "../store/logs.h"
#include "../store/manifest.h"

typedef struct hb_kept {
	char *recording;
	char *missing; /* over nodes: which have not kept their part, and why, as in "n2: ...; n3: ..."; NULL: none */
	hb_sum sum;    /* what is in it; its lines tell of these nodes, too */
} hb_kept;

/* Makes the recording `output` (NULL: NAME-kept-1.hbdb beside it, or the next number) of what the recording holds now, on all its nodes; the processes go on. elsewhere: as given of
 * hb__trust_nodes. hb__kept_free in any case. Nothing is printed but what is wrong with a manifest, which nodes are missing, and why they may not be connected to; nothing is left behind on an error. */
hb_status hb__keep(const char *recording, const char *output, bool elsewhere, hb_kept *ret, hb_error *err);
void hb__kept_free(hb_kept *kept);
/* Makes NAME-kept-1.hbdb, or the next number, of what the recording holds now; NULL: the one that is being made. 0, or an exit code. */
int hb__keep_now(const char *name, bool elsewhere);

/* ---- apart.c: of a run on several nodes ---- */

/* Whether its processes write on their nodes still. */
bool hb__writes_apart(const hb_manifest *m);
/* The parts of its nodes, into the folder `to`: each is kept there now, or, when the run is over, copied. The manifest, read again when the run ended meanwhile, tells which are missing; so do
 * *ret_missing, as above, and ret_lines. */
hb_status hb__keep_apart(const char *recording, const char *to, bool elsewhere, hb_manifest *m, char **ret_missing,
	hb_strings *ret_lines, hb_error *err);
/* Ends the recording on its nodes: their processes go on. Those that did not answer are lost, which was said. *ret_over: a part was fetched
 * already, as the job is over. 0, or an exit code after having said why nothing was done. hb__nodes_close. */
struct hb_nodes;
int hb__stop_apart(const char *recording, const hb_manifest *m, bool elsewhere, struct hb_nodes *ret, bool *ret_over);

#endif
