#!/usr/bin/python3
"""Platforms as they are: a node of each kind, a program begun and recorded there, seen, killed, looked at with gdb, begun again.

The complex runs on a machine of tests/nodes/bed.py: this machine (local), ssh as another user, Slurm, a container of podman's, one of unshare's.
What this system does not allow is passed over, and said so at the end.

usage: run.py [PLATFORM...]
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(TESTS, "nodes"), os.path.join(TESTS, "cli")]
import bed  # noqa: E402
import slurm  # noqa: E402
from lib import BUILD, check as counted, finish  # noqa: E402

PATIENCE = 120  # seconds; each step takes a few
RULES = """
when process pair#2 dies do stop everybody in its past and leave them for me, attach debugger
"""
passed_over = []


def check(name, good, detail=""):
    counted(name, good, detail)
    return good


def until(what, seconds=PATIENCE):
    """What it says when that is true; what it said last after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        found = what()
        if found or time.monotonic() > end:
            return found
        time.sleep(0.1)


class Complex:
    """The manager on the machine in front, and hbdb's commands there."""

    def __init__(self, nodes):
        self.nodes = nodes
        # where other users can read it, too
        self.home = os.path.join(nodes.programs, "hbdb")
        outside = os.path.join(nodes.folder, "programs", "hbdb")
        os.mkdir(outside)
        for file in [os.path.join(BUILD, "hbdb")] + glob.glob(BUILD + "/libhbdb-*.so"):
            shutil.copy(file, outside)
        shutil.copytree(BUILD + "/platforms", outside + "/platforms")
        self.hbdb = self.home + "/hbdb"
        self.env = {"XDG_STATE_HOME": "/tmp/state", "XDG_RUNTIME_DIR": "/tmp/run", "LC_ALL": "C.UTF-8", "PATH": self.home + ":/usr/sbin:/usr/bin:/sbin:/bin"}
        self.rules = nodes.put("rules.hbr", RULES, 0o644)
        nodes.run(["mkdir", "-m", "700", "-p", "/tmp/run", "/tmp/state"])
        self.manager = self.said = None

    def begin(self, **env):
        self.said = open(os.path.join(self.nodes.folder, "manager.said"), "ab")
        self.manager = self.nodes.front.start_command([self.hbdb, "manager", "--reactions", self.rules], env=dict(self.env, **env), stdout=self.said, stderr=self.said)
        if not until(lambda: not self.run("ps")[0]):
            raise AssertionError("no manager: " + self.words())

    def words(self):
        with open(self.said.name, encoding="utf-8", errors="replace") as f:
            return f.read()

    def end(self, signal="TERM"):
        """That of nsenter would not reach it."""
        self.nodes.run(["pkill", "-" + signal, "-xf", "%s manager --reactions %s" % (self.hbdb, self.rules)])
        self.manager.wait(PATIENCE)
        self.said.close()

    def run(self, *words):
        done = self.nodes.run([self.hbdb, *words], env=self.env, timeout=PATIENCE)
        return done.returncode, done.stdout, done.stderr

    def rows(self, *words):
        status, out, _ = self.run(*words, "--json")
        return [json.loads(line) for line in out.splitlines()] if not status else []

    def node(self, name):
        return next((r for r in self.rows("nodes") if r["name"] == name), {"state": "none"})

    def program(self, name):
        return next((r for r in self.rows("program") if r["name"] == name), {"state": "none"})

    def processes(self, program):
        return {r["name"]: r for r in self.rows("ps") if r["program_name"] == program and r["state"] not in ("ended", "gone")}

    def event(self, kind, text, program):
        return next((r for r in self.rows("events", "--since", "0") if r["kind"] == kind and text in r["text"] and r.get("program_name") == program), None)


