#!/usr/bin/python3
"""A plant on five machines, one of another processor: begun by the manager, monitored, one part dies, the management system shows it, the debugger goes where it
happened, the recording explains it, a replay repeats it, and the part is begun again by a reaction.

usage: run.py [--write FILE]     --write: what each step printed, as docs/system/scenario.md shows it
"""
import json
import os
import re
import shutil
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TESTS, "nodes"), os.path.join(TESTS, "cli")]
import bed  # noqa: E402
from lib import BUILD, HBDB, TOP, check, finish, has  # noqa: E402

FAR = int(os.environ.get("HBDB_TEST_PATIENCE", "300"))  # seconds; a step takes a few
EXAMPLE = os.path.join(TOP, "examples", "system")
QEMU = ["qemu-s390x", "-L", "/usr/s390x-linux-gnu"]
MPIRUN = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "tcp,self"]
PARTS = ["n1", "n2", "n3", "n4"]
MIBS = ":".join([TESTS + "/monitoring/smi", TOP + "/share/snmp", "/usr/share/snmp/mibs"])
ENV = {"XDG_STATE_HOME": "/tmp/state", "XDG_RUNTIME_DIR": "/tmp/run", "LC_ALL": "C.UTF-8", "MIBDIRS": MIBS, "MIBS": "HBDB-MIB", "SNMPCONFPATH": "/tmp/none",
       "SNMP_PERSISTENT_DIR": "/tmp/kept", "PATH": BUILD + ":/usr/sbin:/usr/bin:/sbin:/bin"}


