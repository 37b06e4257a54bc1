#!/usr/bin/python3
"""Events of the program itself (hbdb/event.h): said in C, C++ and Fortran, with and without MPI; what every tool makes of them."""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), name) for name in ("cli", "export")]
import perfetto  # noqa: E402
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
HBDB = os.path.join(BUILD, "hbdb")
PROGRAMS = os.path.join(HERE, "programs")
EXAMPLES = os.path.join(TOP, "examples", "events")
INCLUDE = os.path.join(TOP, "include")
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", INCLUDE]
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n"],
          "mpich": ["mpiexec.mpich", "-n"]}
folder = tempfile.mkdtemp(prefix="hbdb-events.")
count = {"passed": 0, "failed": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[:2000].replace("\n", "\n     ")), flush=True)
    return good


def run(*command, env=None, timeout=600):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, XDG_STATE_HOME=folder + "/state", **(env or {})))
    done.all = done.stdout + done.stderr
    return done


def compiled(name, *command):
    done = run(*command, "-o", name)
    check(done.returncode == 0 and not done.all.strip(), "compiles without a word: " + " ".join(os.path.basename(c) for c in command[:3]), done.all)
    return os.path.join(folder, name)


def objects(recording, *options):
    return [json.loads(line) for line in run(HBDB, "dump", "--json", *options, recording).stdout.splitlines()]


def sql(recording, query):
    done = run(HBDB, "sql", recording, query)
    return [line.split("\t") for line in done.stdout.splitlines()] if done.returncode == 0 else done.all


