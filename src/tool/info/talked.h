/* Whom processes talked to over sockets and pipes. */
#ifndef HBDB_INFO_TALKED_H
#define HBDB_INFO_TALKED_H

#include "../show/out.h"
#include "info.h"

/* Counts the calls of a log. */
void hb__talked_add(hb_talked *t, const hb_log *log, const hb_log_info *info);
/* All logs have been added. Who is outside only the model of the run tells, which is made where there are such calls. */
void hb__talked_match(hb_talked *t, const hb_logs *logs);
void hb__talked_text(const hb_facts *f);
/* Members of an object that has some already. */
void hb__talked_json(hb_output *o, const hb_facts *f);
void hb__talked_release(hb_talked *t);

#endif
