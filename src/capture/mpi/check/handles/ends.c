/* Calls that make handles, end them, and use ended ones. */
#include <string.h>

#include "capture/mpi/check/handles/handles.h"
#include "capture/mpi/family/family.h"

/* Variables that a call has just set to null, by address: freeing them once more is freeing twice. */
static struct hb__map emptied;

bool hb__ends_handle(const struct hb__fn *fn, unsigned i)
{
	return fn->means->frees ? !i : fn->flags & HB_MATCHED && fn->param[i].kind == HB_P_MESSAGE;
}

/* What the library has from the start, null among it. Empty groups may be freed: constructors return them. */
static bool given(enum hb__what what, uintptr_t value)
{
	return what == HB__H_KEYVAL ? (int)value == MPI_KEYVAL_INVALID
				    : hb__handle_given(value) || (what == HB__H_FILE && !value);
}

static bool null(enum hb__what what, uintptr_t value)
{
	const struct hb__known *k = &hb__known;
	switch (what) {
	case HB__H_COMM:
		return (MPI_Comm)value == k->comm_null;
	case HB__H_DATATYPE:
		return (MPI_Datatype)value == k->type_null;
	case HB__H_OP:
		return (MPI_Op)value == k->op_null;
	case HB__H_GROUP:
		return (MPI_Group)value == k->group_null;
	case HB__H_WIN:
		return (MPI_Win)value == k->win_null;
	case HB__H_FILE:
		return (MPI_File)value == k->file_null;
	case HB__H_INFO:
		return (MPI_Info)value == k->info_null;
	case HB__H_ERRHANDLER:
		return (MPI_Errhandler)value == k->errhandler_null;
	case HB__H_KEYVAL:
		return (int)value == MPI_KEYVAL_INVALID;
	case HB__H_SESSION:
		return hb__handle_given(value);
	default:
		return (MPI_Message)value == k->message_null;
	}
}

/* ---- making ---- */

