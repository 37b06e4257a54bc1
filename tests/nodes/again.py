"""Replaying over several nodes that share no folder, and what was added to recording with it: groups of run.py."""
import os
import signal
import time

import bed
import slurm
from common import FAR, HBDB, HERE, PROGRAMS, build, check, end, files, has, hbdb, launched, manifest, record, said, same, stuck

TRIES = 10  # of MPICH: see common.STUCK
PATIENCE = 25


def again(nodes, name, *words, mpi="openmpi", options=()):
    """hbdb replay, again where MPICH is stuck."""
    for _ in range(TRIES if mpi == "mpich" else 1):
        command = [HBDB, "replay", "--trust", *options, name, *words]
        if mpi == "mpich":
            command = ["timeout", "-s", "INT", "-k", "20", str(PATIENCE), *command]
        done = nodes.run(command, timeout=FAR)
        if mpi != "mpich" or not (done.returncode == 124 or stuck(done)):
            break
        for other in nodes.names:
            nodes[other].run(["pkill", "-9", "-f", nodes.programs])
    return done


def left(nodes, names=None):
    """What hbdb has left anywhere; a guard may have a moment's work yet when its connection has ended."""
    def now():
        return ["%s: %s" % (node, f) for node in names or nodes.nodes for f in files(nodes, "/tmp", node) if f.startswith(("hbdb-", ".hbdb-"))]
    limit = time.monotonic() + bed.PATIENCE
    while now() and time.monotonic() < limit:
        time.sleep(0.1)
    return now()


def test_replay(nodes, programs):
    for mpi, program in programs.items():
        name = "/tmp/%s-r.hbdb" % mpi
        command = launched(mpi, nodes.names, program, "5", each=2)
        done = record(nodes, name, command, mpi=mpi)
        order = done.stdout
        begin = time.monotonic()
        done = again(nodes, name, mpi=mpi)
        check("%s: replayed over four nodes (%.1f s)" % (mpi, time.monotonic() - begin),
              done.returncode == 0 and done.stdout == order and "replayed 8 processes, 164 events: no difference" in done.stderr, said(done))
        has("%s: what it costs is said" % mpi, done.stderr, "bytes went to each of 4 nodes")
        check("%s: no process ran uncontrolled" % mpi, "uncontrolled" not in done.stderr, said(done))
        same("%s: nothing is left" % mpi, left(nodes), [])
        turned = launched(mpi, nodes.names[::-1], program, "5", each=2)
        done = again(nodes, name, "--", *turned, mpi=mpi)
        check("%s: the ranks on other nodes" % mpi, done.returncode == 0 and done.stdout == order and "no difference" in done.stderr, said(done))
    name, new = "/tmp/openmpi-r.hbdb", "/tmp/new.hbdb"
    done = again(nodes, name, options=["-o", new])
    check("recorded while it is replayed", done.returncode == 0 and "new.hbdb: 8 processes, 164 events" in done.stderr, said(done))
    same("... a file for each node", files(nodes, new), ["manifest.json"] + ["node.%s.hbn" % n for n in nodes.names])
    has("... whole", hbdb(nodes, "verify", new).stdout, "whole, 8 logs, 164 events")
    done = again(nodes, new)
    check("... and replayed itself", done.returncode == 0 and "no difference" in done.stderr, said(done))
    done = again(nodes, name, "--", *launched("openmpi", nodes.names, programs["openmpi"], "4", each=2))
    check("one that differs", done.returncode == 1 and "the program differs from the recording" in done.stderr and "on n1: ranks 0-1; n2: ranks 2-3" in done.stderr,
          said(done))
    same("... leaves nothing", left(nodes), [])
    done = again(nodes, name, options=["--local", "/nowhere"])
    check("--local of a folder that is not there", done.returncode == 2 and "--local chooses another folder" in done.stderr, said(done))
    nodes.run(["cp", "-r", name, "/srv/shared.hbdb"])
    done = again(nodes, "/srv/shared.hbdb", options=["--local", "off"])
    check("--local off with a folder that all see", done.returncode == 0 and "no difference" in done.stderr and "went to each" not in done.stderr, said(done))


