/* Where this user's sockets are: the agent's, the manager's. */
#ifndef HBDB_MEMORY_SOCKETS_H
#define HBDB_MEMORY_SOCKETS_H

/* The folder for sockets of this user, which nobody else may enter; NULL: there is none and none could be made, which was said. Free it. */
char *hb__runtime_folder(void);
/* The path of the manager's socket: what was given, HBDB_MANAGER, or its place; NULL: there is none, which was said. Free it. */
char *hb__manager_socket(const char *given);

#endif
