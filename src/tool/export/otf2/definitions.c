/* What the numbers in OTF2's events mean: strings, regions, locations, communicators. */
#include <stdlib.h>

#include "base/utf8.h"
#include "otf2.h"

/* ---- ranks ---- */

static const uint32_t *side(const hb_group *g, bool remote, uint32_t *ret_size)
{
	*ret_size = remote ? g->remote_size : g->size;
	return remote ? g->remote : g->member;
}

static int by_process(const void *a, const void *b)
{
	const struct hb__otf2_ranks *x = a, *y = b;
	return x->process < y->process ? -1 : x->process > y->process;
}

uint32_t hb__otf2_rank(struct hb__otf2 *o, uint32_t group, bool remote, uint32_t process)
{
	uint32_t size;
	const uint32_t *member = side(&hb_model_groups(o->m)[group], remote, &size);
	struct hb__otf2_ranks **ranks = &o->ranks[2 * group + remote], key = {process, 0};
	if (process < size && member[process] == process)
		return process;
	if (!*ranks) {
		*ranks = hb__alloc(size * sizeof **ranks);
		for (uint32_t i = 0; i < size; i++)
			(*ranks)[i] = (struct hb__otf2_ranks){member[i], i};
		qsort(*ranks, size, sizeof **ranks, by_process);
	}
	const struct hb__otf2_ranks *found = bsearch(&key, *ranks, size, sizeof key, by_process);
	return found ? found->rank : OTF2_UNDEFINED_UINT32;
}

/* ---- definitions ---- */

struct definitions {
	struct hb__otf2 *o;
	OTF2_GlobalDefWriter *writer;
	uint32_t written; /* strings */
	OTF2_GroupRef groups;
};

/* A string is written when it is first used. */
static OTF2_StringRef string(struct definitions *d, const char *text)
{
	uint32_t id = hb__name(&d->o->strings, text, NULL);
	for (; d->written < d->o->strings.n; d->written++) {
		char *clean = hb__copy(d->o->strings.text[d->written]);
		for (size_t i = 0, n; clean[i]; i += n ? n : 1) {
			n = hb_utf8_text(clean + i);
			clean[i] = n ? clean[i] : '?';
		}
		hb__otf2_check(d->o, OTF2_GlobalDefWriter_WriteString(d->writer, d->written, clean));
		free(clean);
	}
	return id;
}

static OTF2_RegionRole role(const hb_meaning *means)
{
	switch (means->cls) {
	case HB_COLLECTIVE:
		return means->order == HB_ORDER_ALL && means->fit == HB_FIT_NONE ? OTF2_REGION_ROLE_BARRIER
		       : means->order == HB_ORDER_OUT                            ? OTF2_REGION_ROLE_COLL_ONE2ALL
		       : means->order == HB_ORDER_IN                             ? OTF2_REGION_ROLE_COLL_ALL2ONE
		       : means->order == HB_ORDER_SCAN || means->order == HB_ORDER_EXSCAN
			       ? OTF2_REGION_ROLE_COLL_OTHER
			       : OTF2_REGION_ROLE_COLL_ALL2ALL;
	case HB_SEND:
	case HB_RECV:
	case HB_COMPLETE:
	case HB_PROBE:
		return OTF2_REGION_ROLE_POINT2POINT;
	case HB_COMM:
		return OTF2_REGION_ROLE_COLL_OTHER;
	case HB_RMA:
		return OTF2_REGION_ROLE_RMA;
	case HB_IO:
		return OTF2_REGION_ROLE_FILE_IO;
	default:
		return OTF2_REGION_ROLE_FUNCTION;
	}
}

