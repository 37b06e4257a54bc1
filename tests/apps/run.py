#!/usr/bin/python3
"""Run real applications alone, under `hbdb record` and under `hbdb replay`, and compare what they print.

alone   runs the application twice; outputs must agree once what is known to vary is masked, and where
        the registry says so (free_runs_differ) unmasked outputs must differ in at most that many runs.
record  runs it alone and under `hbdb record`; masked outputs must agree.
replay  records (or takes what mode record left), replays; outputs must equal the recorded run's with
        nothing masked but times. With --full twice.
time    medians of the seconds alone, recorded and replayed, and their ratios; nothing can fail here
        but a run itself.

By default the cases that the registry calls quick, modes record and replay. With --full all cases, mode
alone too, and record and replay also with shaken sends and at level order.
One line per application, MPI, rank count and mode, then `N passed, N failed`.
"""
import argparse
import difflib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import inputs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(ROOT, "build", "apps")
LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n"],
    "mpich": ["mpirun.mpich", "-n"],
}
MODES = ("alone", "record", "replay", "time")
VARIANTS = {"": [], "shake": ["--shake", "200"], "order": ["--level", "order"]}


class Failure(Exception):
    """What went wrong in one line, with details for the log."""

    def __init__(self, text, details=""):
        super().__init__(text)
        self.details = details


class NoEnd(Failure):
    """It did not end in its time."""


def of_family(value, mpi):
    """Registry values are the same for both MPIs or an object with one value for each."""
    return value.get(mpi) if isinstance(value, dict) else value


def installed(package):
    out = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], capture_output=True, text=True)
    return out.stdout == "installed"


def missing(app, mpi):
    """Why the application cannot run here, or None."""
    absent = [p for p in of_family(app["needs"], mpi) if not installed(p)]
    if absent:
        return "needs " + " ".join(absent)
    built = of_family(app.get("built"), mpi)
    if built and not os.access(os.path.join(BUILT, built), os.X_OK):
        try:
            with open(os.path.join(BUILT, built + ".why")) as f:
                return f.read().strip()
        except OSError:
            return built + " was not built"
    return None


def options_since(app):
    """Options for hbdb record that the application needs from a version of a package on."""
    package, version, *options = app.get("record_since", (None, None))
    if not package:
        return []
    has = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True).stdout
    return options if subprocess.run(["dpkg", "--compare-versions", has, "ge", version]).returncode == 0 else []


def launch_line(app, mpi, ranks):
    command = of_family(app["command"], mpi)
    return LAUNCHERS[mpi] + [str(ranks)] + [re.sub("^@(.*)@$", lambda m: os.path.join(BUILT, m[1]), c) for c in command]


def prepare(app, ranks, folder):
    """Put the input files into a fresh working folder."""
    os.makedirs(folder)
    for name in app.get("inputs", []):
        with open(os.path.join(folder, name), "w") as f:
            f.write(inputs.MAKERS[name](ranks))
    for path in app.get("copy", []):
        shutil.copy(path.replace("@here@", HERE), folder)


def run(app, line, folder, tag, wanted=(0,)):
    """Run a command line in the working folder; the text to compare (stdout and output files). An application that hangs by
    itself now and then is started again, when it runs alone."""
    for again in range(app.get("hangs", 0) if tag.startswith("alone") else 0):
        try:
            return run_once(app, line, folder, tag, wanted)
        except NoEnd:
            pass
    return run_once(app, line, folder, tag, wanted)


