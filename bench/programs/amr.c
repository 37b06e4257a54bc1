/* amr BLOCKS STEPS EVERY: how codes with adaptive meshes communicate. Each process has BLOCKS blocks of 8 x 8 x 8 cells, whose
 * faces border on blocks of the same, half or twice the resolution, many of them at other processes. A step posts a receive for
 * each face that comes from elsewhere, packs and sends its own ones in another order each time, takes what comes with Waitany,
 * works on its blocks and agrees on the length of the next step. Every EVERY steps the mesh changes: other neighbours, other
 * sizes, all buffers allocated anew. */
#include <mpi.h>

#include <stdbool.h>

#include "bench.h"

enum { EDGE = 8, CELLS = EDGE * EDGE * EDGE, VARIABLES = 4, BLOCK = CELLS * VARIABLES, FACES = 3 };

/* A face that two blocks share; blocks are numbered through all processes. */
struct face {
	int from, to, axis;
	int cells; /* 16, 64 or 256, as the other side is coarser, alike or finer */
};

struct mesh {
	int rank, size, blocks;
	double *now, *next; /* the cells of all blocks of this process */
	int n, incoming;
	struct face *face; /* those that this process has a side of; first those that come from another one */
	double **buffer;   /* of each */
	MPI_Request *receive, *send;
	unsigned long long cells; /* received */
	int *order;
};

static int owner(const struct mesh *m, int block) { return block / m->blocks; }
static double *block_of(const struct mesh *m, int block) { return m->now + (long)(block % m->blocks) * BLOCK; }
static bool mine(const struct mesh *m, int block) { return owner(m, block) == m->rank; }
static int tag_of(const struct face *f) { return f->from * FACES + f->axis; }

/* ---- the mesh ---- */

static void forget(struct mesh *m)
{
	for (int i = 0; i < m->n; i++)
		free(m->buffer[i]);
	free(m->face);
	free(m->buffer);
	free(m->receive);
	free(m->send);
	free(m->order);
}

/* The face of a block in this generation of the mesh, the same wherever it is asked for: neighbours are near in the numbering,
 * and some are far. */
static struct face face_of(const struct mesh *m, uint64_t generation, int block, int axis)
{
	uint64_t x = mix(generation << 40 | (uint64_t)block << 8 | (uint64_t)axis), blocks = (uint64_t)m->blocks;
	int all = m->size * m->blocks, away = x % 8 == 0 ? all / 2 : 1 + (int)((x >> 8) % blocks);
	return (struct face){block, (block + away) % all, axis, 16 << 2 * ((x >> 32) % 3)};
}

static void refine(struct mesh *m, uint64_t generation)
{
	int all = m->size * m->blocks;
	m->face = malloc((size_t)all * FACES * sizeof *m->face);
	m->n = 0;
	for (int coming = 1; coming >= 0; coming--) {
		for (int b = 0; b < all; b++)
			for (int axis = 0; axis < FACES; axis++) {
				struct face f = face_of(m, generation, b, axis);
				bool comes = mine(m, f.to) && !mine(m, f.from);
				if (coming ? comes : mine(m, f.from))
					m->face[m->n++] = f;
			}
		m->incoming = coming ? m->n : m->incoming;
	}
	size_t n = (size_t)m->n + 1;
	m->buffer = malloc(n * sizeof *m->buffer);
	m->receive = malloc(n * sizeof *m->receive);
	m->send = malloc(n * sizeof *m->send);
	m->order = malloc(n * sizeof *m->order);
	for (int i = 0; i < m->n; i++) {
		m->buffer[i] = malloc((size_t)m->face[i].cells * VARIABLES * sizeof(double));
		m->order[i] = i;
	}
}

/* ---- a step ---- */

static void pack(const struct mesh *m, const struct face *f, double *to)
{
	static const int stride[FACES] = {1, EDGE, EDGE * EDGE};
	const double *from = block_of(m, f->from);
	for (int v = 0; v < VARIABLES; v++)
		for (int i = 0; i < f->cells; i++)
			*to++ = from[v * CELLS + i * stride[f->axis] % CELLS];
}

