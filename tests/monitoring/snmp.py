#!/usr/bin/python3
"""hbdb-snmp under a real master agent: the MIB, every value, sets through the manager's socket, notifications over restarts."""
import os
import random
import re
import shutil
import signal
import socket
import time

from place import BUILD, HERE, TOP, Folder, Manager, example, ports, wait_for
from lib import check, finish, has, same

AGENT = os.path.join(BUILD, "hbdb-snmp")
MIB = os.path.join(TOP, "share/snmp/HBDB-MIB.txt")
MIBS = [HERE + "/smi", TOP + "/share/snmp", "/usr/share/snmp/mibs"]


class Site(Folder):
    """A master agent and a receiver of notifications on ports of their own."""

    def __init__(self):
        super().__init__()
        self.env.update(SNMPCONFPATH=self.path + "/none", SNMP_PERSISTENT_DIR=self.path + "/kept", MIBDIRS=":".join(MIBS), MIBS="HBDB-MIB", SMIPATH=":".join(MIBS))
        self.port = ports.free(socket.SOCK_DGRAM)
        self.trap_port = ports.free(socket.SOCK_DGRAM, but=self.port)
        self.master = "unix:%s/agentx" % self.path
        with open(self.file("snmpd.conf"), "w") as f:
            f.write("master agentx\nagentXSocket %s\nagentXTimeout 30\nrwcommunity private\nrocommunity public\n"
                    # a receiver that gets no processor for a second would be told again what it has
                    "trapsess -Ci -v 2c -c public -t 20 -r 4 127.0.0.1:%d\n" % (self.master, self.trap_port))
        with open(self.file("trapd.conf"), "w") as f:
            f.write("authCommunity log public\n")
        self.receiver = self.start("snmptrapd", "-f", "-Lf", self.file("traps"), "-C", "-c", self.file("trapd.conf"), "-OQ", "-p", self.file("trapd.pid"),
            "udp:127.0.0.1:%d" % self.trap_port)
        wait_for(lambda: "NET-SNMP" in self.log("traps"))

    def start_master(self):
        # of snmpd's own modules only what answers for the system: the others look at the machine for long
        child = self.start("snmpd", "-f", "-Lf", self.file("snmpd.log"), "-C", "-c", self.file("snmpd.conf"), "-p", self.file("snmpd.pid"), "-I",
            "vacm_conf,usmConf,agentx,snmpv3mibs,trapsess,target,notification", "udp:127.0.0.1:%d" % self.port)
        return child

    def start_agent(self, *options):
        return self.start(AGENT, "-x", self.master, "-d", self.file("db"), "-m", self.file("manager"), "-p", self.file("place"), *options, log="agent")

    def ask(self, tool, *words, community="public", options=("-OQ",)):
        return self.run(tool, "-v", "2c", "-c", community, "-t", "30", "-r", "2", "-Ir", *options, "127.0.0.1:%d" % self.port, *words)

    def get(self, name):
        status, out, err = self.ask("snmpget", "HBDB-MIB::" + name, options=("-Oqv",))
        return out.rstrip("\n") if not status else err

    def answers(self):
        return wait_for(lambda: self.get("hbdbVersion.0").startswith("0."))

    def events(self):
        """[(notification, {object: value})], in the order in which they came."""
        found = []
        for line in self.log("traps").splitlines():
            fields = dict(f.split(" = ", 1) for f in line.split("\t") if " = " in f)
            kind = fields.get("SNMPv2-SMI::snmpModules.1.1.4.1.0", "")
            if kind.startswith("HBDB-MIB::"):
                found.append((kind[10:], {k[10:-2]: v for k, v in fields.items() if k.startswith("HBDB-MIB::")}))
        return found

    def numbers(self):
        return [int(e["hbdbEventNumber"]) for _, e in self.events()]