def lives(c, name, stays):
    """A program on the node of this name, from its beginning to its end. stays: it outlives the connection to its node."""
    job = "job-" + name
    status, _, err = c.run("program", "add", job, "--node", name, "--record", "--", c.pair)
    check(name + ": a program is added", not status, err)
    status, _, err = c.run("program", "begin", job)
    check(name + ": and begun", not status, err)

    def both():
        found = c.processes(job)
        return found if all((found.get(p, {}).get("events") or 0) > 10 for p in ("pair", "pair#2")) else None

    found = until(both)
    if not check(name + ": hbdb ps shows both of its processes, recorded", found, (c.run("ps"), c.run("events"), c.words())):
        return
    # a second agent with the same folder of state would take them for its own, and gone
    others = c.run("events", "--json", "--since", "0")[1]
    check(name + ": and its node alone has them", {r["node_name"] for r in c.rows("ps")} == {name} and '"gone"' not in others, (c.run("ps"), others))
    outlives(c, name, job, stays)
    found = until(both)
    status, _, err = c.run("program", "signal", "%s:pair#2" % job, "--signal", "9")
    check(name + ": one is killed", not status, (err, found))
    check(name + ": its death is an event", until(lambda: c.event("death", "pair#2", job)), c.run("events"))
    check(name + ": who is in its past stands", until(lambda: c.processes(job).get("pair", {}).get("state") == "stopped"), c.run("ps"))
    check(name + ": gdb has its stack", until(lambda: c.event("note", "ask_all (", job)), c.run("events"))
    status, _, err = c.run("program", "restart", job)
    check(name + ": it is held", status == 2 and "held by me" in err, err)
    c.run("program", "release", job + ":pair", "--force")
    before = c.program(job)
    status, _, err = c.run("program", "restart", job)
    check(name + ": released, it is begun again",
          until(lambda: c.program(job)["runs"] == before["runs"] + 1 and c.program(job)["recording"] != before["recording"] and both()), (err, c.program(job), c.run("ps")))
    ends(c, name, job)


def outlives(c, name, job, stays):
    """The manager is killed and begun anew."""
    before = c.processes(job)["pair"]
    c.end("KILL")
    c.begin(**c.more)
    check(name + ": a new manager reaches the node again", until(lambda: c.node(name)["state"] == "up"), (c.run("nodes"), c.words()))
    if stays:
        now = until(lambda: c.processes(job).get("pair", {}) if c.processes(job).get("pair", {}).get("events", 0) > before["events"] else None)
        check(name + ": the program has not noticed", now and now["pid"] == before["pid"] and c.program(job)["runs"] == 1, (before, now, c.run("program")))


def ends(c, name, job):
    status, _, err = c.run("program", "end", job)
    check(name + ": and ended", not status and until(lambda: c.program(job)["state"] in ("ended", "failed") and not c.processes(job)), (err, c.program(job), c.run("ps")))
    recording = c.program(job)["recording"]
    done = c.command([c.hbdb, "info", "--json", recording])
    try:
        events = {p["name"]: p["events"] for p in json.loads(done.stdout)["processes"]}
    except (ValueError, KeyError):
        events = {}
    check(name + ": the recording stands there", all(events.get(p, 0) > 10 for p in ("pair", "pair#2")), (recording, done))
    c.run("program", "remove", job)
    c.run("nodes", "remove", name)


def a_node(c, name, platform, address=None, command=None, stays=True, **env):
    """command: runs a command where the node's are, without hbdb's help."""
    c.more, c.command = env, command
    c.begin(**env)
    if name != "here":
        c.run("nodes", "add", "here", "--platform", "local")
        until(lambda: c.node("here")["state"] == "up")
    status, _, err = c.run("nodes", "add", name, "--platform", platform, *(["--address", address] if address else []))
    if check(name + ": its agent answers", not status and until(lambda: c.node(name)["state"] == "up"), (err, c.run("nodes"), c.words())):
        lives(c, name, stays)
    c.end()


def local(c):
    a_node(c, "here", "local", command=lambda words: c.nodes.run(words, env=c.env))


def ssh(c):
    """As another user."""
    machine = c.nodes["n1"]
    home = machine.disk + "/" + bed.OTHER
    os.mkdir(home, 0o700)
    with open(home + "/.bashrc", "w", encoding="ascii") as f:
        f.write("export PATH=%s:$PATH\n" % c.home)
    for path in (home, home + "/.bashrc"):
        os.chown(path, bed.OTHER_UID, bed.OTHER_UID)
    a_node(c, "far", "ssh", bed.OTHER + "@n1", lambda words: machine.run(words))
    check("far: all of it is the other user's", all(os.lstat(os.path.join(at, f)).st_uid == bed.OTHER_UID for at, _, files in os.walk(home) for f in files), home)


