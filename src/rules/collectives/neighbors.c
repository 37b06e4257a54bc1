/* Neighbours: what goes along an edge of the topology has to be what is received from it (MPI 4.0, 8.6), and both of its
 * ends have to know of the edge (8.5.4). Which of several edges between the same two processes belong together the
 * standard did not always say: an end is only said not to fit when it fits none of them. */
#include <stdio.h>
#include <string.h>

#include "rules/collectives/parts.h"

enum { SOURCES, DESTINATIONS };

static const struct hb__topology *topology_of(const struct hb__assembly *a, uint32_t part)
{
	return hb__topology_of(a->parts, a->part[part].process, hb__shape_argument(hb__call_shape_of(a, part), "comm"));
}

static uint32_t count_of(const struct hb__list *list, int64_t rank)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < list->n; i++)
		n += list->rank[i] == rank;
	return n;
}

/* ---- data along edges ---- */

/* What the side of the k-th neighbour is. */
static bool data_of(const struct hb__assembly *a, uint32_t part, bool sends, uint32_t k, struct hb__end *ret)
{
	*ret = (struct hb__end){part, sends ? "sends" : "receives", {0}};
	return hb__end_data(a, part, sends, k, &ret->data);
}

/* The end of an edge fits one of those that may be its other end; *ret_other: else the first of these. */
static bool fits_one(const struct hb__assembly *a, const struct hb__end *mine, const struct hb__topology *peer,
	uint32_t peer_part, bool mine_sends, struct hb__end *ret_other)
{
	const struct hb__list *list = &peer->list[mine_sends ? SOURCES : DESTINATIONS];
	bool found = false;
	for (uint32_t k = 0; k < list->n; k++) {
		struct hb__end other;
		if (list->rank[k] != hb__place_of(a, mine->part))
			continue;
		if (!data_of(a, peer_part, !mine_sends, k, &other))
			return true;
		hb_data_relation relation = hb__data_compare(&mine->data, &other.data);
		if (relation == HB_DATA_SAME || relation == HB_DATA_UNKNOWN)
			return true;
		if (!found)
			*ret_other = other;
		found = true;
	}
	return !found;
}

static hb_status ends_fit(const struct hb__assembly *a, uint32_t part, bool sends, bool *ret_fits)
{
	const struct hb__topology *t = topology_of(a, part);
	const struct hb__list *list = &t->list[sends ? DESTINATIONS : SOURCES];
	for (uint32_t k = 0; k < list->n; k++) {
		uint32_t peer = hb__part_of_rank(a, part, list->rank[k]);
		const struct hb__topology *there = peer == HB_NO ? NULL : topology_of(a, peer);
		struct hb__end mine, other;
		if (!there || !there->known[sends ? SOURCES : DESTINATIONS] || !data_of(a, part, sends, k, &mine) ||
			fits_one(a, &mine, there, peer, sends, &other))
			continue;
		return hb__ends_match(a, sends ? &mine : &other, sends ? &other : &mine, ret_fits);
	}
	return HB_OK;
}

/* ---- edges ---- */

struct edge {
	const char *advice;
	uint32_t from, to, listed, known; /* parts; how often each of them names the other */
};

static hb_status tell_edge(const struct hb__assembly *a, const struct edge *e)
{
	char which[160];
	hb_point point[2];
	hb__part_point(a, e->from, &point[0]);
	hb__part_point(a, e->to, &point[1]);
	snprintf(point[0].role, sizeof point[0].role, "names the other as a destination %u time%s", e->listed,
		e->listed == 1 ? "" : "s");
	snprintf(point[1].role, sizeof point[1].role, "names the other as a source %u time%s", e->known,
		e->known == 1 ? "" : "s");
	return hb__finding(a->c, HB_COLLECTIVE_VALUE, false, e->advice, point, e->from == e->to ? 1 : 2, a->err,
		"%s: rank %s names rank %s as a destination %u time%s, which names it as a source %u time%s: %s",
		point[0].function, hb__part_name(a, e->from), hb__part_name(a, e->to), e->listed,
		e->listed == 1 ? "" : "s", e->known, e->known == 1 ? "" : "s", hb__which_collective(a, which));
}

/* list: by part and side; NULL: not known. False: the edges that x sends along are not those that others receive from. */
static bool edges_match(const struct hb__assembly *a, uint32_t x, bool out, struct hb__list *mine, uint32_t k,
	const struct hb__list *theirs, uint32_t peer, struct edge *ret)
{
	uint32_t here = count_of(mine, mine->rank[k]), there = count_of(theirs, hb__place_of(a, x));
	ret->from = out ? x : peer;
	ret->to = out ? peer : x;
	ret->listed = out ? here : there;
	ret->known = out ? there : here;
	return here == there;
}

/* MPI_Dist_graph_create_adjacent: what the processes say of their edges. */
hb_status hb__compare_edges(const struct hb__assembly *a, bool *ret_same)
{
	static const char *const key[2] = {"sources", "destinations"};
	struct edge e = {.advice = "Describe each edge on both of the processes that it connects."};
	*ret_same = true;
	if (hb__call_shape_of(a, 0)->means->tells != HB_TELLS_ADJACENT)
		return HB_OK;
	for (uint32_t i = 0; i < a->n; i++)
		for (int out = 0; out < 2; out++) {
			struct hb__list mine, theirs;
			if (!hb__given_list(a, i, key[out], &mine))
				continue;
			for (uint32_t k = 0; k < mine.n; k++) {
				uint32_t peer = hb__part_of_rank(a, i, mine.rank[k]);
				if (peer == HB_NO || !hb__given_list(a, peer, key[!out], &theirs) ||
					edges_match(a, i, out, &mine, k, &theirs, peer, &e))
					continue;
				*ret_same = false;
				return tell_edge(a, &e);
			}
		}
	return HB_OK;
}

/* The graph of MPI_Graph_create has to be symmetric for these calls: it is looked at when one is made. */
static hb_status graph_symmetric(const struct hb__assembly *a, uint32_t part, bool *ret_fits)
{
	struct hb__topology mine = *topology_of(a, part);
	struct edge e = {
		.advice =
			"Use a graph in which of two neighbours each names the other: a neighbourhood collective needs that."};
	for (uint32_t k = 0; mine.graph && k < mine.list[DESTINATIONS].n; k++) {
		uint32_t peer = hb__part_of_rank(a, part, mine.list[DESTINATIONS].rank[k]);
		const struct hb__topology *there = peer == HB_NO ? NULL : topology_of(a, peer);
		if (!there || !there->known[SOURCES] ||
			edges_match(a, part, true, &mine.list[DESTINATIONS], k, &there->list[SOURCES], peer, &e))
			continue;
		*ret_fits = false;
		return tell_edge(a, &e);
	}
	return HB_OK;
}

hb_status hb__neighbors_fit(const struct hb__assembly *a, bool *ret_fits)
{
	hb_status status = HB_OK;
	for (uint32_t i = 0; !status && *ret_fits && i < a->n; i++) {
		const struct hb__topology *t = topology_of(a, i);
		if (t && t->known[DESTINATIONS])
			status = graph_symmetric(a, i, ret_fits);
		if (!status && *ret_fits && t && t->known[DESTINATIONS])
			status = ends_fit(a, i, true, ret_fits);
		if (!status && *ret_fits && t && t->known[SOURCES])
			status = ends_fit(a, i, false, ret_fits);
	}
	return status;
}
