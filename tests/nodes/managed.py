"""hbdb manager over four machines that share no folder of the recording: "when rank 3 dies, stop everybody in its past and leave it for me"; what rings of all nodes hold is kept."""
import json
import os
import time

from common import FAR, HBDB, HERE, MPIRUN, build, check, end, files, has, hbdb, hosts, said, same

NODES = ["n1", "n2", "n3", "n4"]
RULES = "when rank 3 of job dies do\n  stop everybody in its past and leave them for me\n" \
        "when any process of ringed dies at most once per 1h do keep\nwhen any process of swift dies at most once per 1h do keep\n"


def until(what, seconds=FAR):
    """What it says when that is true; what it said last after so many seconds."""
    limit = time.monotonic() + seconds
    while True:
        found = what()
        if found or time.monotonic() > limit:
            return found
        time.sleep(0.1)


def rows(nodes, *words):
    done = hbdb(nodes, *words, "--json")
    return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []


def ranks(nodes):
    return {row["name"]: row for row in rows(nodes, "ps") if row["program_name"] == "job" and row["rank"] is not None}


def states(nodes):
    return {name: row["state"] for name, row in ranks(nodes).items()}


def told(nodes, kind, text=""):
    return next((row["text"] for row in rows(nodes, "events", "--since", "0") if row["kind"] == kind and text in row["text"]), None)


def past_of(nodes, recording, name):
    """The processes with an event in the past of the last one of this rank, by the recording alone."""
    query = "SELECT max(event) AS last FROM events WHERE rank = %s AND lane = 0" % name
    last = json.loads(hbdb(nodes, "sql", "--json", recording, query).stdout)["last"]
    lines = hbdb(nodes, "cone", "--json", "%s:%d" % (name, last), recording).stdout.splitlines()
    return {str(o["rank"]) for o in map(json.loads, lines) if o["stop"] != "nothing"} - {name}


def test_past(nodes):
    program = build(nodes, "past.c", "past")["openmpi"]
    command = MPIRUN["openmpi"][:1] + ["--enable-recovery"] + MPIRUN["openmpi"][1:] + hosts("openmpi", NODES, 2) + [program, "/srv"]
    hbdb(nodes, "program", "add", "job", "--node", "head", "--cwd", "/tmp", "--record", "--", *command)
    done = hbdb(nodes, "program", "begin", "job")
    check("a program over four nodes is begun", done.returncode == 0, said(done))
    # 3: all that it does it has done, or it waits in none of it
    ready = {"0": 2, "1": 2, "2": 2, "3": 4, "4": 2, "5": 4, "6": 2, "7": 2}
    there = until(lambda: all((ranks(nodes).get(name, {}).get("events") or 0) >= n for name, n in ready.items()))
    check("processes of all nodes are of the program", there, rows(nodes, "ps"))
    same("each on its node", [ranks(nodes)[str(i)]["node_name"] for i in range(8)], ["n1", "n1", "n2", "n2", "n3", "n3", "n4", "n4"])
    nodes.run(["touch", "/srv/die"])
    check("rank 3 dies, and who is in its past is stopped", until(lambda: told(nodes, "reaction", "stopped")), rows(nodes, "events"))
    has("three of seven", told(nodes, "reaction", "stopped") or "", "stopped in the past of 3: 3 processes: ", "0", "5", "7")
    check("on three nodes", until(lambda: sum(state == "stopped" for state in states(nodes).values()) == 3), states(nodes))
    stopped = {name for name, state in states(nodes).items() if state == "stopped"}
    same("... others go on", {states(nodes)[name] in ("running", "waiting") for name in "1246"}, {True})
    same("... and the stopped are held", {row["holder"] for name, row in ranks(nodes).items() if name in stopped}, {"me"})
    for name in stopped:
        hbdb(nodes, "program", "release", "job:" + name, "--force")
        hbdb(nodes, "program", "go", "job:" + name)
    nodes.run(["touch", "/srv/finish"])
    check("released, they go on to their end", until(lambda: set(states(nodes).values()) <= {"ended"}), rows(nodes, "ps"))
    # Open MPI's mpirun that has lost a process on another node stays when all others have ended, also without hbdb
    recorder = next(row["pid"] for row in rows(nodes, "ps") if row["program_name"] == "job" and row["rank"] is None)
    nodes.run(["pkill", "-TERM", "-P", str(recorder), "mpirun"])
    check("and the program ends", until(lambda: rows(nodes, "program")[0]["state"] in ("failed", "ended")), rows(nodes, "program"))
    recording = rows(nodes, "program")[0]["recording"]
    same("the recording, read afterwards, has the same past", past_of(nodes, recording, "3"), stopped)
    same("one death is told, once", [row["process_name"] for row in rows(nodes, "events", "--since", "0") if row["kind"] == "death"], ["3"])