def until(what, seconds=FAR):
    """What it says when that is true; what it said last after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        found = what()
        if found or time.monotonic() > end:
            return found
        time.sleep(0.2)


class Story:
    """What was typed on which machine, and what was answered."""

    def __init__(self, nodes):
        self.nodes, self.told, self.children = nodes, [], []

    def run(self, *words, node="head", folder="/srv"):
        done = self.nodes[node].run([HBDB if w == "hbdb" and not i else w for i, w in enumerate(words)], folder=folder, env=ENV if node == "head" else {"PATH": ENV["PATH"]}, timeout=FAR)
        return done.returncode, done.stdout, done.stderr

    def step(self, title, *words, node="head", show=None, **how):
        """Runs it, and keeps what it said."""
        status, out, err = self.run(*words, node=node, **how)
        typed = show or " ".join("'%s'" % w if " " in w or ";" in w else w for w in words)
        self.told.append((title, node, typed, out + err))
        return status, out, err

    def start(self, *words, node="head", log="/dev/null"):
        with open(log, "ab") as to:
            self.children.append(self.nodes[node].start_command([HBDB if w == "hbdb" else w for w in words], folder="/srv", env=ENV, stdout=to, stderr=to))

    def rows(self, *words):
        status, out, _ = self.run("hbdb", *words, "--json")
        return [json.loads(line) for line in out.splitlines()] if not status else []

    def event(self, kind, text=""):
        return next((e for e in self.rows("events", "--since", "0") if e["kind"] == kind and text in e["text"]), None)

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            for title, node, typed, said in self.told:
                f.write("## %s\n\n```\n%s$ %s\n%s\n```\n\n" % (title, node, typed, said.rstrip("\n")))


def begin_watching(story, folder):
    """The manager, and the two ways into other systems: on the machine in front."""
    front = story.nodes.front
    front.run(["mkdir", "-m", "700", "-p", "/tmp/run", "/tmp/state"])
    for name, text in (("snmpd.conf", "master agentx\nagentXSocket unix:/tmp/agentx\nagentXTimeout 30\nrwcommunity private\nrocommunity public\n"
                        "informsink 127.0.0.1:1162 public\n"), ("trapd.conf", "authCommunity log public\n")):
        story.nodes.put(name, text, 0o644)
    put = story.nodes.programs
    story.start("hbdb", "manager", "--reactions", EXAMPLE + "/rules.hbr", log=folder + "/manager.said")
    check("the manager answers", until(lambda: not story.run("hbdb", "ps")[0]), story.run("hbdb", "ps"))
    story.start("snmptrapd", "-f", "-Lf", "/tmp/traps", "-C", "-c", put + "/trapd.conf", "-OQ", "-p", "/tmp/trapd.pid", "udp:127.0.0.1:1162")
    story.start("snmpd", "-f", "-Lf", "/tmp/snmpd.log", "-C", "-c", put + "/snmpd.conf", "-p", "/tmp/snmpd.pid", "-I",
                "vacm_conf,usmConf,agentx,snmpv3mibs,trapsess,target,notification", "udp:127.0.0.1:1161")
    story.start(os.path.join(BUILD, "hbdb-snmp"), "-x", "unix:/tmp/agentx", log=folder + "/snmp.said")
    story.start("hbdb", "metrics", "--listen", "unix:/tmp/metrics", log=folder + "/metrics.said")
    check("so does SNMP", until(lambda: "0." in snmp(story, "snmpget", "HBDB-MIB::hbdbVersion.0")[1]), snmp(story, "snmpget", "HBDB-MIB::hbdbVersion.0"))


def snmp(story, tool, *words):
    return story.run(tool, "-v2c", "-cprivate", "-t", "30", "-Ir", "-OQ", "127.0.0.1:1161", *words)


def begin_plant(story, programs):
    plant, collector = programs
    for name in PARTS + ["n5"]:
        # what a login without a terminal finds
        with open(story.nodes[name].disk + "/home/.bashrc", "w", encoding="ascii") as f:
            f.write("export PATH=%s:$PATH\n" % BUILD)
        story.run("hbdb", "nodes", "add", name)
    check("five nodes are up", until(lambda: [n["state"] for n in story.rows("nodes")] == ["up"] * 5), story.run("hbdb", "nodes"))
    story.step("Five machines", "hbdb", "nodes")
    story.step("The programs", "hbdb", "program", "add", "collector", "--node", "n5", "--record-with", "--level data", "--", *QEMU, collector, "7000")
    story.step("The programs", "hbdb", "program", "add", "plant", "--node", "n1", "--record-with", "--local off -o /srv/plant.hbdb", "--cwd", "/srv", "--",
               *MPIRUN, "--host", ",".join(PARTS), "-n", "4", plant, "n5", "7000", "3000")
    status, _, err = story.step("The programs", "hbdb", "program", "begin", "collector")
    check("the collector is begun", not status, err)
    first = until(lambda: next((p["recording"] for p in story.rows("program") if p["name"] == "collector" and p["recording"]), None))
    check("it is recorded on its node", first and "collector" in first, first)
    story.step("The programs", "hbdb", "program", "begin", "plant")
    return first


def death(story):
    found = until(lambda: story.event("death"))
    check("the collector dies", found and found["program_name"] == "collector", story.run("hbdb", "events"))
    check("a reaction begins it again", until(lambda: next(p for p in story.rows("program") if p["name"] == "collector")["runs"] == 2), story.run("hbdb", "program"))
    check("the plant goes on", next(p for p in story.rows("program") if p["name"] == "plant")["state"] == "running", story.run("hbdb", "program"))
    story.step("A death", "hbdb", "events")
    story.step("A death", "hbdb", "ps")
    return found


def shown(story, event):
    """By the management system."""
    traps = until(lambda: [t for t in story.run("cat", "/tmp/traps")[1].splitlines() if "hbdbDeath" in t and "hbdb debug --event %d" % event["event"] in t])
    check("a real snmptrapd was told of it", traps, story.run("cat", "/tmp/traps"))
    story.told.append(("What the management system shows", "head", "cat traps", "\n".join((traps or [""])[0].split("\t"))))
    status, out, err = story.step("What the management system shows", "snmpwalk", "-v2c", "-cpublic", "-t30", "-OQ", "127.0.0.1:1161", "HBDB-MIB::hbdbProgramTable")
    check("snmpwalk has the programs", not status and "collector" in out and "plant" in out, out + err)
    status, out, err = story.step("What the management system shows", "curl", "-s", "--unix-socket", "/tmp/metrics", "http://hbdb/metrics")
    check("the metrics count it", 'hbdb_program_events_total{program="collector",kind="death"} 1' in out, out + err)
    title, node, typed, said = story.told.pop()
    story.told.append((title, node, typed + " | grep -v '^#' | grep collector", "\n".join(x for x in said.splitlines() if "collector" in x)))


def alone(programs):
    """How the collector is run again by itself: hbdb has to be told of qemu."""
    return ["--", *QEMU, programs[1], "7000"]


def debugged(story, event, recording, programs):
    """From the notification to the debugger: on the machine where it was."""
    command = ["hbdb", "debug", "--event", str(event["event"])]
    status, out, err = story.step("From the notification to the debugger", *command)
    check("hbdb debug --event says where", status == 2 and "n5" in err, (status, out, err))
    status, out, err = story.step("From the notification to the debugger", "hbdb", "debug", recording, "-c", "status", node="n5")
    check("the debugger holds the collector there", not status and "collector" in out, (status, out, err))
    script = story.nodes.put("stub.sh", """#!/bin/sh
