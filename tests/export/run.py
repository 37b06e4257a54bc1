#!/usr/bin/python3
"""hbdb export: runs of test programs, written in each format, read back by other tools and compared with what
reference.py makes of hbdb dump. run.py PROGRAM... checks only these."""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import lib  # noqa: E402
import otf2  # noqa: E402
import perfetto  # noqa: E402
import shiviz  # noqa: E402
import tables  # noqa: E402
from lib import HBDB, TOP, check, has, same  # noqa: E402
from reference import Run  # noqa: E402

PROGRAMS = TOP + "/tests/programs/"
# path, processes, which MPI
RUNS = [("p2p/send_modes.c", 4, "openmpi"), ("p2p/wildcard_recv.c", 4, "openmpi"), ("p2p/sendrecv.c", 3, "openmpi"),
    ("complete/mixed.c", 3, "openmpi"), ("complete/cancel.c", 2, "openmpi"), ("collective/blocking.c", 4, "openmpi"),
    ("collective/nonblocking.c", 3, "openmpi"), ("persistent/send_kinds.c", 3, "openmpi"),
    ("probe/mprobe.c", 4, "openmpi"), ("probe/iprobe.c", 3, "openmpi"), ("threads/own_comms.c", 2, "openmpi"),
    ("threads/hand_over.c", 2, "openmpi"),
    ("comm/attributes.c", 3, "openmpi"), ("p2p/sendrecv_replace.c", 2, "mpich"), ("persistent/collectives.c", 2, "mpich")]
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"]}


class Place:
    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="hbdb-export-")
        self.env = dict(os.environ, XDG_STATE_HOME=self.path + "/state", LC_ALL="C")

    def run(self, *args, **more):
        """hbdb; what grows without bound fails here instead of taking the machine along."""
        if args[0] == "export":
            more.setdefault("preexec_fn", lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)))
        done = subprocess.run([HBDB, *args], cwd=self.path, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=120, **more)
        return done.returncode, done.stdout, done.stderr

    def record(self, program, ranks, mpi):
        name = program.split("/")[-1][:-2]
        subprocess.run(["mpicc." + mpi, "-g", "-I" + PROGRAMS, "-o", "x-" + name, PROGRAMS + program, "-lm", "-pthread"],
            cwd=self.path, check=True, capture_output=True)
        status, _, err = self.run("record", "-o", name + ".hbdb", "--", *LAUNCH[mpi], "-n", str(ranks), "./x-" + name)
        check("%s is recorded" % program, status == 0, err)
        return name

    def reference(self, name):
        return Run(self.run("dump", "--json", name)[1])

    def files(self):
        return sorted(os.listdir(self.path))


def formats(place, program, name):
    run = place.reference(name)
    for to in ("csv", "perfetto", "shiviz", "otf2"):
        status, out, err = place.run("export", name, "--to", to)
        same("%s: --to %s succeeds" % (program, to), (status, out), (0, ""))
        has("%s: --to %s says what it wrote" % (program, to), err, "hbdb: wrote " + name)
    base = place.path + "/" + name
    tables.events(program, base + ".events.csv", run)
    tables.messages(program, base + ".messages.csv", run)
    perfetto.compare(program, base + ".perfetto-trace", run)
    points = shiviz.read(base + ".shiviz")
    shiviz.rules(program, points)
    shiviz.compare(program, points, run)
    otf2.compare(program, base + ".otf2", run)