def events_of(nodes, recording):
    """(events, events that were given up) of each process."""
    done = hbdb(nodes, "info", "--json", recording)
    return [(p["events"], p["events_before"]) for p in json.loads(done.stdout or "{}").get("processes", [])]


def notes(nodes, program, text):
    return [row["text"] for row in rows(nodes, "events", "--since", "0") if row["program_name"] == program and text in row["text"]]


def begin_ringed(nodes, name, steady, recovers, dies):
    command = MPIRUN["openmpi"][:1] + (["--enable-recovery"] if recovers else []) + MPIRUN["openmpi"][1:] + hosts("openmpi", NODES, 2)
    hbdb(nodes, "program", "add", name, "--node", "head", "--cwd", "/tmp", "--record-with", "--ring 128K -o /tmp/%s.hbdb" % name, "--",
         *command, steady, "100000000", "0", str(dies))
    done = hbdb(nodes, "program", "begin", name)
    check("%s is begun, with rings" % name, done.returncode == 0, said(done))


def test_rings(nodes):
    """Rings on four nodes, kept by hand, by a reaction while the others stand, and by one to a death that ends the job."""
    steady = nodes.build_program(os.path.join(os.path.dirname(HERE), "ring", "steady.c"), "steady", "mpicc.openmpi")
    begin_ringed(nodes, "ringed", steady, True, 3000)
    until(lambda: sum(row["program_name"] == "ringed" and row["rank"] is not None for row in rows(nodes, "ps")) == 8)
    done = hbdb(nodes, "program", "keep", "ringed", "-o", "mine.hbdb")
    check("program keep: the rings of all nodes", done.returncode == 0 and len(events_of(nodes, "/tmp/mine.hbdb")) == 8, (said(done), rows(nodes, "events", "--since", "0")))
    same("... a file for each node", files(nodes, "/tmp/mine.hbdb"), ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
    check("a death keeps them", until(lambda: len(notes(nodes, "ringed", "its ring was kept")) == 2), rows(nodes, "events", "--since", "0"))
    same("... all of them", [note for note in notes(nodes, "ringed", "its ring")], ["its ring was kept"] * 2)
    told = events_of(nodes, "/tmp/ringed-kept-1.hbdb")
    check("... which have gone round, up to the death", len(told) == 8 and all(n and before for n, before in told), told)
    hbdb(nodes, "program", "end", "ringed")
    until(lambda: {row["name"]: row["state"] for row in rows(nodes, "program")}["ringed"] in ("failed", "ended"))
    begin_ringed(nodes, "swift", steady, False, 3000)
    check("a death that ends the job keeps them, too", until(lambda: notes(nodes, "swift", "its ring was kept")), rows(nodes, "events", "--since", "0"))
    told = events_of(nodes, "/tmp/swift-kept-1.hbdb")
    check("... of all nodes", len(told) == 8 and all(n and before for n, before in told), told)


def test_manager(nodes, programs):
    del programs
    nodes.run(["sh", "-c", "cat > /tmp/rules <<'END'\n%sEND" % RULES])
    with open(nodes.folder + "/manager.said", "wb") as out:
        manager = nodes.front.start_command([HBDB, "manager", "--reactions", "/tmp/rules"], stdout=out, stderr=out)
    try:
        check("a manager", until(lambda: hbdb(nodes, "nodes").returncode == 0 or manager.poll() is not None) and manager.poll() is None,
              open(nodes.folder + "/manager.said", encoding="utf-8").read())
        hbdb(nodes, "nodes", "add", "head", "--platform", "local")
        for name in NODES:
            hbdb(nodes, "nodes", "add", name, "--platform", "ssh")
        check("five nodes are up", until(lambda: [row["state"] for row in rows(nodes, "nodes")] == ["up"] * 5), rows(nodes, "nodes"))
        test_past(nodes)
        test_rings(nodes)
    finally:
        end(manager)


GROUPS = {"manager": test_manager}
