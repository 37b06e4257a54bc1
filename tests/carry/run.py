#!/usr/bin/python3
"""The prefix that messages carry: nobody sees it, it says who sent, and it finds the races.

usage: run.py [--mpi openmpi|mpich] [--only WORD] [--full]

sizes     invisible.c prints every size and status it sees: the same alone, under HBDB_CARRY=serial and at level racing.
marks     marks.c at level racing: the receives that are marked are those that race.
serials   marks.c under HBDB_CARRY=serial: the notes in the log name the event that sent each message.
rounds    random messages, recorded at level racing: replays from what is kept give the same states.
programs  programs of ../programs: what they expect is recorded under HBDB_CARRY=serial, and what was recorded at level
          racing is replayed with the same output. --full: more of both.
lammps    prints the same with and without.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "apps"))
sys.path.insert(0, os.path.join(TOP, "tests", "programs"))
import inputs
import rawlog
import run as programs

BUILT = os.path.join(TOP, "build", "tests", "carry")
LIBRARIES = os.path.dirname(os.path.abspath(programs.HBDB))
Failed = programs.Failed

# Events of process 0 (rows of level racing: wildcard receives and their completions) that are marked, by case.
MARKS = {
    "two": [1], "chain": [], "too_early": [1], "tags": [], "tag_any": [], "comms": [], "one_sender": [], "named": [],
    "named_later": [1], "posted": [1], "pending": [1], "pending_same": [], "matched": [1], "never": [1], "freed": [1],
    "at_once": [1], "started": [2], "farm": [], "many": list(range(1, 905)), "stream": [], "tail": [6, 7, 8, 9, 10],
    "barrier": [], "before_barrier": [1], "empty_sum": [1], "barrier_of_some": [1],
}
# Notes of process 0 under HBDB_CARRY=serial: event before which they stand, text. * is either of two senders.
SERIALS = {
    "chain": [(2, "recv - 1.0:2"), (4, "recv - 2.0:3")],
    "pending": [(4, "recv - 2.0:3"), (5, "done 0.0 1.0:3")],
    "matched": [(2, "recv - *.0:2"), (4, "mrecv 0.0 *.0:2")],
    "started": [(4, "done 0.1 1.0:2"), (8, "done 0.2 *"), (10, "done 0.3 *")],
    "at_once": [(2, "recv - *"), (3, "recv - *")],
    "posted": [(4, "done 0.0 *.0:2"), (4, "done 0.1 *.0:2")],
}
# Open MPI takes its time to start: these there, all others under MPICH only; --full: all under both.
BOTH = ("three", "chain", "comms", "posted", "pending", "never", "freed", "many", "started")
QUICK = {
    "openmpi": ["p2p/sendrecv.c", "probe/mprobe.c", "persistent/several.c", "races/task_pool.c"],
    "mpich": ["p2p/wildcard_recv.c", "complete/isendrecv.c", "complete/mixed.c", "persistent/wildcard.c",
              "datatypes/buffered.c", "races/same_tag.c"],
}
FULL = ("p2p/", "nonblocking/", "probe/", "complete/", "persistent/", "datatypes/", "errors/", "comm/", "races/", "fortran/",
        "threads/", "cxx_python/", "collective/")


def build(name, mpi):
    source, binary = os.path.join(HERE, name + ".c"), os.path.join(BUILT, name + "." + mpi)
    if not os.path.exists(binary) or os.path.getmtime(binary) < os.path.getmtime(source):
        os.makedirs(BUILT, exist_ok=True)
        done = subprocess.run(["mpicc." + mpi] + programs.COMPILE_FLAGS[".c"] + [source, "-o", binary],
                              capture_output=True, text=True)
        if done.returncode:
            raise Failed("%s does not compile\n%s" % (name, done.stderr[:2000]))
    return binary


def capture(mpi, n, command, folder, level, seconds=60):
    """Runs a command with the library in it and returns what it printed; the raw logs are then in the folder."""
    env = {"LD_PRELOAD": os.path.join(LIBRARIES, "libhbdb-%s.so" % mpi), "HBDB_MODE": "record", "HBDB_DIR": folder,
           "HBDB_LEVEL": level, "HBDB_CARRY": "serial"}
    launch = programs.LAUNCH[mpi] + ["-n", str(n), "env"] + ["%s=%s" % item for item in env.items()]
    return programs.run(level, launch + command, seconds=seconds)


def sizes(mpi, folder):
    for n in (2, 3) if mpi == "openmpi" else (2,):
        binary = build("invisible", mpi)
        alone = programs.by_rank(programs.run("alone", programs.LAUNCH[mpi] + ["-n", str(n), binary]))
        for level in ("events", "racing"):
            text = capture(mpi, n, [binary], folder, level)
            programs.differ("sizes at %s with %d processes" % (level, n), alone, programs.by_rank(text), ("alone", level))
            if not any(line.endswith(": done") for line in alone):
                raise Failed("the program did not come to its end")


def marks_of(log):
    """Events that are marked; each mark stands after its row and names a message."""
    events = []
    for lane in log.lanes.values():
        for mark_lane, event, sender, sent, seen in lane.marks:
            if mark_lane != 0 or event > seen or sender not in (1, 2) or sent < 1:
                raise Failed("a mark that cannot be: lane %d event %d rank %d sent %d" % (mark_lane, event, sender, sent))
            events.append(event)
    return sorted(events)


def marks(mpi, folder, case):
    capture(mpi, 3, [build("marks", mpi), case], folder, "racing")
    logs = rawlog.read(folder)
    if len(logs) != 3 or any(log.level != rawlog.RACING or log.state != 1 for log in logs.values()):
        raise Failed("logs of level racing were expected")
    got = marks_of(logs[0])
    if case == "three":
        sources = [event.results[0] for event in logs[0].lanes[0].events]
        wanted = [i + 1 for i in range(4) if any(later != sources[i] for later in sources[i:])]
    else:
        wanted = MARKS[case]
    if got != wanted:
        raise Failed("marked %s, expected %s" % (got[:10], wanted[:10]))
    for rank in (1, 2):
        if any(lane.marks for lane in logs[rank].lanes.values()):
            raise Failed("process %d has marks, and no wildcards" % rank)
    if any(note.startswith("racing:") for note in logs[0].notes):
        raise Failed(logs[0].notes[0])


def serials(mpi, folder, case):
    capture(mpi, 3, [build("marks", mpi), case], folder, "events")
    lane = rawlog.read(folder)[0].lanes[0]
    got = [(event, text) for event, text in lane.notes if text.startswith("serial ")]
    wanted = [(event, "serial " + text) for event, text in SERIALS[case]]
    alike = len(got) == len(wanted) and len(set(got)) == len(got) and all(
        a[0] == b[0] and re.fullmatch(re.escape(b[1]).replace(r"\*", r"[12](\.0:\d)?"), a[1]) for a, b in zip(got, wanted))
    if not alike:
        raise Failed("notes %s, expected %s" % (got, wanted))


class Carried(programs.Case):
    """A program whose messages carry a prefix."""

    def env(self, **more):
        return super().env(HBDB_CARRY="serial", **more)

    def steps(self):
        shake = [] if "noshake" in self.program.flags else programs.SHAKE
        yield lambda: self.record_and_replay("serial", shake, 1)
        yield lambda: self.record_and_replay("racing", ["--level", "racing"] + shake, 2)

    def compare(self, word, recording, prefix, printed):
        if word != "racing":
            super().compare(word, recording, prefix, printed)


def program_cases(mpi, full):
    for program in programs.read_programs():
        wanted = program.path.startswith(FULL) if full else program.path in QUICK[mpi]
        if wanted and mpi in program.mpis and (program.suffix != ".py" or programs.has_mpi4py(mpi)):
            yield Carried(program, mpi, max(program.ranks[mpi]), argparse.Namespace(
                free_only=False, keep=False, keep_failed=False), True)


def program(case):
    # a replay is under the other MPI, too
    said = [text for mpi in programs.MPIS if mpi in case.program.mpis and (text := programs.compile_one(case.program, mpi))]
    for failure in said or case.run():
        raise Failed(failure)


def rounds(mpi, folder, seed):
    """Recorded at level racing, what did not race taken out, and replayed: the same again, three times."""
    recording = os.path.join(folder, "r.hbdb")
    command = programs.LAUNCH[mpi] + ["-n", "4" if mpi == "openmpi" else "3", build("rounds", mpi), str(seed), "20"]
    wanted = programs.by_rank(programs.run("record", [programs.HBDB, "record", "--level", "racing", "--shake", "100",
                                                      "-o", recording, "--"] + command))
    for turn in range(3):
        got = programs.by_rank(programs.run("replay", [programs.HBDB, "replay", recording]))
        programs.differ("replay %d" % (turn + 1), wanted, got, ("recorded", "replayed"))


def lammps(mpi, folder):
    with open(os.path.join(folder, "in.melt"), "w") as out:
        out.write(inputs.melt(4))
    command = ["/usr/bin/lmp", "-in", os.path.join(folder, "in.melt"), "-log", "none"]
    varies = re.compile(r"Loop time|^Performance|CPU|^(Pair|Neigh|Comm|Output|Modify|Other) |wall time")
    texts = []
    for level in (None, "events", "racing"):
        text = (capture(mpi, 4, command, folder, level) if level else
                programs.run("alone", programs.LAUNCH[mpi] + ["-n", "4"] + command))
        texts.append([line for line in text.splitlines() if not varies.search(line)])
        programs.differ("lammps at %s" % level, texts[0], texts[-1], ("alone", level))
        if level == "events":
            notes = [note for log in rawlog.read(folder).values() for lane in log.lanes.values() for note in lane.notes]
            if len(notes) < 100 or any("?" in text for _, text in notes):
                raise Failed("a serial for each message was expected")


def all_cases(options):
    for mpi in [options.mpi] if options.mpi else programs.MPIS:
        yield "sizes " + mpi, lambda folder, mpi=mpi: sizes(mpi, folder)
        for case in ["three"] + list(MARKS):
            if mpi == "mpich" or case in BOTH or options.full:
                yield "marks %s %s" % (case, mpi), lambda folder, mpi=mpi, case=case: marks(mpi, folder, case)
        for case in SERIALS:
            if mpi == "mpich" or case in BOTH or options.full:
                yield "serials %s %s" % (case, mpi), lambda folder, mpi=mpi, case=case: serials(mpi, folder, case)
        for seed in range(100 if options.full else 2):
            yield "rounds %d %s" % (seed, mpi), lambda folder, mpi=mpi, seed=seed: rounds(mpi, folder, seed)
        for case in program_cases(mpi, options.full):
            yield "programs " + case.title, lambda folder, case=case: program(case)
        if mpi == "openmpi" and os.path.exists("/usr/bin/lmp"):
            yield "lammps openmpi 4", lambda folder, mpi=mpi: lammps(mpi, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mpi", choices=programs.MPIS)
    parser.add_argument("--only", help="cases whose title contains this")
    parser.add_argument("--full", action="store_true", help="more programs")
    options = parser.parse_args()
    for mpi in programs.MPIS:
        os.makedirs(os.path.join(programs.BUILT, mpi), exist_ok=True)
    passed = failed = 0
    for title, work in all_cases(options):
        if options.only and options.only not in title:
            continue
        folder = tempfile.mkdtemp(prefix="hbdb-carry.")
        try:
            work(folder)
            passed += 1
            print("ok " + title, flush=True)
        except Failed as failure:
            failed += 1
            print("FAIL %s: %s" % (title, str(failure).replace("\n", "\n    ")), flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
