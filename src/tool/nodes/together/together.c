/* All nodes of a recording at about the same moment: they are connected to first, by a thread each, and none is asked before the others can be. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "../nodes.h"

#define GATHER_S \
	10.0 /* a node that is slow, or gone, does not keep the others waiting for longer: what they are asked for may be overwritten soon */

struct together {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t n, ready; /* threads; those that are connected, or will not be */
	bool open;       /* it is asked now */
	double begun, opened;
	hb_node_does *does;
	void *user;
};

struct one {
	pthread_t thread;
	bool runs;
	struct together *all;
	const hb_manifest_node *is;
	hb_node *node;
};

/* As the job was begun there. When a job of Slurm's is over its nodes are machines as others. */
static char *connect_again(const hb_manifest_node *node, hb_link **ret)
{
	char *why = hb__node_connect(node->name, node->slurm != NULL, ret);
	if (!why || !node->slurm)
		return why;
	hb__say("the node %s is not reached through job %s of Slurm (%s): ssh is tried", node->name, node->slurm, why);
	free(why);
	return hb__node_connect(node->name, false, ret);
}

/* How much later than the others this node is asked: 0, but for one that was slow. */
static double gather(struct together *all, bool asks)
{
	double end = all->begun + GATHER_S;
	const struct timespec until = {(time_t)end, (long)((end - (double)(time_t)end) * 1e9)};
	pthread_mutex_lock(&all->lock);
	double late = all->open ? hb_seconds() - all->opened : 0;
	all->ready++;
	pthread_cond_broadcast(&all->changed);
	while (asks && !all->open && all->ready < all->n &&
		pthread_cond_timedwait(&all->changed, &all->lock, &until) != ETIMEDOUT)
		;
	if (asks && !all->open) {
		all->open = true;
		all->opened = hb_seconds();
		pthread_cond_broadcast(&all->changed);
	}
	pthread_mutex_unlock(&all->lock);
	return late;
}

static void *ask_one(void *user)
{
	struct one *o = user;
	hb_node *node = o->node;
	node->lost = connect_again(o->is, &node->link);
	node->late = gather(o->all, !node->lost && o->all->does);
	if (!node->lost && o->all->does)
		o->all->does(node, o->all->user);
	return NULL;
}

static void add_nodes(const hb_manifest *m, struct one *one, hb_nodes *ret)
{
	ret->at = hb__alloc((m->nnodes + 1) * sizeof *ret->at);
	for (size_t i = 0; i < m->nnodes; i++) {
		const hb_manifest_node *is = &m->node[i];
		if (!is->missing || is->unkept)
			continue;
		ret->at[ret->n] =
			(hb_node){.name = hb__copy(is->name), .host = hb__copy(is->host ? is->host : is->name)};
		one[ret->n] = (struct one){.is = is, .node = &ret->at[ret->n]};
		ret->n++;
		if (!ret->folder)
			ret->folder = hb__copy(is->folder);
		if (!ret->slurm && is->slurm)
			ret->slurm = hb__copy(is->slurm);
	}
}

void hb__nodes_together(const hb_manifest *m, hb_node_does *does, void *user, hb_nodes *ret)
{
	struct one *one = hb__alloc((m->nnodes + 1) * sizeof *one);
	struct together all = {.does = does, .user = user, .begun = hb_seconds()};
	pthread_condattr_t clock;
	hb__catch_pipes();
	add_nodes(m, one, ret);
	all.n = ret->n;
	pthread_mutex_init(&all.lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&all.changed, &clock);
	pthread_condattr_destroy(&clock);
	/* srun joins this job: all nodes of a recording are of one */
	const char *given = getenv("SLURM_JOB_ID");
	char *before = given ? hb__copy(given) : NULL;
	if (ret->slurm)
		setenv("SLURM_JOB_ID", ret->slurm, 1);
	for (size_t i = 0; i < ret->n; i++) {
		one[i].all = &all;
		one[i].runs = !pthread_create(&one[i].thread, NULL, ask_one, &one[i]);
		if (!one[i].runs) {
			one[i].node->lost = hb__copy("no thread could be started");
			gather(&all, false);
		}
	}
	for (size_t i = 0; i < ret->n; i++)
		if (one[i].runs)
			pthread_join(one[i].thread, NULL);
	if (before)
		setenv("SLURM_JOB_ID", before, 1);
	else if (ret->slurm)
		unsetenv("SLURM_JOB_ID");
	free(before);
	pthread_cond_destroy(&all.changed);
	pthread_mutex_destroy(&all.lock);
	free(one);
}

void hb__nodes_reopen(const hb_manifest *m, hb_nodes *ret) { hb__nodes_together(m, NULL, NULL, ret); }
