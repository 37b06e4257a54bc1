/* Text that comes from a recording, a program or a file name: what a terminal would obey is written out instead.
 * Control characters (C0, C1, DEL), what turns the direction of writing, line separators and bytes that are no
 * UTF-8 become \xNN, \n, \t or \uNNNN; all else stays as it is. */
#ifndef HBDB_SHOW_INERT_H
#define HBDB_SHOW_INERT_H

#include <stdio.h>

#include "out.h"

/* Whether a terminal may obey it. */
bool hb__unsafe(uint32_t code);

#define HB_INERT_MOST 8 /* bytes that one character becomes */

/* The character at p, of n bytes: writes what is to be shown to `to` and its length to *ret_length; returns the bytes
 * taken. 0: the bytes end inside the character. */
size_t hb__inert_step(const unsigned char *p, size_t n, char to[HB_INERT_MOST], size_t *ret_length);

char *hb__inert(const char *text); /* to be freed */
/* The same for an argument of printf: valid for the next few calls. */
const char *hb__tame(const char *text);
void hb__put_inert(hb_output *out, const char *text);

/* A word as a shell reads it back: bare where that is the same, else quoted. */
char *hb__shell_word(const char *word);

/* A stream that writes to fd and lets through: lines, tabs, UTF-8, and the colours of hbdb where colour is wanted.
 * Names are made inert where they are put into a line, so that none can look like a line of its own; this is the fence behind it. */
FILE *hb__fenced(int fd);
/* Of one of the standard three: the first errno with which something could not be written; 0: all was. */
int hb__fence_error(int fd);

#endif