static void put_regions(struct definitions *d)
{
	struct hb__otf2 *o = d->o;
	OTF2_StringRef empty = string(d, "");
	for (uint32_t i = 0; i < o->regions.n; i++) {
		const char *text = o->regions.text[i];
		OTF2_StringRef name = string(d, text);
		hb__otf2_check(o, OTF2_GlobalDefWriter_WriteRegion(d->writer, i, name, name, empty,
					  role(hb_meaning_of(text, o->region_class[i])), OTF2_PARADIGM_MPI,
					  OTF2_REGION_FLAG_NONE, string(d, "MPI"), 0, 0));
	}
	for (uint32_t i = 0; i < o->places.n; i++)
		hb__otf2_check(o,
			OTF2_GlobalDefWriter_WriteSourceCodeLocation(d->writer, i, o->place_file[i], o->place_line[i]));
	hb__otf2_check(o, OTF2_GlobalDefWriter_WriteAttribute(d->writer, HB__OTF2_EVENT, string(d, "event"),
				  string(d, "number of the event in its lane, as hbdb counts"), OTF2_TYPE_UINT64));
	hb__otf2_check(o, OTF2_GlobalDefWriter_WriteAttribute(d->writer, HB__OTF2_PLACE, string(d, "call site"),
				  string(d, "source line of the call"), OTF2_TYPE_SOURCE_CODE_LOCATION));
}

uint32_t hb__otf2_strangers(const hb_model *m)
{
	for (uint32_t i = 0; i < hb_model_get_info(m)->groups; i++)
		for (int remote = 0; remote < 2; remote++) {
			uint32_t size;
			const uint32_t *member = side(&hb_model_groups(m)[i], remote, &size);
			for (uint32_t k = 0; k < size; k++)
				if (member[k] == HB_NO)
					return 1;
		}
	return 0;
}

uint64_t hb__otf2_location(const struct hb__otf2 *o, uint32_t process)
{
	const hb_model_info *info = hb_model_get_info(o->m);
	const hb_process *p = &hb_model_processes(o->m)[process];
	return process < info->processes && p->nlines ? p->first_line : (uint64_t)info->lines + process;
}

/* A node per host, a group per process, a location per lane. Processes without a log have a location without events, and
 * so have those that are members of a communicator and not of this recording, one for all. */
static void put_process(struct definitions *d, uint32_t process, uint32_t node)
{
	struct hb__otf2 *o = d->o;
	const hb_process *p = process < hb_model_get_info(o->m)->processes ? &hb_model_processes(o->m)[process] : NULL;
	char *name = !p       ? hb__format("processes that are not known")
		     : p->log ? hb__export_line_name(o->x, o->x->run.log_of[process], 0)
			      : hb__format("rank %d (no log)", p->rank);
	hb__otf2_check(o, OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, process, string(d, name),
				  OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP));
	for (uint32_t i = 0; p && i < p->nlines; i++) {
		char *lane = hb__export_line_name(o->x, o->x->run.log_of[process], i);
		hb__otf2_check(o, OTF2_GlobalDefWriter_WriteLocation(d->writer, p->first_line + i, string(d, lane),
					  OTF2_LOCATION_TYPE_CPU_THREAD, o->written[p->first_line + i], process));
		free(lane);
	}
	if (!p || !p->nlines)
		hb__otf2_check(o, OTF2_GlobalDefWriter_WriteLocation(d->writer, hb__otf2_location(o, process),
					  string(d, name), OTF2_LOCATION_TYPE_CPU_THREAD, 0, process));
	free(name);
}

