/* What the page of a complex is told. */
#ifndef HBDB_TOOL_CONSOLE_PAGE_H
#define HBDB_TOOL_CONSOLE_PAGE_H

#include <sqlite3.h>

#include "../console.h"
#include "system/complex/complex.h"
#include "view/view.h"

/* ---- rows.c: from the database; a status of HTTP, and why not as a sentence ---- */

/* Opens it, read-only. NULL: why is in ret. */
sqlite3 *hb__complex_base(const char *path, hb_text *ret);
int hb__answer_complex(
	sqlite3 *base, const hb_view_asked *asked, const char *head, hb_text *ret); /* head: members that come first */
int hb__answer_processes(sqlite3 *base, const hb_view_asked *asked, hb_text *ret);
int hb__answer_events(sqlite3 *base, const hb_view_asked *asked, hb_text *ret);

/* ---- act.c ---- */
int hb__answer_act(const char *socket, const hb_view_asked *asked, hb_text *ret);
/* What the threads of a process do now: its agent is asked. */
int hb__answer_threads(const char *socket, const hb_view_asked *asked, hb_text *ret);

/* ---- serve.c ---- */
/* Serves until SIGINT, SIGTERM or SIGHUP; `began` is called with the address once. 0, or the exit code after having said why. */
int hb__serve_complex(const char *database, const char *socket, uint16_t port,
	int (*began)(void *user, const hb_view_server *server), void *user);

#endif
