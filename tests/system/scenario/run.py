#!/usr/bin/python3
"""A plant on five machines, one of another processor: begun by the manager, monitored, one part dies, the management system shows it, the debugger goes where it
happened, the recording explains it, a replay repeats it, and the part is begun again by a reaction.

--write: what each step printed, as docs/system/scenario.md shows it
"""
import argparse
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
MPIRUN = {"openmpi": lambda hosts: ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "tcp,self",
                                    "--host", ",".join(hosts)],
          "mpich": lambda hosts: ["mpirun.mpich", "-hosts", ",".join(hosts)]}
VALVE, PUMP = 2, 3  # ranks
# qemu waits for gdb at its stub; gdb goes on to the end of the process, and looks
STUB = """#!/bin/sh
rm -rf /tmp/stubs && mkdir /tmp/stubs
HBDB_STUBS=/tmp/stubs %s replay --trust %s >/tmp/replay.said 2>&1 </dev/null &
while ! ls /tmp/stubs/* >/dev/null 2>&1; do
	kill -0 $! 2>/dev/null || break
	sleep 0.1
done
gdb-multiarch -nx -q -batch -ex 'set sysroot /usr/s390x-linux-gnu' -ex 'file %s/collector' -ex "target remote $(ls /tmp/stubs/*)" \\
	-ex continue -ex where -ex 'frame function enter' -ex 'print b->last' -ex kill 2>&1 </dev/null
wait
"""
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
        self.nodes, self.told, self.children, self.known, self.last = nodes, [], [], {}, 0

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

    def shorten(self, how):
        """Only the last lines of the last step are kept, as this command would leave them."""
        title, node, typed, said = self.told.pop()
        self.told.append((title, node, "%s | %s" % (typed, how), "\n".join(said.splitlines()[-int(how.split("-")[1]):])))

    def events_of(self, process):
        """Of all.hbdb: it does not change."""
        if process not in self.known:
            status, out, _ = self.run("hbdb", "dump", "--plain", "--rank", process, "--json", "all.hbdb")
            self.known[process] = [json.loads(line) for line in out.splitlines()] if not status else []
        return self.known[process]

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


def begin_plant(story, programs, mpi):
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
               *MPIRUN[mpi](PARTS), "-n", "4", plant, "n5", "7000", "30000")
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


def debugged(story, event, recording):
    """From the notification to the debugger, in front: it goes to the machine where it was."""
    title = "From the notification to the debugger"
    status, out, err = story.step(title, "hbdb", "debug", "--event", str(event["event"]), "-c", "status; go; wait; status")
    check("hbdb debug --event goes to n5, to the collector's last event", not status and "on node n5" in err and "held after collector:%d" % story.last in out, (status, out, err))
    check("and behind it the collector dies", "SIGABRT (Aborted), after collector:%d; about to die" % story.last in out, (status, out, err))
    script = story.nodes.put("stub.sh", STUB % (HBDB, recording, story.nodes.programs))
    status, out, err = story.step("gdb on the other processor", "hbdb", "nodes", "run", "n5", "--", "sh", script)
    check("gdb stands in the s390x process where it dies", "SIGABRT" in out and "enter (" in out and "$1 = {" in out, (status, out, err))
    last = re.search(r"\$1 = \{([^}]*)\}", out)
    last = [int(n) for n in last.group(1).split(",")] if last else [0] * 4
    check("and its books are those that the assertion is about", 0 <= last[VALVE] < last[PUMP], last)


def attached(story):
    """An event of one who lives: the debugger on all nodes of his job."""
    pump = story.event("start", "rank 3 of plant")
    command = ["hbdb", "debug", "--event", str(pump["event"]), "-c", "status; halt; where; [%d] up; [%d] print rank; go" % (PUMP, PUMP)]
    status, out, err = story.step("The debugger on four machines", *command)
    check("hbdb debug --event attaches to the job on its four nodes", not status and all("[%d] on %s" % (i, n) in out for i, n in enumerate(PARTS)), (status, out, err))
    check("all of them stand in the program", re.search(r"work \(plant.c:\d+\)", out) and "[3] rank = 3" in out, (status, out, err))
    counts = [sum(p["events"] or 0 for p in story.rows("ps") if p["program_name"] == "plant")]
    check("and the plant goes on afterwards", until(lambda: sum(p["events"] or 0 for p in story.rows("ps") if p["program_name"] == "plant") > counts[0] + 40),
          story.run("hbdb", "ps"))


def explained(story, recording):
    status, out, err = story.step("What the recording says", "hbdb", "info", recording, node="n5")
    check("info: a process of s390x that was killed", "s390x 64 big" in out and "killed or crashed" in out, (status, out, err))
    status, out, err = story.step("What the recording says", "hbdb", "dump", "--plain", "--data", recording, node="n5")
    came = re.findall(r"collector:(\d+)  data number 1: 12 bytes: ((?:[0-9a-f]{2} ?)+)", out)
    readings = [tuple(int(data.replace(" ", "")[i : i + 8], 16) for i in (0, 8)) for _, data in came]
    story.last = int(came[-1][0]) if came else 0
    check("dump has what came: the last was the pump's of a round of which the valve's had not come", readings and readings[-1][0] == PUMP and
          (VALVE, readings[-1][1]) not in readings and (VALVE, readings[-1][1] - 1) in readings, (status, readings[-8:], err))
    story.shorten("tail -8")
    command = ["hbdb", "replay", recording]
    for again in range(2):
        status, out, err = story.step("A replay repeats it", *command, node="n5") if not again else story.run(*command, node="n5")
        check("a replay dies by the same assertion, time %d" % (again + 1), "Assertion `b->last[VALVE]" in out + err and "no difference" in out + err, (status, out, err))


