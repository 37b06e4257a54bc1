/* The objects of HBDB-MIB as queries: each value is looked up by its key when it is asked for, so that nothing is kept that could be old. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "snmp.h"

/* net-snmp has macros of the names without OF_. */
enum type {
	OF_TEXT,
	OF_INTEGER,
	OF_GAUGE,
	OF_COUNTER,
	OF_COUNTER64,
	OF_TICKS,
	OF_DATE,
	OF_ACTION,
	OF_OWN_VERSION,
	OF_OWN_TROUBLE,
	OF_OWN_ANSWER,
	OF_TABLE
};

struct hb_object {
	oid table, column;
	enum type type;
	const char *get, *next;
};

#define SCALAR(column, type, value) {1, column, OF_##type, "SELECT 0, " value, NULL},
#define TABLE(number, table, key) {number, 0, OF_TABLE, table, key},
#define COLUMN(column, type, value) {0, column, OF_##type, value, NULL},
static struct hb_object objects[] = {
#include "objects.def"
};
#define OBJECTS (sizeof objects / sizeof *objects)

/* Rows beyond have no number in SMI. */
#define LAST_ROW "2147483647"

/* The statements of columns, from the row of their table: texts that stay, as the reader wants them. */
static void complete(void)
{
	static bool done;
	const struct hb_object *table = NULL;
	for (size_t i = 0; !done && i < OBJECTS; i++) {
		struct hb_object *o = &objects[i];
		if (o->type == OF_TABLE)
			table = o;
		if (!table || table == o)
			continue;
		const char *value = o->get, *key = table->next;
		o->table = table->table;
		o->get = hb__format(
			"SELECT %s, %s FROM %s WHERE %s = ?1 AND %s <= " LAST_ROW, key, value, table->get, key, key);
		/* a second bound from below would be what the rows are looked through from */
		o->next = hb__format("SELECT %s, %s FROM %s WHERE %s > ?1 AND %s <= " LAST_ROW " ORDER BY %s LIMIT 1",
			key, value, table->get, key, key, key);
	}
	done = true;
}

/* ---- values ---- */