def parts(place, name):
    """Some ranks, some events: the same as the whole, cut."""
    run = place.reference(name)
    inside = lambda at: at[0] in (0, 2) and 4 <= at[2] <= 9
    select = ("--rank", "0,2", "--first", "4", "--last", "9")
    same("a part is written", place.run("export", name, "--to", "shiviz", "-o", "part.shiviz", *select)[0], 0)
    points = shiviz.read(place.path + "/part.shiviz")
    shiviz.rules("a part", points)
    shiviz.compare("a part", points, run, inside)
    status, out, _ = place.run("export", name, "--to", "csv", "--table", "events", "-o", "-", *select)
    same("a table goes to standard output", status, 0)
    with open(place.path + "/part.csv", "w", newline="") as f:
        f.write(out.replace("\n", "\r\n") if "\r\n" not in out else out)
    tables.events("a part", place.path + "/part.csv", run, inside)
    place.run("export", name, "--to", "csv", "--table", "messages", "-o", "part.messages.csv", *select)
    tables.messages("a part", place.path + "/part.messages.csv", run,
        lambda s, r: inside(s.at) or r and (inside(r.done) or inside(r.post)))
    same("Perfetto's part", place.run("export", name, "--to", "perfetto", "-o", "part.trace", *select)[0], 0)
    found = perfetto.slices(perfetto.read(place.path + "/part.trace"))
    same("Perfetto's part has these calls", sorted((t, s.args["event"]) for t, ss in found.items() for s in ss),
        sorted(("rank %d" % r, e["event"]) for (r, lane), es in run.events.items() for e in es
            if inside((r, lane, e["event"]))))
    same("OTF2's part", place.run("export", name, "--to", "otf2", "-o", "part.otf2", *select)[0], 0)
    records = otf2.read("OTF2's part", place.path + "/part.otf2")
    same("OTF2's part has these calls", sum(r.kind == "ENTER" for r in records), len([1 for (r, lane), es in
            run.events.items() for e in es if inside((r, lane, e["event"]))]))


def refusals(place, name):
    for args, words in (((), "--to"), (("--to", "xml"), "xml"), (("--to", "csv", "--first", "5", "--last", "2"), "--first"),
            (("--to", "csv", "--rank", "x"), "--rank"), (("--to", "csv", "--rank", "77"), "has no rank 77"),
            (("--to", "otf2", "--table", "events"), "--table"), (("--to", "otf2", "-o", "-"), "standard output"),
            (("--to", "csv", "-o", "-"), "--table"), (("--to", "perfetto", "-o", "no/such/folder"), "no/such/folder")):
        status, out, err = place.run("export", name, *args)
        check("refused: %s" % " ".join(args), status in (2, 3) and words in err and not out, (status, out, err))
    for to, path in (("csv", ".messages.csv"), ("perfetto", ".perfetto-trace"), ("shiviz", ".shiviz"), ("otf2", ".otf2")):
        path = place.path + "/" + name + path
        before = os.stat(path)
        status, _, err = place.run("export", name, "--to", to)
        check("%s: what is there is kept" % to, status == 2 and "--force" in err and
            os.stat(path).st_mtime_ns == before.st_mtime_ns, err)
        status, _, err = place.run("export", name, "--to", to, "--force")
        check("%s: --force replaces it" % to, status == 0 and os.stat(path).st_ino != before.st_ino, err)
    os.mkdir(place.path + "/mine")
    open(place.path + "/mine/letter", "w").close()
    status, _, err = place.run("export", name, "--to", "otf2", "-o", "mine", "--force")
    check("--force does not remove a folder of the user", status == 2 and os.path.exists(place.path + "/mine/letter"), err)
    check("nothing is left over", not [f for f in place.files() if ".part" in f], place.files())


def no_room(place, name):
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for to in ("csv", "perfetto", "shiviz", "otf2"):
        before = place.files()
        status, _, err = place.run("export", name, "--to", to, "-o", "large." + to, preexec_fn=small, restore_signals=False)
        check("%s: no room: said, and nothing left" % to, status == 3 and "cannot write" in err and
            "File too large" in err and place.files() == before, (status, err, place.files()))
    status, _, err = place.run("export", name, "--to", "perfetto", "-o", "/dev/full")
    check("a full device", status == 3 and "No space left" in err, err)


