"""What the rings of a job over several nodes hold is kept while it goes on, and its recording is ended: groups of run.py."""
import json
import os
import re
import time

import bed
from common import FAR, HBDB, HERE, MPIRUN, PROGRAMS, check, end, files, has, hbdb, hosts, said, same

NODES = ["n1", "n2", "n3", "n4"]
STEADY = os.path.join(os.path.dirname(HERE), "ring", "steady.c")
SLOW = 14  # seconds until a login of the slow node begins; all others are asked after 10


def built(nodes):
    return {mpi: nodes.build_program(STEADY, "steady." + mpi, "mpicc." + mpi) for mpi in MPIRUN}


def begun(nodes, name, *words, options=(), mpi="openmpi"):
    """hbdb record of a command over the four nodes, which goes on; its words are those behind the program."""
    out = open(os.path.join(nodes.folder, "said"), "w+", encoding="utf-8")
    return nodes.front.start_command([HBDB, "record", "-o", name, *options, "--", *MPIRUN[mpi], *hosts(mpi, NODES, 2), *words], stdout=out, stderr=out), out


def words_of(out):
    out.seek(0)
    return out.read()


def processes(nodes, name):
    return json.loads(hbdb(nodes, "info", "--json", name).stdout or "{}").get("processes", [])


def given_up(nodes, name):
    return [p["events_before"] for p in processes(nodes, name)]


def ended(nodes, name):
    """The job is told to end by the hbdb that records it."""
    nodes.run(["pkill", "-TERM", "-f", "record -o " + name])


def parts(nodes, node):
    return [f for f in files(nodes, "/tmp", node) if "hbdb-" in f]


def left_alone(nodes, names=NODES):
    """Each node has what its processes write, and nothing that was copied; who removes that may need a moment."""
    limit = time.monotonic() + bed.PATIENCE
    while any(len(parts(nodes, n)) != 1 for n in names) and time.monotonic() < limit:
        time.sleep(0.1)
    return {n: len(parts(nodes, n)) for n in names}


def keep(nodes, name, number):
    done = hbdb(nodes, "record", "--keep", name)
    return done, name.replace(".hbdb", "-kept-%d.hbdb" % number)


def keep_full(nodes, name, child):
    """Until all rings have gone round."""
    limit = time.monotonic() + FAR
    while True:
        done, kept = keep(nodes, name, 1)
        told = given_up(nodes, kept) if not done.returncode else []
        if len(told) == 8 and all(told) or child.poll() is not None or time.monotonic() > limit:
            return done, kept
        nodes.run(["rm", "-rf", kept])


def spread(nodes, name):
    """Seconds between the last events of the process that has the earliest of them and of the one that has the latest."""
    rows = [json.loads(line) for line in hbdb(nodes, "sql", "--json", name, "SELECT rank, max(exit) AS last FROM events GROUP BY rank").stdout.splitlines()]
    return max(r["last"] for r in rows) - min(r["last"] for r in rows) if len(rows) == 8 else None


