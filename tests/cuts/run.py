#!/usr/bin/python3
"""Stops in replay against computed cuts, on recordings of random programs (steps.c), of the farm and of LAMMPS.

usage: run.py [--recordings N] [--seed S] [--mpi openmpi|mpich] [--ranks N] [--ending WORD] [--big] [--keep]
Without --recordings a small number, for ./dev check; --big says what was found by kind and goes on after a failure.
"""
import argparse
import collections
import json
import os
import random
import shutil
import sys
import tempfile

import jobs
import judge
import oracle

ENDINGS = ["", "", "", "", "", "", "finalize", "abort", "segv", "leave", "hang"]
RANKS = {"openmpi": [2, 3, 4, 4, 5, 6, 8], "mpich": [2, 2, 3, 4]}
count = collections.Counter()


def choose_events(random_, order, wanted):
    """Names of events to go to: any, and the first and last ones."""
    lines = sorted(order.last)
    found = []
    for _ in range(wanted):
        rank, lane = random_.choice(lines)
        last = order.last[rank, lane]
        event = random_.choice([random_.randint(1, last)] * 8 + [1, last])
        found.append((rank, lane, event))
    return found


def name_of(at):
    return "%d%s:%d" % (at[0], ".%d" % at[1] if at[1] else "", at[2])


class Case:
    def __init__(self, folder, mpi, ranks, seed, length, ending):
        self.mpi, self.ranks, self.seed, self.length, self.ending = mpi, ranks, seed, length, ending
        self.folder = folder
        self.name = "%s-%d-%d-%d%s" % (mpi, ranks, seed, length, "-" + ending if ending else "")
        self.path = os.path.join(folder, self.name + ".hbdb")
        self.random = random.Random("%s" % self.name)
        self.cwd, self.steps = None, True

    def record(self):
        program = jobs.compiled(self.folder, self.mpi, "tests/cuts/steps.c")
        dies = self.ending in ("abort", "segv", "leave", "hang")
        jobs.record(self.path, self.mpi, self.ranks, [program, str(self.seed), str(self.length), self.ending],
                    wanted=None if dies else (0,), interrupt=2 + self.ranks / 4 if self.ending == "hang" else None)

    def events(self):
        return [json.loads(line) for line in jobs.call([jobs.HBDB, "dump", "--json", self.path], 120)[1].splitlines()]

    def killed(self):
        """Ranks of which the record does not say how they ended: killed, or crashed."""
        told = json.loads(jobs.call([jobs.HBDB, "info", "--json", self.path], 120)[1])
        return {p["rank"] for p in told["processes"] if p["state"] == "ended inside MPI"}

    def check_end(self, walk, order):
        head, lines = walk.ask("end")
        if head[4] != "0":
            raise jobs.Failed("the replay differs\n" + walk.told())
        if head[1] != "1":
            raise jobs.Failed("no end\n" + "\n".join(map(str, lines)))
        for l in lines:
            if l.lane or self.ending in ("abort", "segv", "leave", "hang"):
                continue
            if not judge.ended(l, order):
                raise jobs.Failed("did not come to its end: %s" % l)

    def go(self, walk, at, order):
        name = name_of(at)
        head, lines = walk.ask("to " + name)
        where = "%s at %s\n" % (self.name, name)
        if not head or head[4] != "0":
            raise jobs.Failed(where + "the replay differs\n" + walk.told())
        if head[2] != "1":
            raise jobs.Failed(where + "not there in time\n" + "\n".join(map(str, lines)))
        count["restarts"] += head[3] == "1"
        computed = {(l.rank, l.lane): (l.stop, l.event) for l in lines}
        own = order.cut(at) if self.steps else computed
        if computed != own:
            raise jobs.Failed(where + "the cut is not what the order says\n" + "\n".join(
                "%s: hbdb %s, here %s" % (k, computed.get(k), own.get(k))
                for k in sorted(own) if computed.get(k) != own[k]))
        kind, off = judge.judged(lines, at, order)
        for _ in range(10):
            if kind != "wrong" or not any(l.arrival == "blocked" for l in off):
                break
            count["slow processes taken for blocked ones"] += 1
            lines = walk.ask("look " + name)[1]
            kind, off = judge.judged(lines, at, order)
        count["cuts"] += 1
        count["stops"] += len(lines)
        count["stops elsewhere"] += len(off)
        count[kind] += 1
        if kind == "wrong":
            raise jobs.Failed(where + "\n".join(str(l) + (
                "   (%s, which needs %s)" % (order.name.get((l.rank, l.lane, l.over + 1)), ", ".join(
                    map(name_of, order.needs.get((l.rank, l.lane, l.over + 1), ()))))) for l in off))
        if kind != "exact":
            for l in off:
                at = l.rank, l.lane, l.over + (l.waits != "early")
                count["%s: %s" % (l.waits, order.name.get(at))] += 1
        count["inside"] += sum(l.stop == "inside" for l in lines)

    def walk(self, cuts):
        events = self.events()
        order = oracle.Order(events)
        order.killed = self.killed()
        order.name = {(e["rank"], e["lane"], e["event"]): e["function"] for e in events}
        targets = choose_events(self.random, order, cuts)
        # most of them in an order that needs no new start
        if self.random.random() < 0.7:
            targets.sort(key=lambda at: at[2])
            targets.append(self.random.choice(targets))
        with jobs.Walk(self.path, ARGS.limit, self.cwd) as walk:
            for at in targets:
                self.go(walk, at, order)
            self.check_end(walk, order)

    def run(self, cuts):
        self.record()
        self.walk(cuts)
        count["recordings"] += 1
        count["recordings " + self.mpi] += 1
        if not ARGS.keep:
            shutil.rmtree(self.path)
            os.unlink(self.path + ".walk")


