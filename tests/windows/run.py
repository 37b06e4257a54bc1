#!/usr/bin/python3
"""What one-sided synchronisation orders: real programs under both MPIs, and raw logs for what libraries do not let us choose."""
import json
import os
import random
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "cli"), os.path.join(os.path.dirname(HERE), "view")]
import lib
from definition import Program, log
from lib import check, has, same
from viewer import View

RUNS = 40

# Rank 0 receives twice from anybody; rank 2 sends after a synchronisation that rank 0 takes part in between its two receives.
PROGRAM = r"""
#include <mpi.h>
#include <string.h>
static int memory[1024], beside[1024];
int main(int argc, char **argv) {
	int rank, x = 0, flag = 0, other;
	const char *how = argv[argc - 1];
	MPI_Group world, group;
	MPI_Win unused, win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	other = 2 - rank;
	MPI_Group_incl(world, 1, &other, &group);
	MPI_Win_create(beside, sizeof beside, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &unused);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	int fences = !strcmp(how, "fence") || !strcmp(how, "noprecede") || !strcmp(how, "first");
	if (!strcmp(how, "fence") || !strcmp(how, "noprecede"))
		MPI_Win_fence(0, win);
	if (rank == 1)
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (fences)
		MPI_Win_fence(!strcmp(how, "noprecede") ? MPI_MODE_NOPRECEDE : 0, win);
	if (!strcmp(how, "wait") || !strcmp(how, "test")) {
		if (rank == 0) {
			MPI_Win_start(group, 0, win);
			MPI_Put(&x, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
			MPI_Win_complete(win);
		}
		if (rank == 2) {
			MPI_Win_post(group, 0, win);
			while (!strcmp(how, "test") && !flag)
				MPI_Win_test(win, &flag);
			if (!flag)
				MPI_Win_wait(win);
		}
	}
	if (!strcmp(how, "get") || !strcmp(how, "rget") || !strcmp(how, "put")) {
		if (rank == 0)
			MPI_Win_post(group, 0, win);
		if (rank == 2) {
			MPI_Request request;
			MPI_Win_start(group, 0, win);
			if (!strcmp(how, "get"))
				MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
			if (!strcmp(how, "rget")) {
				MPI_Rget(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request);
				MPI_Wait(&request, MPI_STATUS_IGNORE);
			}
			if (!strcmp(how, "put"))
				MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
			MPI_Win_complete(win);
		}
	}
	if (!strcmp(how, "free") && rank == 1) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, unused);
		MPI_Win_unlock(0, unused);
	}
	if (!strcmp(how, "free") || !strcmp(how, "unlocked"))
		MPI_Win_free(&unused);
	if (rank == 2)
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0 && (!strcmp(how, "get") || !strcmp(how, "rget") || !strcmp(how, "put")))
		MPI_Win_wait(win);
	MPI_Win_fence(fences ? MPI_MODE_NOSUCCEED : MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win);
	MPI_Win_free(&win);
	if (unused != MPI_WIN_NULL)
		MPI_Win_free(&unused);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
"""
ORDERED = {"wait": ("MPI_Win_complete", "MPI_Win_wait", "access epoch completed, for which the target waited"),
           "test": ("MPI_Win_complete", "MPI_Win_test", "access epoch completed, for which the target waited"),
           "get": ("MPI_Win_post", "MPI_Win_complete", "window exposed, from which the accesses fetched data"),
           "rget": ("MPI_Win_post", "MPI_Win_complete", "window exposed, from which the accesses fetched data"),
           "free": ("MPI_Win_free", "MPI_Win_free", "MPI_Win_free, number 1 of WORLD"),
           "fence": ("MPI_Win_fence", "MPI_Win_fence", "MPI_Win_fence, number 2 of WORLD")}
UNORDERED = ("none", "put", "noprecede", "first", "unlocked")  # of a window that nobody locks it is not known that its end is a barrier


def first(text):
    return text.splitlines()[0] if text else ""