def without_mpi():
    program = compiled("values", "gcc", "-std=c99", "-O2", *WARN, PROGRAMS + "/values.c", PROGRAMS + "/other.c")
    alone = run(program)
    check(alone.stdout == "0 effects\n", "without the recorder the values are not computed", alone.all)
    done = run(HBDB, "record", "-o", "v.hbdb", "--", program)
    check(done.returncode == 0 and done.stdout == "1 effects\n", "recorded", done.all)
    info = json.loads(run(HBDB, "info", "--json", "v.hbdb").stdout)
    check(len(info["processes"]) == 1 and not info.get("mpi"), "one process, no MPI", info)
    text = run(HBDB, "info", "v.hbdb").stdout
    check("MPI           none" in text and "MPI_Finalize" not in text, "info says that there is no MPI", text)
    check(run(HBDB, "verify", "v.hbdb").returncode == 0, "verify")
    by = {}
    for event in objects("v.hbdb"):
        by.setdefault(event["function"], []).append(event)
    check([e["class"] for e in by["other file"]] == ["begin", "end"], "a span, from a second file", by["other file"])
    check(by["integers"][0]["arguments"] == {"least": -2**63, "greatest": 2**63 - 1, "effect": 1}, "integers", by["integers"])
    reals = by["reals"][0]["arguments"]
    check(reals["tenth"] == 0.1 and reals["nan"] is None and reals["infinite"] is None and math.copysign(1, reals["zero"]) == -1, "reals", reals)
    texts = by["texts"][0]["arguments"]
    check(texts["quotes"] == "a \"b\" \\ \n\033[2J" and texts["empty"] == texts["null"] == "" and texts["long"] == 1024 * "x", "texts", texts)
    check("n" * 200 in by, "a long name is cut at 200 bytes", list(by))
    check(by["MPI_Send"][0]["class"] == "event" and by["MPI_Recv"][0]["arguments"] == {"source": -1}, "the name of a function of MPI is a name")
    check(list(by["many"][0]["arguments"].values()) == list(range(1, 17)), "16 values", by["many"])
    check(by["first"][0]["arguments"] == {"same": 0} and [e["arguments"] for e in by["changing"]] == [{"same": 1}, {"other": 2}],
          "a place that changes names and values", by.get("changing"))
    keys = [e["arguments"]["key"] for e in by["hb_sent"]]
    check(keys == [0, 1, 2**31 - 1, 2**31, 2**64 - 1], "keys of all sizes", keys)
    line = run(HBDB, "dump", "--plain", "-f", "texts", "v.hbdb").stdout
    check("\033" not in line and "\\\"b\\\"" in line, "the dump is inert", line)
    rows = sql("v.hbdb", "select tag, bytes, ambiguous from messages where state='received' order by bytes")
    check(rows == [["0", "0", "0"], ["1", "1", "0"], [str(2**31 - 1), "2", "0"], [str(2**31), "3", "0"], ["-1", "4", "0"]], "messages by their keys", rows)
    order = run(HBDB, "order", "0:1", "0:3", "v.hbdb")
    check("1 messages of the program's own channels were received and not sent" in order.all, "a message that nobody sent is told", order.all)
    calls = run(HBDB, "check", "v.hbdb")
    check(calls.returncode == 0, "check finds nothing", calls.all)
    again = run(HBDB, "replay", "v.hbdb")
    check(again.returncode == 0 and re.search(r"of the program's own events [1-9]\d+ came as recorded \(their values are not compared\)$", again.stderr.rstrip()), "replay", again.all)
    for level in "order", "racing":
        done = run(HBDB, "record", "--level", level, "-o", level + ".hbdb", "--", program)
        check(done.returncode == 0 and "0 events" in done.stderr, "level %s stores none" % level, done.all)
    many = run(HBDB, "record", "-o", "many.hbdb", "--", program, "many")
    info = json.loads(run(HBDB, "info", "--json", "many.hbdb").stdout)
    check(many.returncode == 0 and info["processes"][0]["events"] == 5000 and "(more)" in many.stderr, "more names than there is room for", many.all)
    tree = compiled("tree", "gcc", "-std=gnu17", *WARN, PROGRAMS + "/children/tree.c")
    run(HBDB, "record", "-o", "tree.hbdb", "--", tree)
    said = sorted(e["function"] for e in told(objects("tree.hbdb")))
    check(said == ["after", "before", "hb_received", "hb_sent", "in a fork", "in the other program"], "children made by exec and by fork are recorded", said)
    rows = run(HBDB, "sql", "tree.hbdb", "select state from messages")
    check(rows.stdout == "received\n" and "not matched" not in rows.stderr, "a message to another process without MPI", rows.all)
    crash = run(HBDB, "record", "-o", "crash.hbdb", "--", program, "crash")
    check([e["function"] for e in objects("crash.hbdb")] == ["before"] and crash.returncode in (134, -6), "a crash keeps what was said", crash.all)


def compilers():
    for standard in "c++11", "c++20":
        program = compiled("cxx", "g++", "-std=" + standard, "-O1", *WARN, PROGRAMS + "/cxx.cc")
        shutil.rmtree(folder + "/cxx.hbdb", ignore_errors=True)
        run(HBDB, "record", "-o", "cxx.hbdb", "--", program)
        said = [(e["function"], e["class"], e["arguments"]) for e in objects("cxx.hbdb")]
        check(said == [("main", "begin", {}), ("template", "event", {"x": 3, "of": "C++"}), ("template", "event", {"x": 4, "of": "C++"}), ("main", "end", {})], standard, said)
    for flags in ["-no-pie", "-fno-pie"], ["-O0", "-g"], ["-flto", "-O3"]:
        program = compiled("flags", "gcc", *flags, *WARN, PROGRAMS + "/values.c", PROGRAMS + "/other.c", "-fno-strict-aliasing")
        shutil.rmtree(folder + "/flags.hbdb", ignore_errors=True)
        run(HBDB, "record", "-o", "flags.hbdb", "--", program)
        check(len(objects("flags.hbdb")) > 20, "compiled with " + " ".join(flags), len(objects("flags.hbdb")))


