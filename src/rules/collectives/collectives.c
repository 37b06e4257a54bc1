/* Collectives that do not fit together: another function, root or operation, other counts or types, a process
 * that never comes. MPI 4.0, 6.14: all processes of a communicator call its collectives in the same order; those on
 * windows and files likewise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/collectives/parts.h"

/* What is known while all are compared. */
struct comparing {
	hb_case *c;
	const struct hb__collective_calls *parts;
	uint32_t *broken; /* by group: the first collective that does not fit; what comes after it is out of step */
	uint32_t *place;  /* by process, in the group at hand */
	uint64_t *fine;   /* digests of the shapes of collectives that do: a loop makes the same ones again and again */
	size_t fines;
	hb_error *err;
};

/* ---- which function ---- */

static bool say_function(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	(void)user;
	snprintf(ret, size, "%s", hb__call_shape_of(a, part)->function->name);
	return true;
}

static hb_status compare_functions(const struct hb__assembly *a, bool *ret_same)
{
	*ret_same = true;
	for (uint32_t i = 0; i < a->n; i++)
		*ret_same &= hb__call_shape_of(a, i)->means->plain == hb__call_shape_of(a, 0)->means->plain;
	/* A call that was refused is missing here: the finding is that of its argument. */
	if (*ret_same || a->scope->refused || a->scope->kind == HB__ON_START) {
		*ret_same |= a->scope->kind == HB__ON_START;
		return HB_OK;
	}
	return hb__tell_camps(
		a, &(struct hb__camps){HB_COLLECTIVE_CALL, "", "calls", "call",
			   a->scope->kind == HB__ON_COMM
				   ? "Call the same collectives in the same order on all processes of the communicator."
				   : "Make the same collective calls on it, in the same order, on all its processes.",
			   say_function, NULL});
}

/* ---- one collective ---- */

#define FINES 4096

/* Whether a collective with these calls was compared already and all fitted; *ret_place: where it is to be kept. */
static bool known_fine(
	const struct comparing *x, const struct hb__assembly *a, uint64_t **ret_place, uint64_t *ret_digest)
{
	uint64_t h = a->n;
	for (uint32_t i = 0; i < a->n; i++) {
		h = (h ^ (a->part[i].shape + 1)) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	h |= 1;
	*ret_place = &x->fine[(h >> 20) % FINES];
	*ret_digest = h;
	/* what stands in remarks may differ from call to call */
	return **ret_place == h && !(hb__call_shape_of(a, 0)->given && hb__given(a->parts, a->part[0].at));
}

static hb_status compare_arguments(const struct hb__assembly *a, bool *ret_fits)
{
	bool fits = true;
	hb_status status = hb__compare_roots(a, &fits);
	*ret_fits &= fits;
	if (!status)
		status = hb__compare_operations(a, &fits);
	*ret_fits &= fits;
	if (!status)
		status = hb__compare_values(a, &fits);
	*ret_fits &= fits;
	if (!status && hb__call_shape_of(a, 0)->given) {
		status = hb__compare_given(a, &fits);
		*ret_fits &= fits;
		if (!status && fits)
			status = hb__compare_edges(a, &fits);
		*ret_fits &= fits;
		if (!status && fits)
			status = hb__compare_groups(a, &fits);
		*ret_fits &= fits;
	}
	if (!status && *ret_fits)
		status = hb__collective_fit(a, ret_fits);
	return status ? status : hb__compare_in_place(a);
}

/* *ret_in_step: the next ones of the scope can be compared, too. */
static hb_status compare(struct comparing *x, const struct hb__assembly *a, bool *ret_in_step)
{
	uint64_t *place, digest;
	bool all = true, fits = true;
	hb_status status = HB_OK;
	if (!known_fine(x, a, &place, &digest)) {
		status = compare_functions(a, ret_in_step);
		if (status || !*ret_in_step)
			return status;
		if (a->scope->kind != HB__ON_START && !a->scope->refused) /* else it may be another call's turn */
			status = compare_arguments(a, &fits);
		if (fits)
			*place = digest;
	}
	if (!status)
		status = hb__compare_members(a, &all);
	*ret_in_step = all;
	return status;
}

/* ---- all of them ---- */

static void find_places(const struct comparing *x, const hb_group *g)
{
	for (uint32_t i = 0; i < g->size; i++)
		if (g->member[i] != HB_NO)
			x->place[g->member[i]] = i;
	for (uint32_t i = 0; i < g->remote_size; i++)
		if (g->remote[i] != HB_NO)
			x->place[g->remote[i]] = i;
}

static hb_status compare_scope(struct comparing *x, const struct hb__scope *scope)
{
	const hb_group *group = &hb_model_groups(x->c->model)[scope->group];
	hb_status status = HB_OK;
	bool in_step = !scope->unsure;
	if (x->broken[scope->group] != HB_NO && scope->kind != HB__ON_COMM) /* made by calls that may be others */
		in_step = scope->kind == HB__ON_START && scope->object < x->broken[scope->group];
	find_places(x, group);
	for (uint32_t k = 0; !status && in_step && k < scope->calls; k++) {
		uint64_t first = x->parts->first[scope->first + k], next = x->parts->first[scope->first + k + 1];
		struct hb__assembly a = {.c = x->c,
			.parts = x->parts,
			.scope = scope,
			.number = k,
			.group = group,
			.place = x->place,
			.part = &x->parts->part[first],
			.n = (uint32_t)(next - first),
			.err = x->err};
		status = a.n ? compare(x, &a, &in_step) : HB_OK;
		if (!in_step && scope->kind == HB__ON_COMM)
			x->broken[scope->group] = k;
	}
	return status;
}

hb_status hb_rule_collectives(hb_case *c, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(c->model);
	struct hb__collective_calls parts;
	hb_status status = hb__parts_gather(c, &parts, err);
	if (status)
		return status;
	struct comparing x = {.c = c,
		.parts = &parts,
		.broken = malloc((info->groups + 1) * sizeof *x.broken),
		.place = malloc((info->processes + 1) * sizeof *x.place),
		.fine = calloc(FINES, sizeof *x.fine),
		.err = err};
	if (x.broken && x.place && x.fine) {
		memset(x.broken, 0xff, (info->groups + 1) * sizeof *x.broken);
		memset(x.place, 0xff, (info->processes + 1) * sizeof *x.place);
		for (int others = 0; others < 2; others++)
			for (size_t i = 0; !status && i < parts.scopes; i++)
				if ((parts.scope[i].kind != HB__ON_COMM) == others)
					status = compare_scope(&x, &parts.scope[i]);
	} else {
		status = HB_E_MEMORY;
		if (err)
			*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	}
	if (!status)
		status = hb__compare_makers(c, &parts, err);
	free(x.broken);
	free(x.place);
	free(x.fine);
	hb__parts_free(&parts);
	return status;
}
