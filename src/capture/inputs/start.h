/* What a process has from its beginning, and which record it follows before it has a name. */
#ifndef HBDB_CAPTURE_INPUTS_START_H
#define HBDB_CAPTURE_INPUTS_START_H

#include "capture/core/data/data.h"

#pragma GCC visibility push(hidden)

/* In a replay: there are inputs to be given back. */
bool hb__inputs_give(void);
/* These as struct hb_inputs_door has them. */
const struct hb__piece *hb__inputs_start(unsigned what);
const char *hb__inputs_folder(void);
bool hb__inputs_from_start(const char *value);

#pragma GCC visibility pop

#endif