def threads():
    program = compiled("queue", "gcc", "-std=gnu17", "-O2", "-g", *WARN, EXAMPLES + "/queue.c", "-pthread")
    done = run(HBDB, "record", "-o", "queue.hbdb", "--", program)
    check(done.returncode == 0 and done.stdout == run(program).stdout, "queue.c prints what it prints alone", done.all)
    rows = sql("queue.hbdb", "select tag, send_lane, done_lane, ambiguous from messages where state = 'received'")
    check(len(rows) == 22 and all(r[1] == "0" and r[2] in "12" and r[3] == "0" for r in rows), "each task has one receiver", rows)
    events = {(e["lane"], e["event"]): e for e in objects("queue.hbdb")}
    sent = {e["arguments"]["key"]: n for (lane, n), e in events.items() if e["function"] == "hb_sent"}
    wrong = [e for (lane, n), e in events.items() if e["function"] == "hb_received" and
             " before " not in run(HBDB, "order", "0:%d" % sent[e["arguments"]["key"]], "0.%d:%d" % (lane, n), "queue.hbdb").stdout]
    check(not wrong and len(sent) == 22, "what was put is before what was taken", wrong)
    begins = [e for e in events.values() if e["class"] == "begin"]
    check(sorted(e["arguments"]["number"] for e in begins) == list(range(20)), "every task is a span", begins)
    again = run(HBDB, "replay", "queue.hbdb")
    check(again.returncode == 0 and " came as recorded (their values are not compared)" in again.stderr, "replay says what it did not compare", again.all)
    places = {row[0].split(":")[0] for row in sql("queue.hbdb", "select distinct place from events")}
    check(places == {"queue.c"}, "the place of an event is the program's line", places)
    program = compiled("same_key", "gcc", "-std=gnu17", *WARN, PROGRAMS + "/same_key.c", "-pthread")
    run(HBDB, "record", "-o", "same.hbdb", "--", program)
    rows = sql("same.hbdb", "select ambiguous from messages where state = 'received'")
    check(rows == [["1"], ["1"]], "one key from two threads: uncertain, and it is said", rows)
    for to in "perfetto", "csv", "shiviz", "otf2":
        done = run(HBDB, "export", "-t", to, "-o", "out." + to, "queue.hbdb")
        check(done.returncode == 0, "export to " + to, done.all)
    spans = [(s.name, s.begin, s.end, s.depth, s.args) for track in perfetto.slices(perfetto.read(folder + "/out.perfetto")).values() for s in track if s.category == "begin"]
    times = {(e["rank"], e["lane"], e["event"]): e for e in objects("queue.hbdb", "--time")}
    ends = sorted(e["enter_ns"] for e in times.values() if e["class"] == "end")
    check([n for n, *_ in spans] == ["task"] * 20 and sorted(s[2] for s in spans) == ends and {s[3] for s in spans} == {0},
          "perfetto: a span is one slice, from its begin to its end", spans)
    check(all("sum" in s[4] for s in spans) and sorted(s[4]["number"] for s in spans) == list(range(20)), "perfetto: with the values of both", spans)
    check('"queue",3,' in open(folder + "/out.messages.csv").read() or ",queue,3," in open(folder + "/out.messages.csv").read(), "csv has the channel and the key")
    done = run(HBDB, "graph", "-o", "queue.svg", "queue.hbdb")
    svg = open(folder + "/queue.svg").read() if done.returncode == 0 else ""
    check("key 3, 4 bytes, queue" in svg, "graph: arrows with channel and key", done.all + svg[:200])


