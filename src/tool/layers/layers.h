/* The layers of a recording. */
#ifndef HBDB_LAYERS_H
#define HBDB_LAYERS_H

#include "../tool.h"

/* What a recording has events of. */
enum {
	HB_LAYER_MPI = 1,
	HB_LAYER_USER = 2,    /* the program's own events (hbdb/event.h) */
	HB_LAYER_THREADS = 4, /* the order between threads */
	HB_LAYER_INPUTS = 8,  /* level data: what programs ask the system for */
	HB_LAYER_SOCKETS = 16,
	HB_LAYERS = 31,
	/* Nobody asked for sockets and inputs: they are recorded where they are found, and give way to MPI. */
	HB_LAYERS_FOUND = 32,
};

/* The layer of this name, 0: there is none. */
unsigned hb__layer_named(const char *name, size_t length);
/* Their names, in the order above; hb__strings_free, free. */
hb_strings hb__layer_names(unsigned layers);
char *hb__layers_text(unsigned layers, const char *between);

#endif
