/* Processes that die. MPI does not tell (Open MPI 4.1, MPICH 4.0); so each process looks whether those that it knows still are, while it
 * has nothing else to do: those of its own machine, others are taken to live.
 *
 * The parent of a dead node adopts its children, which forget what they had of it, and hands out again what the dead one had. One
 * of these tasks may have killed it: each is given to a child alone. What has died with three nodes is put aside. */
#ifndef FARM_LOST_H
#define FARM_LOST_H

#include "node.h"

enum { DEATHS_MOST = 3 };

void lost_start(void);
void lost_end(void);
int lives(int rank);

/* Fails when a process is gone that the farm cannot do without. */
void lost_look_at_hosts(void);
/* A node's own children, too. */
void lost_look(void);

/* The parent is dead, the process that says so is the new one. */
void lost_adopted_by(int rank);

/* Hands out a task of a dead node to a child that has nothing else, if there is one. */
void lost_give_suspects(void);
/* 1, and a suspect for this node itself: it has no children. */
int lost_take_suspect(struct entry *ret_mine);

#endif