def run_once(app, line, folder, tag, wanted):
    for name in app.get("outputs", []):
        if os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name))
    log = os.path.join(folder, tag)
    stdin = os.path.join(folder, app["stdin"]) if "stdin" in app else os.devnull
    env = dict(os.environ, OMP_NUM_THREADS="1")
    if "preload" in app:
        env["LD_PRELOAD"] = os.path.join(BUILT, app["preload"])
    with open(stdin) as i, open(log + ".out", "w") as o, open(log + ".err", "w") as e:
        job = subprocess.Popen(line, cwd=folder, stdin=i, stdout=o, stderr=e, env=env, start_new_session=True)
        try:
            status = job.wait(timeout=app.get("timeout", 300) * ARGS.patience)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGTERM)
            try:
                job.wait(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                job.wait()
            raise NoEnd("%s: no end after %g s" % (tag, app.get("timeout", 300) * ARGS.patience), tail(log + ".err"))
    if status not in wanted:
        raise Failure("%s: exit status %d" % (tag, status), tail(log + ".err") or tail(log + ".out"))
    names = [log + ".out"] + [os.path.join(folder, n) for n in app.get("outputs", [])]
    if app.get("merge_stderr"):
        names.append(log + ".err")
    return "".join(read(n) for n in names)


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


def tail(path):
    return "".join(read(path).splitlines(keepends=True)[-12:])


def normalise(app, text, loose):
    """Drop what hbdb and the clock wrote; with loose, also what is known to vary from run to run."""
    drop = [re.compile(p) for p in app.get("drop", []) + ["^hbdb: "]]
    keep = [re.compile(p) for p in app.get("keep", [""])]
    lines = [l.rstrip() for l in text.splitlines()
             if any(p.search(l) for p in keep) and not any(p.search(l) for p in drop)]
    text = "\n".join(lines) + "\n"
    for pattern, by in app.get("replace", []) + (app.get("loose", []) if loose else []):
        text = re.sub(pattern, by, text, flags=re.M)
    if app.get("sort"):
        text = "\n".join(sorted(text.splitlines())) + "\n"
    if len(text.strip()) == 0:
        raise Failure("nothing left to compare after normalising")
    return text


def same(app, one, other, loose, what):
    a, b = (normalise(app, t, loose).splitlines() for t in (one, other))
    if a != b:
        diff = list(difflib.unified_diff(a, b, "expected", what, lineterm="", n=0))
        raise Failure("%s differs in %d lines" % (what, sum(l[0] in "+-" for l in diff[2:])), "\n".join(diff[:14]) + "\n")


def mode_alone(app, line, folder):
    first = run(app, line, folder, "alone-1")
    same(app, first, run(app, line, folder, "alone-2"), True, "second run alone")
    limit = app.get("free_runs_differ", 0)
    for i in range(2, limit + 1):
        again = run(app, line, folder, "alone-%d" % i)
        if normalise(app, again, False) != normalise(app, first, False):
            return "free runs differ: run %d is not run 1" % i
    if limit:
        raise Failure("%d free runs were all the same, though %s should vary" % (limit, app["varies"]))
    return ""


def unsound(app, line, folder):
    """Why the application cannot show anything here: alone it fails, or prints what it is not known to."""
    first = None
    for i in range(app.get("trial", 0)):
        try:
            text = run(app, line, folder, "trial-%d" % i)
            same(app, first or text, text, True, "another run")
        except Failure as why:
            return "without hbdb, too: %s" % why
        first = first or text
    return None


def record(app, line, folder, tag):
    name = os.path.join(folder, "x.hbdb")
    shutil.rmtree(name, ignore_errors=True)
    text = run(app, [ARGS.hbdb, "record"] + VARIANTS[ARGS.variant] + options_since(app) + ["-o", name, "--"] + line, folder, tag)
    if not os.path.exists(name):
        raise Failure("record wrote no recording")
    return text


def mode_record(app, line, folder):
    alone = run(app, line, folder, "alone")
    recorded = record(app, line, folder, "record")
    same(app, alone, recorded, True, "recorded run")
    with open(os.path.join(folder, "recorded"), "w") as f:
        f.write(recorded)
    return ""


def replay(app, folder, tag, wanted=(0,)):
    return run(app, [ARGS.hbdb, "replay"] + app.get("replay", []) + [os.path.join(folder, "x.hbdb")], folder, tag, wanted)


def must_diverge(app, folder, recorded):
    """The registry says that something which is no part of the recording steers the program: replay must say where."""
    if ARGS.variant == "order":
        replay(app, folder, "replay-1")
        return "level order compares choices only, and there was none"
    text = replay(app, folder, "replay-1", (0, 1) if app["diverges"] == "sometimes" else (1,))
    if "no difference" in read(os.path.join(folder, "replay-1.err")):
        same(app, recorded, text, False, "replay 1")
        return "did not diverge this time"
    told = [l for l in read(os.path.join(folder, "replay-1.err")).splitlines() if "differs from the recording" in l
            or "recording goes on with" in l or "made no further call" in l]
    if not told:
        raise Failure("replay ended with status 1 but tells no divergence", tail(os.path.join(folder, "replay-1.err")))
    return "stopped as it must: " + told[0].split("hbdb: ")[-1]


def mode_replay(app, line, folder):
    before = os.path.join(folder, "recorded")
    recorded = read(before) if os.path.exists(before) else record(app, line, folder, "record")
    if app.get("diverges"):
        return must_diverge(app, folder, recorded)
    for i in range(2 if ARGS.full else 1):
        same(app, recorded, replay(app, folder, "replay-%d" % (i + 1)), False, "replay %d" % (i + 1))
    return ""


def mode_time(app, line, folder):
    took = {"alone": [], "record": [], "replay": []}
    for i in range(3):
        for what, do in (("alone", lambda: run(app, line, folder, "alone")), ("record", lambda: record(app, line, folder, "record")),
                         ("replay", lambda: replay(app, folder, "replay"))):
            if what != "replay" or not app.get("diverges"):
                begin = time.monotonic()
                do()
                took[what].append(time.monotonic() - begin)
    middle = {what: statistics.median(s) for what, s in took.items() if s}
    return ", ".join("%s %.2f s%s" % (what, s, " (%.2f)" % (s / middle["alone"]) if what != "alone" else "")
                     for what, s in middle.items())


def selected(registry):
    for app in registry:
        if ARGS.app and app["name"] not in ARGS.app:
            continue
        everything = ARGS.full or ARGS.app or ARGS.ranks or ARGS.list
        for mpi, counts in app["ranks" if everything else "quick"].items():
            if ARGS.mpi in (None, mpi):
                for ranks in counts:
                    if not ARGS.ranks or ranks in ARGS.ranks:
                        yield app, mpi, ranks


def one(app, mpi, ranks, modes):
    """Run one case in a folder of its own, which stays when it failed; how many modes passed and failed."""
    case = "%s %s %d" % (app["name"], mpi, ranks)
    folder = os.path.join(ARGS.dir, (case + " " + ARGS.variant).strip().replace(" ", "."))
    shutil.rmtree(folder, ignore_errors=True)
    prepare(app, ranks, folder)
    failed = 0
    why = unsound(app, launch_line(app, mpi, ranks), folder)
    if why:
        print("skipped %s: %s" % (case, why), flush=True)
        return 0, 0
    for mode in modes:
        name = "%s %s%s" % (case, mode, " " + ARGS.variant if ARGS.variant else "")
        begin = time.monotonic()
        try:
            note = globals()["mode_" + mode](app, launch_line(app, mpi, ranks), folder)
        except Failure as why:
            print("FAIL %s: %s (%s)" % (name, why, folder), flush=True)
            for text in why.details.splitlines():
                print("     " + text[:200])
            failed += 1
            continue
        print("ok %s (%.1f s)%s" % (name, time.monotonic() - begin, ": " + note if note else ""), flush=True)
    if not failed and not ARGS.keep:
        shutil.rmtree(folder)
    return len(modes) - failed, failed


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", action="append", help="only this application (may be repeated)")
    parser.add_argument("--mpi", choices=sorted(LAUNCHERS))
    parser.add_argument("--ranks", action="append", type=int, help="only this rank count (may be repeated)")
    parser.add_argument("--mode", action="append", choices=MODES, help="default: record and replay")
    parser.add_argument("--full", action="store_true", help="every case in every way")
    parser.add_argument("--shake", dest="variant", action="store_const", const="shake", help="record with shaken sends")
    parser.add_argument("--order", dest="variant", action="store_const", const="order", help="record at level order")
    parser.add_argument("--list", action="store_true", help="print the cases and what they need")
    parser.add_argument("--hbdb", default=os.path.join(ROOT, "build", "hbdb"))
    parser.add_argument("--dir", help="where to work (default: a new folder in /tmp)")
    parser.add_argument("--keep", action="store_true", help="keep the folders of passed cases too")
    parser.add_argument("--patience", type=float, default=1, help="factor for every time limit")
    args = parser.parse_args()
    args.variant = args.variant or ""
    return args


def main():
    with open(os.path.join(HERE, "apps.json")) as f:
        cases = list(selected(json.load(f)["apps"]))
    if not cases:
        sys.exit("run.py: no such application")
    if not ARGS.list:
        subprocess.run(["sh", os.path.join(HERE, "build.sh"), BUILT], stderr=subprocess.DEVNULL, check=False)
    modes = ARGS.mode or (["alone"] if ARGS.full else []) + ["record", "replay"]
    if not ARGS.list and set(modes) != {"alone"} and not os.access(ARGS.hbdb, os.X_OK):
        sys.exit("run.py: %s is not there; only --mode alone works without it" % ARGS.hbdb)
    ARGS.dir = ARGS.dir or (None if ARGS.list else tempfile.mkdtemp(prefix="hbdb-apps."))
    variants = VARIANTS if ARGS.full and not ARGS.variant else [ARGS.variant]
    passed = failed = 0
    skipped = set()
    for app, mpi, ranks in cases:
        why = missing(app, mpi)
        if ARGS.list:
            print("%-22s %-8s %2d  %s" % (app["name"], mpi, ranks, why or app.get("varies", "")))
        elif why:
            if (app["name"], mpi) not in skipped:
                print("skipped %s %s: %s" % (app["name"], mpi, why), flush=True)
            skipped.add((app["name"], mpi))
        else:
            for ARGS.variant in variants:
                if ARGS.variant == "shake" and ranks in app.get("unshaken", []):
                    print("skipped %s %s %d shake: it deadlocks by itself then" % (app["name"], mpi, ranks), flush=True)
                    continue
                did = one(app, mpi, ranks, [m for m in modes if m != "alone" or not ARGS.variant])
                passed += did[0]
                failed += did[1]
    if not ARGS.list:
        print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    ARGS = arguments()
    sys.exit(main())
