#include "tree.h"

int tree_parent(const struct settings *s, int node)
{
	if (node <= 1)
		return node - 1;
	switch (s->number[KEY_TOPOLOGY]) {
	case TOPOLOGY_CHAIN:
		return node - 1;
	case TOPOLOGY_STAR:
		return 0;
	default:
		return (node - 2) / (int)s->number[KEY_ARITY] + 1;
	}
}
