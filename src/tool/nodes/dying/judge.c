/* Which of the nodes had the first death. */
#include "first.h"

int32_t hb__first_of_nodes(const hb_node_deaths *node, size_t n)
{
	size_t recorded = 0, size = 0, at = n;
	for (size_t i = 0; i < n; i++) {
		if (!node[i].known)
			return -1;
		recorded += node[i].recorded;
		size = node[i].size > size ? node[i].size : size;
		if (node[i].any && (at == n || node[i].by_most < node[at].by_most))
			at = i;
	}
	if (at == n || recorded < size)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (i != at && node[i].any && !(node[i].clean_least > node[at].by_most))
			return -1;
	return node[at].first;
}
