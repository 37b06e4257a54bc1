/* Starting the command that reaches an agent. */
#ifndef HBDB_SYSTEM_LINK_START_H
#define HBDB_SYSTEM_LINK_START_H

#include <sys/types.h>

/* Starts a command with a socket for its standard input and output, whose other end is *ret_fd, in a process group of its own: keys pressed at the
 * terminal are not for it. error: its standard error; -1: ours. 0, or an errno. */
int hb_link_start(char *const *argv, int error, pid_t *ret_pid, int *ret_fd);

#endif
