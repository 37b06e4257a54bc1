#!/usr/bin/env python3
"""hbdb agent, spoken to by a program written from docs/system/agent.md: what it runs, starts, stops and tells, and what it survives."""
import glob
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import wire

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import rawlog

HBDB = os.path.join(os.environ.get("BUILD", "build"), "hbdb")
HBDB = os.path.abspath(HBDB)
passed = failed = 0


def check(right, what):
    global passed, failed
    if right:
        passed += 1
    else:
        failed += 1
        print("FAIL %s" % what, flush=True)


def refused(what, *expected):
    """Whether a call is refused with these words."""
    try:
        what()
    except wire.Refused as e:
        return all(word in str(e) for word in expected)
    return False


TALKER = """import os, socket, sys, time
a, b = socket.socketpair()
while not os.path.exists(sys.argv[1]):
    a.send(b"x")
    b.recv(1)
    time.sleep(0.01)
"""


class Place:
    """A folder for the state of agents, and their environment."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="hbdb-agent-")
        os.mkdir(self.folder + "/run", 0o700)
        self.env = dict(os.environ, XDG_STATE_HOME=self.folder + "/state", XDG_RUNTIME_DIR=self.folder + "/run")
        return self

    def agent(self):
        return wire.Wire([HBDB, "agent"], env=self.env)

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def until(what, seconds=wire.PATIENCE):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def began(pid):
    with open("/proc/%d/stat" % pid) as f:
        return int(f.read().rsplit(")", 1)[1].split()[19])


def hello(place):
    w = place.agent()
    h = w.told("hello")
    check(h["hbdb"] == "agent" and h["protocol"] == 1 and h["host"] == socket.gethostname(), "the agent's hello: %r" % h)
    check(h["boot"] == open("/proc/sys/kernel/random/boot_id").read().strip(), "the boot it says")
    check(refused(lambda: w.ask("dance"), "dance"), "an unknown ask is refused by its name")
    node = w.told("node")
    check(node["memory"] > 0 and node["disk"] > 0 and node["load"] >= 0, "how the node is: %r" % node)
    w.close()
    check(w.process.returncode == 0, "an agent whose connection was closed ends with 0")


def run(place):
    w = place.agent()
    c = w.open("run", command=["sh", "-c", "cat; echo $WORD; exit 7"], environment={"WORD": "last"})
    w.send(wire.BYTES, c, b"first\n")
    w.send(wire.END, c, {})
    check(w.wait(lambda: w.ends.get(c)) == {"status": 7}, "the status of what was run: %r" % w.ends)
    check(w.bytes.get(c) == b"first\nlast\n", "what it wrote: %r" % w.bytes.get(c))
    c = w.open("run", command=["sh", "-c", "kill -9 $$"])
    w.send(wire.END, c, {})
    check(w.wait(lambda: w.ends.get(c)) == {"status": 137}, "a signal that killed it")
    check(refused(lambda: w.open("run", command=["/nowhere/at/all"]), "/nowhere/at/all", "No such file"), "a program that is not there")
    check(refused(lambda: w.open("run", command=["true"], cwd="/nowhere"), "No such file"), "a folder that is not there")
    check(refused(lambda: w.ask("run", command=["true"])), "a run without a channel is refused")
    check(refused(lambda: w.open("run", command=["true", 3])), "a command that is no words is refused")
    # one that leaves its output to another one, which lives on: its end is told all the same
    c = w.open("run", command=["sh", "-c", "sleep 1000 & echo $!"])
    w.send(wire.END, c, {})
    check(w.wait(lambda: w.ends.get(c)) == {"status": 0}, "an end that another process does not hold up")
    os.kill(int(w.bytes[c]), signal.SIGKILL)
    # whose bytes were over wants nothing more
    c = w.open("run", command=["sh", "-c", "echo $$; exec sleep 1000"])
    w.send(wire.END, c, {})
    sleeps = int(w.wait(lambda: w.bytes.get(c) if w.bytes.get(c, b"").endswith(b"\n") else None))
    w.send(wire.END, c, {"error": "it is not wanted any more"})
    check(until(lambda: not alive(sleeps)), "what was run ends when its channel is cut behind the end of its input")
    # a channel that nobody reads does not hold up the others
    w.channel += 2
    full = w.channel
    taken = []
    frame = w.frame
    w.frame = lambda kind, channel, payload: taken.append(len(payload)) if kind == wire.BYTES and channel == full else frame(kind, channel, payload)
    w.ask("run", command=["sh", "-c", "head -c 1000000 /dev/zero"], channel=full)
    w.wait(lambda: sum(taken) >= 262144)
    c = w.open("run", command=["echo", "passes"])
    w.send(wire.END, c, {})
    w.wait(lambda: w.ends.get(c))
    check(w.bytes.get(c) == b"passes\n" and sum(taken) == 262144, "a channel without room waits, others do not: %d" % sum(taken))
    w.send(wire.ROOM, full, struct.pack("<I", 262144))
    w.wait(lambda: sum(taken) >= 524288)
    check(sum(taken) == 524288, "room that is given is used")
    w.frame = frame
    # megabytes in both directions
    c = w.open("run", command=["cat"])
    sent = os.urandom(100000)
    for i in range(30):
        w.send(wire.BYTES, c, sent)
        w.wait(lambda: len(w.bytes.get(c, b"")) == (i + 1) * len(sent))
    w.send(wire.END, c, {})
    w.wait(lambda: w.ends.get(c))
    check(w.bytes[c] == sent * 30, "3 MB through cat")
    # what was run ends with the connection
    c = w.open("run", command=["sh", "-c", "echo $$; exec sleep 1000"])
    pid = int(w.wait(lambda: w.bytes.get(c) if w.bytes.get(c, b"").endswith(b"\n") else None))
    w.close()
    check(until(lambda: not alive(pid)), "what was run ends when the connection does")


def killed(place):
    w = place.agent()
    c = w.open("run", command=["sh", "-c", "echo $$; exec sleep 1000"])
    pid = int(w.wait(lambda: w.bytes.get(c) if w.bytes.get(c, b"").endswith(b"\n") else None))
    started = w.ask("start", name="stays", command=["sleep", "1000"])["process"]
    w.process.kill()
    check(until(lambda: not alive(pid)), "what was run ends when the agent is killed")
    check(alive(started["pid"]), "what was started does not")
    w.close()
    w = place.agent()
    found = [p for p in w.ask("ps")["started"] if p["pid"] == started["pid"]]
    check(len(found) == 1 and found[0]["state"] == "running" and found[0]["name"] == "stays", "another agent finds it: %r" % found)
    w.ask("signal", process=started, signal=9)
    end = w.wait(lambda: [p for p in w.ask("ps")["started"] if p["pid"] == started["pid"] and p["state"] == "ended"] or None)
    check(end[0]["signal"] == 9 and end[0]["status"] == 137, "and knows how it ended: %r" % end)
    check(refused(lambda: w.ask("signal", process=started, signal=15), "has ended"), "a process that has ended gets no signal")
    w.close()


def processes(place):
    w = place.agent()
    p = w.ask("start", name="one", command=["sleep", "1000"], cwd="/", environment={"A": "b"})["process"]
    check(os.readlink("/proc/%d/cwd" % p["pid"]) == "/" and b"A=b" in open("/proc/%d/environ" % p["pid"], "rb").read(), "folder and environment of what was started")
    check(p["began"] == began(p["pid"]), "when it began")
    w.ask("stop", process=p)
    check(until(lambda: open("/proc/%d/stat" % p["pid"]).read().rsplit(")", 1)[1].split()[0] == "T"), "stop")
    check([q["state"] for q in w.ask("ps")["started"] if q["pid"] == p["pid"]] == ["stopped"], "a stopped process is called so")
    w.ask("go", process=p)
    check(until(lambda: open("/proc/%d/stat" % p["pid"]).read().rsplit(")", 1)[1].split()[0] == "S"), "go")
    wrong = dict(p, began=p["began"] + 1)
    check(refused(lambda: w.ask("signal", process=wrong, signal=9), "has ended") and alive(p["pid"]), "another process of that number is left alone")
    check(refused(lambda: w.ask("signal", process=dict(p, boot="x"), signal=9)) and alive(p["pid"]), "and one of before the machine was started")
    check(refused(lambda: w.ask("signal", process=p, signal=0)) and refused(lambda: w.ask("signal", process=p, signal="x")), "no signal")
    check(refused(lambda: w.ask("start", command=["/nowhere"]), "/nowhere"), "what cannot be started")
    check(refused(lambda: w.ask("start"), "no command"), "nothing to start")
    w.ask("signal", process=p, signal=15)
    check(until(lambda: not alive(p["pid"])), "signal")
    w.close()


def parts(place):
    """What is longer than a frame comes in parts."""
    here = "%s.%d" % (socket.gethostname(), os.stat("/proc/self/ns/pid").st_ino)
    folder, many = place.folder + "/state/hbdb/agent/started/" + here, 5000
    os.makedirs(folder)
    for i in range(many):
        with open("%s/%d" % (folder, i), "w", encoding="ascii") as f:
            json.dump({"name": "old%d" % i, "command": ["x" * 200], "pid": 100000 + i, "began": 1, "boot": "b", "state": "ended", "status": 0}, f)
    w = place.agent()
    found, answers, more = [], 0, {}
    while answers < 10:
        answer = w.ask("ps", **more)
        found += answer["started"]
        answers += 1
        if not answer.get("more"):
            break
        more = {"after": answer["next"]}
    check(1 < answers < 10 and sorted(int(p["name"][3:]) for p in found) == list(range(many)), "%d answers to one ps have each of %d once" % (answers, len(found)))
    w.close()


def runs_still(place, name):
    """The folder of a recording of which nobody has said yet how it ended, and its manifest."""
    folder = "%s/%s.hbdb" % (place.folder, name)
    rawlog.manifest(folder, exit_status=None)
    with open(folder + "/manifest.json", encoding="ascii") as f:
        said = json.load(f)
    del said["exit_status"]
    with open(folder + "/manifest.json", "w", encoding="ascii") as f:
        json.dump(said, f)
    return folder, said


def shared(place):
    """A folder that several nodes see: an agent tells of the processes of its own, while they run, when they end and when their logs are complete."""
    folder, said = runs_still(place, "shared")
    ours = subprocess.Popen(["sleep", "1000"])
    for rank, host in enumerate((socket.gethostname(), "elsewhere", socket.gethostname() + ".elsewhere", "")):
        log = rawlog.Log(rank, 4, state=0)
        log.host = host
        log.function("MPI_Init", rawlog.LOCAL)
        log.event("MPI_Init")
        text = log.bytes()
        with open("%s/rank.%d.log" % (folder, rank), "wb") as f:
            f.write(text[:32] + struct.pack("<I", ours.pid) + text[36:])  # the number is one of a process here
    w = place.agent()
    w.ask("watch", folder=folder)
    w.told("process")
    ours.kill()
    ours.wait()
    w.told("death")
    with open(folder + "/manifest.json", "w", encoding="ascii") as f:
        json.dump(dict(said, exit_status=0), f)
    w.wait(lambda: w.ask("ps")["processes"] == [] or None)
    told = [n["process"]["log"] for n in w.news if "process" in n]
    check(told and set(told) == {"rank.0.log"}, "of a folder that nodes share an agent tells of its own processes: %r" % told)
    w.close()


def nameless(place):
    """A log that does not say yet what its process is: it may be a rank, or a program without MPI."""
    folder = runs_still(place, "nameless")[0]
    children = [subprocess.Popen(["sleep", "1000"]) for _ in range(2)]

    def written(rank, sure):
        log = rawlog.Log(rank, 2, state=0, library=0)
        log.host, log.program = socket.gethostname(), ("/tmp/farmer", "/tmp/other")[rank]
        if sure:  # of no world, started by a launcher
            log.defs += rawlog.definition(13, rawlog.text("") + rawlog.uv(0) + rawlog.text("") + rawlog.sv(-1) + rawlog.uv(1))
        text = log.bytes()
        return text[:8] + struct.pack("<I", 2) + text[12:32] + struct.pack("<I", children[rank].pid) + text[36:]

    for rank in range(2):
        with open("%s/rank.%d.log" % (folder, rank), "wb") as f:
            f.write(written(rank, rank == 1))
    w = place.agent()
    w.ask("watch", folder=folder)
    w.told("process", lambda news: news["process"].get("name") == "other")  # so both have been looked at
    with open(folder + "/rank.0.log", "r+b") as f:
        f.write(written(0, True))
    named = w.told("process", lambda news: news["process"].get("name") == "farmer")
    check("rank" not in named["process"], "a process is called what its log says, as soon as it does: %r" % named)
    for child in children:
        child.kill()
        child.wait()
    w.close()


def watch(place, mpi):
    """A recorded program is told: that it is there, and how it ends."""
    w = place.agent()
    folder = place.folder + "/recordings-" + mpi
    os.mkdir(folder)
    source = os.path.join(place.folder, "stand.c")
    with open(source, "w") as f:
        f.write("#include <mpi.h>\nint main(int c, char **v) { int r, x; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r);\n"
                "if (r == 0) MPI_Recv(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
                "if (r == 1) MPI_Recv(&x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\nMPI_Finalize(); return 0; }\n")
    program = source[:-2] + "." + mpi
    subprocess.run(["mpicc." + mpi, "-g", "-o", program, source], check=True)
    launcher = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", "2"] if mpi == "openmpi" else ["mpirun.mpich", "-n", "2"]
    w.ask("watch", folder=folder)
    w.ask("start", name="stand", command=launcher + [program], record=["-o", folder + "/stand.hbdb"])
    ranks = [w.told("process", lambda n, r=r: n["process"].get("rank") == r and n["process"]["recording"].endswith("stand.hbdb"))["process"] for r in (0, 1)]
    check([r["name"] for r in ranks] == ["0", "1"] and all(alive(r["pid"]) for r in ranks), "the processes of a recording: %r" % ranks)
    hang = w.told("hang")
    check(hang["verdict"] == "proven" and "HB-DEADLOCK-CYCLE" in hang["text"], "that they hang: %r" % hang)
    w.told("process", lambda n: n["process"].get("rank") == 0 and n["process"]["state"] == "waiting")
    mine = [p for p in w.ask("ps", folder=folder + "/stand.hbdb")["processes"]]
    check(sorted(p["name"] for p in mine) == ["0", "1"] and all(p["events"] >= 1 and p["log"].startswith("rank.") for p in mine), "ps of a recording: %r" % mine)
    w.ask("signal", process=ranks[1], signal=9)
    death = w.told("death", lambda n: n["process"].get("rank") == 1)
    check(death["process"]["state"] == "ended", "a death is told: %r" % death)
    # older systems forget how a process ended when its launcher has asked: it is known or not, and never another signal
    keeps = tuple(int(n) for n in re.findall(r"\d+", os.uname().release)[:2]) >= (6, 15)
    check(death.get("signal") in ((9,) if keeps else (9, None)), "and by which signal: %r" % death)
    end = w.wait(lambda: [p for p in w.ask("ps")["started"] if p["name"] == "stand" and p["state"] == "ended"] or None)
    check(end[0]["recording"] == folder + "/stand.hbdb" and os.path.exists(end[0]["recording"] + "/manifest.json"), "the recording of what was started")
    check(refused(lambda: w.ask("watch", folder="/nowhere")), "a folder to watch that is not there")
    w.ask("unwatch", folder=folder)
    w.close()


def answers(path):
    """Its socket is there before it listens."""
    try:
        wire.Wire(path=path).told("hello")
        return True
    except OSError:
        return False


def a_file(place, path):
    with open(path, "w", encoding="ascii") as f:
        f.write("a file")
    other = subprocess.run([HBDB, "agent", "--service"], env=place.env, stderr=subprocess.PIPE, timeout=600)
    check(other.returncode == 2 and b"no socket" in other.stderr and b"listens" not in other.stderr and open(path).read() == "a file",
          "a file in the socket's place is no agent, and is left alone: %r" % other.stderr)
    os.unlink(path)


def service(place):
    agent = subprocess.Popen([HBDB, "agent", "--service"], env=place.env, stderr=subprocess.PIPE)
    path = place.folder + "/run/hbdb/agent"
    check(until(lambda: answers(path)), "the service's socket")
    check(os.stat(path).st_mode & 0o77 == 0 and os.stat(os.path.dirname(path)).st_mode & 0o77 == 0, "others may not reach it")
    a, b = wire.Wire(path=path), wire.Wire(path=path)
    p = a.ask("start", name="shared", command=["sleep", "1000"])["process"]
    check(any(q["pid"] == p["pid"] for q in b.ask("ps")["started"]), "two connections see the same")
    relay = place.agent()
    check(relay.told("hello")["pid"] == agent.pid, "hbdb agent is a way to the service")
    second = subprocess.run([HBDB, "agent", "--service"], env=place.env, stderr=subprocess.PIPE, timeout=600)
    check(second.returncode == 2 and b"already" in second.stderr, "a second service says that there is one: %r" % second.stderr)
    os.kill(p["pid"], signal.SIGKILL)
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify.connect(place.folder + "/run/hbdb/notify")
    notify.send(b"hbdb-self 1 %d limit temperature 98.5 too hot here\n" % os.getpid())
    sensor = b.told("sensor")
    check(sensor["name"] == "temperature" and sensor["value"] == 98.5 and sensor["text"].strip() == "too hot here" and sensor["process"]["pid"] == os.getpid(),
          "what a program says of itself: %r" % sensor)
    notify.send(b"hbdb-self 1 1 limit forged 1 not me\n")
    notify.send(b"hbdb-self 1 %d limit real 1 me\n" % os.getpid())
    b.told("sensor", lambda n: n["name"] == "real")
    check(not any(n.get("name") == "forged" for n in b.news), "who says to be another process is not believed")
    if os.getuid() == 0:
        other = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-c",
                                "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ntry:\n s.connect(sys.argv[1])\nexcept PermissionError:\n sys.exit(13)\n", path], check=False)
        check(other.returncode == 13, "another user does not get at it: %d" % other.returncode)
        os.chmod(place.folder, 0o755)
        os.chmod(place.folder + "/run", 0o755)
        os.chmod(os.path.dirname(path), 0o755)
        os.chmod(path, 0o777)
        other = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-c",
                                "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\nsys.exit(14 if s.recv(100) == b'' else 0)\n", path], check=False)
        check(other.returncode == 14, "nor where its folder is opened by mistake: %d" % other.returncode)
    os.chmod(os.path.dirname(path), 0o700)
    for w in (a, b, relay):
        w.close()
    agent.terminate()
    check(agent.wait(600) == 0 and not os.path.exists(path), "the service ends when asked, and takes its socket along")
    a_file(place, path)
    stale = subprocess.Popen([HBDB, "agent", "--service"], env=place.env)
    until(lambda: answers(path))
    stale.kill()
    stale.wait()
    again = subprocess.Popen([HBDB, "agent", "--service"], env=place.env, stderr=subprocess.PIPE)
    check(until(lambda: answers(path)), "one that was killed does not keep the next one away")
    again.terminate()
    again.wait(600)


def junk(place):
    for what, sent in (("no magic", b"x" * 70000), ("a frame of no length", wire.MAGIC + struct.pack("<IBI", 0, 1, 0)), ("a giant frame", wire.MAGIC + struct.pack("<IBI", 1 << 31, 1, 0)),
                       ("no JSON", wire.MAGIC + struct.pack("<IBI", 8, 1, 0) + b"{{{"), ("an unknown kind", wire.MAGIC + struct.pack("<IBI", 7, 77, 0) + b"{}"),
                       ("an ask without a number", wire.MAGIC + struct.pack("<IBI", 5 + 12, 1, 0) + b'{"ask":"ps"}'),
                       ("another protocol", wire.MAGIC + struct.pack("<IBI", 5 + 31, 3, 0) + b'{"news":"hello","protocol":999}'),
                       ("an array", wire.MAGIC + struct.pack("<IBI", 5 + 2, 1, 0) + b"[]"), ("a deep object", wire.MAGIC + struct.pack("<IBI", 5 + 100000, 1, 0) + b"[" * 100000)):
        ours, theirs = socket.socketpair()
        p = subprocess.Popen([HBDB, "agent"], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=place.env)
        theirs.close()
        try:
            ours.sendall(sent)
        except BrokenPipeError:
            pass
        check(p.wait(600) in (0, 2), "%s ends the agent, and nothing worse: %r" % (what, p.returncode))
        ours.close()
        p.stderr.close()
    w = wire.Wire(["sh", "-c", "echo Welcome to this machine; exec %s agent" % HBDB], env=place.env)
    check(w.told("hello")["hbdb"] == "agent", "a greeting of the login does no harm")
    w.close()
    done = subprocess.run([HBDB, "agent"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=place.env, timeout=600)
    check(done.returncode in (0, 2), "no connection at all")


def dial(place):
    w = place.agent()
    where = w.ask("dial")["address"]
    check(where.startswith("unix:/"), "where processes dial in: %s" % where)
    s = socket.socket(socket.AF_UNIX)
    s.connect(where[5:])
    c = w.told("dialled")["channel"]
    check(c % 2 == 0, "a channel that the agent opens has an even number")
    s.sendall(b"hello 1\n")
    w.wait(lambda: w.bytes.get(c) == b"hello 1\n")
    w.send(wire.BYTES, c, b"go *\n")
    s.settimeout(wire.PATIENCE)
    check(s.recv(100) == b"go *\n", "lines in both directions")
    s.close()
    check(w.wait(lambda: w.ends.get(c)) == {}, "its end")
    w.close()
    check(until(lambda: not os.path.exists(where[5:])), "the door goes with the connection")


def named_door(place):
    """A door whose address is the same on every node, with the secret in a file beside it."""
    name = "test-%d-%s" % (os.getpid(), os.urandom(4).hex())
    w = place.agent()
    answer = w.ask("dial", name=name, secret="0123abcd")
    check(answer["address"] == "unix:/tmp/hbdb-dial-%s/s" % name and answer["secret_file"] == "/tmp/hbdb-dial-%s/secret" % name, "a door of a name: %r" % answer)
    check(open(answer["secret_file"]).read() == "0123abcd" and os.stat(answer["secret_file"]).st_mode & 0o777 == 0o600, "its secret, for its owner alone")
    check(os.stat("/tmp/hbdb-dial-" + name).st_mode & 0o777 == 0o700, "in a folder that is his, too")
    other = place.agent()
    check(refused(lambda: other.ask("dial", name=name, secret="x"), "File exists") and open(answer["secret_file"]).read() == "0123abcd", "a folder that is there is not taken")
    other.close()
    check(w.ask("dial", name=name, secret="4567")["address"] == answer["address"] and open(answer["secret_file"]).read() == "4567", "but by who has it already")
    check(refused(lambda: w.ask("dial", name="../x")) and refused(lambda: w.ask("dial", name="")), "names that are none")
    w.close()
    check(until(lambda: not os.path.exists("/tmp/hbdb-dial-" + name)), "all of it goes with the connection")


def debugging(place):
    """What a debugger needs of another machine: the end of a process, looks at it, a program that serves who comes in."""
    w = place.agent()
    p = subprocess.Popen(["sleep", "1000"])
    w.channel += 2
    c = w.channel
    process = w.ask("await", pid=p.pid, channel=c)["process"]
    check(process["pid"] == p.pid and process["began"] == began(p.pid), "a number becomes a process: %r" % process)
    check(w.ask("look", pid=p.pid, file="exe")["text"] == os.readlink("/proc/%d/exe" % p.pid), "what it runs")
    check("[stack]" in w.ask("look", pid=p.pid, file="maps")["text"] and "TracerPid:" in w.ask("look", pid=p.pid, file="status")["text"], "its map, and its state")
    check(refused(lambda: w.ask("look", pid=p.pid, file="environ")) and refused(lambda: w.ask("look", pid=p.pid, file="../1/maps")), "other files are not looked at")
    check(w.ask("rouse", process=process, signal=0)["roused"] is True and p.poll() is None, "a thread that nobody has stopped")
    w.ask("stop", process=process)
    until(lambda: open("/proc/%d/stat" % p.pid).read().rsplit(")", 1)[1].split()[0] == "T")
    check(w.ask("rouse", process=process, signal=15)["roused"] is False, "and none where all are")
    check(c not in w.ends, "it is not said to have ended")
    p.kill()
    p.wait()
    check(w.wait(lambda: w.ends.get(c)) == {}, "its end")
    w.send(wire.END, c, {})
    check(refused(lambda: w.open("await", pid=p.pid), "no process"), "one that is gone")
    w.channel += 2
    c = w.channel
    where = w.ask("run", command=["sh", "-c", "cat; echo last; exit 5"], door=True, channel=c)["address"]
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(wire.PATIENCE)
    s.connect(where)
    s.sendall(b"first\n")
    s.shutdown(socket.SHUT_WR)
    said = b""
    while not said.endswith(b"last\n"):
        said += s.recv(100)
    check(said == b"first\nlast\n", "who comes in at a door has the program: %r" % said)
    check(w.wait(lambda: w.ends.get(c)) == {"status": 5}, "and its end is told: %r" % w.ends.get(c))
    check(not os.path.exists(where), "the door is closed after him")
    s.close()
    w.channel += 2
    unused = w.ask("run", command=["cat"], door=True, channel=w.channel)["address"]
    w.channel += 2
    where = w.ask("run", command=["sh", "-c", "echo $$; cat"], door=True, channel=w.channel)["address"]
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(wire.PATIENCE)
    s.connect(where)
    pid = int(s.recv(100))
    w.close()
    check(until(lambda: not os.path.exists(unused)), "a door that nobody came to goes with the connection")
    s.sendall(b"still\n")
    check(s.recv(100) == b"still\n" and alive(pid), "who came in keeps his program, also without the agent")
    s.close()
    check(until(lambda: not alive(pid)), "it ends with him")


def lanes(place):
    """What a debugger asks of logs on another machine is what they say at that moment."""
    parent = place.folder + "/hbdb-" + "5" * 32
    folder = parent + "/run.1"
    os.makedirs(folder)

    def write(events, inside=None, name="rank.0.log"):
        log = rawlog.Log(0, 2, state=0)
        log.function("MPI_Recv", rawlog.LOCAL, ("source", rawlog.NUMBER))
        for _ in range(events):
            log.event("MPI_Recv", [0])
        if inside is not None:
            log.never_returned("MPI_Recv", [inside])
        with open(folder + "/new", "wb") as f:
            f.write(log.bytes())
        os.rename(folder + "/new", "%s/%s" % (folder, name))
        return log

    def ask(w, *names):
        return [[lane[:4] for lane in log["lanes"]] for log in w.ask("lanes", folder=folder, logs=list(names))["logs"]]

    w = place.agent()
    check(ask(w, "rank.0.log", "../x", "rank.1.log") == [[], [], []], "logs that are not there yet, and names of none")
    write(2)
    check(ask(w, "rank.1.log", "rank.0.log") == [[], [[0, 2, 0, 0]]], "what its thread has done: %r" % ask(w, "rank.1.log", "rank.0.log"))
    log = write(3, inside=1)
    got = ask(w, "rank.0.log")
    check(got == [[[0, 3, 0, log.inside]]], "and at the next question what it does then: %r" % got)
    slot = log.inside - 1
    check(w.ask("inside", folder=folder, log="rank.0.log", lane=0, event=4, slot=slot).get("text") == "MPI_Recv from 1", "the call that it is in")
    check(w.ask("inside", folder=folder, log="rank.1.log", lane=0, event=4, slot=slot).get("text") is None, "... of a log that is not there")
    calls = w.ask("calls", folder=folder, log="rank.0.log")["calls"]
    check(calls[0] == ["MPI_Recv", 3], "how often a function was called: %r" % calls)
    for name in ("../rank.0.log", "manifest.json", ""):
        check(refused(lambda: w.ask("calls", folder=folder, log=name), "no name of a log"), "%r is no log" % name)
    many = ["rank.%d.log" % i for i in range(30000)]
    told = w.ask("lanes", folder=folder, logs=many)["logs"]
    check(0 < len(told) <= len(many) and told[0]["lanes"][0][1] == 3, "of many logs as many as an answer has room for")
    check(refused(lambda: w.ask("drop", folder=place.folder + "/run"), "was not made for"), "only what is in a node's part is removed")
    w.ask("drop", folder=folder)
    check(not os.path.exists(folder) and os.path.isdir(parent), "a folder in it is removed")
    w.close()


def kept(place):
    """A node's part of a recording is copied while it is written, and ended; nothing of the copy outlives the connection."""
    folder, part = place.folder + "/hbdb-" + "6" * 32, place.folder + "/hbdb-" + "7" * 32
    child = subprocess.Popen([HBDB, "record", "-o", place.folder + "/run.hbdb", "--", sys.executable, "-c", TALKER, place.folder + "/go"], env=place.env,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run_folder = place.folder + "/run.hbdb"
    try:
        check(until(lambda: glob.glob(run_folder + "/rank.*.log")), "a program that goes on is recorded")
        w = place.agent()
        check(w.ask("keep", folder=folder, part=part).get("gone") is True and not os.path.exists(part), "of a part that is not there it is said")
        for wrong in ("hbdb-" + "7" * 32, place.folder + "/kept", part + "/x", "/hbdb-" + "7" * 31):
            check(refused(lambda: w.ask("keep", folder=run_folder, part=wrong), "is no path that ends with hbdb-ID"), "not into %r" % wrong)
        told = w.ask("keep", folder=run_folder, part=part)
        logs = sorted(os.listdir(part + "/kept"))
        check(told.get("logs") == len(logs) > 0 and all(name.endswith(".log") for name in logs), "its logs are copied: %r, %r" % (told, logs))
        check(os.stat(part).st_mode & 0o77 == 0, "for this user alone")
        check(refused(lambda: w.ask("keep", folder=run_folder, part=part), "cannot create"), "a second time elsewhere only")
        w.close()
        check(until(lambda: not os.path.exists(part)), "the copy ends with the connection")
        check(child.poll() is None and glob.glob(run_folder + "/rank.*.log"), "the run does not")
        w = place.agent()
        told = w.ask("unrecord", folder=run_folder)
        check(told.get("ended", 0) > 0 and child.poll() is None, "its recording is ended, and it goes on: %r" % told)
        check(w.ask("unrecord", folder=run_folder).get("ended") == 0, "... once")
        check(w.ask("unrecord", folder=folder).get("gone") is True, "of a folder that is not there it is said")
        w.close()
        open(place.folder + "/go", "w").close()
        child.wait(wire.PATIENCE)
        done = subprocess.run([HBDB, "info", run_folder], capture_output=True, text=True, env=place.env, check=False)
        check("told to stop" in done.stdout, "what is recorded says so: " + done.stdout)
    finally:
        child.kill()
        child.wait()


def main():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup has it: what an agent runs ends all the same
    import turn
    for part in (hello, run, killed, processes, parts, shared, nameless, service, junk, dial, named_door, debugging, lanes, kept):
        with Place() as place:
            part(place)
    for mpi in turn.either("agent-watch", ("openmpi", "mpich")):
        with Place() as place:
            watch(place, mpi)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
