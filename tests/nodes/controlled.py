"""hbdb debug over several nodes: stops, gdb there, one connection for each node, and what stays when it is killed or a node is lost."""
import time

import slurm
from common import FAR, HBDB, build, check, end, files, has, hbdb, launched, record, said, same, subprocess

NODES = ["n1", "n2", "n3", "n4"]
MARK = "thatisnocommand"


class Debugger:
    """hbdb debug on the machine in front, asked line by line."""

    def __init__(self, nodes, *words):
        self.nodes = nodes
        self.process = nodes.front.start_command([HBDB, "debug", *words], folder="/srv", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                 stderr=subprocess.STDOUT, text=True)
        self.process.stdin.write("set onerror continue\n")

    def ask(self, line):
        """What it says; what has no end of its own is followed by an error."""
        self.process.stdin.write("%s\n%s\n" % (line, MARK))
        self.process.stdin.flush()
        text = ""
        while True:
            said_now = self.process.stdout.readline()
            if MARK in said_now:
                return text
            if not said_now:
                raise RuntimeError("hbdb debug ended: " + text)
            text += said_now

    def leave(self):
        self.process.communicate("exit 0\n", timeout=FAR)


def count(nodes, name, pattern):
    """How many processes of a machine have such a command line, without those that one of them has made by fork."""
    rows = [line.split(None, 2) for line in nodes[name].run(["ps", "ax", "-ww", "-o", "pid=,ppid=,args="]).stdout.split("\n") if line.strip()]
    them = {row[0]: row[1] for row in rows if len(row) == 3 and row[2].startswith(pattern)}
    return sum(1 for parent in them.values() if parent not in them)


def left(nodes, names=NODES):
    """Processes of gdb, of agents and of the job, doors and folders that are still on the machines."""
    found = []
    for name in list(names) + [nodes.front_name]:
        lines = nodes[name].run(["ps", "ax", "-ww", "-o", "args"]).stdout.split("\n")
        found += ["%s: %s" % (name, line) for line in lines if line.startswith(("gdb", HBDB, "sh -c unset", nodes.programs, "ssh -T"))]
        found += ["%s: %s" % (name, f) for f in nodes[name].run(["ls", "/tmp"]).stdout.split() if f.startswith("hbdb-")]
    return found


def nothing_left(nodes, what, names=NODES):
    limit = time.monotonic() + FAR
    while left(nodes, names) and time.monotonic() < limit:
        time.sleep(0.2)
    same(what + ": no gdb, agent, process, door or folder stays on any node", left(nodes, names), [])


def stacks(text):
    """Without what differs from run to run: how many frames were hidden."""
    return "\n".join(line for line in text.split("\n") if not line.startswith(("(up to", "hbdb: ", "at the cut")))


SCRIPT = "set patience 1000; goto 0:20; status; where; [0] print rank; goto 0:30; [0] break talk.c:27; [0] cont; [0] where; [0] print i; [0] next"


def test_debug(nodes, programs):
    """The same recording gives the same answers on four machines as on one."""
    for mpi, program in programs.items():
        name, here = "/tmp/debug-%s.hbdb" % mpi, launched(mpi, [nodes.front_name], program, "5", each=8)
        done = hbdb(nodes, "record", "-o", name, "--", *here)
        check("%s: recorded" % mpi, done.returncode == 0, said(done))
        one = hbdb(nodes, "debug", "--trust", "-c", SCRIPT, name)
        over = launched(mpi, NODES, program, "5", each=2)
        four = hbdb(nodes, "debug", "-c", SCRIPT, name, "--", *over)
        check("%s: a script over nodes" % mpi, four.returncode == 0 and one.returncode == 0, said(four))
        hosts = "".join("[%d:%d] on n%d\n" % (2 * i, 2 * i + 1, i + 1) for i in range(4))
        has("%s: ... says where processes are" % mpi, four.stdout, hosts)
        same("%s: ... and all else as one machine does" % mpi, stacks(four.stdout.replace(hosts, "")), stacks(one.stdout))
        has("%s: ... of which none sees the recording" % mpi, four.stderr, "bytes went to each of 4 nodes")
        check("%s: ... and nothing else" % mpi, "not all of the recording was sent" not in four.stderr, said(four))
        nothing_left(nodes, "%s: after a script" % mpi)
        if mpi == "openmpi":
            nodes.run(["cp", "-r", name, "/srv/debug.hbdb"])
            four = hbdb(nodes, "debug", "--local", "off", "-c", SCRIPT, "/srv/debug.hbdb", "--", *over)
            same("--local off: in a folder that all see", stacks(four.stdout.replace(hosts, "")), stacks(one.stdout))
            check("... nothing goes to the nodes", four.returncode == 0 and "bytes went" not in four.stderr, said(four))
            nothing_left(nodes, "--local off")