static void put_locations(struct definitions *d)
{
	struct hb__otf2 *o = d->o;
	hb_names hosts = {0};
	uint32_t n = hb_model_get_info(o->m)->processes;
	hb__otf2_check(o, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, 0, string(d, o->x->name),
				  string(d, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (uint32_t i = 0; i < n + hb__otf2_strangers(o->m); i++) {
		const hb_process *p = i < n ? &hb_model_processes(o->m)[i] : NULL;
		const char *host = p && p->log ? hb_log_get_info(p->log)->host : "not known";
		bool fresh;
		uint32_t node = 1 + hb__name(&hosts, host, &fresh);
		if (fresh)
			hb__otf2_check(o, OTF2_GlobalDefWriter_WriteSystemTreeNode(
						  d->writer, node, string(d, host), string(d, "node"), 0));
		put_process(d, i, node);
	}
	hb__names_free(&hosts);
}

static OTF2_GroupRef put_group(struct definitions *d, const hb_group *g, bool remote)
{
	uint32_t size, n = hb_model_get_info(d->o->m)->processes;
	const uint32_t *member = side(g, remote, &size);
	uint64_t *members = hb__alloc((size_t)size * sizeof *members);
	for (uint32_t i = 0; i < size; i++)
		members[i] = member[i] == HB_NO ? n : member[i];
	char *name = hb__format("%s%s", g->name, remote ? " remote" : "");
	hb__otf2_check(
		d->o, OTF2_GlobalDefWriter_WriteGroup(d->writer, d->groups, string(d, name), OTF2_GROUP_TYPE_COMM_GROUP,
			      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, size, members));
	free(members);
	free(name);
	return d->groups++;
}

/* Group 0 is the list of locations that MPI knows, in the order of processes: members of the others count in it. Group 1
 * stands for the MPI_COMM_SELF of each. */
static void put_base_groups(struct definitions *d)
{
	struct hb__otf2 *o = d->o;
	uint32_t n = hb_model_get_info(o->m)->processes + hb__otf2_strangers(o->m);
	uint64_t *all = hb__alloc((size_t)n * sizeof *all);
	for (uint32_t i = 0; i < n; i++)
		all[i] = hb__otf2_location(o, i);
	hb__otf2_check(o, OTF2_GlobalDefWriter_WriteGroup(d->writer, 0, string(d, "MPI processes"),
				  OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, all));
	hb__otf2_check(o, OTF2_GlobalDefWriter_WriteGroup(d->writer, 1, string(d, "SELF"), OTF2_GROUP_TYPE_COMM_SELF,
				  OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, NULL));
	d->groups = 2;
	free(all);
}

static void put_communicators(struct definitions *d)
{
	struct hb__otf2 *o = d->o;
	put_base_groups(d);
	for (uint32_t i = 0; i < hb_model_get_info(o->m)->groups; i++) {
		const hb_group *g = &hb_model_groups(o->m)[i];
		OTF2_CommRef parent = g->parent < i ? g->parent : OTF2_UNDEFINED_COMM;
		OTF2_StringRef name = string(d, g->name);
		OTF2_GroupRef own = g->self ? 1 : put_group(d, g, false);
		OTF2_GroupRef other = g->remote_size ? put_group(d, g, true) : 0;
		hb__otf2_check(o, g->remote_size ? OTF2_GlobalDefWriter_WriteInterComm(d->writer, i, name, own, other,
							   OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE)
						 : OTF2_GlobalDefWriter_WriteComm(
							   d->writer, i, name, own, parent, OTF2_COMM_FLAG_NONE));
	}
}

void hb__otf2_definitions(struct hb__otf2 *o)
{
	struct definitions d = {.o = o, .writer = OTF2_Archive_GetGlobalDefWriter(o->archive)};
	uint64_t real = UINT64_MAX;
	if (!d.writer) {
		hb__otf2_check(o, OTF2_ERROR_MEM_ALLOC_FAILED);
		return;
	}
	for (size_t i = 0; i < o->x->run.logs.n; i++)
		if (o->x->run.views[i].log && o->x->run.views[i].info->origin_real < real)
			real = o->x->run.views[i].info->origin_real;
	uint64_t first = o->first_ns < INT64_MAX && o->first_ns > 0 ? (uint64_t)o->first_ns : 0;
	uint64_t last = o->last_ns > 0 ? (uint64_t)o->last_ns : first;
	hb__otf2_check(o,
		OTF2_GlobalDefWriter_WriteClockProperties(d.writer, 1000000000, first, last - first + 1, real + first));
	hb__otf2_check(o, OTF2_GlobalDefWriter_WriteParadigm(
				  d.writer, OTF2_PARADIGM_MPI, string(&d, "MPI"), OTF2_PARADIGM_CLASS_PROCESS));
	put_regions(&d);
	put_locations(&d);
	put_communicators(&d);
}