def nth(story, process, function, n):
    """The event of the n-th call of a function by a process, from 0; of the last with -1."""
    calls = [e for e in story.events_of(process) if e.get("function") == function]
    return "%s:%d" % (process, calls[n]["event"]) if len(calls) > n else "none"


def together(story, programs):
    """The same plant and its collector as one job: in one recording, with the order of all their events."""
    plant, collector = programs
    status, _, err = story.step("All in one recording", "hbdb", "record", "--local", "off", "--layers", "mpi,sockets", "-o", "all.hbdb", "--",
                                *MPIRUN["openmpi"](PARTS + ["n5"]), "-n", "4", plant, "n5", "7001", "100", ":", "-n", "1", plant, "keep", *QEMU, collector, "7001", "service")
    check("one recording of five nodes and two processors", "7 processes" in err and "Assertion" in err, (status, err))
    status, out, err = story.step("All in one recording", "hbdb", "info", "all.hbdb")
    check("ranks and collector stand in it", "collector#2  n5" in out and "s390x 64 big" in out and "x86_64 64" in out, (status, out, err))
    status, out, err = story.step("All in one recording", "hbdb", "races", "all.hbdb")
    check("the receive in which it died raced", re.search(r"collector\.c:\d+  recvfrom: \d+ of \d+ raced", out), (status, out, err))
    ordered(story)


def ordered(story):
    """Why it died: who had to come before whom, and who had not."""
    death = nth(story, "collector#2", "recvfrom", -1)
    status, out, err = story.run("hbdb", "cone", death, "all.hbdb", "--json")
    cut = {row.get("process") or str(row["rank"]): row for row in map(json.loads, out.splitlines())} if not status else {}
    # of the pump the past of the death ends with the reading that came last
    pump = "3:%d" % cut["3"]["event"] if "3" in cut else "none"
    sends = [e["event"] for e in story.events_of("3") if e.get("function") == "sendto"]
    turn = sends.index(int(pump[2:])) if pump[2:].isdigit() and int(pump[2:]) in sends else -1
    check("the past of the death ends in the pump with a reading", turn >= 0, (pump, sends[:40], status, out, err))
    valve, agreed = nth(story, "2", "sendto", turn), nth(story, "2", "MPI_Allreduce", turn)
    title = "Who had to happen before whom"
    for first, second, wanted, why in ((pump, death, r"is before", "the pump's reading of the round is before the death"),
                                       (agreed, pump, r"is (strictly )?before", "what all agreed upon in this round is before it"),
                                       (valve, pump, r"are concurrent", "of the valve's reading and the pump's none had to be the first"),
                                       (valve, death, r"are concurrent", "the valve's reading is not in the past of the death")):
        status, out, err = story.step(title, "hbdb", "order", first, second, "all.hbdb")
        check(why, not status and re.search(r"%s (and %s )?%s" % (first, second, wanted), out), (first, second, status, out, err))
    status, out, err = story.step(title, "hbdb", "cone", death, "all.hbdb")
    check("the cone shows it", not status and pump in out, (status, out, err))


def scenario(mpi, write):
    with bed.Nodes(PARTS + ["n5"], shared=True) as nodes:
        programs = (nodes.build_program(EXAMPLE + "/plant.c", "plant", "mpicc." + mpi),
                    nodes.build_program(EXAMPLE + "/collector.c", "collector", "s390x-linux-gnu-gcc"))
        story = Story(nodes)
        try:
            begin_watching(story, nodes.folder)
            recording = begin_plant(story, programs, mpi)
            event = death(story)
            shown(story, event)
            explained(story, recording)
            debugged(story, event, recording)
            attached(story)
            for name in ("plant", "collector"):
                story.run("hbdb", "program", "end", name)
            check("the plant is ended, and the collector is over", until(lambda: all(p["state"] in ("ended", "failed") for p in story.rows("program"))), story.run("hbdb", "program"))
            # under MPICH 4.0 such a job of five machines mostly hangs in its own MPI_Finalize here, without hbdb, too
            if mpi == "openmpi":
                together(story, programs)
        finally:
            if write:
                keep(story, write)
            for child in story.children:
                child.kill()
                child.wait()


def keep(story, write):
    folder = story.nodes.folder
    story.write(write)
    for name in ("manager.said", "snmp.said", "metrics.said"):
        if os.path.exists(folder + "/" + name):
            shutil.copy(folder + "/" + name, write + "." + name)
    if os.path.isdir(folder + "/shared/all.hbdb"):
        shutil.copytree(folder + "/shared/all.hbdb", write + ".all.hbdb", dirs_exist_ok=True)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--mpi", choices=["openmpi", "mpich", "both"], default="openmpi")
    words.add_argument("--write", metavar="FILE")
    given = words.parse_args()
    for mpi in ("openmpi", "mpich") if given.mpi == "both" else (given.mpi,):
        print("-- " + mpi)
        scenario(mpi, given.write and given.write + ("." + mpi if given.mpi == "both" else ""))
    finish()


if __name__ == "__main__":
    main()