def test_given(nodes, programs):
    """What came into the processes is given back on all nodes: clocks, and files that are gone."""
    reads = nodes.build_program(os.path.join(PROGRAMS, "reads.c"), "reads", "mpicc.openmpi")
    for i, node in enumerate(nodes.names):
        nodes[node].run(["sh", "-c", "head -c %d /dev/zero > /tmp/own" % (100 * i + 50)])
    name = "/tmp/given.hbdb"
    done = record(nodes, name, launched("openmpi", nodes.names, reads, "/tmp/own"), "--level", "data", "--pack")
    check("record --pack over nodes", done.returncode == 0 and "3: 350 bytes" in done.stdout, said(done))
    same("... has the files of all nodes", len(files(nodes, name + "/files")) >= 4, True)
    for node in nodes.names:
        nodes[node].run(["rm", "/tmp/own"])
    again_said = again(nodes, name)
    check("a replay reads them on every node", again_said.returncode == 0 and again_said.stdout == done.stdout, said(done) + said(again_said))


def test_traced(nodes, programs):
    marks = nodes.build_program(os.path.join(HERE, "..", "trace", "programs", "marks.c"), "marks", "mpicc.openmpi",
                                "-I", os.path.join(HERE, "..", "..", "include"), "-ldl")
    nodes.run(["sh", "-c", "echo level FULL > /tmp/full.settings"])
    name, alone = "/tmp/traced.hbdb", "/srv/alone.hbdb"
    command = launched("openmpi", nodes.names, marks, "2")
    done = record(nodes, name, command, "--trace", "/tmp/full.settings")
    check("record --trace over nodes", done.returncode == 0 and "4 processes" in done.stderr, said(done))
    traces = [f for f in files(nodes, name) if f.endswith(".trace")]
    same("... has the traces of all", traces, ["rank.%d.trace" % i for i in range(4)])
    done = record(nodes, alone, command, "--trace", "/tmp/full.settings", "--local", "off")
    done = hbdb(nodes, "compare", "report", name, alone)
    check("... which say the same as those written into one folder", done.returncode == 0, said(done))


def begin(nodes, name, *options):
    """A replay that is in the middle: the processes of all nodes have written logs."""
    process = nodes.front.start_command([HBDB, "replay", "--trust", *options, name], stdout=-1, stderr=-1, text=True)
    for node in nodes.names:
        bed.wait_for("logs on " + node, lambda n=node: nodes[n].run(["sh", "-c", "ls /tmp/hbdb-*/rank.*.log"]).stdout.count(".log") == 2)
    return process


def finished(process):
    try:
        out, err = process.communicate(timeout=FAR)
    finally:
        end(process)
    return process.returncode, out + err


def test_ended(nodes, programs):
    """Replays that hang, that are killed, and that lose a node."""
    hold = nodes.build_program(os.path.join(PROGRAMS, "hold.c"), "hold", "mpicc.openmpi")
    record(nodes, "/tmp/hold.hbdb", launched("openmpi", nodes.names, hold, "/tmp/hold", each=2))
    nodes["n3"].run(["touch", "/tmp/hold"])
    done = again(nodes, "/tmp/hold.hbdb", options=["--patience", "2"])
    nodes["n3"].run(["rm", "/tmp/hold"])
    check("a replay that hangs", done.returncode == 1 and "the replay got stuck" in done.stderr and "on n1: ranks 0-1; n2: ranks 2-3" in done.stderr, said(done))
    check("... of processes elsewhere nothing is said of processors", "of a processor" not in done.stderr, said(done))
    same("... leaves nothing", left(nodes), [])
    name = "/tmp/long.hbdb"
    done = record(nodes, name, launched("openmpi", nodes.names, programs["openmpi"], "200", "20", each=2))
    check("a longer one is recorded", done.returncode == 0, said(done))
    process = begin(nodes, name)
    nodes.front.run(["pkill", "-KILL", "-x", "hbdb"])
    finished(process)
    same("one whose hbdb is killed leaves nothing", left(nodes), [])
    for node in nodes.nodes:
        same("... nor a process on " + node, nodes[node].run(["pgrep", "talk"]).stdout, "")
    process = begin(nodes, name)
    nodes["n2"].run(["sh", "-c", "kill -9 $(pgrep -o -f 'hbdb agent')"])
    status, text = finished(process)
    check("an agent that is killed", status == 3 and "the node n2 is lost" in text, "%d %s" % (status, text))
    same("... leaves nothing, either", left(nodes), [])
    process = begin(nodes, name)
    nodes["n3"].kill()
    status, text = finished(process)
    check("a node that is lost", status not in (0, 1) and "the node n3 is lost" in text and "n3: ranks 4-5" in text, "%d %s" % (status, text))
    same("... the others are cleared", left(nodes, ["head", "n1", "n2", "n4"]), [])
    nodes["n3"].start()
    nodes["n3"].run(["sh", "-c", "rm -rf /tmp/hbdb-*"])  # what a machine holds whose power failed nobody can remove