def with_mpi(mpi):
    mpicc = ["mpicc." + mpi, "-std=gnu17", "-O2", "-g", "-Wall", "-I", INCLUDE]
    program = compiled("ring." + mpi, *mpicc, EXAMPLES + "/ring.c")
    done = run(HBDB, "record", "-o", "ring.%s.hbdb" % mpi, "--", *LAUNCH[mpi], "3", program)
    check(done.returncode == 0 and done.stdout == "900\n", mpi + ": ring.c", done.all)
    rows = sql("ring.%s.hbdb" % mpi, "select comm, count(*), sum(ambiguous), min(sender), max(sender), min(receiver), max(receiver) from messages where comm like 'ring%' group by comm order by comm")
    check(rows == [["ring %d" % r, "25", "0", "0", "0", str(r), str(r)] for r in (1, 2)], mpi + ": each ring has its messages", rows)
    rows = sql("ring.%s.hbdb" % mpi, "select comm, count(*), sum(state = 'received'), min(sender), max(sender) from messages where comm like 'room%' group by comm order by comm")
    check(rows == [["room in ring %d" % r, "25", "21", str(r), str(r)] for r in (1, 2)], mpi + ": room is given back to the writer", rows)
    last = [e for e in objects("ring.%s.hbdb" % mpi, "-r", "2") if e["function"] == "hb_received"][-1]["event"]
    first = [e for e in objects("ring.%s.hbdb" % mpi, "-r", "0") if e["function"] == "hb_sent"][0]["event"]
    order = run(HBDB, "order", "0:%d" % first, "2:%d" % last, "ring.%s.hbdb" % mpi)
    check("before" in order.stdout, mpi + ": order goes through the ring", order.all)
    debug = run(HBDB, "debug", "--at", "2:%d" % (last - 9), "-c", "where", "ring.%s.hbdb" % mpi)
    check("[2] held after 2:%d" % (last - 9) in debug.stdout and "read_from" in debug.stdout and "at the cut" in debug.stdout, mpi + ": a stop at an event of the program", debug.all)
    again = run(HBDB, "replay", "ring.%s.hbdb" % mpi)
    check(again.returncode == 0 and again.stdout == "900\n" and again.stderr.rstrip().endswith("came as recorded (their values are not compared)"), mpi + ": replay", again.all)
    checked = run(HBDB, "check", "--", *LAUNCH[mpi], "3", program)
    check(checked.returncode == 0 and "no errors found" in checked.all, mpi + ": check", checked.all)

    program = compiled("mixed." + mpi, *mpicc, PROGRAMS + "/mixed.c", "-pthread")
    check(run(*LAUNCH[mpi], "2", program).returncode == 0, mpi + ": mixed.c alone")
    name = "mixed.%s.hbdb" % mpi
    done = run(HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "2", program)
    functions = {e["function"] for e in objects(name)}
    check(done.returncode == 0 and {"before MPI", "in a thread", "hb_sent", "hb_received", "less"} <= functions and "after MPI" not in functions,
          mpi + ": from the first event to MPI_Finalize, also in a thread without MPI", functions)
    same = r"; of the program's own events [1-9]\d* came as recorded \(their values are not compared\)"
    for env, words in ({}, ""), ({"SAY_MORE": "1"}, ", 2 came that were not recorded"), ({"SAY_LESS": "1"}, ", 2 did not come"):
        again = run(HBDB, "replay", name, env=env)
        good = re.search(r"no difference in the calls" + same + words + "$", again.stderr.rstrip())
        check(again.returncode == 0 and good, mpi + ": replay with %s" % (env or "the same events"), again.all)

    early(mpi, compiled("early." + mpi, *mpicc, PROGRAMS + "/early.c", "-pthread"))

    program = compiled("turn." + mpi, *mpicc, PROGRAMS + "/turn.c")
    for silent, raced in ([], 0), (["silent"], 1):
        name, sign = "turn%d.%s.hbdb" % (raced, mpi), folder + "/turn%d.%s" % (raced, mpi)
        run(HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "3", program, sign, *silent)
        races = run(HBDB, "races", "--json", name).stdout.splitlines()
        check(len(races) == raced and len(objects(name)) == (10 if silent else 12), "%s: races follow the program's messages, %d" % (mpi, raced), races)

    if shutil.which("mpifort." + mpi):
        program = compiled("fortran." + mpi, "mpifort." + mpi, "-O1", "-J", folder, INCLUDE + "/hbdb/event.f90", PROGRAMS + "/fortran.f90")
        done = run(HBDB, "record", "-o", "f.%s.hbdb" % mpi, "--", *LAUNCH[mpi], "2", program)
        said = [(e["function"], e["class"], e["arguments"]) for e in objects("f.%s.hbdb" % mpi, "-r", "1") if not e["function"].startswith("MPI_")]
        check(said == [("phase", "begin", {"rank": 1, "x": 0.5, "what": "blank end"}),
                       ("hb_received", "received", {"channel": "side", "key": 7, "bytes": 16}), ("phase", "end", {}), ("done", "event", {})],
              mpi + ": Fortran", said or done.all)


