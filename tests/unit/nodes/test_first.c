/* Which of several nodes had the first death, by what each of them tells: src/tool/nodes/dying/first.h. */
#include "check.h"
#include "tool/nodes/dying/first.h"

#define NONE                                            \
	{                                               \
		.known = true, .recorded = 2, .size = 6 \
	}
#define DIED(rank, clean, by)                                                                                  \
	{                                                                                                      \
		.known = true, .any = true, .first = rank, .clean_least = clean, .by_most = by, .recorded = 2, \
		.size = 6                                                                                      \
	}

int main(void)
{
	const hb_node_deaths alone[] = {NONE, DIED(3, 9, 10), NONE},
			     apart[] = {DIED(1, 12, 13), DIED(3, 9, 10), DIED(5, 10.5, 11)},
			     near[] = {DIED(1, 9.5, 10.5), DIED(3, 9, 10), NONE},
			     both[] = {DIED(1, 12, 13), DIED(-1, 9, 10), NONE}, nobody[] = {NONE, NONE, NONE},
			     unknown[] = {DIED(1, 9, 10), {.first = -1}, NONE}, fewer[] = {DIED(1, 9, 10), NONE},
			     later[] = {DIED(-1, 12, 13), DIED(3, 9, 10), NONE};
	check(hb__first_of_nodes(alone, 3) == 3, "alone: 3");
	check(hb__first_of_nodes(apart, 3) == 3, "apart: 3");
	check(hb__first_of_nodes(near, 3) == -1, "near: -1: the other one may have been it");
	check(hb__first_of_nodes(both, 3) == -1, "both: -1: two of the node that was first");
	check(hb__first_of_nodes(later, 3) == 3, "later: 3: ... of another one matter no more");
	check(hb__first_of_nodes(nobody, 3) == -1, "nobody: -1");
	check(hb__first_of_nodes(unknown, 3) == -1, "unknown: -1: a node that says nothing");
	check(hb__first_of_nodes(fewer, 2) == -1, "fewer: -1: processes that no node has");
	return check_end();
}