def module(site):
    status, out, err = site.run("smilint", "-c", "/dev/null", "-l", "6", MIB)
    same("smilint has nothing to say of HBDB-MIB, at its highest level", (status, out + err), (0, ""))
    with open(MIB) as f:
        text = f.read()
    # the lint of the lint: an object in no group, an unknown type
    for old, new in (("        hbdbNodeWhy,\n", ""), ("SYNTAX HbdbText", "SYNTAX HbdbTxt")):
        with open(site.file("HBDB-MIB.txt"), "w") as f:
            f.write(text.replace(old, new))
        _, out, err = site.run("smilint", "-c", "/dev/null", "-l", "6", site.file("HBDB-MIB.txt"))
        check("smilint sees a mistake", out + err)
    os.unlink(site.file("HBDB-MIB.txt"))
    # all objects that can be asked for
    return [n for n, access in re.findall(r"^(hbdb\w+) OBJECT-TYPE\n    SYNTAX (?!SEQUENCE).*\n(?:    UNITS.*\n)?    MAX-ACCESS (\S+)", text, re.M)
            if access in ("read-only", "read-write")]


WANTED = {
    "hbdbVersion.0": "0.1.0", "hbdbDatabaseTrouble.0": "", "hbdbLastEvent.0": "1", "hbdbNodesUp.0": "1 nodes", "hbdbNodesDown.0": "1 nodes",
    "hbdbProgramsRunning.0": "1 programs", "hbdbProgramsHanging.0": "1 programs", "hbdbProgramsFailed.0": "0 programs", "hbdbProcessesAlive.0": "2 processes",
    "hbdbProcessesStopped.0": "0 processes", "hbdbDeaths.0": "1 events", "hbdbHangs.0": "0 events",
    "hbdbNodeName.1": "alpha", "hbdbNodeState.1": "up", "hbdbNodeState.2": "down", "hbdbNodeWhy.2": "connection refused", "hbdbNodeHost.1": "alpha.example",
    "hbdbNodeSince.1": "2023-11-14,22:13:20.0,+0:0", "hbdbNodeSince.2": "2023-11-14,22:13:21.5,+0:0", "hbdbNodeLoad.1": "25 hundredths",
    "hbdbNodeMemoryFree.1": "3 MiB", "hbdbNodeDiskFree.1": "5120 MiB", "hbdbNodeMachine.1": "x86_64", "hbdbNodeByteOrder.1": "little",
    "hbdbNodePlatform.2": "ssh", "hbdbNodeAddress.2": "beta.example", "hbdbNodeVersion.1": "0.1.0",
    "hbdbProgramName.1": "farm", "hbdbProgramNode.1": "1", "hbdbProgramCommand.1": '["mpirun","-n","2","./farm"]', "hbdbProgramRestart.1": "failed",
    "hbdbProgramRecording.1": "/nowhere/farm.hbdb", "hbdbProgramWanted.1": "true", "hbdbProgramWanted.7": "false", "hbdbProgramState.1": "running",
    "hbdbProgramState.7": "hangs", "hbdbProgramRuns.1": "3 runs", "hbdbProgramRuns.7": "%d runs" % (5000000000 & 0xffffffff), "hbdbProgramFailures.1": "1 runs",
    "hbdbProgramStatus.1": "-1", "hbdbProgramSignal.7": "11", "hbdbProgramProcesses.1": "2 processes", "hbdbProgramProcesses.7": "0 processes",
    "hbdbProgramAction.1": "none", "hbdbProcessNode.9": "2", "hbdbProcessProgram.1": "1", "hbdbProcessProgram.9": "0", "hbdbProcessPid.2": "101",
    "hbdbProcessName.9": "worker#2", "hbdbProcessFile.1": "/bin/farm", "hbdbProcessRank.2": "1", "hbdbProcessRank.9": "-1", "hbdbProcessWorld.1": "0",
    "hbdbProcessState.2": "waiting", "hbdbProcessState.9": "gone", "hbdbProcessCall.2": "MPI_Recv", "hbdbProcessEvents.1": "77 events",
    "hbdbProcessThreads.1": "2 threads", "hbdbProcessUsed.1": "0:0:00:01.50", "hbdbProcessMemory.1": "4 KiB", "hbdbProcessSignal.9": "9",
    "hbdbReactionFile.1": "r.hbr", "hbdbReactionLine.1": "3", "hbdbReactionCondition.1": "death", "hbdbReactionDoes.1": "notify",
    "hbdbReactionEnabled.1": "true", "hbdbReactionFired.1": "2 times", "hbdbReactionLast.1": "2023-11-14,22:13:20.0,+0:0",
}
ROWS = {"Node": [1, 2], "Program": [1, 7], "Process": [1, 2, 9], "Reaction": [1]}


