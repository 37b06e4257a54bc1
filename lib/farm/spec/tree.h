/* The tree of nodes. Node 0 is the root; in a tree of arity k it has one child, 1, and below that nodes are numbered level by
 * level: 1 - (2, 3), 2 - (4, 5), 3 - (6, 7) in a binary one. In a chain each node has one child, in a star node 0 has all. */
#ifndef FARM_TREE_H
#define FARM_TREE_H

#include "settings.h"

/* -1 for node 0. */
int tree_parent(const struct settings *s, int node);

#endif
