/* hbdb-snmp: what its parts share. One thread. net-snmp keeps its own state in globals; so there is one agent in a process. */
#ifndef HBDB_SNMP_SNMP_H
#define HBDB_SNMP_SNMP_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>
#include <net-snmp/agent/agent_callbacks.h>

#include "../tool.h"
#include "system/monitor/place.h"

/* netSnmpPlaypen and the number of HBDB-MIB in it: its only place is the MIB, from which the build takes it. */
#define HB_MIB 1, 3, 6, 1, 4, 1, 8072, 9999, 9999, HBDB_MIB_NUMBER
#define HB_TEXT_MOST 1024 /* HbdbText */

typedef struct hb_snmp {
	hb_reader *reader;
	double looked;                 /* when the database was looked at last */
	const char *manager;           /* its socket */
	char answer[HB_TEXT_MOST + 1]; /* of the manager, to the last set; "": done */
	hb_place place;
	netsnmp_session *master;       /* NULL: not connected */
	int64_t sending, sending_time; /* the event of the notification under way; 0: none */
	double rest;                   /* the next one is not tried before */
	char *said;                    /* what is wrong with it */
} hb_snmp;

/* ---- objects.c: which instances there are, and their values ---- */

/* The place of an instance below hbdbObjects: scalar: 1, column, 0; else table, 1, column, row. */
typedef struct hb_instance {
	const struct hb_object *object;
	int64_t row; /* 0: a scalar */
} hb_instance;
/* Whether it is there; writable: it is an action. */
bool hb__snmp_find(hb_snmp *snmp, const oid *at, size_t n, netsnmp_variable_list *value, hb_instance *ret);
/* The first one behind. */
bool hb__snmp_next(hb_snmp *snmp, const oid *at, size_t n, netsnmp_variable_list *value, hb_instance *ret);
/* Its numbers below hbdbObjects. */
size_t hb__snmp_name(const hb_instance *instance, oid ret[4]);
bool hb__snmp_is_action(const hb_instance *instance);
bool hb__snmp_is_program(const hb_instance *instance);
/* DateAndTime of microseconds since 1970; how many bytes, 0 for none. */
size_t hb__snmp_date(int64_t time, u_char ret[11]);
/* How many bytes of a text fit into an HbdbText. */
size_t hb__snmp_fits(const char *text);
/* Looks at the database, at most once in a second. */
void hb__snmp_look(hb_snmp *snmp);

/* ---- answer.c: the handler that net-snmp calls ---- */
bool hb__snmp_register(hb_snmp *snmp);

/* ---- act.c ---- */
/* Has the manager do what was set (a number of HBDB-MIB). False: snmp->answer says why not. */
bool hb__snmp_act(hb_snmp *snmp, const hb_instance *instance, long action);
/* Whether there is such an action. */
bool hb__snmp_has_action(const hb_instance *instance, long action);

/* ---- notify.c ---- */
/* Sends what is new, one after the other, each when the master has taken the one before. */
void hb__snmp_notify(hb_snmp *snmp);

#endif
