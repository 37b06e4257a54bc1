/* gdb for one process that somebody else serves: one that goes forwards and backwards, by `hbdb gdbserver`, or one of another processor, by what runs it. gdb's own way of stopping all threads at once is all
 * that the protocol has for going back. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/gdb/inside.h"

#define AT_LEAST_S 600 /* for a process to come to its beginning and gdb to it: what it loads may be large */

static hb_status connect_to(hb_gdb *gdb, const char *address, hb_error *err)
{
	struct hb__inferior *inf = &gdb->at[0];
	int64_t token = hb__gdb_send(gdb, "-target-select remote %s", address);
	hb_status status = hb__gdb_answer(gdb, token, AT_LEAST_S, err);
	if (status)
		return status;
	inf->attaching = false;
	gdb->moved = true;
	for (size_t i = 0; i < inf->nthreads; i++)
		inf->threads[i].running = false;
	hb__gdb_settled(gdb, inf);
	hb__gdb_follow(gdb, inf);
	return HB_OK;
}

hb_status hb__gdb_connect_one(hb_gdb *gdb, int32_t id, int32_t server, const char *address, hb_error *err)
{
	struct hb__inferior *inf = &gdb->at[0];
	/* the inferior that gdb has from its start */
	*inf = (struct hb__inferior){
		.used = true, .id = id, .group = 1, .attaching = true, .state = HB__STOPPING, .life = -1};
	inf->stop.reason = HB_GDB_ASKED;
	gdb->served = server;
	gdb->server_life = gdb->server->life;
	if (gdb->server_life >= 0)
		hb__gdb_watch(gdb, gdb->server_life);
	return connect_to(gdb, address, err);
}

/* Where its libraries are: those that are not below the root stand at their own path, which gdb tries as one that begins where it works. */
static hb_status tell_files(hb_gdb *gdb, const hb_gdb_stub *stub, hb_error *err)
{
	char *program = stub->program ? hb__mi_quote(stub->program) : NULL;
	hb_status status = HB_OK;
	if (stub->root)
		hb__gdb_send(gdb, "-gdb-set sysroot %s", stub->root);
	hb__gdb_send(gdb, "-gdb-set solib-search-path /");
	hb__gdb_send(gdb, "-environment-cd /");
	if (program)
		status = hb__gdb_ask(gdb, err, "-file-exec-and-symbols %s", program);
	free(program);
	return status;
}

hb_status hb__gdb_connect_stub(hb_gdb *gdb, int32_t id, const hb_gdb_stub *stub, hb_error *err)
{
	struct hb__inferior *inf = &gdb->at[0];
	hb_status status = tell_files(gdb, stub, err);
	if (status)
		return status;
	*inf = (struct hb__inferior){.used = true,
		.id = id,
		.pid = stub->pid,
		.group = 1,
		.attaching = true,
		.state = HB__STOPPING,
		.life = gdb->place->watch(gdb->place, stub->pid)};
	if (inf->life >= 0)
		hb__gdb_watch(gdb, inf->life);
	inf->stop.reason = HB_GDB_ASKED;
	return connect_to(gdb, stub->address, err);
}

/* While it runs it hears nothing, of points neither. */
void hb__gdb_leave_stub(hb_gdb *gdb, struct hb__inferior *inf)
{
	int32_t id = inf->id;
	if (hb_gdb_points(gdb, id) && !hb_gdb_interrupt(gdb, id, NULL))
		hb__gdb_forget_points(gdb, id);
	if (hb_gdb_stopped(gdb, id))
		hb_gdb_go(gdb, id, HB_GDB_CONTINUE, 0, 1, NULL);
}

void hb_gdb_rename(hb_gdb *gdb, int32_t id, int32_t new_id)
{
	for (size_t i = 0; i < HB_GDB_MOST; i++)
		if (gdb->at[i].used && gdb->at[i].id == id)
			gdb->at[i].id = new_id;
	for (size_t i = 0; i < gdb->npoints; i++)
		if (gdb->points[i].id == id)
			gdb->points[i].id = new_id;
	for (size_t i = 0; i < gdb->ntold; i++)
		if (gdb->told[i].id == id)
			gdb->told[i].id = new_id;
}

void hb__gdb_note(hb_gdb *gdb, const char *text)
{
	char *both = NULL;
	if (asprintf(&both, "%s%s", gdb->notes ? gdb->notes : "", text) < 0)
		return;
	free(gdb->notes);
	gdb->notes = both;
}