def early(mpi, program):
    """A record begins with the first event, and has its rank when MPI has begun."""
    name, job = "early.%s.hbdb" % mpi, [*LAUNCH[mpi], "3", program]
    done = run(HBDB, "record", "-o", name, "--", *job)
    first = [e["function"] for e in objects(name, "-r", "2") if e["lane"] == 0][:3]
    check(done.returncode == 0 and first == ["set up", "set up", "MPI_Init_thread"], mpi + ": events before MPI_Init", first or done.all)
    check(sorted(os.listdir(os.path.join(folder, name))) == ["manifest.json", "rank.0.log", "rank.1.log", "rank.2.log"], mpi + ": its log has the name of its rank")
    order = run(HBDB, "order", "0.1:3", "0:4", name).stdout
    check("concurrent" in order, mpi + ": a thread from before MPI_Init is not taken to begin after it", order)
    again = run(HBDB, "replay", name)
    check(again.returncode == 0 and "no difference in the calls; of the program's own events 15 came as recorded" in again.stderr, mpi + ": replay of them", again.all)
    debug = run(HBDB, "debug", "--at", "0:4", "-c", "where", name)
    check("[0] held after 0:4" in debug.stdout, mpi + ": a stop counts them", debug.all)
    checked = run(HBDB, "check", "--", *job)
    check(checked.returncode == 0 and "no errors found" in checked.all, mpi + ": check", checked.all)
    for level in "order", "racing":
        done = run(HBDB, "record", "--level", level, "-o", level + name, "--", *job)
        again = run(HBDB, "replay", level + name)
        check(done.returncode == 0 and "2 events" in done.stderr and again.returncode == 0, "%s: level %s" % (mpi, level), done.all + again.all)
    done = run(HBDB, "record", "-o", "leave." + name, "--", *job, "leave")
    names = [p["name"] for p in json.loads(run(HBDB, "info", "--json", "leave." + name).stdout)["processes"]]
    check(names == ["early." + mpi, "early.%s#2" % mpi, "early.%s#3" % mpi] and "asked for" not in done.all, mpi + ": who never calls MPI_Init has no rank", names)
    again = run(HBDB, "replay", "leave." + name)
    check(again.returncode == 0 and "replayed 3 processes, " in again.stderr and "not come" not in again.stderr, mpi + ": and is replayed by its name", again.all)
    for _ in range(20): # the launcher ends the others, perhaps before they have said anything
        shutil.rmtree(os.path.join(folder, "crash." + name), ignore_errors=True)
        done = run(HBDB, "record", "-o", "crash." + name, "--", *job, "crash")
        processes = json.loads(run(HBDB, "info", "--json", "crash." + name).stdout or "{}").get("processes", [])
        if any(p["events"] > 3 for p in processes):
            break
    check(processes and all(p["name"] in "012" and "world" not in p for p in processes) and any(p["events"] > 3 for p in processes),
          mpi + ": who crashes before MPI_Init is named by its launcher", processes or done.all)


