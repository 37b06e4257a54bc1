/* Arguments beside data, root and operation that all processes have to give alike. */
#include <stdio.h>
#include <string.h>

#include "rules/collectives/parts.h"

static bool say_value(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	const char *name = user;
	int64_t value = hb__shape_argument(hb__call_shape_of(a, part), name);
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
		int64_t x = hb__shape_argument(hb__call_shape_of(a, i), name);
		int64_t y = hb__shape_argument(hb__call_shape_of(a, like), name);
		if (x != y && x != HB_ABSENT && y != HB_ABSENT && !(truth && !x == !y))
			return false;
	}
	return true;
}

hb_status hb__compare_values(const struct hb__assembly *a, bool *ret_same)
{
	const struct hb__call_shape *s = hb__call_shape_of(a, 0);
	*ret_same = true;
	for (const char *at = s->means->alike; at && *at; at += strcspn(at, ","), at += *at == ',') {
		char name[40], before[80];
		snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ",?"), at);
		if (alike(a, name, at[strlen(name)] == '?'))
			continue;
		*ret_same = false;
		snprintf(before, sizeof before, "%.60s: ", s->function->name);
		return hb__tell_camps(a, &(struct hb__camps){HB_COLLECTIVE_VALUE, before, "has", "have",
						 "Give the same value on all processes.", say_value, name});
	}
	return HB_OK;
}

/* ---- MPI_IN_PLACE ---- */

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
	const struct hb__call_shape *s = hb__call_shape_of(a, part);
	const hb_remark *r = hb__given(a->parts, a->part[part].at);
	const char *type = has_argument(s->function, "sendtypes") ? "sendtypes" : "sendtype";
	char value[40] = "";
	if (has_argument(s->function, type))
		snprintf(
			value, sizeof value, "%s", hb__shape_argument(s, type) == HB_ABSENT ? "MPI_IN_PLACE" : "given");
	else if (r)
		snprintf(value, sizeof value, "%s", r->given->sendbuf);
	if (*value)
		snprintf(ret, size, "%s", !strcmp(value, "given") ? "a send buffer" : "sendbuf = MPI_IN_PLACE");
	return *value;
}

hb_status hb__compare_in_place(const struct hb__assembly *a)
{
	const struct hb__call_shape *s = hb__call_shape_of(a, 0);
	char before[80];
	if (a->group->remote_size || !s->means->in_place)
		return HB_OK;
	snprintf(before, sizeof before, "%.60s: ", s->function->name);
	return hb__tell_camps(a, &(struct hb__camps){HB_COLLECTIVE_IN_PLACE, before, "has", "have",
					 "Give MPI_IN_PLACE on all processes or on none.", say_in_place, NULL});
}