def of_one_run(nodes, mpi, program):
    name = "/tmp/%s-ring.hbdb" % mpi
    child, out = begun(nodes, name, program, "100000000", options=["--ring", "128K"], mpi=mpi)
    try:
        done, kept = keep_full(nodes, name, child)
        check("%s: kept over four nodes" % mpi, done.returncode == 0 and "8 processes recorded up to now: the run goes on" in done.stderr, said(done) + words_of(out))
        same("%s: a file for each node" % mpi, files(nodes, kept), ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
        check("%s: its rings have gone round" % mpi, all(given_up(nodes, kept)), given_up(nodes, kept))
        has("%s: verify" % mpi, hbdb(nodes, "verify", kept).stdout, "whole from where its rings begin, 8 logs")
        apart = spread(nodes, kept)
        check("%s: of about one moment (%s s)" % (mpi, apart), apart is not None and apart < 5, apart)
        done = hbdb(nodes, "check", kept)
        check("%s: nothing is found that is not there" % mpi, "no finding in 8 processes" in done.stdout + done.stderr, said(done))
        has("%s: info" % mpi, hbdb(nodes, "info", kept).stdout, "clocks        of 4 nodes", "the run went on")
        same("%s: nothing is left on the nodes but the run's own" % mpi, left_alone(nodes), {n: 1 for n in NODES})
        before = sum(p["events"] + p["events_before"] for p in processes(nodes, kept))
        done, second = keep(nodes, name, 2)
        after = sum(p["events"] + p["events_before"] for p in processes(nodes, second))
        check("%s: a second time, with what came since" % mpi, done.returncode == 0 and after > before > 0, (said(done), before, after))
        check("%s: the program goes on" % mpi, child.poll() is None, words_of(out))
        if mpi == "openmpi":
            without_one(nodes, name)
            slow_one(nodes, name)
            ends_meanwhile(nodes, name, child)
    finally:
        ended(nodes, name)
        child.wait(FAR)
        for n in NODES:
            nodes[n].run(["pkill", "-9", "-f", nodes.programs])


def without_one(nodes, name):
    nodes["n2"].run(["mount", "-t", "tmpfs", "none", os.path.dirname(HBDB)])
    try:
        done, kept = keep(nodes, name, 3)
    finally:
        nodes["n2"].run(["umount", os.path.dirname(HBDB)])
    check("a node that does not answer costs its own part", done.returncode == 3 and "6 processes recorded up to now" in done.stderr, said(done))
    has("... which is said", done.stderr, "the node n2 has not kept its part: ", "ranks 2-3 are missing")
    same("... the others are there", files(nodes, kept), ["manifest.json", "node.n1.hbn", "node.n3.hbn", "node.n4.hbn"])
    has("... info says so", hbdb(nodes, "info", kept).stdout, "4; missing: n2 (not kept there)")
    has("... races, too", hbdb(nodes, "races", kept).stderr, "what was recorded on n2 is missing: it was not kept there")
    done = hbdb(nodes, "record", "--fetch", kept)
    check("... and it cannot be fetched later", done.returncode == 2 and "not there to be fetched" in done.stderr, said(done))
    nodes.run(["rm", "-rf", kept])


def slow_one(nodes, name):
    nodes["n3"].run(["sh", "-c", "echo sleep %d > /tmp/home/.bashrc" % SLOW])
    try:
        begin = time.monotonic()
        done, kept = keep(nodes, name, 3)
    finally:
        nodes["n3"].run(["rm", "/tmp/home/.bashrc"])
    check("a node that is slow is kept later (%.1f s)" % (time.monotonic() - begin), done.returncode == 0 and "8 processes recorded up to now" in done.stderr, said(done))
    check("... and by how much is said", re.search(r"the node n3 answered \d+\.\d s later than the others: its part was kept then", done.stderr), said(done))
    same("... it alone", done.stderr.count("later than the others"), 1)
    nodes.run(["rm", "-rf", kept])


def ends_meanwhile(nodes, name, child):
    """While the nodes are gathered the job ends: its parts are sealed, fetched and removed before anybody is asked for them."""
    nodes["n3"].run(["sh", "-c", "echo sleep %d > /tmp/home/.bashrc" % SLOW])
    try:
        keeper = nodes.front.start_command([HBDB, "record", "--keep", name], stdout=-1, stderr=-1, text=True)
        bed.wait_for("a login", lambda: nodes["n3"].run(["pgrep", "-f", "sleep %d" % SLOW]).returncode == 0)
        ended(nodes, name)
        _, err = keeper.communicate(timeout=FAR)
    finally:
        nodes["n3"].run(["rm", "/tmp/home/.bashrc"])
        end(keeper)
    child.wait(FAR)
    kept = name.replace(".hbdb", "-kept-3.hbdb")
    check("a job that ends meanwhile is kept as a whole", keeper.returncode == 0 and "8 processes" in err and "goes on" not in err, err)
    same("... with all that it recorded", [(p["events"], p["events_before"]) for p in processes(nodes, kept)],
         [(p["events"], p["events_before"]) for p in processes(nodes, name)])
    has("... and how it ended", hbdb(nodes, "info", kept).stdout, "exit status")
    nodes.run(["rm", "-rf", kept])
    done = hbdb(nodes, "record", "--keep", name)
    check("of one that has ended it is a copy", done.returncode == 0 and len(processes(nodes, kept)) == 8, said(done))


def test_kept(nodes, programs):
    del programs
    for mpi, program in built(nodes).items():
        of_one_run(nodes, mpi, program)


def in_slurm(nodes, srun):
    """The nodes of a job of Slurm's are reached through it, where ssh would not do."""
    name, steady = "/tmp/slurm-ring.hbdb", built(nodes)["openmpi"]
    with open(os.path.join(nodes.folder, "said"), "w+", encoding="utf-8") as out:
        child = nodes.front.start_command([HBDB, "record", "-o", name, "--ring", "128K", "--", *srun, steady, "100000000"], stdout=out, stderr=out)
        try:
            for n in NODES:
                bed.wait_for("logs on " + n, lambda n=n: nodes[n].run(["sh", "-c", "ls /tmp/hbdb-*/rank.*.log"]).stdout.count(".log") == 2)
            nodes.put("no-ssh", "#!/bin/sh\nexit 255\n")
            nodes.run(["mkdir", "-p", "/tmp/no-ssh"])
            nodes.run(["cp", os.path.join(nodes.programs, "no-ssh"), "/tmp/no-ssh/ssh"])
            done = nodes.run([HBDB, "record", "--keep", name], env={"PATH": "/tmp/no-ssh:" + os.environ["PATH"]}, timeout=FAR)
            kept = name.replace(".hbdb", "-kept-1.hbdb")
            check("keep in a job of Slurm's, without ssh", done.returncode == 0 and len(processes(nodes, kept)) == 8, said(done) + words_of(out))
            same("... a file for each node", files(nodes, kept), ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
            check("... the job goes on", child.poll() is None, words_of(out))
        finally:
            ended(nodes, name)
            child.wait(FAR)


def waits(out):
    return words_of(out).count(" waits\n") == 8


def test_stopped(nodes, programs):
    """Each process has 60,000 events before it is stopped and as many after; a log may hold what fits into the piece of it that was begun."""
    del programs
    program = nodes.build_program(os.path.join(PROGRAMS, "phases.c"), "phases", "mpicc.openmpi")
    name, go = "/tmp/stopped.hbdb", "/srv/go"
    child, out = begun(nodes, name, program, "20000", go)
    try:
        bed.wait_for("a job that waits", lambda: waits(out))
        nodes["n2"].run(["mount", "-t", "tmpfs", "none", os.path.dirname(HBDB)])
        done = hbdb(nodes, "record", "--stop", name)
        nodes["n2"].run(["umount", os.path.dirname(HBDB)])
        check("stop without a node: its processes are recorded further, and it is said",
              done.returncode == 3 and "the node n2 is not reached, and its processes are recorded further" in done.stderr and
              "nothing more of them is recorded, but on these nodes" in done.stderr, said(done))
        done = hbdb(nodes, "record", "--stop", name)
        check("stop over nodes", done.returncode == 0 and "its processes go on, and nothing more of them is recorded; " in done.stderr, said(done))
        nodes.run(["touch", go])
        status = child.wait(FAR)
        text = words_of(out)
        check("... and the program goes on to its end", status == 0 and all(" ends on %s\n" % n in text for n in NODES), "%d %s" % (status, text))
        has("... the recording says why it ends", text, "8 processes lived on and were told to stop")
        events = [p["events"] for p in processes(nodes, name)]
        check("... and ends there", len(events) == 8 and all(60000 < n < 90000 for n in events), events)
        same("... a file for each node", [f for f in files(nodes, name) if f != "stopped"], ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
        same("... nothing is left", {n: parts(nodes, n) for n in NODES}, {n: [] for n in NODES})
        done = hbdb(nodes, "record", "--stop", name)
        check("... once", done.returncode == 2 and "there is nothing to stop" in done.stderr, said(done))
    finally:
        end(child)
    orphaned(nodes, program, go)


def orphaned(nodes, program, go):
    """The hbdb that makes the recording is killed, and with it the launcher: --keep and --stop reach the nodes all the same."""
    name = "/tmp/orphan.hbdb"
    nodes.run(["rm", go])
    child, out = begun(nodes, name, program, "200", go)
    try:
        bed.wait_for("a job that waits", lambda: waits(out))
        nodes.run(["pkill", "-9", "-f", "record -o " + name])
        child.wait(FAR)
        done, kept = keep(nodes, name, 1)
        check("keep when hbdb was killed", done.returncode == 0 and len(processes(nodes, kept)) == 8, said(done))
        done = hbdb(nodes, "record", "--stop", name)
        check("stop when hbdb was killed: the recording is fetched", done.returncode == 0 and "8 processes" in done.stderr, said(done))
        same("... a file for each node", [f for f in files(nodes, name) if f != "stopped"], ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
        has("... whole", hbdb(nodes, "verify", name).stdout, "8 logs")
        same("... nothing is left", {n: parts(nodes, n) for n in NODES}, {n: [] for n in NODES})
    finally:
        for n in NODES:
            nodes[n].run(["pkill", "-9", "-f", nodes.programs])
        end(child)


GROUPS = {"kept": test_kept, "stopped": test_stopped}
