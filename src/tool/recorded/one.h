/* One process of a recording, ready to be started by somebody else than a launcher: hbdb gdbserver. */
#ifndef HBDB_RECORDED_ONE_H
#define HBDB_RECORDED_ONE_H

#include "../job/launcher.h"
#include "../store/manifest.h"
#include "../store/replayed/folder.h"

typedef struct hb_one_wish {
	const char *recording; /* as the user names it; NULL: the last one */
	const char *process;   /* its name */
	char **command;        /* what runs in its place; NULL: its own */
	const char *mpi;       /* --mpi, or NULL */
	bool trust;            /* --trust */
	bool ask;              /* where it is not given: who sits at the terminal. Not where gdb is */
} hb_one_wish;

typedef struct hb_one {
	char *recording;
	hb_manifest manifest;
	hb_replay_folder folder;
	hb_command_line line;
	char **command;     /* NULL ended; owned by the others */
	char **environment; /* NULL ended */
	hb_strings variables;
} hb_one;

/* 0, or an exit code after having said why. hb__one_close in either case. It changes into the folder of the process. */
int hb__one_open(const hb_one_wish *wish, hb_one *ret);
void hb__one_close(hb_one *one);
/* It differs from its record. */
bool hb__one_differs(const hb_one *one);
/* The process differs from its record, or has come to its end: a text to be freed; NULL: neither. */
char *hb__one_report(const hb_one *one);

#endif