def rows(walked):
    """{object with its row: value}; a walk to the end of everything says so in the last line."""
    return {name: value for name, value in re.findall(r"^HBDB-MIB::(\S+) = (.*)$", walked, re.M) if not value.startswith("No more variables")}


def values(site, objects):
    status, out, err = site.ask("snmpwalk", "HBDB-MIB::hbdbObjects")
    got = rows(out)
    scalars = {n + ".0" for n in re.findall(r"^(\w+) OBJECT-TYPE(?:\n .*)+?::= \{ hbdbScalars", open(MIB).read(), re.M)}
    columns = [n for n in objects if n + ".0" not in scalars]
    wanted = scalars | {"%s.%d" % (n, row) for n in columns for table, rows in ROWS.items() if re.match("hbdb%s[A-Z]" % table, n) for row in rows}
    same("a walk has each object of the module in each row, and nothing else", (status, sorted(set(got) ^ wanted)), (0, []))
    for name, value in WANTED.items():
        same("%s is as the database says" % name, got.get(name), value)
    same("a name with quotes, a line feed and letters beyond ASCII arrives", site.get("hbdbProgramName.7"), 'a "b" \\ ü\nc')
    same("a walk by bulk is the same", rows(site.ask("snmpbulkwalk", "HBDB-MIB::hbdbObjects")[1]), got)
    lines = site.ask("snmptable", "HBDB-MIB::hbdbNodeTable", options=("-OQ", "-Cf", "|"))[1].splitlines()
    same("snmptable: the head", [c.strip() for c in lines[2].split("|")][:5], ["hbdbNodeName", "hbdbNodePlatform", "hbdbNodeAddress", "hbdbNodeState", "hbdbNodeWhy"])
    has("snmptable: a row", lines[4], "beta", "ssh", "beta.example", "down", "connection refused")
    top = ".1.3.6.1.4.1.8072.9999.9999.%s.1" % re.search(r"netSnmpPlaypen (\d+)", open(MIB).read())[1]
    for name in (".2.1.2.3", ".2.1.2.1.1", ".2.1.2.0", ".1.1.1", ".3.1.2.4294967295", ".2.1.1.1", ".9", ".2", ""):
        has("there is nothing at hbdbObjects%s" % name, site.ask("snmpget", top + name)[1], "No Such Instance")
    for name, wanted in (("", "hbdbVersion.0"), (".1.1", "hbdbVersion.0"), (".1.1.0.5", "hbdbDatabaseTrouble.0"), (".1.99", "hbdbNodeName.1"), (".2.1.2.1.7", "hbdbNodeName.2"),
                         (".2.1.2.4294967295", "hbdbNodePlatform.1"), (".3.1.2.2", "hbdbProgramName.7"), (".4.1.2.2", "hbdbProcessNode.9")):
        same("behind hbdbObjects%s comes %s" % (name, wanted), list(rows(site.ask("snmpgetnext", top + name)[1])), [wanted])


def fresh(site, database):
    database.db.execute("UPDATE program SET state = 'failed' WHERE program = 1")
    same("a change in the database is seen at once", site.get("hbdbProgramState.1"), "failed")
    database.db.execute("UPDATE program SET state = 'running' WHERE program = 1")
    long = "ü" * 600
    database.db.execute("UPDATE node SET why = ? WHERE node = 2", (long,))
    same("what is too long is cut behind a character", site.get("hbdbNodeWhy.2"), "ü" * 512)
    database.db.execute("UPDATE node SET why = 'connection refused' WHERE node = 2")