def with_slurm(c):
    why = slurm.possible()
    if why:
        passed_over.append("slurm: " + why)
        return
    with slurm.Slurm(c.nodes):
        done = c.nodes.run(["salloc", "--no-shell", "-N", "4", "--quiet", "-J", "platforms"], timeout=PATIENCE)
        job = c.nodes.run(["squeue", "-h", "-n", "platforms", "-t", "RUNNING", "-o", "%i"]).stdout.strip()
        if check("slurm: a job", job, done):
            listed = c.nodes.run(["squeue", "-h", "-j", job, "-o", "%N"]).stdout.strip()
            env = {"SLURM_JOB_ID": job, "SLURM_NODELIST": listed}  # as salloc has it for its command
            names = c.nodes.run(platform_words(c, "slurm", "list"), env=env).stdout.split()
            check("slurm: its nodes are listed", sorted(names) == sorted(c.nodes.names), names)
            a_node(c, names[-1], "slurm", command=lambda words: c.nodes[names[-1]].run(words), **env)
            c.nodes.run(["scancel", job])


def platform_words(c, name, key):
    with open(os.path.join(BUILD, "platforms", name + ".platform"), encoding="utf-8") as f:
        return next(line.split("=", 1)[1].split() for line in f if line.split("=")[0].strip() == key)


def container(c):
    """A container made by hand: processes, a network, a name and a /tmp of its own."""
    front = c.nodes.front
    script = "mount -t proc proc /proc; hostname box; ip link set lo up; exec sleep infinity"
    box = front.start_command(["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        inside = until(lambda: front.run(["pgrep", "-xf", "sleep infinity"]).stdout.split())
        a_node(c, "box", "container", inside[0], lambda words: front.run(words, env=c.env))
    finally:
        front.run(["pkill", "-9", "-xf", "sleep infinity"])
        box.wait(PATIENCE)


def podman(c):
    if not shutil.which("podman"):
        passed_over.append("podman: it is not here (package: podman)")
        return
    front = c.nodes.front
    # without an image: the files of this machine, and a layer above them for what is written; control groups are mounted as podman knows them
    front.run(["sh", "-c", "umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup"])
    containers = c.nodes.put("storage.conf", '[storage]\ndriver = "vfs"\nrunroot = "/tmp/podman/run"\ngraphroot = "/tmp/podman/root"\n', 0o644)
    env = {"CONTAINERS_STORAGE_CONF": containers}
    limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]
    done = front.run(["podman", "run", "--detach", "--name", "pod", "--net", "none", "--cgroups=disabled", "--pids-limit", "-1", *limits, "--env", "PATH=" + c.env["PATH"],
                      "--env", "XDG_STATE_HOME=/tmp/state", "--volume", bed.INSIDE + ":" + bed.INSIDE, "--volume", "/tmp/state:/tmp/state", "--rootfs", "/:O", "sleep", "infinity"],
                     env=env, timeout=PATIENCE)
    if done.returncode:
        passed_over.append("podman: it cannot begin a container here: " + done.stderr.strip())
        return
    try:
        listed = front.run(platform_words(c, "podman", "list"), env=env).stdout.split()
        check("pod: it is listed", listed == done.stdout.split(), (listed, done.stdout))
        a_node(c, "pod", "podman", "pod", lambda words: front.run(["podman", "exec", "pod", *words], env=env), **env)
    finally:
        front.run(["podman", "rm", "-f", "-t", "0", "pod"], env=env)


KINDS = {"local": local, "ssh": ssh, "slurm": with_slurm, "container": container, "podman": podman}


def main():
    wanted = sys.argv[1:] or list(KINDS)
    try:
        with bed.Nodes(["n1", "n2", "n3", "n4"]) as nodes:
            c = Complex(nodes)
            c.pair = nodes.build_program(os.path.join(HERE, "pair.c"), "pair")
            for kind in wanted:
                KINDS[kind](c)
    except bed.Refused as error:
        passed_over.append("platforms: %s" % error)
        check("without namespaces no platform is tried, which is said", True)
    for why in passed_over:
        print("table: NOT TRIED " + why)
    finish()


if __name__ == "__main__":
    main()
