/* Processes that a program spawns are recorded when they get our variables. Some launchers hand on what they were given
 * themselves; that of Open MPI 5 starts them with none of it, but for what the call says in its info. There our variables are
 * added, in a copy: the program's own info stays as it is.
 *
 * In a replay they get one variable more, which record they follow. No key of an info hands variables on under every launcher, and
 * the info has little room, so the command that is spawned is `env` with the variables, and then that of the program. */
#include <stdlib.h>
#include <string.h>

#include "capture/mpi/wrap/step.h"

#define APPS 64 /* commands of one call of MPI_Comm_spawn_multiple */

static bool add(char *text, size_t size, const char *name)
{
	const char *value = getenv(name);
	size_t n = strlen(text);
	return !value || snprintf(text + n, size - n, "%s%s=%s", n ? "\n" : "", name, value) < (int)(size - n);
}

/* What is needed to record, and who spawns, a line each. False: it does not fit. */
static bool variables(char *text, size_t size)
{
	static const char *const names[] = {"LD_PRELOAD", "HBDB_MODE", "HBDB_DIR", "HBDB_LEVEL", "HBDB_DATA_RANKS",
		"HBDB_DIGESTS", "HBDB_REMARKS", "HBDB_SHAKE", "HBDB_CARRY"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!add(text, size, names[i]))
			return false;
	struct hb__world world = {.maker_rank = -1};
	hb__family_world(&world);
	size_t n = strlen(text);
	return snprintf(text + n, size - n, "\n" HB__MAKER "=%s.%d:0", world.world, hb__rank) < (int)(size - n);
}

/* Copies an info, with our variables behind those that the program gives. False: it stays as it is. */
static bool with_ours(MPI_Info given, const char *key, MPI_Info *ret)
{
	char text[MPI_MAX_INFO_VAL + 1] = "";
	int there = 0;
	if (given != hb__known.info_null &&
		PMPI(Info_get)(given, (char *)key, MPI_MAX_INFO_VAL, text, &there) != MPI_SUCCESS)
		return false;
	if (!there)
		text[0] = 0;
	if (strstr(text, "LD_PRELOAD=") || !variables(text, MPI_MAX_INFO_VAL)) {
		hb__row_note(
			"spawned processes: hbdb's variables do not fit into the info of the call, beside what the program gives there; record into a folder with a shorter path");
		return false;
	}
	int code = given == hb__known.info_null ? PMPI(Info_create)(ret) : PMPI(Info_dup)(given, ret);
	return code == MPI_SUCCESS && PMPI(Info_set)(*ret, (char *)key, text) == MPI_SUCCESS;
}

/* Both calls have the info, or an array of them, before the root. */
static int place_of_root(const struct hb__fn *fn)
{
	int at = 0;
	while (at < (int)fn->nargs - 1 && fn->param[at].kind != HB_P_ROOT)
		at++;
	return at;
}

/* At the root: infos count there. */
static int spawn_recorded(struct hb__call *c, const char *key)
{
	int at = place_of_root(c->fn) - 1;
	bool several = c->fn->param[at].kind != HB_P_INFO;
	int apps = several ? (int)c->a[0] : 1;
	MPI_Info infos[APPS];
	uintptr_t given = c->a[at];
	const MPI_Info *from = several ? (const MPI_Info *)given : (const MPI_Info *)&given;
	if (apps < 1 || apps > APPS || !from)
		return HB__GO(call, c);
	bool ours[APPS];
	for (int i = 0; i < apps; i++) {
		infos[i] = from[i];
		ours[i] = with_ours(from[i], key, &infos[i]);
	}
	c->a[at] = several ? (uintptr_t)infos : (uintptr_t)infos[0];
	int code = HB__GO(call, c);
	c->a[at] = given;
	for (int i = 0; i < apps; i++)
		if (ours[i])
			PMPI(Info_free)(&infos[i]);
	return code;
}

/* ---- in a replay ---- */

#define ENV "/usr/bin/env"

/* NAME=VALUE; NULL: there is no memory, or no value. */
static char *assignment(struct hb__lane *lane, const char *name, const char *value)
{
	size_t n = value ? strlen(name) + strlen(value) + 2 : 0;
	char *text = n ? hb__scratch(lane, n) : NULL;
	if (text)
		snprintf(text, n, "%s=%s", name, value);
	return text;
}

