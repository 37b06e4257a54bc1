/* Holds: who has a process or a program for himself. */
#include <stdlib.h>
#include <string.h>

#include "system/complex/inside.h"

/* Holds that speak of a process: its own, and that of its program; of a program: its own, and those of its processes. */
#define TOUCHED                                                                                                            \
	"FROM hold WHERE (?1 AND (hold.process = ?1 OR hold.program = (SELECT program FROM process WHERE process = ?1))) " \
	"OR (?2 AND (hold.program = ?2 OR hold.process IN (SELECT process FROM process WHERE program = ?2)))"

hb_status hb_complex_may(hb_complex *c, int64_t process, int64_t program, const char *who, hb_error *err)
{
	sqlite3_stmt *s = hb__db_ask(c, err,
		"SELECT who, why, coalesce((SELECT 'process ' || name FROM process WHERE process = hold.process), (SELECT 'program ' || name "
		"FROM program WHERE program = hold.program), '') " TOUCHED,
		"ii", process, program);
	if (!s)
		return HB_E_SYSTEM;
	hb_status status = HB_OK;
	while (!status && sqlite3_step(s) == SQLITE_ROW) {
		const char *holder = (const char *)sqlite3_column_text(s, 0);
		if (strcmp(holder, who) != 0)
			status = hb__complex_fail(err, HB_E_ARGUMENT, "%.60s is held by %.60s (%.60s)",
				(const char *)sqlite3_column_text(s, 2), holder,
				(const char *)sqlite3_column_text(s, 1));
	}
	sqlite3_finalize(s);
	return status;
}

hb_status hb_complex_hold(
	hb_complex *c, int64_t process, int64_t program, const char *who, const char *why, hb_error *err)
{
	hb_status status = hb_complex_may(c, process, program, who, err);
	if (!status &&
		!hb__db_number(c, 0,
			"SELECT 1 FROM process WHERE process = ?1 AND state NOT IN ('ended', 'gone') UNION SELECT 1 FROM program WHERE program = ?2",
			"ii", process, program))
		status = hb__complex_fail(
			err, HB_E_ARGUMENT, "there is nothing of this number to be held, or it has ended");
	status = status ? status : hb_complex_begin(c, err);
	if (status)
		return status;
	bool had = hb__db_number(c, 0, "SELECT 1 FROM hold WHERE process IS ?1 AND program IS ?2 AND who = ?3", "IIs",
		process, program, who);
	status = had ? hb__db_do(c, err, "UPDATE hold SET why = ?4 WHERE process IS ?1 AND program IS ?2 AND who = ?3",
			       "IIss", process, program, who, why)
		     : hb__db_do(c, err,
			       "INSERT INTO hold(process, program, who, why, since) VALUES(?1, ?2, ?3, ?4, ?5)",
			       "IIssi", process, program, who, why, hb_complex_now());
	if (!status && !had)
		status = hb__db_tell(c, err, "hold", "note", 0, program, process, NULL, "held by %s: %s", who, why);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

hb_status hb_complex_release(hb_complex *c, int64_t process, int64_t program, const char *who, hb_error *err)
{
	char *holder =
		hb__db_words(c, "SELECT who FROM hold WHERE process IS ?1 AND program IS ?2", "II", process, program);
	hb_status status = HB_OK;
	if (!holder)
		status = hb__complex_fail(err, HB_E_ARGUMENT, "it is not held");
	else if (who && strcmp(who, holder) != 0)
		status = hb__complex_fail(err, HB_E_ARGUMENT, "it is held by %.80s, not by %.80s", holder, who);
	status = status ? status : hb_complex_begin(c, err);
	if (!status) {
		status = hb__db_do(
			c, err, "DELETE FROM hold WHERE process IS ?1 AND program IS ?2", "II", process, program);
		status = status ? status
				: hb__db_tell(c, err, "release", "note", 0, program, process, NULL,
					  "no longer held by %s", holder);
		hb_status ended = hb_complex_end(c, !status, err);
		status = status ? status : ended;
	}
	free(holder);
	return status;
}

hb_status hb_complex_consoles_gone(hb_complex *c, hb_error *err)
{
	/* no name of a user has a slash */
	return hb__db_do(c, err, "DELETE FROM hold WHERE who LIKE '%/%'", "");
}