def sets(site):
    def set_to(name, value, community="private"):
        return site.ask("snmpset", "HBDB-MIB::" + name, "i", value, community=community)

    has("without a manager a set fails", set_to("hbdbProgramAction.1", "restart")[2], "genError")
    has("... and why can be read", site.get("hbdbLastAnswer.0"), "manager", "No such file")
    manager = Manager(site.file("manager"))
    for name, value, ask in (("hbdbProgramAction.1", "restart", {"ask": "restart", "program": "farm"}), ("hbdbProgramAction.1", "begin", {"ask": "begin", "program": "farm"}),
                             ("hbdbProgramAction.1", "end", {"ask": "end", "program": "farm"}), ("hbdbProcessAction.2", "stop", {"ask": "stop", "process": 2}),
                             ("hbdbProcessAction.2", "go", {"ask": "go", "process": 2}), ("hbdbProcessAction.2", "terminate", {"ask": "signal", "process": 2, "signal": 15}),
                             ("hbdbProcessAction.2", "kill", {"ask": "signal", "process": 2, "signal": 9})):
        manager.asks.clear()
        status, _, err = set_to(name, value)
        same("%s = %s asks the manager, once" % (name, value), (status, err, manager.asks), (0, "", [ask]))
    same("what was done has no answer", site.get("hbdbLastAnswer.0"), "")
    manager.refuse = "farm is held by anna (console 3)"
    has("what the manager refuses fails", set_to("hbdbProgramAction.1", "restart")[2], "genError")
    same("... and why can be read", site.get("hbdbLastAnswer.0"), manager.refuse)
    manager.refuse = None
    manager.asks.clear()
    for name, value, error in (("hbdbProgramAction.1", "none", "wrongValue"), ("hbdbProgramAction.1", "9", "wrongValue"), ("hbdbProgramAction.3", "restart", "noCreation"),
                               ("hbdbProcessAction.2", "6", "wrongValue"), ("hbdbProgramStatus.1", "3", "notWritable")):
        has("%s = %s is refused" % (name, value), set_to(name, value)[2], error)
    out = site.ask("snmpset", "HBDB-MIB::hbdbProcessAction.1", "i", "stop", "HBDB-MIB::hbdbProcessAction.2", "i", "stop", community="private")
    has("two actions in a request are refused", out[2], "resourceUnavailable")
    has("who may only read may not set", set_to("hbdbProgramAction.1", "restart", "public")[2], "noAccess")
    same("nothing of that reached the manager", manager.asks, [])


def notifications(site, database):
    first = database.event(node=1, program=1, process=1, text="process 0 of farm died: signal 11")
    database.event("note", "note", "no notification")
    database.event("death", "note", "told to end with its program: none either", program=1)
    kinds = [("stop", "hbdbStop"), ("finding", "hbdbFinding"), ("hang", "hbdbHang"), ("sensor", "hbdbSensor"), ("node", "hbdbNode"), ("gone", "hbdbDeath")]
    numbers = [first] + [database.event(kind, "warning", kind + "!", program=1) for kind, _ in kinds]
    check("all notifications arrive", wait_for(lambda: len(site.events()) >= len(numbers)), site.log("traps") + site.log("agent"))
    got = site.events()
    same("each once, in their order", site.numbers(), numbers)
    check("who was told to end is not counted", wait_for(lambda: site.get("hbdbDeaths.0") == "3 events"), site.get("hbdbDeaths.0"))  # with the one of the example
    same("by their kinds", [kind for kind, _ in got], ["hbdbDeath"] + [name for _, name in kinds])
    same("one says all that is known", got[0][1], {"hbdbEventNumber": str(first), "hbdbEventTime": "2023-11-14,22:13:20.0,+0:0", "hbdbEventKind": "death",
        "hbdbEventWeight": "error", "hbdbEventText": "process 0 of farm died: signal 11", "hbdbEventNode": "alpha", "hbdbEventProgram": "farm",
        "hbdbEventProcess": "0", "hbdbEventRecording": "/nowhere/farm.hbdb", "hbdbEventCommand": "hbdb debug --event %d" % first})
    return numbers


def came(site, numbers):
    return wait_for(lambda: set(numbers) <= set(site.numbers()))