def programs():
    """Processes without MPI are called by their program, and have the same names in every run."""
    pair = compiled("pair", "gcc", "-std=gnu17", *WARN, PROGRAMS + "/pair.c")
    shutil.copy(pair, os.path.join(folder, "2nd one"))
    with open(os.path.join(folder, "job.sh"), "w") as f:
        f.write("#!/bin/sh\n./pair s & './2nd one' r & ./pair r & (./pair) & wait\n")
    os.chmod(os.path.join(folder, "job.sh"), 0o755)
    seen = set()
    for i in range(6):
        run(HBDB, "record", "-o", "job%d.hbdb" % i, "--", "./job.sh")
        seen.add(run(HBDB, "dump", "--plain", "job%d.hbdb" % i).stdout)
    lines = ["%s:%d %s(channel=\"pipe\", key=%d, bytes=8)" % (name, k + 1, what, k)
             for name, what in (("pair", "hb_sent"), ("_2nd_one", "hb_received"), ("pair#2", "hb_received")) for k in range(3)]
    check(seen == {"".join(line + "\n" for line in lines)}, "several programs: the same names in each run", seen)
    order = run(HBDB, "order", "pair:3", "pair#2:1", "job0.hbdb").stdout
    check("pair:3 and pair#2:1 are" in order and "of pair#2" in order and "rank" not in order, "events are found by these names", order)
    check(run(HBDB, "cone", "pair#2.0:1", "job0.hbdb").returncode == 0, "a lane, too")
    said = run(HBDB, "dump", "--plain", "-r", "pair#2,_2nd_one", "job0.hbdb").stdout
    check(said == "".join(line + "\n" for line in lines[3:]), "processes are asked for by their names", said)
    run(HBDB, "export", "--to", "csv", "-r", "pair#2", "-o", "part", "job0.hbdb")
    with open(os.path.join(folder, "part.events.csv")) as f:
        check(len(f.read().splitlines()) == 4, "in an export, too")
    none = run(HBDB, "dump", "-r", "other", "job0.hbdb")
    check(none.returncode == 2 and "has no process other; its processes are pair,_2nd_one,pair#2" in none.stderr, "by one that is not there", none.all)
    none = run(HBDB, "cone", "pair#3:1", "job0.hbdb")
    check(none.returncode == 2 and "there is no pair#3:1: the recording has no process pair#3" in none.stderr, "one that is not there", none.all)
    one = objects("job0.hbdb")[6]
    check((one["process"], one["layer"], one["class"]) == ("pair#2", "user", "received"), "name and layer in JSON", one)
    rows = sql("job0.hbdb", "select process, layer, count(*) from events group by 1 order by 1")
    check(rows == [["_2nd_one", "user", "3"], ["pair", "user", "3"], ["pair#2", "user", "3"]], "and in SQL", rows)
    again = run(HBDB, "replay", "job0.hbdb")
    check(again.returncode == 0 and "replayed 3 processes, 9 events" in again.stderr and "9 came as recorded" in again.stderr
          and "not come" not in again.stderr, "a replay of several", again.all)
    several()
    for mpi in LAUNCH:
        with open(os.path.join(folder, "both.sh"), "w") as f:
            f.write("#!/bin/sh\n./pair s\n%s 2 ./early.%s\n" % (" ".join(LAUNCH[mpi]), mpi))
        os.chmod(os.path.join(folder, "both.sh"), 0o755)
        name = "both.%s.hbdb" % mpi
        done = run(HBDB, "record", "--mpi", mpi, "-o", name, "--", "./both.sh")
        names = [(p["name"], p["events"]) for p in json.loads(run(HBDB, "info", "--json", name).stdout)["processes"]]
        check(names == [("0", 8), ("1", 8), ("pair", 3)], mpi + ": beside a job of MPI", names or done.all)
        layers = sql(name, "select layer, call from events where event = 3 and lane = 0 order by process")
        check(layers == [["mpi", "MPI_Init_thread"]] * 2 + [["user", "hb_sent"]], mpi + ": whose functions these are", layers)
        again = run(HBDB, "replay", name)
        check(again.returncode == 0 and "replayed 3 processes" in again.stderr and "no difference" in again.stderr, mpi + ": the job is replayed", again.all)
        check("3 came as recorded" in again.stderr, mpi + ": and what stands beside it", again.all)


