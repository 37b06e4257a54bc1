/* A command that stays until it is told to end: signals, and what systemd wants to hear meanwhile; where it finds the manager's database. */
#ifndef HBDB_MONITOR_STAYING_H
#define HBDB_MONITOR_STAYING_H

#include "../tool.h"

/* From here on SIGTERM, SIGINT and SIGHUP are noted, and interrupt a wait; SIGPIPE does nothing. */
void hb__stay(void);
/* The signal that told it to end; 0: none yet. */
int hb__told_to_end(void);
/* Says once that the service is ready, then that it moves, as often as systemd wants it. To be called in each turn; returns how many
 * milliseconds a wait may take until the next call, at most `most`. */
int hb__moves(int most);
/* Says something on stderr when it is not what was said last under this name; "" ends it. Owned: a place for the text. */
void hb__say_once(char **said, const char *text);

/* The database of the manager: as given, or where it is. To be freed; NULL: said why. */
char *hb__where_database(const char *given);
/* A file for what is to be remembered: as given, or `name` in the folder of state. */
char *hb__where_state(const char *given, const char *name);

#endif
