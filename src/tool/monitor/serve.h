/* A small HTTP server for one page, at a Unix socket or a port of loopback: whoever reads metrics asks it. */
#ifndef HBDB_MONITOR_SERVE_H
#define HBDB_MONITOR_SERVE_H

#include "view/view.h"
#include "../tool.h"

typedef struct hb_served {
	const char *path; /* "metrics" */
	/* Writes the page; text is what the other side accepts, or "". Returns its type; NULL: not now, *ret_why. */
	const char *(*write)(void *user, const char *accepts, hb_text *out, const char **ret_why);
	void *user;
} hb_served;

/* address: unix:PATH or 127.0.0.1:PORT; token: what is to be shown at a port (32 characters); token_file: where it stands, for what is said.
 * Serves until a signal (hb__told_to_end); prints the address when it listens. 0, or an exit code after having said why. */
int hb__serve_page(const char *address, const char *token, const char *token_file, const hb_served *page);

#endif
