#include "lost.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../spec/tree.h"

struct whereabouts {
	uint64_t machine; /* and its space of process numbers */
	int64_t pid;
	int64_t gap;
};
static struct whereabouts *where;

static uint64_t machine(void)
{
	char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
	int length = 0;
	struct stat about;
	uint64_t hash = 1469598103934665603u; /* FNV-1a */
	MPI_Get_processor_name(name, &length);
	for (int i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
	return stat("/proc/self/ns/pid", &about) ? hash : hash ^ (uint64_t)about.st_ino;
}

void lost_start(void)
{
	struct whereabouts mine = {machine(), getpid(), 0};
	where = malloc((size_t)farm.processes * sizeof *where);
	if (!where)
		farm_no_memory();
	/* A replay has other numbers of processes, and does not compare types with gaps. */
	MPI_Datatype plain, type;
	MPI_Type_contiguous((int)offsetof(struct whereabouts, gap), MPI_BYTE, &plain);
	MPI_Type_create_resized(plain, 0, sizeof mine, &type);
	MPI_Type_commit(&type);
	MPI_Allgather(&mine, 1, type, where, 1, type, farm.comm);
	MPI_Type_free(&type);
	MPI_Type_free(&plain);
}

void lost_end(void)
{
	free(where);
	where = NULL;
}

/* Dead, and the launcher has not looked yet. */
static int is_zombie(int64_t pid)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n < 0 ? 0 : n] = 0;
	const char *state = strrchr(text, ')'); /* behind the name */
	return state && (state[1] == ' ') && (state[2] == 'Z' || state[2] == 'X');
}

int lives(int rank)
{
	if (!where || where[rank].machine != where[farm.rank].machine)
		return 1;
	if (kill((pid_t)where[rank].pid, 0) && errno == ESRCH)
		return 0;
	return !is_zombie(where[rank].pid);
}

void lost_look_at_hosts(void)
{
	static const struct {
		int node;
		const char *name;
	} needed[] = {{NODE_GENERATOR, "the generator"}, {NODE_RECEIVER, "the receiver"}, {0, "node 0"}};
	for (int i = 0; i < 3 && farm.status >= 0; i++) {
		int rank = rank_of(needed[i].node);
		if (rank >= 0 && rank != farm.rank && !lives(rank))
			farm_fail(HB_FARM_LOST, "%s (rank %d) has died; the farm cannot do without", needed[i].name,
				rank);
	}
}

/* A task of a dead node: to be tried once more, or to be put aside. */
static void suspect(struct entry entry)
{
	if (++entry.item->deaths < DEATHS_MOST) {
		queue_put(&node.suspects, entry.parcel, entry.item, entry.join);
		parcel_drop(entry.parcel);
		return;
	}
	task_put_aside(entry);
}

static void adopt(int which);

static void bury(struct link *dead)
{
	int which = (int)(dead - node.child);
	link_unregister(dead);
	dead->dead = 1;
	dead->open = dead->out = 0;
	link_end(dead);
	dead->flags = dead->window = 0;
	farm.counts.buried++;
	for (uint32_t i = 1; i < node.slots; i++)
		if (node.slot[i].child == which && !node.slot[i].stale) {
			struct entry entry = node.slot[i].entry;
			free_slot(i);
			suspect(entry);
		}
	for (int i = dead->node + 1; i < farm.settings.number[KEY_NODES]; i++)
		if (tree_parent(&farm.settings, i) == dead->node)
			adopt(i);
}

static void adopt(int which)
{
	struct link *child = &node.child[node.children++];
	link_start(child, which);
	child->weight = 1;
	child->flags = FLAG_ADOPT;
	if (lives(child->rank))
		link_flush(child);
	else
		bury(child);
}

void lost_look(void)
{
	lost_look_at_hosts();
	for (int i = 0; i < node.children && farm.status >= 0; i++)
		if (!node.child[i].dead && !lives(node.child[i].rank)) {
			node_look(); /* what it sent before it died counts */
			bury(&node.child[i]);
		}
}

void lost_adopted_by(int rank)
{
	link_unregister(&node.up);
	link_end(&node.up);
	link_start(&node.up, node_of(rank));
	queue_end(&node.incoming);
	queue_end(&node.ready);
	queue_end(&node.suspects);
	queue_end(&node.dangerous);
	for (uint32_t i = 1; i < node.slots; i++)
		node.slot[i].stale = node.slot[i].child >= 0; /* their results may still come */
	node.asked = 0;
}

void lost_give_suspects(void)
{
	for (int i = 0; i < node.children && node.suspects.count; i++) {
		struct link *child = &node.child[i];
		if (child->open <= 0 || child->out)
			continue;
		node_give(queue_get(&node.suspects), i);
		child->tries = 1; /* nothing else until its result is back */
	}
}

static int has_children(void)
{
	for (int i = 0; i < node.children; i++)
		if (!node.child[i].dead)
			return 1;
	return 0;
}

int lost_take_suspect(struct entry *ret_mine)
{
	while (node.suspects.count && !has_children()) {
		*ret_mine = queue_get(&node.suspects);
		if (farm.node > 0)
			return 1;
		task_put_aside(*ret_mine); /* nobody is left to try it, and without node 0 there is nothing */
	}
	return 0;
}
