/* What is asked for by one call and comes with a later one: what is fetched from windows is there when the operation is complete at its origin, at the
 * next synchronisation that completes it; what is read in two halves with the second. */
#include "capture/mpi/data/io.h"
#include "capture/mpi/family/family.h"

static struct hb__fetch *unused;

void hb__fetches_add(struct hb__fetches *list, uintptr_t of, int target, struct hb__places *places)
{
	if (!places->n || !hb__places_keep(places))
		return;
	hb__track_lock();
	struct hb__fetch *f = unused;
	if (f)
		unused = f->next;
	else
		f = hb__pool(sizeof *f);
	if (f) {
		*f = (struct hb__fetch){.of = of, .target = target, .places = *places};
		*(list->first ? list->last : &list->first) = f;
		list->last = &f->next;
	}
	hb__track_unlock();
	if (!f)
		hb__places_drop(places);
}

struct hb__fetch *hb__fetches_take(struct hb__fetches *list, uintptr_t of, int target)
{
	struct hb__fetch *taken = NULL, **end = &taken, *next;
	if (target == HB__OF_NONE || !list->first)
		return NULL;
	hb__track_lock();
	list->last = &list->first;
	for (struct hb__fetch *f = list->first; f; f = next) {
		bool here = f->of == of && (target == HB__OF_ALL || f->target == target);
		next = f->next;
		f->next = NULL;
		*(here ? end : list->last) = f;
		*(here ? &end : &list->last) = &f->next;
	}
	*list->last = NULL;
	hb__track_unlock();
	return taken;
}

void hb__fetches_drop(struct hb__fetch *taken)
{
	while (taken) {
		struct hb__fetch *f = taken;
		taken = f->next;
		hb__places_drop(&f->places);
		hb__track_lock();
		f->next = unused;
		unused = f;
		hb__track_unlock();
	}
}

int hb__completed_targets(const struct hb__call *c)
{
	switch (c->fn->means->does) {
	case HB_DOES_WINDOW_FENCE:
	case HB_DOES_WINDOW_COMPLETE:
	case HB_DOES_WINDOW_UNLOCK_ALL:
	case HB_DOES_WINDOW_FLUSH_ALL:
	case HB_DOES_WINDOW_FLUSH_LOCAL_ALL:
	case HB_DOES_WINDOW_FREE:
		return HB__OF_ALL;
	case HB_DOES_WINDOW_UNLOCK:
	case HB_DOES_WINDOW_FLUSH:
	case HB_DOES_WINDOW_FLUSH_LOCAL:
		return (int)hb__arg(c, HB_R_DEST);
	default:
		return HB__OF_NONE;
	}
}

void hb__fetches_window(struct hb__fetches *list, struct hb__call *c)
{
	struct hb__places places;
	int target = hb__has(c, HB_R_DEST) ? (int)hb__arg(c, HB_R_DEST) : MPI_PROC_NULL;
	if (target == MPI_PROC_NULL)
		return;
	hb__places_of_fetch(c, &places);
	hb__fetches_add(list, hb__arg(c, HB_R_WIN), target, &places);
}