char *hb_gdb_notes(hb_gdb *gdb)
{
	char *notes = gdb->notes;
	gdb->notes = NULL;
	return notes;
}

/* What the server answered: its notes go to the others, the last line that is none stays. NULL: there is none. */
static char *answer_of(hb_gdb *gdb)
{
	char *last = NULL;
	for (char *line = gdb->said, *next; line && *line; line = next) {
		char *end = strchr(line, '\n');
		next = end ? end + 1 : line + strlen(line);
		char *copy = strndup(line, (size_t)(next - line));
		if (copy && !strncmp(copy, "hbdb: ", 6)) {
			hb__gdb_note(gdb, copy);
			free(copy);
		} else {
			free(last);
			last = copy;
		}
	}
	if (gdb->said)
		gdb->said[0] = 0;
	gdb->said_n = 0;
	return last;
}

static bool read_stand(const char *text, hb_gdb_stand *ret)
{
	int counted, begin, failed, end, cut, at;
	return text &&
	       sscanf(text, "stand %d %" SCNu64 " %d %d %d %d %d %d %d %d", &counted, &ret->event, &begin, &failed,
		       &end, &ret->signal, &ret->status, &cut, &at, &ret->pid) == 10 &&
	       (ret->counted = counted, ret->begin = begin, ret->failed = failed, ret->end = end, ret->cut = cut,
		       ret->at = at, true);
}

void hb__gdb_follow(hb_gdb *gdb, struct hb__inferior *inf)
{
	if (!gdb->one || gdb->stub || gdb->standing || !gdb->moved || inf->state != HB__STOPPED)
		return;
	bool collecting = gdb->collecting;
	hb_gdb_stand stand = {0};
	gdb->moved = false;
	hb__gdb_collect(gdb, true);
	hb__gdb_ask(gdb, NULL, "-interpreter-exec console \"monitor stand\"");
	char *line = answer_of(gdb);
	gdb->collecting = collecting;
	if (read_stand(line, &stand)) {
		gdb->stand = stand;
		inf->pid = stand.pid;
	}
	free(line);
}

hb_status hb_gdb_where(hb_gdb *gdb, int32_t id, hb_gdb_stand *ret, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	if (!inf)
		return gdb->lost ? HB_E_SYSTEM : HB_E_ARGUMENT;
	hb__gdb_follow(gdb, inf);
	*ret = gdb->stand;
	return HB_OK;
}

/* Until gdb has answered. The server looks for this signal while the process runs: gdb itself would leave the conversation in its middle. */
static void await(hb_gdb *gdb, int64_t token, bool (*interrupted)(void *user), void *user)
{
	bool told = false;
	gdb->answered = false;
	gdb->want = token;
	while (token >= 0 && !gdb->lost && !gdb->answered) {
		hb__gdb_take(gdb, hb_seconds() + 0.02);
		if (!told && interrupted && interrupted(user)) {
			kill(gdb->served, SIGUSR1);
			told = true;
		}
	}
}

hb_status hb_gdb_jump(
	hb_gdb *gdb, int32_t id, const char *where, bool (*interrupted)(void *user), void *user, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	if (!inf)
		return gdb->lost ? HB_E_SYSTEM : HB_E_ARGUMENT;
	hb__gdb_collect(gdb, true);
	await(gdb, hb__gdb_send(gdb, "-interpreter-exec console \"monitor goto %s\"", where), interrupted, user);
	gdb->collecting = false;
	free(answer_of(gdb));
	if (gdb->lost)
		return hb__gdb_fail(err, HB_E_SYSTEM, "gdb has ended: %s", gdb->words);
	/* gdb does not know that anything has changed */
	hb__gdb_ask(gdb, NULL, "-interpreter-exec console \"maintenance flush register-cache\"");
	hb__gdb_ask(gdb, NULL, "-interpreter-exec console \"maintenance flush dcache\"");
	hb__gdb_watch_anew(gdb, id);
	gdb->moved = true;
	inf->stop = (hb_gdb_stop){.reason = HB_GDB_ASKED};
	hb_frame *frames;
	size_t n;
	if (!hb_gdb_stack(gdb, id, 1, &frames, &n, NULL)) {
		if (n)
			inf->stop.frame = frames[0];
		free(frames);
	}
	hb__gdb_tell(gdb, id, &inf->stop);
	return HB_OK;
}