def missing(place, name):
    """A rank without log, and one that is cut: the rest is written, and the first line says what is missing."""
    run = place.reference(name)
    for what in ("missing", "cut"):
        folder = place.path + "/" + what + ".hbdb"
        shutil.copytree(place.path + "/" + name + ".hbdb", folder)
        log = folder + "/rank.1.log"
        if what == "missing":
            os.remove(log)
        else:
            os.truncate(log, os.path.getsize(log) * 2 // 3)
        for to in ("csv", "perfetto", "shiviz", "otf2"):
            status, _, err = place.run("export", what, "--to", to)
            check("%s: --to %s writes the rest" % (what, to), status == 3 and "wrote" in err, (status, err))
            check("%s: --to %s says so first" % (what, to), "rank 1" in err.splitlines()[0] or "rank.1" in err.splitlines()[
                    0], err)
        left = place.run("dump", "--json", what)[1]
        rows = tables.read(place.path + "/" + what + ".events.csv")
        same("%s: all events that are there" % what, len(rows), len(left.splitlines()))
        points = shiviz.read(place.path + "/" + what + ".shiviz")
        shiviz.rules(what, points)
        kept = {(p.at, p.kind) for p in points if p.at[0] != 1}
        check("%s: ShiViz has the calls of the others" % what, {at for at, _ in kept} == {(r, lane, e["event"])
                for (r, lane), es in run.events.items() for e in es if r != 1})
        same("%s: Perfetto has all slices" % what, sum(map(len, perfetto.slices(perfetto.read(
                        place.path + "/" + what + ".perfetto-trace")).values())), len(left.splitlines()))
        otf2.read(what, place.path + "/" + what + ".otf2")
        otf2.definitions(what, place.path + "/" + what + ".otf2")
        for f in os.listdir(folder):
            if f == "rank.0.log":
                os.truncate(folder + "/" + f, 50)
    status, _, err = place.run("export", "cut", "--to", "perfetto", "-o", "again.trace")
    check("a log that is no log: said", status == 3 and err.strip(), err)


def levels(place):
    name = "wildcard_recv"
    status, _, err = place.run("record", "--level", "order", "-o", "order.hbdb", "--", *LAUNCH["openmpi"], "-n", "2",
        "./x-" + name)
    check("recorded at level order", status == 0, err)
    status, out, _ = place.run("export", "order", "--to", "csv", "--table", "events", "-o", "-")
    check("level order: its events are written", status == 0 and len(out.splitlines()) > 1, out)
    status, _, err = place.run("export", "order", "--to", "otf2")
    check("level order: no messages, said", status == 2 and "level" in err, err)


def interrupted(place):
    """Ctrl-C while the output is being written leaves nothing behind."""
    name = place.record("p2p/many_small.c", 3, "openmpi")
    before = place.files()
    export = subprocess.Popen([HBDB, "export", name, "--to", "csv", "-o", "stopped"], cwd=place.path, env=place.env,
        stderr=subprocess.PIPE)
    while export.poll() is None and not [f for f in place.files() if ".part" in f]:
        pass
    export.send_signal(signal.SIGINT)
    status, err = export.wait(60), export.stderr.read().decode()
    left = [f for f in place.files() if f not in before]
    check("interrupted: it ends with 130 and leaves nothing", status == 130 and not left and "wrote" not in err,
        (status, left, err))


def main():
    place = Place()
    began = time.monotonic()
    try:
        names = {}
        for program, ranks, mpi in RUNS:
            if len(sys.argv) == 1 or program in sys.argv[1:]:
                names[program] = place.record(program, ranks, mpi)
                formats(place, program, names[program])
        if len(sys.argv) == 1:
            parts(place, names["p2p/wildcard_recv.c"])
            refusals(place, names["p2p/send_modes.c"])
            no_room(place, names["p2p/send_modes.c"])
            missing(place, names["p2p/wildcard_recv.c"])
            levels(place)
            interrupted(place)
    finally:
        if os.environ.get("KEEP"):
            print("kept: " + place.path)
        else:
            shutil.rmtree(place.path, ignore_errors=True)
    print("%.0f s" % (time.monotonic() - began))
    lib.finish()


main()