mkdir /tmp/stubs
HBDB_STUBS=/tmp/stubs %s replay --trust --alone collector %s %s >/tmp/replay.said 2>&1 </dev/null &
replay=$!
while ! ls /tmp/stubs/* >/dev/null 2>&1; do sleep 0.1; done
timeout 30 gdb-multiarch -nx -q -batch -ex 'set sysroot /usr/s390x-linux-gnu' -ex 'file %s/collector' -ex "target remote $(ls /tmp/stubs/*)" \\
	-ex continue -ex where -ex 'frame function enter' -ex 'print *b' -ex kill 2>&1 </dev/null
kill $replay
cat /tmp/replay.said
""" % (HBDB, recording, " ".join(alone(programs)), story.nodes.programs))
    status, out, err = story.step("gdb on the other processor", "sh", script, node="n5")
    check("gdb stands in the s390x process where it dies", "SIGABRT" in out and "enter (" in out and "last = {" in out, (status, out, err))


def explained(story, recording, programs):
    status, out, err = story.step("What the recording says", "hbdb", "info", recording, node="n5")
    check("info: a process of s390x that was killed", "s390x 64 big" in out and "killed or crashed" in out, (status, out, err))
    status, out, err = story.step("What the recording says", "hbdb", "dump", "--plain", "--data", recording, node="n5")
    check("dump has what came", not status and "recvfrom" in out, (status, out[-500:], err))
    title, node, typed, said = story.told.pop()
    story.told.append((title, node, typed + " | tail -12", "\n".join(said.splitlines()[-12:])))
    status, out, err = story.step("A replay repeats it", "hbdb", "replay", "--alone", "collector", recording, *alone(programs), node="n5")
    check("a replay dies by the same assertion", "Assertion" in out + err and "no difference" in out + err, (status, out, err))


def together(story, programs, folder):
    """The same plant and its collector as one job: in one recording, with the order of all their events."""
    plant, collector = programs
    command = MPIRUN + ["--host", ",".join(PARTS), "-n", "4", plant, "n5", "7001", "400", ":", "--host", "n5", "-n", "1", plant, "keep", *QEMU, collector, "7001", "service"]
    status, _, err = story.step("All in one recording", "hbdb", "record", "--local", "off", "--layers", "mpi,sockets", "-o", "all.hbdb", "--", *command)
    check("one recording of five nodes and two processors", "7 processes" in err and "Assertion" in err, (status, err))
    status, out, err = story.step("All in one recording", "hbdb", "info", "all.hbdb")
    check("ranks and collector stand in it", "collector#2  n5" in out and "s390x 64 big" in out and "x86_64 64" in out, (status, out, err))
    out = story.run("hbdb", "dump", "--plain", "--rank", "collector#2", "--json", "all.hbdb")[1]
    last = [e for e in map(json.loads, out.splitlines()) if e.get("function") == "recvfrom"][-1]
    story.last = "collector#2:%d" % last["event"]
    status, out, err = story.step("All in one recording", "hbdb", "races", "all.hbdb")
    check("the receive in which it died raced", "collector.c" in out and "recvfrom" in out, (status, out, err))
    shutil.copytree(os.path.join(story.nodes.folder, "shared", "all.hbdb"), folder + "/all.hbdb", dirs_exist_ok=True)


def main():
    write = sys.argv[2] if len(sys.argv) == 3 and sys.argv[1] == "--write" else None
    with bed.Nodes(PARTS + ["n5"], shared=True) as nodes:
        programs = (nodes.build_program(EXAMPLE + "/plant.c", "plant", "mpicc.openmpi"),
                    nodes.build_program(EXAMPLE + "/collector.c", "collector", "s390x-linux-gnu-gcc"))
        story = Story(nodes)
        try:
            begin_watching(story, nodes.folder)
            recording = begin_plant(story, programs)
            event = death(story)
            shown(story, event)
            explained(story, recording, programs)
            debugged(story, event, recording, programs)
            for name in ("plant", "collector"):
                story.run("hbdb", "program", "end", name)
            together(story, programs, nodes.folder)
        finally:
            if write:
                story.write(write)
                for name in ("manager.said", "snmp.said", "metrics.said"):
                    if os.path.exists(nodes.folder + "/" + name):
                        shutil.copy(nodes.folder + "/" + name, write + "." + name)
                if os.path.isdir(nodes.folder + "/all.hbdb"):
                    shutil.copytree(nodes.folder + "/all.hbdb", write + ".all.hbdb", dirs_exist_ok=True)
            for child in story.children:
                child.kill()
                child.wait()
    finish()


if __name__ == "__main__":
    main()
