#!/usr/bin/python3
"""The names that a program gives its communicators, datatypes and windows, under both MPIs."""
import json
import shutil
import subprocess

import lib
from lib import check, has, same

PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
	int rank, x[4] = {0}, buffer[4] = {0};
	MPI_Comm ocean, ice;
	MPI_Datatype pair, early;
	MPI_Win first, second;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
	MPI_Comm_dup(ocean, &ice);
	for (int i = 0; i < 3; i++)
		MPI_Comm_set_name(ocean, "the \"ocean\" \033[2J");
	MPI_Type_contiguous(2, MPI_INT, &early);
	MPI_Type_set_name(early, "named before its use");
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&early);
	MPI_Type_commit(&pair);
	MPI_Bcast(x, 1, pair, 0, ocean);
	MPI_Type_set_name(pair, "pair");
	MPI_Bcast(x, 1, early, 0, ice);
	MPI_Win_create(buffer, sizeof buffer, sizeof *buffer, MPI_INFO_NULL, MPI_COMM_WORLD, &first);
	MPI_Win_create(buffer, sizeof buffer, sizeof *buffer, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
	MPI_Win_set_name(second, "second");
	MPI_Win_fence(0, first);
	MPI_Win_fence(0, second);
	if (rank)
		MPI_Send(x, 1, MPI_INT, 0, 7, ocean);
	else
		MPI_Recv(x, 1, MPI_INT, 1, argc > 1 ? 8 : 7, ocean, MPI_STATUS_IGNORE);
	MPI_Win_free(&first);
	MPI_Win_free(&second);
	MPI_Type_free(&pair);
	MPI_Type_free(&early);
	MPI_Comm_free(&ice);
	MPI_Comm_free(&ocean);
	MPI_Finalize();
	return 0;
}
"""
WRONG = r"""
#include <mpi.h>
int main(int argc, char **argv) {
	int rank, x[4] = {0}, w[4] = {0};
	double d[4];
	MPI_Comm ocean;
	MPI_Datatype pair;
	MPI_Win halo;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
	MPI_Comm_set_name(ocean, "ocean");
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_set_name(pair, "pair");
	MPI_Type_commit(&pair);
	MPI_Win_create(w, sizeof w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &halo);
	MPI_Win_set_name(halo, "halo");
	MPI_Win_fence(0, halo);
	MPI_Put(x, 1, MPI_INT, 0, 1, 1, MPI_INT, halo); /* of both, to one place */
	MPI_Win_fence(0, halo);
	if (rank)
		MPI_Send(x, 2, pair, 0, 5, ocean);
	else
		MPI_Recv(d, 4, MPI_DOUBLE, 1, 5, ocean, MPI_STATUS_IGNORE);
	MPI_Barrier(ocean);
	if (!rank)
		MPI_Put(x, 1, MPI_INT, 0, 1, 1, MPI_INT, halo); /* no fence ends its epoch */
	MPI_Win_free(&halo);
	MPI_Type_free(&pair);
	MPI_Comm_free(&ocean);
	MPI_Finalize();
	return 0;
}
"""
INERT = 'the "ocean" \\x1b[2J'


LEAKS = r"""
#include <mpi.h>

static int data[8];