def events(place, rank, function):
    out = place.run("dump", "--json", "--rank", str(rank), "-f", function, "run")[1]
    return ["%d:%d" % (rank, json.loads(line)["event"]) for line in out.splitlines()]


def under(mpi, launch, place):
    with open(place.path + "/w.c", "w") as f:
        f.write(PROGRAM)
    subprocess.run(["mpicc." + mpi, "-g", "-o", place.path + "/" + mpi, place.path + "/w.c"], check=True)

    def record(how):
        shutil.rmtree(place.path + "/run.hbdb", ignore_errors=True)
        status = place.run("record", "-o", "run.hbdb", "--", *launch, "-n", "3", "./" + mpi, how)[0]
        same("%s %s runs" % (mpi, how), status, 0)
    for how, (tells, told, link) in ORDERED.items():
        record(how)
        status, out, err = place.run("races", "run")
        check("%s %s: what is ordered by it does not race" % (mpi, how), status == 0 and out.startswith("no races"), (status, out, err))
        begin, end = events(place, 0, tells)[1 if how == "fence" else 0], events(place, 2, told)[1 if how == "fence" else 0]
        receive, send = events(place, 0, "MPI_Recv")[0], events(place, 2, "MPI_Send")[0]
        out = place.run("order", receive, send, "run")[1]
        has("%s %s: order" % (mpi, how), out, "%s is strictly before %s" % (receive, send), "   | " + link)
        links = [one.get("link") for one in json.loads(place.run("order", "--json", begin, send, "run")[1])["chain"]]
        has("%s %s: --json" % (mpi, how), links, "collective" if how in ("fence", "free") else "window")
        if how not in ("fence", "free"):
            has("%s %s: the two ends" % (mpi, how), place.run("order", begin, end, "run")[1], "%s is before %s" % (begin, end))
        cut = [line.split()[:3] for line in place.run("cone", send, "run")[1].splitlines()[1:]]
        check("%s %s: cone" % (mpi, how), ["0", "after", begin] in cut, cut)
        future = [line.split()[:3] for line in place.run("cone", "--future", receive, "run")[1].splitlines()[1:]]
        check("%s %s: the future" % (mpi, how), ["2", "from", end] in future, future)
    for how in UNORDERED:
        record(how)
        status, out, err = place.run("races", "run")
        check("%s %s: what is not ordered by it races" % (mpi, how), status == 1 and "1 of 2 wildcard receives" in out, (status, out, err))


# ---- raw logs ----


def make(one, number):
    one.event("MPI_Win_create", (1, 0), (number,))


def ask(place, name, a, b):
    status, out, err = place.run("order", a, b, name)
    return first(out) + err


def raw(place, name, logs):
    for one in logs:
        one.write("%s/%s.hbdb" % (place.path, name))


