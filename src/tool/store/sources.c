/* The logs of a recording as the model is given them. */
#include <stdlib.h>

#include "logs.h"
#include "model/model.h"

/* How many ranks the world has whose logs begin at `from`; *ret_next: where those of the next one do. A world of which only
 * one process is known has no others that would be missing. */
static size_t ranks_of(const hb_logs *logs, size_t from, size_t *ret_next)
{
	size_t size = 0, i = from;
	for (; i < logs->n && logs->at[i].world == logs->at[from].world; i++) {
		const hb_log_file *f = &logs->at[i];
		bool known = f->log && (!f->world || hb_log_identity(f->log));
		size_t ranks = (size_t)f->rank + 1;
		if (known && hb_log_get_info(f->log)->size > f->rank)
			ranks = (size_t)hb_log_get_info(f->log)->size;
		if ((!f->world || f->log) && ranks > size && ranks <= HB_RANKS_MAX)
			size = ranks;
	}
	*ret_next = i;
	bool lone = logs->at[from].world && i == from + 1 && logs->at[from].log &&
		    (!hb_log_identity(logs->at[from].log) || !*hb_log_identity(logs->at[from].log)->world);
	return lone ? 0 : size;
}

hb_source *hb__make_sources(const hb_logs *logs, size_t *ret_n, uint32_t **ret_log_of)
{
	size_t all = logs->n, n = 0, next;
	for (size_t i = 0; i < logs->n; i = next)
		all += ranks_of(logs, i, &next);
	hb_source *sources = hb__alloc((all + 1) * sizeof *sources);
	*ret_log_of = hb__alloc((all + 1) * sizeof **ret_log_of);
	for (size_t i = 0; i < logs->n; i = next) {
		size_t first = n, size = ranks_of(logs, i, &next);
		for (size_t rank = 0; rank < size; rank++, n++) {
			sources[n] = (hb_source){.rank = (int32_t)rank, .world = logs->at[i].world};
			(*ret_log_of)[n] = HB_NO;
		}
		for (size_t k = i; k < next; k++) {
			const hb_log_file *f = &logs->at[k];
			if (!f->log)
				continue;
			bool other = (size_t)f->rank >= size ||
				     sources[first + (size_t)f->rank].log; /* no such rank, or again */
			size_t at = other ? n++ : first + (size_t)f->rank;
			sources[at] =
				(hb_source){f->log, f->rank, f->world, logs->worlds.name ? logs->worlds.name[k] : NULL};
			(*ret_log_of)[at] = (uint32_t)k;
		}
	}
	*ret_n = n;
	return sources;
}
