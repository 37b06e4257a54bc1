/* The clocks of the nodes of a recording, from its messages. */
#ifndef HBDB_CLOCKS_ALIGN_H
#define HBDB_CLOCKS_ALIGN_H

/* Finds and keeps them (../store/clocks/clocks.h), of a recording of level events that has logs of several hosts; else nothing is done. What cannot be done is said. */
void hb__clocks_align(const char *recording);

#endif