def script(name, *lines):
    with open(os.path.join(folder, name), "w") as f:
        f.write("#!/bin/sh\n" + "\n".join(lines) + "\n")
    os.chmod(os.path.join(folder, name), 0o755)
    return "./" + name


def several():
    """A replay of several processes of one program: each finds its record by its place in the tree of creation, whoever comes first."""
    compiled("turns", "gcc", "-std=gnu17", *WARN, HERE + "/turns.c")
    line = "./turns 1 %d & ./turns 2 %d & ./turns 3 %d & wait"
    run(HBDB, "record", "-o", "turns.hbdb", "--", "sh", "-c", line % (0, 80, 160))
    names = {e["process"]: e["function"] for e in objects("turns.hbdb")}
    check(names == {"turns": "last of 1", "turns#2": "last of 2", "turns#3": "last of 3"}, "three of a program are named as they were made", names)
    for order in (0, 80, 160), (0, 160, 80), (80, 0, 160), (160, 0, 80), (80, 160, 0), (160, 80, 0):
        again = run(HBDB, "replay", "turns.hbdb", "--", "sh", "-c", line % order)
        check(again.returncode == 0 and "replayed 3 processes, 9 events" in again.stderr and "9 came as recorded" in again.stderr
              and "not come" not in again.stderr, "each follows its own record, begun after %d, %d and %d ms" % order, again.all)
    again = run(HBDB, "replay", "-o", "again.hbdb", "turns.hbdb", "--", "sh", "-c", line % (160, 80, 0))
    names = {e["process"]: e["function"] for e in objects("again.hbdb")}
    check(names == {"turns": "last of 1", "turns#2": "last of 2", "turns#3": "last of 3"}, "recorded once more", names or again.all)
    # by the way from the first process: two scripts beside each other, each with two of its own, and one that makes nothing
    for first, second in (0, 200), (200, 0):
        one = script("one.sh", "./turns 1 $1", "./turns 2", ":")
        both = script("nested.sh", "%s 0 & %s 100 & sleep 0.5 & ./turns 3 & wait" % (one, one))
        shutil.rmtree(os.path.join(folder, "nested.hbdb"), ignore_errors=True)
        run(HBDB, "record", "-o", "nested.hbdb", "--", both)
        others = script("nested2.sh", "%s %d & %s %d & sleep 0.5 & ./turns 3 & wait" % (one, first, one, second))
        again = run(HBDB, "replay", "nested.hbdb", "--", others)
        check(again.returncode == 0 and "replayed 5 processes, 14 events" in again.stderr and "14 came as recorded" in again.stderr
              and "not come" not in again.stderr, "scripts beside each other, %d and %d ms" % (first, second), again.all)
    again = run(HBDB, "replay", "turns.hbdb", "--", "sh", "-c", "./turns 1 & ./turns 2 & wait")
    check(again.returncode == 1 and "turns#3 did not come to a first event" in again.stderr, "one too few", again.all)
    again = run(HBDB, "replay", "turns.hbdb", "--", "sh", "-c", line % (0, 0, 0) + "; ./turns 4")
    check(again.returncode == 0 and "fewer processes of turns: this one runs uncontrolled" in again.stderr and "9 came as recorded" in again.stderr,
          "one too many", again.all)


def told(events):
    """Without what is found of programs without MPI: whom they fork, and wait for."""
    return [e for e in events if e.get("layer") != "sockets"]