class Program(Case):
    """A program that is not random."""

    def __init__(self, folder, mpi, ranks, command, cwd=None):
        super().__init__(folder, mpi, ranks, 0, 0, "")
        self.name = "%s-%s-%d" % (os.path.basename(command[0]), mpi, ranks)
        self.path = os.path.join(folder, self.name + ".hbdb")
        self.command, self.cwd, self.steps = command, cwd, False

    def record(self):
        jobs.record(self.path, self.mpi, self.ranks, self.command, cwd=self.cwd)


class Stands(Program):
    """One process stands in a call behind the end of its record, another one in a call that never returned: both are known to go no further."""

    def __init__(self, folder, mpi):
        self.place = os.path.join(folder, "stands-%s.folder" % mpi)
        super().__init__(folder, mpi, 3, [jobs.compiled(folder, mpi, "tests/cuts/stands.c"), self.place])

    def record(self):
        os.makedirs(self.place)
        open(os.path.join(self.place, "recorded"), "w").close()
        jobs.record(self.path, self.mpi, self.ranks, self.command, wanted=None)
        shutil.rmtree(self.place)
        os.makedirs(self.place)

    def walk(self, cuts):
        with jobs.Walk(self.path, ARGS.limit) as walk:
            walk.ask("to 0:1")
            head, lines = walk.ask("end")
            if head[4] != "0" or head[1] != "1":
                raise jobs.Failed("no end\n" + "\n".join(map(str, lines)) + walk.told())
            standing = [l for l in lines if l.rank == 1 and l.why == "end"]
            if not standing:
                raise jobs.Failed("rank 1 does not stand behind its record\n" + "\n".join(map(str, lines)))


def random_cases(folder):
    mpis = [ARGS.mpi] if ARGS.mpi else ["openmpi", "mpich"]
    for i in range(ARGS.recordings):
        r = random.Random("%d %d" % (ARGS.seed, i))
        mpi = mpis[i % len(mpis)]
        ranks = ARGS.ranks or r.choice(RANKS[mpi])
        if ARGS.big and not ARGS.ranks and mpi == "openmpi" and i % 40 == 0:
            ranks = r.choice([16, 16, 32])
        ending = ARGS.ending if ARGS.ending is not None else r.choice(ENDINGS)
        length = ARGS.length or r.choice([5, 10, 20, 20, 40] if ranks <= 8 else [5, 10])
        yield Case(folder, mpi, ranks, 1000 * ARGS.seed + i, length, ending)


def lammps(folder):
    sys.path.insert(0, os.path.join(jobs.TOP, "tests/apps"))
    import inputs
    for ranks in (2, 4, 8) if ARGS.big else (2,):
        place = os.path.join(folder, "lammps-%d" % ranks)
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "in.melt"), "w") as f:
            f.write(inputs.MAKERS["in.melt"](ranks))
        yield Program(folder, "openmpi", ranks, ["lmp", "-in", "in.melt", "-log", "none"], place)


def farms(folder):
    for mpi, ranks in (("openmpi", 4), ("openmpi", 16), ("openmpi", 32), ("mpich", 3)) if ARGS.big else (("openmpi", 4),):
        yield Program(folder, mpi, ranks, [jobs.compiled(folder, mpi, "examples/farm.c")])


def main():
    failed = 0
    folder = tempfile.mkdtemp(prefix="hbdb-cuts-")
    cases = list(random_cases(folder))
    if not ARGS.only_random:
        cases += [Stands(folder, mpi) for mpi in ([ARGS.mpi] if ARGS.mpi else ["openmpi", "mpich"])]
        cases += list(farms(folder)) + (list(lammps(folder)) if shutil.which("lmp") else [])
    passed = 0
    for n, case in enumerate(cases):
        try:
            case.run(ARGS.cuts)
            passed += 1
            if not ARGS.big:
                print("ok", case.name)
        except oracle.Unknown as e:
            print("left out: %s has a communicator whose members are not recorded (%s)" % (case.name, e))
        except jobs.Failed as e:
            failed += 1
            print("FAIL", case.name, str(e).replace("\n", "\n    "))
        sys.stdout.flush()
        if ARGS.big and n % 20 == 19:
            print("%d: %s" % (n + 1, dict(count)), flush=True)
    for what in sorted(count):
        print("   ", what, count[what])
    if not ARGS.keep:
        shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--recordings", type=int, default=16)
    p.add_argument("--cuts", type=int, default=4)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--mpi", choices=["openmpi", "mpich"])
    p.add_argument("--ranks", type=int)
    p.add_argument("--length", type=int)
    p.add_argument("--ending", help="one for all: threads, finalize, abort, segv, leave, hang, or an empty word")
    p.add_argument("--big", action="store_true")
    p.add_argument("--only-random", action="store_true", help="without the farm and LAMMPS")
    p.add_argument("--limit", type=float, default=20, help="seconds for a way at most")
    p.add_argument("--keep", action="store_true")
    return p.parse_args()


if __name__ == "__main__":
    ARGS = options()
    sys.exit(main())