def restarts(site, database, numbers, master, agent):
    """The sub-agent, the master, and the database are away for a while: nothing is lost, and nothing comes twice."""
    site.end(agent)
    numbers += [database.event(program=1) for _ in range(3)]
    agent = site.start_agent()
    check("what happened while the sub-agent was away arrives", came(site, numbers), site.log("agent"))
    for sig in (signal.SIGTERM, signal.SIGTERM, signal.SIGTERM):
        numbers += [database.event(program=1) for _ in range(40)]
        time.sleep(random.random() * 0.1)
        same("it ends when told to", site.end(agent, sig), 0)
        agent = site.start_agent()
    check("ended in the middle of many, all arrive", came(site, numbers), (sorted(set(numbers) - set(site.numbers())), site.log("agent")))
    same("... each once", sorted(site.numbers()), numbers)
    site.end(agent, signal.SIGKILL)
    site.end(master)
    numbers += [database.event(program=1) for _ in range(3)]
    agent = site.start_agent()
    check("without a master it waits", wait_for(lambda: "no master agent" in site.log("agent")))
    master = site.start_master()
    check("and has sent all when there is one", came(site, numbers), site.log("agent"))
    site.end(master)
    check("it sees the master go", wait_for(lambda: "is gone" in site.log("agent")), site.log("agent"))
    numbers += [database.event(program=1) for _ in range(3)]
    master = site.start_master()
    check("a master that was started again gets what happened meanwhile", came(site, numbers), site.log("agent"))
    check("... and answers", site.answers())
    same("each once", sorted(site.numbers()), numbers)
    # its place cannot be written, as on a full disk
    os.mkdir(site.file("place.new"))
    numbers += [database.event(program=1) for _ in range(3)]
    check("where its place cannot be kept notifications arrive", came(site, numbers), site.log("agent"))
    check("... and that is said", wait_for(lambda: "is not kept" in site.log("agent")), site.log("agent"))
    numbers += [database.event(program=1)]
    check("... those behind them too", came(site, numbers), site.log("agent"))
    same("... each once", sorted(site.numbers()), numbers)
    os.rmdir(site.file("place.new"))
    check("... and it is kept as soon as it can be", wait_for(lambda: site.log("place").startswith("%d " % numbers[-1])), site.log("agent"))
    # killed at any moment: one may come twice, with the same number
    for _ in range(5):
        numbers += [database.event(program=1) for _ in range(20)]
        time.sleep(random.random() * 0.1)
        site.end(agent, signal.SIGKILL)
        agent = site.start_agent()
    check("killed in the middle of many, all arrive", came(site, numbers), sorted(set(numbers) - set(site.numbers())))
    twice = len(site.numbers()) - len(numbers)
    check("... at most one of them twice for each time", 0 <= twice <= 5, twice)
    return master, agent


def another_database(site, database, agent):
    database.close()
    for name in ("db", "db-wal", "db-shm"):
        if os.path.exists(site.file(name)):
            os.unlink(site.file(name))
    check("without a database it says so", wait_for(lambda: "No such file" in site.get("hbdbDatabaseTrouble.0")), site.get("hbdbDatabaseTrouble.0"))
    has("... and has no rows", site.ask("snmpget", "HBDB-MIB::hbdbNodeName.1")[1], "No Such Instance")
    before = len(site.numbers())
    database = example(site.file("db"))
    check("of a new database all events are new", wait_for(lambda: site.numbers()[before:] == [1]), site.numbers()[before:])
    same("its rows are there", site.get("hbdbNodeName.1"), "alpha")
    database.db.execute("PRAGMA user_version = 99")
    same("it ends", site.end(agent), 0)
    agent = site.start_agent()
    has("a version that it does not know is said", wait_for(lambda: site.answers() and site.get("hbdbDatabaseTrouble.0")), "its version is 99")
    site.end(agent)
    shutil.copy(__file__, site.file("place"))
    status, _, err = site.run(AGENT, "-p", site.file("place"), "-d", site.file("db"))
    check("a place that is none is refused", status == 2 and "no file of hbdb-snmp" in err, (status, err))
    status, out, err = site.run(AGENT, "--nonsense")
    check("so is an option that it does not have", status == 2 and "usage" in err, (status, err))


def main():
    check("hbdb-snmp was built", os.path.exists(AGENT), "libsnmp-dev is not there: ./dev setup check, and configure again")
    with Site() as site:
        database = example(site.file("db"))
        objects = module(site)
        master = site.start_master()
        agent = site.start_agent()
        check("it answers", site.answers(), site.log("agent") + site.log("snmpd.log"))
        values(site, objects)
        fresh(site, database)
        sets(site)
        numbers = notifications(site, database)
        master, agent = restarts(site, database, numbers, master, agent)
        another_database(site, database, agent)
    finish()


main()