size_t hb__snmp_fits(const char *text)
{
	size_t n = strnlen(text, HB_TEXT_MOST + 1);
	if (n <= HB_TEXT_MOST)
		return n;
	/* not in the middle of a character */
	for (n = HB_TEXT_MOST; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
		n--;
	return n;
}

size_t hb__snmp_date(int64_t time, u_char ret[11])
{
	time_t seconds = (time_t)(time / 1000000);
	struct tm t;
	if (time <= 0 || !gmtime_r(&seconds, &t))
		return 0;
	int year = t.tm_year + 1900;
	const u_char date[11] = {(u_char)(year >> 8), (u_char)year, (u_char)(t.tm_mon + 1), (u_char)t.tm_mday,
		(u_char)t.tm_hour, (u_char)t.tm_min, (u_char)t.tm_sec, (u_char)(time % 1000000 / 100000), '+', 0, 0};
	memcpy(ret, date, sizeof date);
	return sizeof date;
}

static long within(int64_t n, int64_t least, int64_t most) { return (long)(n < least ? least : n > most ? most : n); }

static void put_text(netsnmp_variable_list *v, const char *text)
{
	text = text ? text : "";
	snmp_set_var_typed_value(v, ASN_OCTET_STR, text, hb__snmp_fits(text));
}

static void put_value(netsnmp_variable_list *v, enum type type, sqlite3_stmt *s)
{
	int64_t n = type == OF_TEXT ? 0 : sqlite3_column_int64(s, 1);
	u_char date[11];
	struct counter64 large = {.high = (u_long)((uint64_t)n >> 32), .low = (u_long)(n & 0xffffffff)};
	switch (type) {
	case OF_TEXT:
		put_text(v, (const char *)sqlite3_column_text(s, 1));
		break;
	case OF_GAUGE:
		snmp_set_var_typed_integer(v, ASN_GAUGE, within(n, 0, UINT32_MAX));
		break;
	case OF_COUNTER:
		snmp_set_var_typed_integer(v, ASN_COUNTER, (long)(n & UINT32_MAX));
		break;
	case OF_COUNTER64:
		snmp_set_var_typed_value(v, ASN_COUNTER64, &large, sizeof large);
		break;
	case OF_TICKS:
		snmp_set_var_typed_integer(v, ASN_TIMETICKS, (long)(n & UINT32_MAX));
		break;
	case OF_DATE:
		snmp_set_var_typed_value(v, ASN_OCTET_STR, date, hb__snmp_date(n, date));
		break;
	default:
		snmp_set_var_typed_integer(v, ASN_INTEGER, within(n, INT32_MIN, INT32_MAX));
	}
}

/* What the sub-agent knows by itself, with or without a database. */
static bool put_own(const hb_snmp *snmp, enum type type, netsnmp_variable_list *v)
{
	if (type != OF_OWN_VERSION && type != OF_OWN_TROUBLE && type != OF_OWN_ANSWER)
		return false;
	if (v)
		put_text(v, type == OF_OWN_VERSION   ? HBDB_VERSION
			    : type == OF_OWN_TROUBLE ? hb_reader_why(snmp->reader)
						     : snmp->answer);
	return true;
}

/* ---- instances ---- */

/* The row itself, or the first one behind; v may be NULL. */
static bool look_up(
	hb_snmp *snmp, const struct hb_object *o, int64_t row, bool behind, netsnmp_variable_list *v, hb_instance *ret)
{
	*ret = (hb_instance){.object = o, .row = row};
	if (put_own(snmp, o->type, v))
		return true;
	sqlite3_stmt *s = hb_reader_query(snmp->reader, behind ? o->next : o->get);
	if (!s)
		return false;
	if (o->table != 1)
		sqlite3_bind_int64(s, 1, row);
	int step = sqlite3_step(s);
	if (step == SQLITE_ROW) {
		ret->row = sqlite3_column_int64(s, 0);
		if (v)
			put_value(v, o->type, s);
	}
	sqlite3_reset(s);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		hb_reader_failed(snmp->reader);
	return step == SQLITE_ROW;
}

static size_t prefix_of(const struct hb_object *o, oid ret[3])
{
	ret[0] = o->table;
	ret[1] = o->table == 1 ? o->column : 1;
	ret[2] = o->column;
	return o->table == 1 ? 2 : 3;
}

bool hb__snmp_find(hb_snmp *snmp, const oid *at, size_t n, netsnmp_variable_list *v, hb_instance *ret)
{
	complete();
	for (size_t i = 0; i < OBJECTS; i++) {
		oid prefix[3];
		size_t length = prefix_of(&objects[i], prefix);
		if (objects[i].type == OF_TABLE || n != length + 1 || snmp_oid_compare(at, length, prefix, length) != 0)
			continue;
		bool scalar = objects[i].table == 1;
		if (scalar ? at[length] != 0 : at[length] < 1 || at[length] > INT32_MAX)
			return false;
		return look_up(snmp, &objects[i], (int64_t)at[length], false, v, ret);
	}
	return false;
}

bool hb__snmp_next(hb_snmp *snmp, const oid *at, size_t n, netsnmp_variable_list *v, hb_instance *ret)
{
	complete();
	for (size_t i = 0; i < OBJECTS; i++) {
		const struct hb_object *o = &objects[i];
		oid prefix[3];
		size_t length = prefix_of(o, prefix), common = n < length ? n : length;
		if (o->type == OF_TABLE)
			continue;
		int before = snmp_oid_compare(at, common, prefix, common);
		if (before > 0)
			continue;
		bool inside = !before && n > length; /* at is an instance of this object, or stands between two */
		if (inside && (o->table == 1 || at[length] >= INT32_MAX))
			continue;
		if (look_up(snmp, o, inside ? (int64_t)at[length] : 0, o->table != 1, v, ret))
			return true;
	}
	return false;
}

bool hb__snmp_is_action(const hb_instance *instance) { return instance->object->type == OF_ACTION; }
bool hb__snmp_is_program(const hb_instance *instance) { return instance->object->table == 3; }

size_t hb__snmp_name(const hb_instance *instance, oid ret[4])
{
	size_t n = prefix_of(instance->object, ret);
	ret[n] = (oid)instance->row;
	return n + 1;
}

void hb__snmp_look(hb_snmp *snmp)
{
	double now = hb_seconds();
	if (snmp->looked > 0 && now - snmp->looked < 1)
		return;
	snmp->looked = now;
	if (hb_reader_look(snmp->reader))
		hb_reader_count(snmp->reader);
}
