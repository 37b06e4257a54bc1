/* The manager of a complex (docs/system/agent.md): connections to the agents of its nodes, consoles at a Unix socket, the database between them, programs
 * that are begun again, reactions. One thread, one loop. What it keeps stands in the database: it may die at any moment and begin anew. */
#ifndef HBDB_SYSTEM_MANAGER_MANAGER_H
#define HBDB_SYSTEM_MANAGER_MANAGER_H

#include "system/complex/complex.h"
#include "system/reactions/reactions.h"
#include "system/wire/wire.h"

typedef struct hb_manager_options {
	const char *database; /* path */
	const char *
		socket; /* path of the Unix socket; its folder has to be this user's alone, or, with `allow`, nobody else's to write in */
	const char *program;        /* absolute path of hbdb here */
	const char *const *allow;   /* names of further users who may connect, NULL ended; NULL: none */
	hb_reactions *reactions;    /* NULL: none; the caller's */
	const char *reactions_file; /* absolute path, for the database */
	/* The command that reaches the agent of a node of this platform, NULL ended, one block to be freed; NULL: ret_why says why there is none. */
	char **(*reach)(void *user, const char *platform, const char *address, char *ret_why, size_t size);
	/* A line for whoever began the manager. */
	void (*say)(void *user, const char *line);
	void *user;
} hb_manager_options;

/* Serves until SIGTERM, SIGINT or SIGHUP. HB_E_SYSTEM: it could not begin; HB_E_ARGUMENT: another manager has the database or the socket, or the
 * socket's folder may be entered by others; what hb_complex_open returns. */
hb_status hb_manager_serve(const hb_manager_options *options, hb_error *err);

/* Whether the folder in which a socket stands keeps others out: NULL, or what is wrong with it. shared: others may connect, but not write there.
 * For those who connect, too: a socket in a folder of another one is not the manager's. */
const char *hb_manager_folder_wrong(const char *socket, bool shared);

#endif
