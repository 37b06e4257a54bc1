/* Processes that a program spawns are recorded when they get our variables. Some launchers hand on what they were given
 * themselves; that of Open MPI 5 starts them with none of it, but for what the call says in its info. There our variables are
 * added, in a copy: the program's own info stays as it is. */
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

int hb__spawn(struct hb__call *c, const struct hb__comm *parent)
{
	const char *key = hb__config.mode == HB__RECORD ? hb__family_spawn_key() : NULL;
	int root = place_of_root(c->fn), at = root - 1;
	hb__begin(c, false);
	if (!key || !parent || (int)c->a[root] != parent->rank)
		return HB__GO(call, c); /* infos count at the root */
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
