#!/usr/bin/python3
"""Programs that talk over sockets and pipes and know who sent what: alone, recorded, and replayed.

usage: run.py [--full] [--only TEXT] [--step STEP] [--replays N] [--million] [--keep] [--jobs N]

Each case runs alone first: its file of truth must be in accord with itself, and where it is said to vary two runs must differ. Then it is
recorded: the events must be those of the file of truth, and no match another one than it says (truth.py). Then it is replayed: it must print
what the recorded run printed, or, where that is not possible, end and say why; where the recording says that matches are ambiguous, all replays must at least print the same. --step ends earlier: plain, events (recorded, but matches are not looked at), matches.  --full: all cases, not only the quick ones.  --million: a million datagrams under loss too.
"""
import argparse
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import cases
import truth as truths

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs")
RECORD = ["--layers", "sockets", "--level", "events"]
TRIES = 40  # it ends with the first that is another one; at load they may be alike for a while


class Failed(Exception):
    pass


def compile_all():
    os.makedirs(cases.BUILT, exist_ok=True)
    for name in cases.PROGRAMS:
        source, binary = os.path.join(SOURCES, name + ".c"), os.path.join(cases.BUILT, name)
        newest = max(os.path.getmtime(os.path.join(SOURCES, f)) for f in os.listdir(SOURCES))
        if not os.path.exists(binary) or os.path.getmtime(binary) < newest:
            subprocess.run(["gcc", "-O2", "-g", "-Wall", "-Wextra"] + cases.FLAGS.get(name, []) + [source, "-o", binary + ".%d" % os.getpid()], check=True)
            os.replace(binary + ".%d" % os.getpid(), binary)  # another suite may be running it, or making it, too


def run(case, command, folder, name, refuses=None):
    """What it printed, into a file: a pipe would be one of its own. refuses: it fails and says this."""
    env = dict(os.environ, TRUTH=os.path.join(folder, name + ".truth"))
    if not case.truth:
        del env["TRUTH"]
    out = os.path.join(folder, name + ".out")
    with open(out, "wb") as to, open(out + ".err", "wb") as complaints:
        child = subprocess.Popen(list(case.network) + command, cwd=folder, stdin=subprocess.DEVNULL, stdout=to, stderr=complaints, env=env,
                                 start_new_session=True)
        try:
            status = child.wait(timeout=case.seconds)
        except subprocess.TimeoutExpired:
            raise Failed("%s: not over after %d s" % (name, case.seconds)) from None
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
    with open(out, encoding="utf-8", errors="replace") as f, open(out + ".err", encoding="utf-8", errors="replace") as complaints:
        text, said = f.read(), complaints.read()
    if refuses:
        if status != 1 or refuses not in said:
            raise Failed("%s: exit status %d, and not: %s\n%s" % (name, status, refuses, said.strip()[-2000:]))
    elif status:
        raise Failed("%s: exit status %d\n%s" % (name, status, said.strip()[-2000:]))
    return text


def read_truth(case, folder, name):
    if not case.truth:
        return truths.Truth([])
    with open(os.path.join(folder, name + ".truth"), encoding="ascii") as f:
        truth = truths.Truth(f)
    problems, counts = truths.check(truth)
    if problems:
        raise Failed("%s: the file of truth: %s" % (name, "; ".join(problems[:3])))
    if not sum(counts.values()):
        raise Failed("%s: the file of truth says of no message" % name)
    return truth


def alone(case, program, folder):
    texts = [run(case, program, folder, "alone")]
    counts = truths.check(read_truth(case, folder, "alone"))[1]
    while case.varies and len(set(texts)) < 2:
        if len(texts) == TRIES:
            raise Failed("%d free runs print the same: nothing is left to chance" % TRIES)
        texts.append(run(case, program, folder, "alone.%d" % len(texts)))
    return "%d messages, %d bytes" % (counts["came datagram"], counts["came stream"] + counts["by stdio"])


def recorded(case, program, folder, step, replays):
    recording = os.path.join(folder, "run.hbdb")
    text = run(case, [truths.HBDB, "record"] + RECORD + ["-o", recording, "--"] + program, folder, "recorded")
    problems, counts = truths.compare(read_truth(case, folder, "recorded"), truths.read_recording(recording), matching=step != "events")
    if problems:
        raise Failed("%d problems of the recording; %s\n%s" % (len(problems), ", ".join("%s %d" % x for x in sorted(counts.items())), "\n".join(problems[:4])))
    printed = [run(case, [truths.HBDB, "replay", recording], folder, "replay.%d" % k, case.refuses) for k in range(replays)]
    if case.refuses:
        return "%d matches; %d replays say that it cannot be done" % (counts["same"], replays)
    # Who of several wrote, or read, first within microseconds no recording tells: matches are ambiguous then. A replay takes one order, always the same.
    open_order = bool(counts["doubted-same"] + counts["doubted-wrong"]) and any(again != text for again in printed)
    if open_order:
        printed += [run(case, [truths.HBDB, "replay", recording], folder, "replay.again.%d" % k) for k in range(2)]
    for k, again in enumerate(printed):
        if again != (printed[0] if open_order else text):
            raise Failed("replay %d prints other things:\n%s-- and not\n%s" % (k, again, printed[0] if open_order else text))
    if open_order:
        return "%d matches, %d ambiguous; %d replays alike, in another order than the recorded run" % (
            counts["same"], counts["doubted-same"] + counts["doubted-wrong"], len(printed))
    return "%d matches, %d ambiguous" % (counts["same"], counts["doubted-same"] + counts["doubted-wrong"])


def run_case(case, options):
    """(title, what was seen, why it failed or None)"""
    title = " ".join([case.program] + case.options)
    folder = tempfile.mkdtemp(prefix="hbdb-sockets.")
    program = [os.path.join(cases.BUILT, case.program)] + case.options
    seen, why = [], None
    try:
        seen.append(alone(case, program, folder))
        if options.step != "plain":
            seen.append(recorded(case, program, folder, options.step, options.replays if options.step == "replay" else 0))
    except (Failed, RuntimeError, ValueError, KeyError) as failure:
        why = "%s: %s" % (type(failure).__name__, failure) if not isinstance(failure, Failed) else str(failure)
    if options.keep:
        seen.append(folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return title, "; ".join(seen), why


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="", help="cases whose line contains this")
    parser.add_argument("--step", choices=("plain", "events", "matches", "replay"), default="replay", help="the last thing that is done")
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the folders")
    parser.add_argument("--replays", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    compile_all()
    chosen = [c for c in cases.CASES + ([cases.MILLION] if options.million else []) if options.full or options.only or options.million or c.quick]
    chosen = [c for c in chosen if options.only in " ".join([c.program] + c.options)]
    without = [c for c in chosen if c.network and os.geteuid()]
    for c in without:
        print("skipped %s: needs root, for a network of its own" % " ".join([c.program] + c.options))
    chosen = [c for c in chosen if c not in without]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for title, seen, why in pool.map(lambda c: run_case(c, options), chosen):
            passed, failed = passed + (not why), failed + bool(why)
            print("FAIL %s: %s" % (title, why.replace("\n", "\n    ")) if why else "ok %s: %s" % (title, seen), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