static void unpack(const struct mesh *m, const struct face *f, const double *from)
{
	double *to = block_of(m, f->to) + f->axis * EDGE;
	for (int v = 0; v < VARIABLES; v++)
		for (int i = 0; i < EDGE; i++)
			to[v * CELLS + i] = 0.5 * from[v * f->cells + i];
}

/* Another order of what is sent for each step and process. */
static void shuffle(struct mesh *m, uint64_t step)
{
	for (int i = m->n - 1; i > m->incoming; i--) {
		uint64_t x = mix(step << 24 ^ (uint64_t)m->rank << 16 ^ (uint64_t)i);
		int k = m->incoming + (int)(x % (uint64_t)(i + 1 - m->incoming)), swap = m->order[i];
		m->order[i] = m->order[k];
		m->order[k] = swap;
	}
}

static void exchange(struct mesh *m, uint64_t step)
{
	int outgoing = 0;
	shuffle(m, step);
	for (int i = 0; i < m->incoming; i++) {
		const struct face *f = &m->face[i];
		MPI_Irecv(m->buffer[i], f->cells * VARIABLES, MPI_DOUBLE, owner(m, f->from), tag_of(f), MPI_COMM_WORLD,
			&m->receive[i]);
	}
	for (int k = m->incoming; k < m->n; k++) {
		int i = m->order[k];
		const struct face *f = &m->face[i];
		pack(m, f, m->buffer[i]);
		if (!mine(m, f->to))
			MPI_Isend(m->buffer[i], f->cells * VARIABLES, MPI_DOUBLE, owner(m, f->to), tag_of(f),
				MPI_COMM_WORLD, &m->send[outgoing++]);
	}
	for (int k = m->incoming; k < m->n; k++)
		if (mine(m, m->face[k].to))
			unpack(m, &m->face[k], m->buffer[k]);
	for (int k = 0; k < m->incoming; k++) {
		int i;
		MPI_Waitany(m->incoming, m->receive, &i, MPI_STATUS_IGNORE);
		unpack(m, &m->face[i], m->buffer[i]);
		m->cells += (unsigned long long)m->face[i].cells;
	}
	MPI_Waitall(outgoing, m->send, MPI_STATUSES_IGNORE);
}

/* One variable of a block: its seven-point stencil; the outermost cells wait for the neighbours'. */
static double relax(const double *now, double *next)
{
	double most = 0;
	memcpy(next, now, CELLS * sizeof *now);
	for (int z = 1; z + 1 < EDGE; z++)
		for (int y = 1; y + 1 < EDGE; y++)
			for (int x = 1; x + 1 < EDGE; x++) {
				int i = (z * EDGE + y) * EDGE + x;
				double around = now[i - 1] + now[i + 1] + now[i - EDGE] + now[i + EDGE] +
						now[i - EDGE * EDGE] + now[i + EDGE * EDGE];
				next[i] = 0.4 * now[i] + 0.1 * around;
				most = next[i] > most ? next[i] : most;
			}
	return most;
}

static double work(struct mesh *m)
{
	double most = 0;
	for (long b = 0; b < (long)m->blocks * VARIABLES; b++) {
		double here = relax(m->now + b * CELLS, m->next + b * CELLS);
		most = here > most ? here : most;
	}
	double *swap = m->now;
	m->now = m->next;
	m->next = swap;
	return most;
}

int main(int argc, char **argv)
{
	struct mesh m = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &m.size);
	m.blocks = (int)argument(argc, argv, 1, 16);
	long steps = argument(argc, argv, 2, 4000), every = argument(argc, argv, 3, 20);
	size_t values = (size_t)m.blocks * BLOCK;
	m.now = malloc(values * sizeof *m.now);
	m.next = malloc(values * sizeof *m.next);
	for (size_t i = 0; i < values; i++)
		m.now[i] = (double)(mix((uint64_t)m.rank << 32 | i) >> 44);
	refine(&m, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	double start = now_ns(), most = 0, all = 0;
	for (long i = 0; i < steps; i++) {
		if (i && i % every == 0) {
			forget(&m);
			refine(&m, (uint64_t)(i / every));
		}
		exchange(&m, (uint64_t)i);
		most = work(&m);
		MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	double time = now_ns() - start;
	if (m.rank == 0) {
		report("step", time / (double)steps / 1000, "us");
		report_check("cells", m.cells);
		report_end();
	}
	MPI_Finalize();
	return 0;
}