def test_slurm(nodes, programs):
    with slurm.Slurm(nodes):
        name = "/tmp/srun.hbdb"
        record(nodes, name, ["srun", "--mpi=pmix", "-n", "8", "-N", "4", "--overcommit", programs["openmpi"], "5"])
        done = again(nodes, name)
        check("replay of srun", done.returncode == 0 and "8 processes, 164 events: no difference" in done.stderr, said(done))
        same("... leaves nothing", left(nodes), [])
        nodes.run(["cp", "-r", name, "/srv/srun.hbdb"])
        script = nodes.put("again.sh", "#!/bin/sh\ncd /srv\n%s replay --trust srun.hbdb\n" % HBDB
                           + "%s replay --trust srun.hbdb -- mpirun.openmpi --allow-run-as-root --oversubscribe -n 8 --map-by node %s 5\n" % (HBDB, programs["openmpi"]))
        done = nodes.run(["sbatch", "-W", "-N", "4", "--ntasks-per-node=2", "-o", "/srv/again.out", script], timeout=FAR)
        out = nodes.run(["cat", "/srv/again.out"]).stdout
        check("... in sbatch, by srun and by mpirun", done.returncode == 0 and out.count("no difference") == 2, said(done) + out)
        same("... leaves nothing, either", left(nodes), [])


def test_first(nodes, programs):
    """Which process died first: told where the clocks of the nodes allow it, and never another one."""
    for mpi, die in build(nodes, "die.c", "die").items():
        for who in ("5", "0"):
            told = []
            while len(told) < 5 and who not in told:
                record(nodes, "/tmp/died.hbdb", launched(mpi, nodes.names, die, who, each=2), mpi=mpi)
                told.append(manifest(nodes, "/tmp/died.hbdb").get("died_first"))
            check("%s: rank %s died first" % (mpi, who), told[-1] == who and set(told) <= {who, None}, told)
    has("info says so", hbdb(nodes, "info", "/tmp/died.hbdb").stdout, "died first")


def test_sockets(nodes, programs):
    """MPI beside the sockets by which its library talks: one order without contradictions, and a replay that follows the calls of MPI."""
    name = "/tmp/both.hbdb"
    command = launched("openmpi", nodes.names, programs["openmpi"], "5")
    command[1:1] = ["--mca", "btl", "tcp,self"]
    first = record(nodes, name, command, "--layers", "mpi,sockets")
    check("mpi,sockets is recorded over nodes", first.returncode == 0 and "4 processes" in first.stderr, said(first))
    done = hbdb(nodes, "races", name)  # looks at the order of all events
    check("... in an order that is none against itself", "contradict" not in done.stdout + done.stderr, said(done))
    done = again(nodes, name)
    check("... and replayed", done.returncode == 0 and done.stdout == first.stdout and "no difference" in done.stderr, said(first) + said(done))


GROUPS = {"first": test_first, "sockets": test_sockets, "replay": test_replay, "given": test_given, "traced": test_traced, "ended": test_ended, "replay-slurm": test_slurm}