static bool predefined_type(MPI_Datatype type)
{
	int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
	if (PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS)
		return true;
	return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
	       combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/* Derived types come out as new references, which the program has to free. */
static void contents(struct hb__call *c, unsigned array)
{
	MPI_Datatype *at = (MPI_Datatype *)c->a[array], type = (MPI_Datatype)hb__arg(c, HB_R_TYPE);
	int64_t room = 0;
	for (unsigned i = 0; i < c->fn->nargs; i++)
		if (!strcmp(c->fn->param[i].name, "max_datatypes"))
			room = c->fn->param[i].kind == HB_P_CNT ? (int64_t)c->a[i] : (int)c->a[i];
	int integers, addresses, types, combiner;
	if (!at || PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS)
		return;
	for (int64_t i = 0; i < types && i < room; i++)
		if (!given(HB__H_DATATYPE, (uintptr_t)at[i]) && !predefined_type(at[i]))
			hb__handle_made(c, HB__H_DATATYPE, (uintptr_t)at[i], false);
}

/* Whether a pointer to a handle is one that this call fills. */
static bool makes(const struct hb__fn *fn, unsigned i)
{
	unsigned kind = fn->param[i].kind;
	bool later = fn->cls == HB_COMM && fn->flags & HB_NONBLOCKING; /* made when the request completes */
	return !later && kind != HB_P_MESSAGE && kind != HB_P_TYPEPTR && !hb__ends_handle(fn, i);
}

static void made(struct hb__call *c)
{
	bool quiet = c->fn->means->unfreed;
	for (unsigned i = 0; i < c->fn->nargs; i++) {
		bool pointer;
		enum hb__what what = hb__handle_of_param(c->fn, i, &pointer);
		if (c->fn->param[i].kind == HB_P_NEWTYPES)
			contents(c, i);
		if (!what || !pointer || !c->a[i] || !makes(c->fn, i))
			continue;
		uintptr_t value = hb__handle_at(what, (void *)c->a[i]);
		if (given(what, value) || (quiet && what == HB__H_DATATYPE && predefined_type((MPI_Datatype)value)))
			continue;
		hb__handle_made(c, what, value, quiet);
		hb__track_lock();
		hb__map_remove(&emptied, c->a[i]);
		hb__track_unlock();
	}
}

/* ---- using ---- */

static void told_ended(struct hb__call *c, const struct hb__held *h, const char *arg, bool again)
{
	if (hb__remark_wanted(HB_REMARK_FREED, hb__check_site(c)))
		hb__remark(c, FREED, .arg = arg, .what = hb__what_word(h->what), .made = h->made_site,
			.madefn = h->made_fn, .freed = h->ended_site, .freedfn = h->ended_fn, .again = again);
}

/* At this process the argument may be anything. */
static bool insignificant(struct hb__call *c, unsigned i)
{
	const struct hb__comm *comm = NULL;
	for (unsigned k = 0; k < c->fn->nrecorded; k++) {
		if (c->fn->recorded[k].arg != i)
			continue;
		if (hb__has(c, HB_R_COMM))
			comm = hb__comm_find(hb__arg(c, HB_R_COMM));
		return !hb__significant(c, i, comm);
	}
	return false;
}

static void used_one(struct hb__call *c, enum hb__what what, uintptr_t value, unsigned i)
{
	const struct hb__held *h = hb__handle_find(what, value);
	if (h && !h->made && !insignificant(c, i))
		told_ended(c, h, c->fn->param[i].name, hb__ends_handle(c->fn, i));
}

static void used_types(struct hb__call *c, unsigned i)
{
	const MPI_Datatype *types = (const MPI_Datatype *)c->a[i];
	struct hb__comm *comm = hb__has(c, HB_R_COMM) ? hb__comm_find(hb__arg(c, HB_R_COMM)) : NULL;
	int n = 0;
	for (unsigned k = 0; comm && k < c->fn->nrecorded; k++)
		if (c->fn->recorded[k].arg == i && hb__significant(c, i, comm))
			n = hb__array_length(comm, c->fn, k);
	if (c->fn->cls == HB_LOCAL && hb__has(c, HB_R_COUNT))
		n = (int)hb__arg(c, HB_R_COUNT);
	for (int k = 0; types && k < n; k++) {
		const struct hb__held *h = hb__handle_find(HB__H_DATATYPE, (uintptr_t)types[k]);
		if (h && !h->made) {
			told_ended(c, h, c->fn->param[i].name, false);
			return;
		}
	}
}

/* The end of what may not be ended, or of what the call before ended. */
static void ending(struct hb__call *c, enum hb__what what, uintptr_t value, unsigned i)
{
	if (null(what, value)) {
		hb__track_lock();
		const struct hb__held *h = hb__map_find(&emptied, c->a[i]);
		hb__track_unlock();
		if (h && h->what == what)
			told_ended(c, h, c->fn->param[i].name, true);
	} else if (given(what, value) && what != HB__H_ERRHANDLER && what != HB__H_MESSAGE &&
		   !(what == HB__H_GROUP && (MPI_Group)value == hb__known.group_empty)) {
		if (hb__remark_wanted(HB_REMARK_PREDEFINED, hb__check_site(c)))
			hb__remark(c, PREDEFINED, .arg = c->fn->param[i].name, .what = hb__what_word(what));
	}
}

/* What of a function concerns this file; its parameters are looked at once. */
enum { KNOWN = 1, USES = 2, ENDS = 4, MAKES = 8 };

static unsigned concerns(const struct hb__fn *fn)
{
	static uint8_t known[HB_FN_COUNT];
	uint8_t *k = &known[fn->id];
	if (likely(*k))
		return *k;
	unsigned now = KNOWN;
	for (unsigned i = 0; i < fn->nargs; i++) {
		bool pointer, ends = hb__ends_handle(fn, i);
		enum hb__what what = hb__handle_of_param(fn, i, &pointer);
		unsigned kind = fn->param[i].kind;
		now |= kind == HB_P_DTYPES || (what && (!pointer || ends || kind == HB_P_TYPEPTR)) ? USES : 0;
		now |= ends ? ENDS : 0;
		now |= kind == HB_P_NEWTYPES || (what && pointer && makes(fn, i)) ? MAKES : 0;
	}
	*k = (uint8_t)now;
	return now;
}

void hb__ends_enter(struct hb__call *c)
{
	if (!(concerns(c->fn) & USES))
		return;
	for (unsigned i = 0; i < c->fn->nargs; i++) {
		bool pointer;
		enum hb__what what = hb__handle_of_param(c->fn, i, &pointer);
		if (c->fn->param[i].kind == HB_P_DTYPES)
			used_types(c, i);
		if (!what)
			continue;
		if (!pointer) {
			used_one(c, what, c->a[i], i);
		} else if (c->a[i] && (hb__ends_handle(c->fn, i) || c->fn->param[i].kind == HB_P_TYPEPTR)) {
			uintptr_t value = hb__handle_at(what, (void *)c->a[i]);
			used_one(c, what, value, i);
			/* Its handler sets the variable to null. The last making ends first: who gets a reference for a
			 * while gives it back before the others. */
			const struct hb__held *h = hb__handle_find(what, value);
			c->ending = value;
			c->ending_made = h ? h->made : NULL;
			if (hb__ends_handle(c->fn, i))
				ending(c, what, value, i);
		}
	}
}

void hb__ends_leave(struct hb__call *c, int code)
{
	unsigned what_for = concerns(c->fn);
	if (code != MPI_SUCCESS || !(what_for & (ENDS | MAKES)))
		return;
	for (unsigned i = 0; what_for & ENDS && i < c->fn->nargs; i++) {
		bool pointer;
		if (!hb__ends_handle(c->fn, i) || !c->a[i])
			continue;
		enum hb__what what = hb__handle_of_param(c->fn, i, &pointer);
		if (given(what, c->ending)) /* MPI_MESSAGE_NO_PROC, MPI_GROUP_EMPTY */
			continue;
		hb__handle_over(c, what, c->ending, c->ending_made);
		struct hb__held *h = NULL;
		hb__track_lock();
		if ((h = hb__handle_get(what, c->ending)))
			hb__map_put(&emptied, c->a[i], h);
		hb__track_unlock();
	}
	if (what_for & MAKES)
		made(c);
}
