/* Notifications: the events of the database, each as a Notify of AgentX (RFC 2741, 6.2.10). The master answers when it has taken it over; only then
 * is the place written. So a notification is sent again when nobody knows whether the master had it: its event's number tells. */
#include <errno.h>
#include <string.h>

#include "../monitor/staying.h"
#include "base/clock.h"
#include "snmp.h"

#define AGENTX_NOTIFY 12
#define AT_ONCE 1000 /* events that are none for notifications are passed over */
#define PAUSE 1.0    /* seconds after one that was not taken */

/* By hbdbNotifications; 0: this kind is none. */
static oid notification(const hb_told *t)
{
	static const struct {
		const char *kind;
		oid number;
	} known[] = {{"death", 1}, {"gone", 1}, {"stop", 2}, {"finding", 3}, {"hang", 4}, {"sensor", 5}, {"node", 6}};
	if (!strcmp(t->kind, "death") && !strcmp(t->weight, "note"))
		return 0; /* with its program it was told to end */
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(t->kind, known[i].kind))
			return known[i].number;
	return 0;
}

static void fail(hb_snmp *snmp, const char *why)
{
	hb__say_once(&snmp->said, why);
	snmp->rest = hb_seconds() + PAUSE;
}

static void say_place(hb_snmp *snmp, int error)
{
	char *text = hb__format(
		"how far events were sent is not kept, and they would be sent again when hbdb-snmp begins anew: %s: %s",
		snmp->place.path, strerror(error));
	hb__say_once(&snmp->said, text);
	free(text);
}

/* What became of the one under way. */
static int answered(int operation, netsnmp_session *session, int id, netsnmp_pdu *pdu, void *magic)
{
	hb_snmp *snmp = magic;
	(void)session, (void)id;
	int64_t event = snmp->sending;
	snmp->sending = 0;
	if (operation != NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE)
		fail(snmp, "the master agent did not say that it has taken a notification: it is sent again");
	else if (pdu->errstat)
		fail(snmp, "the master agent has refused a notification: it is sent again");
	else
		hb_place_told(&snmp->place, event, snmp->sending_time);
	if (operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE && !pdu->errstat && !snmp->place.unwritten)
		hb__say_once(&snmp->said, "");
	return 1;
}

static void add_text(netsnmp_pdu *pdu, oid number, const char *text)
{
	const oid name[] = {HB_MIB, 1, 6, number, 0};
	snmp_pdu_add_variable(pdu, name, OID_LENGTH(name), ASN_OCTET_STR, text, hb__snmp_fits(text));
}

static netsnmp_pdu *pdu_of(const hb_told *t, oid number)
{
	static const oid trap[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0}; /* snmpTrapOID.0 */
	const oid what[] = {HB_MIB, 0, number}, event[] = {HB_MIB, 1, 6, 1, 0}, time[] = {HB_MIB, 1, 6, 2, 0},
		  weight[] = {HB_MIB, 1, 6, 4, 0};
	const struct counter64 n = {.high = (u_long)(t->event >> 32), .low = (u_long)(t->event & 0xffffffff)};
	const long bad = !strcmp(t->weight, "error") ? 3 : !strcmp(t->weight, "warning") ? 2 : 1;
	u_char date[11];
	char command[64];
	netsnmp_pdu *pdu = snmp_pdu_create(AGENTX_NOTIFY);
	if (!pdu)
		return NULL;
	hb_told_command(t, command);
	snmp_pdu_add_variable(pdu, trap, OID_LENGTH(trap), ASN_OBJECT_ID, what, sizeof what);
	snmp_pdu_add_variable(pdu, event, OID_LENGTH(event), ASN_COUNTER64, &n, sizeof n);
	snmp_pdu_add_variable(pdu, time, OID_LENGTH(time), ASN_OCTET_STR, date, hb__snmp_date(t->time, date));
	add_text(pdu, 3, t->kind);
	snmp_pdu_add_variable(pdu, weight, OID_LENGTH(weight), ASN_INTEGER, &bad, sizeof bad);
	add_text(pdu, 5, t->text);
	add_text(pdu, 6, t->node);
	add_text(pdu, 7, t->program);
	add_text(pdu, 8, t->process);
	add_text(pdu, 9, t->recording);
	add_text(pdu, 10, command);
	return pdu;
}

static void send_event(hb_snmp *snmp, const hb_told *t, oid number)
{
	netsnmp_pdu *pdu = pdu_of(t, number);
	if (!pdu) {
		fail(snmp, "no memory for a notification");
		return;
	}
	pdu->sessid = snmp->master->sessid;
	pdu->flags |= UCD_MSG_FLAG_EXPECT_RESPONSE;
	snmp->sending = t->event;
	snmp->sending_time = t->time;
	if (!snmp_async_send(snmp->master, pdu, answered, snmp)) {
		snmp_free_pdu(pdu);
		snmp->sending = 0;
		fail(snmp, "a notification could not be sent to the master agent: it is tried again");
	}
}

void hb__snmp_notify(hb_snmp *snmp)
{
	hb_told t;
	int there = 1;
	hb__snmp_look(snmp);
	if (!snmp->master || snmp->sending || hb_seconds() < snmp->rest)
		return;
	if (*hb_reader_why(snmp->reader) || !hb_place_check(&snmp->place, snmp->reader)) {
		fail(snmp, hb_reader_why(snmp->reader));
		return;
	}
	if (!hb_place_keep(&snmp->place))
		say_place(snmp, errno);
	/* not without an end: whoever asks meanwhile waits */
	for (int i = 0; i < AT_ONCE && !snmp->sending && hb_seconds() >= snmp->rest &&
			(there = hb_reader_event(snmp->reader, snmp->place.event, true, &t)) > 0;
		i++) {
		oid number = notification(&t);
		if (number)
			send_event(snmp, &t, number);
		else
			hb_place_told(&snmp->place, t.event, t.time);
		hb_told_free(&t);
	}
	if (there < 0)
		fail(snmp, hb_reader_why(snmp->reader));
}
