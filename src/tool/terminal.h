/* The terminal that hbdb prints on. hb__colour stands in tool.h. */
#ifndef HBDB_TERMINAL_H
#define HBDB_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Before anything is printed: stdout and stderr let no control character through (show/inert.h). */
void hb__terminal_begin(void);
/* When all was printed: what cannot be written, as on a full disk, is said, and is the exit status; else this is `code`. */
int hb__terminal_end(int code);
/* stdout as it was: for the line editor, and for what the job itself prints. */
FILE *hb__bare_stdout(void);

/* Whether the descriptor (0, 1, 2) was a terminal when hbdb began; a pager makes no difference. */
bool hb__on_terminal(int fd);
/* auto, always or never: what --color says. */
void hb__want_colour(const char *when);

/* From here on stdout goes through $HBDB_PAGER, $PAGER or less, when it is a terminal and --no-pager was not given. */
void hb__want_pager(bool wanted);
void hb__page(void);

#endif