def epochs(place):
    """The second epoch belongs to the second one, on each window by itself; numbers of windows are each process's own."""
    logs = [log(rank) for rank in range(2)]
    for one, numbers in zip(logs, ((0, 1), (1, 0))):
        make(one, numbers[0])
        make(one, numbers[1])
    for win in (1, 0, 0):                                       # 1:3, 1:5, 1:7 post, :4, :6, :8 wait
        logs[1].event("MPI_Win_post", (101, win))
        logs[1].event("MPI_Win_wait", (win,))
    for win in (0, 1, 1):                                       # 0:3, 0:5, 0:7 start, :4, :6, :8 complete
        logs[0].event("MPI_Win_start", (102, win))
        logs[0].event("MPI_Win_complete", (win,), (1,) if win else ())
    raw(place, "epochs", logs)
    for k in (4, 6, 8):
        has("complete and wait of epoch %d" % (k // 2 - 1), ask(place, "epochs", "0:%d" % k, "1:%d" % k), "is before")
        check("not of the one before", "is before" not in ask(place, "epochs", "0:%d" % k, "1:%d" % (k - 2)))
    has("nothing was fetched from the first window", ask(place, "epochs", "1:3", "0:4"), "concurrent")
    has("from the second, it was", ask(place, "epochs", "1:5", "0:6"), "is before")


def fences(place):
    """Fences of two windows on one communicator, not in one order; each is numbered on its window."""
    logs = [log(rank) for rank in range(2)]
    for one, order in zip(logs, ((0, 1), (1, 0))):
        make(one, 0)
        make(one, 1)
        for win in order:
            one.event("MPI_Win_fence", (0, win))                # 3, 4
        for asserts in (0, 8, 0, 4, 0):                         # 5 ends an epoch, so does 6; 7 follows a nosucceed; 8 says that none precedes
            one.event("MPI_Win_fence", (asserts, 0))
    raw(place, "fences", logs)
    for event, wanted in ((5, "together"), (6, "together"), (7, "concurrent"), (8, "concurrent"), (9, "together")):
        has("fence %d" % event, ask(place, "fences", "0:%d" % event, "1:%d" % event), wanted)
    has("first fences of different windows", ask(place, "fences", "0:3", "1:3"), "concurrent")


def not_known(place):
    """From an epoch on whose processes are not known nothing is paired; one without processes has no partner."""
    logs = [log(rank) for rank in range(2)]
    for one in logs:
        make(one, 0)
    for group in (101, 0, 777, 101):                            # 1:2, 1:4, 1:6, 1:8 post
        logs[1].event("MPI_Win_post", (group, 0))
        logs[1].event("MPI_Win_wait", (0,))
    for group in (102, 102):                                    # 0:2, 0:4 start
        logs[0].event("MPI_Win_start", (group, 0))
        logs[0].event("MPI_Win_complete", (0,))
    raw(place, "lost", logs)
    has("an epoch before", ask(place, "lost", "0:3", "1:3"), "is before")
    has("one without processes", ask(place, "lost", "0:5", "1:5"), "concurrent")
    has("one that is not known", ask(place, "lost", "0:5", "1:9"), "concurrent", "between which processes 2 epochs of windows")


def never_returned(place):
    """A complete that never returned has said that no access follows; a wait that never returned has learned nothing."""
    logs = [log(rank) for rank in range(2)]
    for one in logs:
        make(one, 0)
    logs[0].event("MPI_Win_start", (102, 0))
    logs[0].never_returned("MPI_Win_complete", (0,))
    logs[1].event("MPI_Win_post", (101, 0))
    logs[1].event("MPI_Win_wait", (0,))
    raw(place, "inside", logs)
    has("a complete that never returned", ask(place, "inside", "0:3", "1:3"), "is before")
    logs = [log(rank) for rank in range(2)]
    for one in logs:
        make(one, 0)
    logs[0].event("MPI_Win_start", (102, 0))
    logs[0].event("MPI_Win_complete", (0,))
    logs[1].event("MPI_Win_post", (101, 0))
    logs[1].never_returned("MPI_Win_wait", (0,))
    raw(place, "waiting", logs)
    has("a wait that never returned", ask(place, "waiting", "0:3", "1:3"), "concurrent")


def contradiction(place):
    """Waits that wait for each other: the logs contradict themselves, and that is said."""
    logs = [log(rank) for rank in range(2)]
    for one, other in zip(logs, (102, 101)):
        make(one, 0)
        one.event("MPI_Win_post", (other, 0))
        one.event("MPI_Win_wait", (0,))
        one.event("MPI_Win_start", (other, 0))
        one.event("MPI_Win_complete", (0,))
    raw(place, "knot", logs)
    status, out, err = place.run("races", "knot")
    check("a contradiction", status in (0, 3) and "contradict each other" in err + out, (status, out, err))


def future_of(program, clocks, at):
    """By rank: the first event whose exit has this one in its past."""
    return {rank: next((e for e in range(1, one.events + 1) if clocks[rank, e][0][at[0]] >= at[1]), None)
            for rank, one in enumerate(program.logs)}


def against_definition(place):
    """Clocks, Lamport times, cuts and futures of random runs."""
    wrong, events, told = [], 0, 0
    for seed in range(RUNS):
        program = Program(seed)
        raw(place, "random", program.logs)
        wanted = program.clocks()
        out = place.run("sql", "--json", "random", "SELECT rank, event, lamport, clock FROM events")[1]
        got = {}
        for line in out.splitlines():
            row = json.loads(line)
            got[row["rank"], row["event"]] = json.loads(row["clock"]) if isinstance(row["clock"], str) else row["clock"], row["lamport"]
        wrong += [(seed, at, got.get(at), wanted[at]) for at in wanted if got.get(at) != wanted[at]]
        wrong += [(seed, at, "is not in the recording") for at in program.needs if at not in got]
        events += len(wanted)
        told += sum(any(rank != at[0] for (rank, _), _ in needs) for at, needs in program.needs.items())
        for at in random.Random(seed).sample(sorted(wanted), 3):
            lines = [json.loads(line) for line in place.run("cone", "--future", "--json", "%d:%d" % at, "random")[1].splitlines()]
            after = {line["rank"]: line["event"] for line in lines}
            truth = future_of(program, wanted, at)
            wrong += [(seed, at, "future", after, truth)] if after != truth else []
            lines = [json.loads(line) for line in place.run("cone", "--json", "%d:%d" % at, "random")[1].splitlines()]
            cut = [line["event"] or 0 for line in lines]
            wrong += [(seed, at, "cut", cut, wanted[at][0])] if cut != wanted[at][0] else []
        shutil.rmtree(place.path + "/random.hbdb")
    check("clocks of %d events, %d of which learn of others" % (events, told), not wrong and told > 3 * RUNS, wrong[:5])


def in_view(place):
    """The view finds cuts and futures from Lamport times that it keeps: in longer runs it does not look at all of them."""
    wrong, ends, seen = [], [], 0
    for seed in range(3):
        program = Program(seed, steps=900)
        raw(place, "long", program.logs)
        wanted = program.clocks()
        with View(place, "long") as view:
            view.ready()
            for at in random.Random(seed).sample(sorted(wanted), 40):
                got = view.get("cone?at=%d:%d" % at)
                cut = {one["line"]: one["event"] for one in got["cut"]}
                future = {one["line"]: one["event"] for one in got["future"] if one["event"]}
                truth = {rank: event for rank, event in future_of(program, wanted, at).items() if event}
                if cut != dict(enumerate(wanted[at][0])) or future != truth:
                    wrong.append((seed, at, cut, wanted[at], future, truth))
            for at, needs in program.needs.items():
                if program.names[at] != "MPI_Win_wait":
                    continue
                seen += 1
                match = view.get("event?at=%d:%d" % at)["match"]
                ends.extend([(seed, at, match)] if match not in ["%d:%d" % other for other, _ in needs] else [])
        shutil.rmtree(place.path + "/long.hbdb")
    check("the view's cones", not wrong, wrong[:3])
    check("the view's other end of %d waits" % seen, seen and not ends, ends[:3])


def made_before(place):
    """A recording of a version that kept fewer arguments of fences, posts and starts is followed by those that it has."""
    shutil.copytree(HERE + "/before-recording", place.path + "/before.hbdb")
    program = place.path + "/before"
    subprocess.run(["mpicc.openmpi", "-O1", HERE + "/before.c", "-o", program], check=True)
    command = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "-n", "2", program]
    status, out, err = place.run("replay", "--trust", "before", "--", *command)
    check("a recording made before assertions and groups were recorded", status == 0 and "no difference in the calls" in err, (status, out, err))
    check("what is not compared is said, once", err.count("(first seen in a call of MPI_Win_fence) are not compared") == 1, err)


def main():
    with lib.Place(libraries=False) as place:
        for part in (epochs, fences, not_known, never_returned, contradiction, against_definition, in_view, made_before):
            part(place)
        under("openmpi", ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"], place)
        under("mpich", ["mpirun.mpich"], place)
    lib.finish()


main()
