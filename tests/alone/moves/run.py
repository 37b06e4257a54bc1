#!/usr/bin/python3
"""Random moves, forwards and backwards, in one process alone: see README.md.

usage: run.py [--programs N] [--seed S] [--moves N] [--jobs N]
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [HERE, os.path.join(TOP, "tests/robust"), os.path.join(TOP, "tests")]
import known  # noqa: E402
from judge import Judge, Truth  # noqa: E402
from lib import HBDB, LAUNCH, MPIS  # noqa: E402

ORACLE = os.path.join(TOP, "tests/order/oracle")
BUILT = os.path.join(TOP, "build/tests/alone/moves")
INSIDE = os.path.join(HERE, "inside_gdb.py")
SECONDS = 600


def build(mpi):
    """The program with its functions as they are written, so that lines and calls can be gone back over. The oracle only chooses what it does."""
    os.makedirs(os.path.join(BUILT, mpi), exist_ok=True)
    objects = []
    for source, compiler, *flags in [(os.path.join(TOP, "tests/alone/programs/random.c"), "mpicc." + mpi, "-Og", "-fno-inline", "-g", "-fsanitize-coverage=trace-pc"),
                                     (os.path.join(HERE, "pace.c"), "gcc", "-O2", "-g"),
                                     *((os.path.join(ORACLE, name + ".c"), "gcc", "-O2") for name in ("generate", "program", "machine", "explore"))]:
        objects.append(os.path.join(BUILT, mpi, os.path.basename(source)[:-1] + "o"))
        subprocess.run([compiler, "-std=gnu17", *flags, "-I" + ORACLE, "-c", source, "-o", objects[-1]], check=True)
    subprocess.run(["mpicc." + mpi, *objects, "-o", program(mpi)], check=True)


def program(mpi):
    return os.path.join(BUILT, mpi, "random")


def first_line():
    """Where the program begins to do what was chosen."""
    with open(os.path.join(TOP, "tests/alone/programs/random.c"), encoding="utf-8") as f:
        return next(n for n, text in enumerate(f, 1) if "i < t->n" in text)


def run(command, folder, **more):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False, **more)


# ---- who is driven ----


def gdb(folder, its_program, target, *commands):
    """Plain gdb and its command line; what it and the process print."""
    script = os.path.join(folder, "script")
    with open(script, "w", encoding="utf-8") as f:
        f.write("\n".join(["set pagination off", "set confirm off", "set sysroot /", "source " + INSIDE, "target remote " + target, "place", *commands]) + "\n")
    done = run(["gdb", "-nx", "-batch", "-x", script, its_program], folder)
    return done.stdout + done.stderr


def follow(mpi, rank, folder, path):
    """One pass forwards, as plain gdb sees it; by a port, which is several times as fast as a pipe."""
    server = subprocess.Popen([HBDB, "gdbserver", "--listen", "0", "--alone", str(rank), "r.hbdb"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        port = re.search(r"localhost:(\d+)", server.stdout.readline())
        return gdb(folder, program(mpi), "localhost:" + port[1], "tbreak random.c:%d" % first_line(), "continue", "follow " + path) if port else "no port"
    finally:
        server.kill()
        server.communicate()


class Debugger:
    """hbdb debug --alone."""
    moves = {"event": 8, "points": 8, "start": 1, "end": 3, "back": 8, "next event": 6, "stepi": 10, "reverse-stepi": 14, "continue": 8, "reverse-continue": 14,
             "step": 4, "next": 4, "finish": 3, "reverse-step": 8, "reverse-next": 8, "reverse-finish": 5}

    def __init__(self, mpi, rank, folder):
        self.rank, self.folder = rank, folder

    def run(self, commands):
        script = os.path.join(self.folder, "script")
        with open(script, "w", encoding="utf-8") as f:
            f.write("\n".join(["set onerror continue", "gdb source " + INSIDE, "gdb place", *commands]) + "\n")
        done = run([HBDB, "debug", "--alone", str(self.rank), "r.hbdb", "-x", script], self.folder)
        return done.stdout + done.stderr

    def command(self, move):
        what, n = move[0], move[1] if len(move) > 1 else 0
        if what == "points":
            return ["goto %d:%d" % (self.rank, n), "delete *"] + ["break random.c:%d" % line for line in move[2]] + ["watch " + name for name in move[3]]
        return {"event": ["goto %d:%d" % (self.rank, n)], "start": ["goto START"], "end": ["goto END"], "continue": ["cont"], "finish": ["step -finish"]}.get(
            what, [what + (" %d" % n if n else "")])

    def walk(self, moves):
        commands = []
        for number, move in enumerate(moves):
            commands += self.command(move) + ["gdb echo move %d\\n" % number, "gdb place"]
        text = self.run(commands)
        parts = re.split(r"move (\d+)$", text, flags=re.M)
        places, said = {}, parts[0]
        for number, part in zip(parts[1::2], parts[2::2]):
            place = re.search(r"place (\{.*\})$", part, re.M)
            if place:
                places[int(number)] = dict(json.loads(place[1]), said=said[-400:])
            said = part
        return places, text


class Gdb:
    """gdb and its command line, over hbdb gdbserver --alone."""
    moves = dict(Debugger.moves, **{"next event": 0})

    def __init__(self, mpi, rank, folder):
        self.rank, self.folder, self.program = rank, folder, program(mpi)

    def walk(self, moves):
        with open(os.path.join(self.folder, "moves"), "w", encoding="utf-8") as f:
            f.writelines("; ".join(self.command(move)) + "\n" for move in moves)
        text = gdb(self.folder, self.program, "| %s gdbserver --alone %d r.hbdb" % (HBDB, self.rank), "walk moves places")
        with open(os.path.join(self.folder, "places"), encoding="utf-8") as f:
            return dict(enumerate(json.loads(line) for line in f)), text

    def command(self, move):
        what, n = move[0], move[1] if len(move) > 1 else 0
        if what == "points":
            return ["monitor goto %d" % n, "delete"] + ["break random.c:%d" % line for line in move[2]] + ["watch -l " + name for name in move[3]]
        return {"event": ["monitor goto %d" % n], "start": ["monitor goto START"], "end": ["monitor goto END"], "back": ["monitor back %d" % n]}.get(
            what, [what + (" %d" % n if n else "")])


# ---- moves ----


def draw(word, truth, lines, dice):
    """A move of this kind."""
    if word == "points":
        return [word, dice.randint(1, truth.events), dice.sample(lines, dice.choice((0, 1, 1, 2, 4))), dice.choice(([], ["seen"], ["seen"], ["probed"]))]
    if word == "event":
        return [word, dice.randint(1, truth.events)]
    if word in ("back", "next event"):
        return [word, dice.choice((1, 1, 2, 3))]
    return [word, dice.choice((1, 1, 2, 3, 5, 8))] if word in ("stepi", "reverse-stepi") else [word]


def choose(truth, driver, dice, n):
    """Random moves; the first one is to an event, with points. Where it stopped at a point some by instructions follow: to and fro over it."""
    lines = [int(line) for line, addresses in truth.lines.items() if addresses]
    words, weights = zip(*driver.moves.items())
    moves = [draw("points", truth, lines, dice)]
    while len(moves) < n:
        moves.append(draw(dice.choices(words, weights)[0], truth, lines, dice))
        if moves[-1][0] in ("continue", "reverse-continue") and dice.random() < 0.4:
            moves += [[dice.choice(("stepi", "reverse-stepi")), dice.choice((1, 1, 2))] for _ in range(dice.randint(1, 4))]
    return moves[:n]


def walk(driver, truth, dice, n):
    """One session: failures, and how many moves were judged, by their kind."""
    moves, failures = choose(truth, driver, dice, n), []
    places, text = driver.walk(moves)
    judge, event = Judge(truth, isinstance(driver, Gdb)), 1
    for number, move in enumerate(moves):
        if number not in places:
            failures.append("move %d %s: no place\n%s" % (number, move, text[-800:]))
            break
        found = dict(places[number], before=event)
        event = found["event"]
        wrong = judge.verdict(move, found)
        if wrong:
            failures.append("move %d %s: %s; %s\n%s" % (number, move, wrong, {k: found[k] for k in ("event", "pc", "sp", "seen")}, found["said"]))
    return failures, judge.kinds


def one(task):
    """A program: what failed, what was done."""
    seed, n = task
    dice = random.Random(seed)
    mpi, size, choice = MPIS[seed % 2], 2 + seed % 3, dice.randrange(1, 100000)
    rank, kind = dice.randrange(size), Gdb if dice.random() < 0.3 else Debugger
    folder = tempfile.mkdtemp(prefix="hbdb-moves.")
    what = "%s rank %d of %d of random %d, %s" % (mpi, rank, size, choice, kind.__name__)
    try:
        command = LAUNCH[mpi] + ["-n", str(size), program(mpi), str(choice)]
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False)
        except subprocess.TimeoutExpired:
            return [], None, what + ": without hbdb it does not end, either"
        done = run([HBDB, "record", "--level", "data", "-o", "r.hbdb", "--"] + command, folder)
        if done.returncode:
            return ["recording: status %d\n%s" % (done.returncode, done.stderr[-500:])], {}, what
        driver, path = kind(mpi, rank, folder), os.path.join(folder, "truth")
        text = follow(mpi, rank, folder, path)
        try:
            truth = Truth(path)
        except (OSError, ValueError) as e:
            return ["it could not be followed: %s\n%s" % (e, text[-800:])], {}, what
        failures, kinds = walk(driver, truth, dice, n)
        kinds["followed"] = len(truth.at)
        return failures, kinds, what
    except subprocess.TimeoutExpired as late:
        return ["no end: %s" % " ".join(late.cmd)[:200]], {}, what
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    first = options.seed if options.seed is not None else random.SystemRandom().randrange(1, 1 << 30)
    print("seeds from %d: run.py --programs 1 --moves %d --seed SEED makes the moves of one again" % (first, options.moves), flush=True)
    wrong = known.check()
    for what in wrong:
        print("FAIL the judge: " + what)
    for mpi in MPIS:
        build(mpi)
    seeds, passed, failed, total = range(first, first + options.programs), 0, bool(wrong), {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (failures, kinds, what) in zip(seeds, pool.map(one, ((s, options.moves) for s in seeds))):
            if kinds is None:
                print("skipped seed %d: %s" % (seed, what), flush=True)
                continue
            for failure in failures:
                print("FAIL seed %d: %s: %s" % (seed, what, failure), flush=True)
            passed, failed = passed + (not failures), failed + bool(failures)
            for kind, n in kinds.items():
                total[kind] = total.get(kind, 0) + n
    print("instructions followed: %d; moves judged: %d: %s" % (total.pop("followed", 0), sum(total.values()),
                                                               ", ".join("%s %d" % (k, n) for k, n in sorted(total.items()))))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