def forked(kind, program, job, ranks):
    """Children that fork made and that start no other program have logs of their own, from their first event on."""
    name = "forks.%s.hbdb" % kind
    bare, done = run(*job), run(HBDB, "record", "-o", name, "--", *job)
    check(done.returncode == bare.returncode == 0 and done.stdout == bare.stdout, kind + ": a program that forks", done.all)
    info = json.loads(run(HBDB, "info", "--json", name).stdout)["processes"]
    events = {p["name"]: p["events"] for p in info}
    own = os.path.basename(program)
    parents = [str(r) for r in range(ranks)] or [own]
    check(sum(e["function"] == "before MPI" and e.get("process", "") not in parents for e in objects(name)) == ranks, kind + ": a child from before MPI_Init has no rank")
    first = 1 if ranks else 2 # without MPI the parent has the first name itself
    children = ["%s#%d" % (own, n) if n > 1 else own for n in range(first, first + (7 if ranks else 6) * len(parents))]
    check(sorted(events) == sorted(parents + children), kind + ": each child that says something is a process, no other one", sorted(events))
    own_events = {p: sum(e.get("process", str(e.get("rank"))) == p for e in told(objects(name))) for p in parents}
    check(all(n == 12 + (3 if ranks else 0) for n in own_events.values()), kind + ": the parents' records are as without children", own_events)
    said = {}
    for e in told(objects(name)):
        said.setdefault(e.get("process", str(e.get("rank"))), []).append(e["function"])
    once = [["hb_received", "work", "hb_sent"], ["hb_received", "work", "hb_sent", "hb_sent"], ["hb_received", "grandchild"]] + [["hb_received", "work", "hb_sent"]] * 3
    once = [["before MPI"]] * bool(ranks) + once
    check([said.get(c) for c in children] == once * len(parents), kind + ": in the order in which they were made, with all that they said", [said.get(c) for c in children])
    rows = sql(name, "select state, count(*), sum(ambiguous) from messages where comm in ('job', 'answer') group by 1")
    check(rows == [["received", str(11 * len(parents)), "0"]], kind + ": messages between parents and children are matched", rows)
    order = run(HBDB, "order", "%s:%d" % (parents[0], 2 + bool(ranks)), "%s:1" % children[bool(ranks)], name).stdout
    check(" before " in order, kind + ": and order them", order)
    verify = run(HBDB, "verify", name)
    check("whole" in verify.stdout or "complete up to there" in verify.all, kind + ": the logs are whole", verify.all)
    again = run(HBDB, "replay", name)
    if ranks:
        check(again.returncode == 0 and "replayed %d processes" % ranks in again.stderr and "no difference" in again.stderr, kind + ": the job is replayed, its children run beside", again.all)
    else:
        check(again.returncode == 0 and "replayed 7 processes" in again.stderr and "no difference" in again.stderr,
              kind + ": parent and children are replayed", again.all)
    name = "crowd.%s.hbdb" % kind
    done = run(HBDB, "record", "-o", name, "--", *job, "crowd")
    info = json.loads(run(HBDB, "info", "--json", name).stdout)["processes"]
    check(done.returncode == 0 and len(info) == (22 if ranks else 21) * len(parents) and sum(p["events"] == 200 for p in info) == 20 * len(parents),
          kind + ": fork in one of several threads, and threads in children", done.all)
    talk = sql(name, "select count(*), count(distinct arguments) from events where call = 'talk'")
    check(run(HBDB, "verify", name).returncode == 0 and int(talk[0][0]) > 0, kind + ": and nothing of the others is lost", talk)
    done = run(HBDB, "record", "--level", "order", "-o", "order." + name, "--", *job)
    check(done.returncode == 0, kind + ": level order", done.all)


def forks():
    program = compiled("forks", "gcc", "-std=gnu17", "-O1", "-g", *WARN, PROGRAMS + "/children/forks.c", "-pthread")
    forked("alone", program, [program], 0)
    for mpi in LAUNCH:
        program = compiled("forks." + mpi, "mpicc." + mpi, "-std=gnu17", "-DMPI", "-O1", "-g", "-Wall", "-I", INCLUDE, PROGRAMS + "/children/forks.c", "-pthread")
        forked(mpi, program, [*LAUNCH[mpi], "2", program], 2)


def main():
    try:
        without_mpi()
        compilers()
        threads()
        for mpi in LAUNCH:
            with_mpi(mpi)
        programs()
        forks()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (count["passed"], count["failed"]))
    return count["failed"] != 0


sys.exit(main())