int main(int argc, char **argv)
{
	MPI_Comm ocean, air[2];
	MPI_Datatype pair, raw;
	MPI_Win halo;
	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
	MPI_Comm_set_name(ocean, "ocean");
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &air[i]);
	MPI_Comm_set_name(air[1], "upper air");
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_set_name(pair, "pair");
	MPI_Type_commit(&pair);
	MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &halo);
	MPI_Win_set_name(halo, "halo");
	MPI_Type_contiguous(4, MPI_INT, &raw);
	MPI_Type_set_name(raw, "raw");
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Sendrecv(data, 1, raw, 0, 0, data + 4, 1, raw, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Type_free(&raw);
	MPI_Finalize();
	return 0;
}
"""


def leaks(mpi, launch, place):
    with open(place.path + "/leaks.c", "w") as f:
        f.write(LEAKS)
    subprocess.run(["mpicc." + mpi, "-g", "-o", place.path + "/leaks", place.path + "/leaks.c"], check=True)
    out = place.run("check", "--leaks", "-o", "leaks.hbdb", "--", *launch, "-n", "2", "./leaks")[1]
    has(mpi + " check: what is never freed", out, 'rank 0 never frees a communicator "ocean" that MPI_Comm_dup made',
        'rank 0 never frees a communicator "upper air", for example, that MPI_Comm_dup made, 2 times',
        'rank 0 never frees a datatype "pair" that MPI_Type_contiguous made',
        'rank 0 never frees a window "halo" that MPI_Win_create made')
    has(mpi + " check: what is not committed", out, 'with the argument sendtype "raw", but MPI_Type_commit was not called on it')
    shutil.rmtree(place.path + "/leaks.hbdb")


def findings(mpi, launch, place):
    with open(place.path + "/wrong.c", "w") as f:
        f.write(WRONG)
    subprocess.run(["mpicc." + mpi, "-g", "-o", place.path + "/wrong", place.path + "/wrong.c"], check=True)
    out = place.run("check", "-o", "named.hbdb", "--", *launch, "-n", "2", "./wrong")[1]
    has(mpi + " check: a datatype", out, 'rank 1 sends 2 type#0 "pair" (each 2 MPI_INT) with MPI_Send')
    has(mpi + " check: a window", out, 'of the window "halo" of rank 0, MPI_Put', ', window "halo": accesses follow')
    place.run("view", "named", "--html", "page.html", "--range", "0-1000")
    with open(place.path + "/page.html", encoding="utf-8") as f:
        page = f.read()
    check(mpi + " the page's filter, its messages and its collectives", '{"name":"WORLD.0 \\"ocean\\"","size":2}' in page and
          '"comm":"WORLD.0 \\"ocean\\""' in page and '"group":"WORLD.0 \\"ocean\\""' in page, page[-3000:])
    shutil.rmtree(place.path + "/named.hbdb")


def under(mpi, launch, place):
    with open(place.path + "/p.c", "w") as f:
        f.write(PROGRAM)
    subprocess.run(["mpicc." + mpi, "-g", "-o", place.path + "/" + mpi, place.path + "/p.c"], check=True)
    command = ["--", *launch, "-n", "2", "./" + mpi]
    status, out, err = place.run("record", "--level", "events", "-o", "run.hbdb", *command)
    same(mpi + " is recorded, and no name is told as not covered", (status, "ocean" in err), (0, False))
    out = place.run("dump", "--rank", "0", "run")[1]
    lines = {function: next((line for line in out.splitlines() if function + "(" in line), "")
             for function in ("MPI_Bcast", "MPI_Recv", "MPI_Win_free")}
    has(mpi + " dump: a communicator", lines["MPI_Recv"], 'comm=2 "%s")' % INERT)
    has(mpi + " dump: a datatype that was used before it was named", lines["MPI_Bcast"], 'datatype=type#0 "pair", ')
    has(mpi + " dump: and one that was named before it was used", out, 'datatype=type#1 "named before its use", ')
    fences = [line for line in out.splitlines() if "MPI_Win_fence(" in line]
    check(mpi + " dump: a window, numbered as it was made", "win#0" in fences[0] and '"' not in fences[0] and
          'win#1 "second"' in fences[1], fences)
    events = [json.loads(line) for line in place.run("dump", "--json", "--rank", "0", "-f", "Bcast", "run")[1].splitlines()]
    same(mpi + " dump --json", [(e["arguments"]["comm"], e.get("names")) for e in events],
         [(2, {"datatype": "pair", "comm": 'the "ocean" \x1b[2J'}), (3, {"datatype": "named before its use"})])
    has(mpi + " info", place.run("info", "run")[1], '2, made from WORLD, named "%s"\n' % INERT)
    same(mpi + " sql", place.run("sql", "--json", "run",
         "SELECT name, given_name FROM communicators WHERE given_name IS NOT NULL")[1],
         json.dumps({"name": "WORLD.0", "given_name": 'the "ocean" \x1b[2J'}, separators=(",", ":")) + "\n")
    send = next(line for line in place.run("dump", "--rank", "1", "run")[1].splitlines() if "MPI_Send(" in line).split()[0]
    receive = lines["MPI_Recv"].split()[0]
    has(mpi + " order", place.run("order", send, receive, "run")[1], 'message: tag 7, 4 bytes, WORLD.0 "%s"\n' % INERT)
    status, out, _ = place.run("check", *command, "wrong")
    has(mpi + " check", out, ' on WORLD.0 "%s"' % INERT)
    status, _, err = place.run("replay", "run")
    findings(mpi, launch, place)
    leaks(mpi, launch, place)
    check(mpi + " replays", status == 0 and "no difference" in err, err)
    shutil.rmtree(place.path + "/run.hbdb")


with lib.Place(libraries=False) as here:
    under("openmpi", ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"], here)
    under("mpich", ["mpirun.mpich"], here)
lib.finish()
