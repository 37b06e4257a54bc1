/* Arguments beside data, root and operation that all processes have to give alike. */
#include <stdio.h>
#include <string.h>

#include "rules/collectives/parts.h"

static const struct {
	const char *function, *argument;
	bool truth; /* any number but 0 says the same */
} table[] = {
	{"MPI_Cart_create", "ndims", false},
	{"MPI_Cart_create", "reorder", true},
	{"MPI_Graph_create", "nnodes", false},
	{"MPI_Dist_graph_create", "reorder", true},
	{"MPI_Dist_graph_create_adjacent", "reorder", true},
	{"MPI_Graph_create", "reorder", true},
	{"MPI_Intercomm_create", "local_leader", false},
	{"MPI_Intercomm_merge", "high", true},
	{"MPI_File_set_size", "size", false},
	{"MPI_File_preallocate", "size", false},
	{"MPI_File_set_atomicity", "flag", true},
	{"MPI_File_seek_shared", "offset", false},
};

static bool say_value(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	const char *name = user;
	int64_t value = hb__shape_argument(hb__shape_of(a, part), name);
	if (value == HB_ABSENT)
		return false;
	snprintf(ret, size, "%s = %lld", name, (long long)value);
	return true;
}

/* Of an intercommunicator the processes of one group have to agree (MPI_Intercomm_merge). */
static bool alike(const struct hb__assembly *a, const char *name, bool truth)
{
	for (uint32_t i = 1; i < a->n; i++) {
		uint32_t like = 0;
		while (like < i && !hb__same_side(a, like, i))
			like++;
		int64_t x = hb__shape_argument(hb__shape_of(a, i), name);
		int64_t y = hb__shape_argument(hb__shape_of(a, like), name);
		if (x != y && x != HB_ABSENT && y != HB_ABSENT && !(truth && !x == !y))
			return false;
	}
	return true;
}

hb_status hb__compare_values(const struct hb__assembly *a, bool *ret_same)
{
	const char *function = hb__shape_of(a, 0)->function->name;
	*ret_same = true;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		if (strcmp(function, table[i].function) != 0 || alike(a, table[i].argument, table[i].truth))
			continue;
		char before[80];
		*ret_same = false;
		snprintf(before, sizeof before, "%.60s: ", function);
		return hb__tell_camps(
			a, &(struct hb__camps){HB_COLLECTIVE_VALUE, before, "has", "have",
				   "Give the same value on all processes.", say_value, table[i].argument});
	}
	return HB_OK;
}

/* ---- MPI_IN_PLACE ---- */

/* Where the standard wants it at all processes or at none (MPI 4.0, 6.7, 6.8, 6.9.6, 6.10.1). */
static bool in_place_everywhere(const char *function)
{
	static const char *const names[] = {
		"llgather", "llgatherv", "llreduce", "lltoall", "lltoallv", "lltoallw", "educe_scatter_block"};
	const char *name = strchr(function, '_');
	name = name && name[1] == 'I' ? name + 2 : name ? name + 1 : function;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);
		const char *end = name + 1 + n;
		if (*name && !strncmp(name + 1, names[i], n) &&
			(!*end || !strcmp(end, "_c") || !strcmp(end, "_init") || !strcmp(end, "_init_c")))
			return true;
	}
	return false;
}

static bool has_argument(const hb_function *f, const char *name)
{
	for (uint32_t i = 0; i < f->nargs; i++)
		if (!strcmp(f->arg_name[i], name))
			return true;
	return false;
}

/* The send type does not count beside it; of a function without one the recorder says what it was. */
static bool say_in_place(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	(void)user;
	const struct hb__shape *s = hb__shape_of(a, part);
	const hb_remark *r = hb__given(a->parts, a->part[part].at);
	const char *type = has_argument(s->function, "sendtypes") ? "sendtypes" : "sendtype";
	char value[40] = "";
	if (has_argument(s->function, type))
		snprintf(
			value, sizeof value, "%s", hb__shape_argument(s, type) == HB_ABSENT ? "MPI_IN_PLACE" : "given");
	else if (r)
		hb_remark_text(r, "sendbuf", value, sizeof value);
	if (*value)
		snprintf(ret, size, "%s", !strcmp(value, "given") ? "a send buffer" : "sendbuf = MPI_IN_PLACE");
	return *value;
}

hb_status hb__compare_in_place(const struct hb__assembly *a)
{
	const char *function = hb__shape_of(a, 0)->function->name;
	char before[80];
	if (a->group->remote_size || !in_place_everywhere(function))
		return HB_OK;
	snprintf(before, sizeof before, "%.60s: ", function);
	return hb__tell_camps(a, &(struct hb__camps){HB_COLLECTIVE_IN_PLACE, before, "has", "have",
					 "Give MPI_IN_PLACE on all processes or on none.", say_in_place, NULL});
}