INSIDE = "set patience 1000; cont; status; [1] where 1; kill"
AGAIN = "set patience 1000; goto 0:20; status; goto 0:3; status; goto 3:6; status; goto 0:10; status"


def test_calls(nodes, programs):
    """Who is inside of which call the nodes tell; a replay that begins anew has a folder of its own there."""
    stuck = build(nodes, "stuck.c", "stuck-debug")
    for mpi in programs:
        one = hbdb(nodes, "debug", "-o", "/tmp/one-%s.hbdb" % mpi, "-c", INSIDE, "--", *launched(mpi, [nodes.front_name], stuck[mpi], each=4))
        four = hbdb(nodes, "debug", "-o", "/tmp/four-%s.hbdb" % mpi, "-c", INSIDE, "--", *launched(mpi, NODES, stuck[mpi]))
        hosts = "".join("[%d] on n%d\n" % (i, i + 1) for i in range(4))
        has("%s: a live run over nodes: inside of which calls" % mpi, four.stdout, "MPI_Recv from 3", "MPI_Recv from 0", "MPI_Barrier", hosts)
        same("%s: ... as on one machine" % mpi, stacks(four.stdout.replace(hosts, "")), stacks(one.stdout))
        same("%s: ... and it is recorded" % mpi, files(nodes, "/tmp/four-%s.hbdb" % mpi), ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
        nothing_left(nodes, "%s: after a live run" % mpi)
        name = "/tmp/again-%s.hbdb" % mpi
        done = hbdb(nodes, "record", "-o", name, "--", *launched(mpi, [nodes.front_name], programs[mpi], "5", each=4))
        check("%s: recorded" % mpi, done.returncode == 0, said(done))
        one = hbdb(nodes, "debug", "--trust", "-c", AGAIN, name)
        four = hbdb(nodes, "debug", "-c", AGAIN, name, "--", *launched(mpi, NODES, programs[mpi], "5"))
        same("%s: there and back over nodes as on one machine" % mpi, stacks(four.stdout.replace(hosts, "")), stacks(one.stdout))
        nothing_left(nodes, "%s: after several runs" % mpi)
    asks = build(nodes, "ask.c", "ask")
    four = hbdb(nodes, "debug", "-o", "/tmp/ask.hbdb", "-c", "set onerror continue; set patience 2; set timeout 60; cont; kill", "--", *launched("openmpi", NODES, asks["openmpi"]))
    has("who asks again and again is told with the call", four.stdout + four.stderr, "polls MPI_Iprobe without success")
    nothing_left(nodes, "after one that asks")


def test_many(nodes, programs):
    """32 processes: one connection and one gdb for each node; the secret is nobody else's."""
    name = "/tmp/many.hbdb"
    done = record(nodes, name, launched("openmpi", NODES, programs["openmpi"], "5", each=8))
    check("32 processes are recorded", done.returncode == 0, said(done))
    d = Debugger(nodes, "--trust", name)
    try:
        begin = time.monotonic()
        text = d.ask("goto 0:100")
        cold = time.monotonic() - begin
        check("32 processes stop at a cut (%.2f s from the command)" % cold, "held after 0:100" in text, text)
        begin = time.monotonic()
        text = d.ask("goto 0:150")
        check("... and at a later one (%.3f s)" % (time.monotonic() - begin), "held after 0:150" in text, text)
        begin = time.monotonic()
        text = d.ask("[*] where")
        check("gdb has all of them (%.2f s)" % (time.monotonic() - begin), text.count("main (talk.c:") >= 2 and "[0]" in text, text)
        same("one connection for each node", [count(nodes, n, HBDB + " agent") for n in NODES] + [count(nodes, nodes.front_name, "ssh -T")], [1, 1, 1, 1, 4])
        same("one gdb on each node, and none in front", [count(nodes, n, "gdb -nx") for n in NODES] + [count(nodes, nodes.front_name, "gdb")], [1, 1, 1, 1, 0])
        doors = [nodes[n].run(["sh", "-c", "ls -d /tmp/hbdb-dial-*; stat -c %a /tmp/hbdb-dial-*/secret; cat /tmp/hbdb-dial-*/secret"]).stdout for n in NODES]
        check("the secret is in a file of each node, for its owner alone", len(set(doors)) == 1 and doors[0].split()[1] == "600", doors)
        secret = doors[0].split()[2]
        lines = [nodes[n].run(["ps", "ax", "-ww", "-o", "args"]).stdout for n in NODES + [nodes.front_name]]
        check("... and in no command line", len(secret) == 32 and not any(secret in text for text in lines))
        text = d.ask("[0] break talk.c:27") + d.ask("[*] cont")
        has("a breakpoint of one process", text, "[0] breakpoint 1: main (talk.c:27)")
        d.leave()
    finally:
        end(d.process)
    nothing_left(nodes, "32 processes")


def test_slurm(nodes, programs):
    """Nodes that Slurm chooses: those of the recording are asked for again."""
    srun = ["srun", "--mpi=pmix", "-n", "8", "-N", "4", "--overcommit", programs["openmpi"], "5"]
    with slurm.Slurm(nodes):
        done = record(nodes, "/tmp/debug-srun.hbdb", srun)
        check("srun is recorded", done.returncode == 0, said(done))
        done = hbdb(nodes, "debug", "-c", "set patience 1000; goto 0:20; status; [0] where 1; goto 0:5; [0] status", "/tmp/debug-srun.hbdb", "--", *srun)
        has("... and debugged, there and back", done.stdout, "[0] held after 0:20", "[0] #0  main (talk.c:", "[0] held after 0:5", "[6:7] on n4")
        check("... without an error", done.returncode == 0, said(done))
        limit = time.monotonic() + FAR  # Slurm takes its time to complete a job
        while nodes.run(["squeue", "-h"]).stdout and time.monotonic() < limit:
            time.sleep(0.1)
        same("... and the nodes are given back", nodes.run(["squeue", "-h"]).stdout, "")
        nothing_left(nodes, "after srun")


def test_killed(nodes, programs):
    """With breakpoints in the processes, some of which stand at one."""
    d = Debugger(nodes, "-o", "/tmp/live.hbdb", "--", *launched("openmpi", NODES, programs["openmpi"], "5000", "20", each=2))
    try:
        text = d.ask("[*] break talk.c:30") + d.ask("[1:7] cont") + d.ask("[3] where")
        has("a live run stops, too", text, "[3] #0  main (talk.c:30)")
        nodes.front.run(["pkill", "-KILL", "-o", "-x", "hbdb"])  # and not what it has made to clean up after it
        d.process.wait(timeout=FAR)
    finally:
        end(d.process)
    done = hbdb(nodes, "record", "--fetch", "/tmp/live.hbdb")
    check("what it has recorded can be fetched", done.returncode == 0 and "8 processes" in done.stderr, said(done))
    nothing_left(nodes, "hbdb debug is killed")


def test_lost(nodes, programs):
    """A cable is pulled. Of a node whose power fails the launcher hears at once, and ends the job; so it would here, by what its ssh is set to in the bed."""
    name, command = "/tmp/lost.hbdb", launched("openmpi", NODES, programs["openmpi"], "5", each=2)
    done = record(nodes, name, command)
    check("recorded", done.returncode == 0, said(done))
    d = Debugger(nodes, name, "--", command[0], "--mca", "plm_rsh_args", "-oServerAliveInterval=0", *command[1:])
    try:
        d.ask("goto 0:20")
        d.ask("[0] where")
        d.ask("[2] where")
        nodes["n2"].unplug()
        limit, text = time.monotonic() + FAR, ""
        while "[3] lost with its node n2" not in text and time.monotonic() < limit:
            text = d.ask("status")
        has("a node is lost: its processes are said to be", text, "[2] lost with its node n2", "[3] lost with its node n2", "[0] ")
        text = d.ask("[2] where")
        has("... of which nothing more is known", text, "lost with its node n2")
        has("... others are looked at as before", d.ask("[0,7] where"), "[0] #0  main (talk.c:2", "[7] #0  main (talk.c:")
        has("... and step", d.ask("[0] step"), "[0] stopped: main (talk.c:")
        d.leave()
    finally:
        end(d.process)
        nodes["n2"].plug()
    nothing_left(nodes, "a node is lost", ["n1", "n3", "n4"])
    nodes["n2"].kill()
    nodes["n2"].start()
    nodes["n2"].run(["sh", "-c", "rm -rf /tmp/hbdb-*"])


GROUPS = {"debug": test_debug, "debug-calls": test_calls, "debug-many": test_many, "debug-slurm": test_slurm, "debug-killed": test_killed, "debug-lost": test_lost}