/* What `env` is to set; `most` pointers. */
static size_t list_variables(struct hb__lane *lane, const struct hb__bridged *b, char **ret, size_t most)
{
	static const char *const names[] = {"LD_PRELOAD", "HBDB_MODE", "HBDB_DIR", "HBDB_LEVEL", "HBDB_DIGESTS",
		"HBDB_ROOT", "HBDB_FILES", "HBDB_SCRIPT", "HBDB_REPLAY_LOG", "HBDB_DIVERGENCE", "HBDB_CONTENTS"};
	char text[300];
	size_t n = 0;
	snprintf(text, sizeof text, "%d@%d", b->to, b->world);
	if ((ret[n] = assignment(lane, HB__WORLD, text)))
		n++;
	if (!hb__family_spawn_key())
		return n;
	for (size_t i = 0; i < sizeof names / sizeof *names && n < most; i++)
		if ((ret[n] = assignment(lane, names[i], getenv(names[i]))))
			n++;
	struct hb__world world = {.maker_rank = -1};
	hb__family_world(&world);
	snprintf(text, sizeof text, "%s.%d:0", world.world, hb__rank);
	if (n < most && (ret[n] = assignment(lane, HB__MAKER, text)))
		n++;
	return n;
}

/* The variables, the command, its arguments. NULL: no memory. */
static char **words(struct hb__lane *lane, char *const *variable, size_t n, char *command, char *const *argv)
{
	size_t given = 0;
	while (argv && argv[given])
		given++;
	char **all = hb__scratch(lane, (n + given + 2) * sizeof *all), **w = all;
	for (size_t i = 0; all && i < n; i++)
		*w++ = variable[i];
	if (all)
		*w++ = command;
	for (size_t i = 0; all && i < given; i++)
		*w++ = argv[i];
	if (all)
		*w = NULL;
	return all;
}

/* False: the call stays as the program made it. */
static bool hand_on(struct hb__call *c, const struct hb__bridged *b)
{
	enum { MOST = 16 };
	static char env[] = ENV;
	char *variable[MOST];
	size_t n = list_variables(c->lane, b, variable, MOST);
	bool several = c->fn->param[place_of_root(c->fn) - 1].kind != HB_P_INFO;
	int apps = several ? (int)c->a[0] : 1;
	uintptr_t *at = &c->a[several];
	char *const *command = several ? (char *const *)at[0] : (char *const *)&at[0];
	char **const *argv = several ? (char **const *)at[1] : (char **const *)&at[1];
	if (!n || apps < 1 || apps > APPS || !command)
		return false;
	char **commands = hb__scratch(c->lane, APPS * sizeof *commands),
	     ***argvs = hb__scratch(c->lane, APPS * sizeof *argvs);
	for (int i = 0; i < apps; i++) {
		if (!commands || !argvs || !command[i] ||
			!(argvs[i] = words(c->lane, variable, n, command[i], argv ? argv[i] : NULL)))
			return false;
		commands[i] = env;
	}
	at[0] = several ? (uintptr_t)commands : (uintptr_t)commands[0];
	at[1] = several ? (uintptr_t)argvs : (uintptr_t)argvs[0];
	return true;
}

/* Which world it makes, or whom it meets, is that of the recording. */
static int again(struct hb__call *c, unsigned kind)
{
	struct hb__bridged b = hb__bridge_ahead(c, kind);
	uint8_t *mark = c->lane->scratch;
	uintptr_t given[] = {c->a[0], c->a[1], c->a[2]};
	if (b.to >= 0 && kind == HB_BRIDGE_SPAWNED)
		hand_on(c, &b);
	else if (b.to >= 0 && kind == HB_BRIDGE_ACCEPTED)
		hb__turn_comes(&b);
	else if (b.to >= 0 && kind == HB_BRIDGE_CONNECTED)
		hb__turn_wait(&b);
	int code = HB__GO(call, c);
	memcpy(c->a, given, sizeof given);
	hb__scratch_release(c->lane, mark);
	if (code == MPI_SUCCESS)
		hb__bridge_passed(kind);
	return code;
}

int hb__bridge(struct hb__call *c, const struct hb__comm *parent)
{
	unsigned kind = c->fn->means->bridge;
	hb__begin(c, false);
	if (kind == HB_BRIDGE_JOINED || !parent || (int)c->a[place_of_root(c->fn)] != parent->rank)
		return HB__GO(call, c);
	if (hb__config.mode == HB__REPLAY && !hb__alone)
		return again(c, kind);
	const char *key = kind == HB_BRIDGE_SPAWNED && hb__config.mode == HB__RECORD ? hb__family_spawn_key() : NULL;
	return key ? spawn_recorded(c, key) : HB__GO(call, c);
}
