"""What the programs of generate.py are put together from: a main function around a body, by category."""
import os

HEAD = """#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int a[1024], b[1024], c[1024];
static volatile int sink;
__attribute__((noinline)) static void change(int *p) { *p = 77; }
static void add(void *in, void *out, int *n, MPI_Datatype *type)
{
	for (int i = 0; i < *n; i++)
		((int *)out)[i] += ((int *)in)[i];
}
static void failed(MPI_Comm *comm, int *code, ...) { }
__attribute__((noinline)) static int look(const int *p) { return *p; }

int main(int argc, char **argv)
{
	int rank, size, flag = 0, index = 0, done = 0;
	MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Request r[8];
	MPI_Status st[8];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
"""
TAIL = """	MPI_Finalize();
	return 0;
}
"""
# what may come after the error of a program: it dies of it, hangs, or leaves things behind
AFTER = "HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-HANG HB-HANG-POLL HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE " \
        "HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING HB-LEAK-COMM HB-LEAK-WIN"


class Shapes:
    """Writes programs into a folder; put() is given what happens between MPI_Init and MPI_Finalize."""

    def __init__(self, folder):
        self.folder, self.n = folder, 0

    def put(self, name, body, expect=None, n=2, mpi=None, also="", head=HEAD, tail=TAIL):
        """name: CATEGORY/NAME."""
        category, _, name = name.partition("/")
        where = os.path.join(self.folder, category, "wrong" if expect else "right")
        os.makedirs(where, exist_ok=True)
        lines = ["processes: %d" % n] + (["expect: " + expect, "also: " + AFTER + " " + also] if expect else []) \
            + (["mpi: " + mpi] if mpi else [])
        with open(os.path.join(where, name.lower() + ".c"), "w", encoding="utf-8") as f:
            f.write("/* " + "\n * ".join(lines + ["why: made by generate.py"]) + " */\n" + head + indent(body) + tail)
        self.n += 1


def indent(body):
    """Statements, a line each, set in by their braces."""
    depth, lines = 1, []
    for line in body.strip().split("\n"):
        line = line.strip()
        depth -= line.startswith("}")
        lines.append("\t" * depth + line + "\n" if line else "")
        depth += line.count("{") - line.count("}") + line.startswith("}")
    return "".join(lines)


def ranks(*parts):
    """if (rank == 0) { first } else if (rank == 1) { second } ..."""
    return " else ".join("if (rank == %d) {\n%s\n}" % (i, part) for i, part in enumerate(parts) if part) \
        if all(parts) else "\n".join("if (rank == %d) {\n%s\n}" % (i, part) for i, part in enumerate(parts) if part)
