/* Datatypes. Predefined ones have the numbers of their list in calls/; derived ones follow, in order of first use. */
#include "capture/mpi/family/family.h"
#include "capture/core/record/record.h"
#include "capture/mpi/track/track.h"

#define DERIVED HB__DERIVED

bool hb__typemaps_wanted;
static struct hb__map types;
static const struct hb__type unknown = {.number = HB_NONE, .size = -1};
static bool predefined_told[DERIVED];

static const char *const type_names[] = {
#define HB_DATATYPE(name) "MPI_" #name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
};

static void measure(MPI_Datatype handle, struct hb__type *t)
{
	MPI_Count size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
	if (PMPI(Type_size_x)(handle, &size) != MPI_SUCCESS || size < 0)
		return;
	t->size = size;
	PMPI(Type_get_extent_x)(handle, &lb, &extent);
	PMPI(Type_get_true_extent_x)(handle, &true_lb, &true_extent);
	t->dense = true_lb == 0 && lb == 0 && true_extent == size && extent == size;
}

static struct hb__type *type_new(uintptr_t handle, int number)
{
	struct hb__type *t = hb__pool(sizeof *t);
	if (!t)
		return NULL;
	t->number = number;
	t->size = -1;
	hb__map_put(&types, handle, t);
	return t;
}

void hb__types_start(void)
{
	uintptr_t handle;
	for (unsigned i = 0; i < sizeof type_names / sizeof *type_names; i++) {
		if (hb__predefined_type(i, &handle) && !hb__map_find(&types, handle)) {
			struct hb__type *t = type_new(handle, (int)i);
			if (t) {
				measure((MPI_Datatype)handle, t);
				t->committed = true;
			}
		}
	}
}

struct hb__type *hb__type_at(uintptr_t handle) { return hb__map_find(&types, handle); }

void hb__type_tell(uint32_t basic)
{
	uintptr_t handle;
	const struct hb__type *t = NULL;
	if (basic < sizeof type_names / sizeof *type_names && !predefined_told[basic] &&
		hb__predefined_type(basic, &handle))
		t = hb__map_find(&types, handle);
	if (!t || t->number != (int)basic)
		return;
	predefined_told[basic] = true;
	hb__define_datatype(t->number, (uint64_t)t->size, type_names[basic]);
}

static void tell_type(const struct hb__type *t, uintptr_t handle)
{
	char name[MPI_MAX_OBJECT_NAME + 1] = "";
	int n = 0;
	if (PMPI(Type_get_name)((MPI_Datatype)handle, name, &n) == MPI_SUCCESS)
		hb__name_note("type", t->number, name);
}

void hb__type_named(uintptr_t handle)
{
	hb__track_lock();
	struct hb__type *t = hb__map_find(&types, handle);
	if (t && t->number >= DERIVED) {
		t->named = true;
		if (t->number != INT32_MAX)
			tell_type(t, handle);
	}
	hb__track_unlock();
}

const struct hb__type *hb__type_find(uintptr_t handle)
{
	hb__track_lock();
	struct hb__type *t = hb__map_find(&types, handle);
	if (t && t->number == INT32_MAX) { /* first used now */
		t->number = hb__number(HB__TYPES, t->from);
		char name[24];
		snprintf(name, sizeof name, "type#%d", t->number - DERIVED);
		hb__define_datatype(t->number, (uint64_t)t->size, name);
		if (unlikely(t->named))
			tell_type(t, handle);
		if (unlikely(hb__typemaps_wanted))
			hb__typemap_define(t, (MPI_Datatype)handle);
	} else if (t && t->number < DERIVED && !predefined_told[t->number]) {
		predefined_told[t->number] = true;
		hb__define_datatype(t->number, (uint64_t)t->size, type_names[t->number]);
	}
	hb__track_unlock();
	return t ? t : &unknown;
}

const struct hb__type *hb__type_look(uintptr_t handle)
{
	hb__track_lock();
	const struct hb__type *t = hb__map_find(&types, handle);
	hb__track_unlock();
	return t ? t : &unknown;
}

/* Called for every call that returns a datatype. Its number waits for its first use in a message. */
void hb__type_add(MPI_Datatype handle, bool committed, bool fresh)
{
	hb__track_lock();
	struct hb__type *t = hb__map_find(&types, (uintptr_t)handle);
	if (t && fresh && hb__threaded && t->number >= DERIVED) {
		hb__slots_outdated();
		t = NULL;
	}
	if (!t) {
		t = type_new((uintptr_t)handle, INT32_MAX);
		if (t) {
			measure(handle, t);
			t->from = hb__origin_made(HB__TYPES);
		}
	}
	if (t)
		t->committed |= committed;
	hb__track_unlock();
}

void hb__type_remove(uintptr_t handle, const struct hb__type *was)
{
	hb__track_lock();
	struct hb__type *t = hb__map_find(&types, handle);
	if (t && t == was && t->number >= DERIVED) { /* else it is another thread's new one already */
		hb__typemap_drop(t);
		hb__map_remove(&types, handle);
		hb__slots_outdated();
	}
	hb__track_unlock();
}
