#!/usr/bin/python3
"""Processes that come from others: each way is gone alone and recorded, with the same output and end, and each process has all of its events."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import ports  # noqa: E402
from processes import lives  # noqa: E402

TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
HBDB = os.path.join(BUILD, "hbdb")
LAYERS = ["--layers", "mpi,user,sockets"]
MANY = 40000
ROOT = os.geteuid() == 0
folder = tempfile.mkdtemp(prefix="hbdb-descend.")
count = {"passed": 0, "failed": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[:3000].replace("\n", "\n     ")), flush=True)
    return good


def run(*command, env=None, timeout=300):
    """Its outputs go to files: who lives on may hold them."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        done = subprocess.run(command, cwd=folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL, timeout=timeout,
                              env=dict(os.environ, XDG_STATE_HOME=folder + "/state", **(env or {})))
        for name, f in ("stdout", out), ("stderr", err):
            f.seek(0)
            setattr(done, name, f.read())
    done.all = done.stdout + done.stderr
    return done


def built(name, source, *flags):
    done = run("gcc", "-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-I", TOP + "/include", *flags, "-o", name,
               os.path.join(HERE, "programs", source))
    check(done.returncode == 0, "compiles: " + source, done.all)
    return os.path.join(folder, name)


def events(recording):
    """What each process said: names in order, the many as one."""
    said = {}
    done = run(HBDB, "dump", "--json", recording)
    for line in done.stdout.splitlines():
        e = json.loads(line)
        if e["class"] != "event":  # of the layer of sockets
            continue
        name = e.get("process", e.get("rank"))
        arguments = list(e["arguments"].values()) if e.get("arguments") else []
        word = e["function"] + "".join(" " + str(a) for a in arguments if e["function"] != "many")
        mine = said.setdefault(str(name), [])
        if word == "many" and mine and mine[-1][0] == "many":
            mine[-1][1] += 1
        else:
            mine.append(["many", 1] if word == "many" else word)
    return said


def info(recording):
    done = run(HBDB, "info", "--json", recording)
    return json.loads(done.stdout) if done.stdout else {"processes": []}


def ways_of(recording):
    """Shells and what else there is are left out."""
    return [p for p in info(recording)["processes"] if p["name"].split("#")[0] == "ways"]


def wait_until(what, timeout=120):
    end = time.monotonic() + timeout
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


M = ["many", MANY]
WAYS = [
    # mode, needs root, what each process said, how many of them were killed
    (["workers"], False, [["server", "over"], ["worker 0"], ["worker 1"], ["worker 2"]], 1),
    (["silent"], False, [["parent"], ["child"]], 0),
    (["_Fork"], False, [["parent"], ["child"]], 0),
    (["said", "it"], False, [["said it"]], 0),
    (["three"], False, [["first"], ["second"], ["third"]], 0),
    (["fails"], False, [["before", M, "after"]], 0),
    (["forked_exec"], False, [["parent"], ["said by a child"], ["between"], ["said after its own event"]], 0),
    (["vfork"], False, [["parent", "over"], ["said after vfork"]], 0),
    (["vfork_first"], False, [["parent"], ["said after vfork"]], 0),
    (["spawn"], False, [["parent"], ["said spawned"], ["said spawned"], ["said spawned"]], 0),
    (["clean"], False, [["parent"], ["said clean"], ["said clean"], ["said clean"]], 0),
    (["closes"], False, [["before", M], [M]], 0),
    (["limits"], False, [["before", M], ["no file may grow"]], 0),
    (["filter"], False, [["parent"], ["inside"]], 0),
    (["at_once"], False, [["main", "thread"]], 0),
    (["handler"], False, [["before"]], 0),
    (["user"], True, [["root", M], [M]], 0),
    (["forth_and_back"], True, [["root", ["many", 2 * MANY]]], 0),
    (["shut"], True, [["parent"], ["inside"]], 0),
    (["jail", "jail"], True, [["outside", M], [M]], 0),
]


def ways(program):
    os.mkdir(folder + "/jail")
    for mode, root, wanted, killed in WAYS:
        name = mode[0]
        if root and not ROOT:
            check(True, name + ": needs root, not run")
            continue
        alone = run(program, *mode)
        recording = name + ".hbdb"
        done = run(HBDB, "record", *LAYERS, "-o", recording, "--", program, *mode)
        check((done.stdout, done.returncode) == (alone.stdout, alone.returncode), name + ": prints the same and ends the same",
              "alone %s %s\nrecorded %s %s" % (alone.returncode, alone.stdout, done.returncode, done.all))
        said = events(recording)
        names = ["ways"] + ["ways#%d" % (i + 1) for i in range(1, len(wanted))]
        order = [said.get(n) for n in names]
        # a lane after the other: threads of one process
        flat = [[w for w in s] if s else s for s in order]
        check(flat == wanted and len(said) == len(wanted), name + ": each process with all that it said", "%s\n%s" % (said, done.all))
        states = [p["state"] for p in info(recording)["processes"]]
        check(states.count("killed or crashed") == killed and len(states) == len(wanted), name + ": how they ended", states)
        check(all(p["sealed"] for p in info(recording)["processes"]), name + ": sealed", done.all)
        check(run(HBDB, "verify", recording).returncode == 0, name + ": verify")
        noise = [line for line in done.stderr.splitlines() if not line.startswith("hbdb: " + recording) and not re.search(
            "ended without a word|several threads have events", line)]
        check(not noise, name + ": nothing else is said", noise)
        mode_of = os.stat(os.path.join(folder, recording)).st_mode & 0o7777
        check(not mode_of & 0o022, name + ": only its owner may write into the folder", oct(mode_of))
    alone, done = run(program, "shut"), run(HBDB, "record", "-o", "inputs.hbdb", "--", program, "shut")
    check((done.stdout, done.returncode) == (alone.stdout, alone.returncode), "shut, and its inputs are kept: prints the same and ends the same", done.all)
    long = run(HBDB, "record", *LAYERS, "-o", "long.hbdb", "--", program, "filter", "many")
    processes = info("long.hbdb")["processes"]
    check(long.returncode == 0 and "status 8" in long.stdout and [p["events"] > 100000 for p in processes if "stopped" in p] == [True],
          "behind a filter a log ends where what grew ahead is full", long.all + str(processes))


def layers(program):
    for options, wanted in ((["--layers", "mpi,foo"], "there is no layer 'foo'; there are mpi, user, threads, inputs, sockets"),
                            (["--layers", "inputs"], "--level data"), (["--layers", ","], "no layer"),
                            (["--layers", "sockets", "--level", "order"], "use --level events"),
                            (["--layers", "sockets", "--level", "racing"], "use --level events"),
                            (["--layers", "threads", "--check"], "leave threads out"),
                            (["--layers", "user", "--threads", "on"], "leave --threads and --inputs away"),
                            (["--layers", "user", "--level", "data", "--pack"], "add them to --layers"),
                            (["--stop", "--level", "data"], "no other option"), (["--stop", "a", "b"], "one recording"),
                            (["--stop", "nowhere"], "no recording of this name")):
        done = run(HBDB, "record", *options, *([] if "--stop" in options else ["--", program, "said", "it"]))
        check(done.returncode in (2, 3) and wanted in done.all and not done.stdout, "refused: " + " ".join(options), done.all)
    for given, named, recorded in (("user,sockets", ["user", "sockets"], True), ("mpi,sockets", ["mpi", "sockets"], False), (None, ["mpi", "user", "threads"], True)):
        name = "layers-%s.hbdb" % (given or "none").replace(",", "-")
        done = run(HBDB, "record", *(["--layers", given] if given else ["--mpi", "openmpi"]), "-o", name, "--", program, "said", "it")
        check((done.returncode, done.stdout) == (4, "it\n"), "recorded with layers %s" % given, done.all)
        if not recorded:
            check(not events(name), "no layer of its events, none recorded", done.all)
            continue
        manifest = json.load(open(os.path.join(folder, name, "manifest.json")))
        check(manifest["layers"] == named == info(name)["layers"], "the manifest and info say the layers", manifest)
        again = run(HBDB, "replay", "-o", "again-" + name, name)
        check(again.returncode == 4 and "no difference" in again.stderr and info("again-" + name)["layers"] == named, "a replay does the same", again.all)


OUTSIDE = """import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b'x', ('127.0.0.1', 9))
"""


def found():
    """Without --layers: what is found."""
    done = run(HBDB, "record", "--mpi", "openmpi", "-o", "nobody.hbdb", "--", "sh", "-c", "true; /bin/true; echo it")
    check(done.stdout == "it\n" and "nothing was recorded" in done.stderr and not os.path.exists(folder + "/nobody.hbdb"), "who talks to nobody leaves nothing", done.all)
    done = run(HBDB, "record", "--mpi", "openmpi", "-o", "outside.hbdb", "--", "/usr/bin/python3", "-c", OUTSIDE)
    told = info("outside.hbdb")
    check(done.returncode == 0 and told["layers"] == ["mpi", "user", "threads", "inputs", "sockets"], "how a program without MPI talks is found", done.all)
    peers = told.get("sockets", {}).get("outside")
    check(peers == [{"process": told["processes"][0]["name"], "peer": "udp 127.0.0.1:9", "sent": 1, "received": 0}] and told["sockets"]["datagrams_out"] == 1,
          "info: a peer that is not recorded is outside", told.get("sockets"))
    check("1 peer is not recorded" in run(HBDB, "info", "outside.hbdb").stdout, "info says so to people, too")
    refused = run(HBDB, "minimize", "outside.hbdb")
    check(refused.returncode == 2 and "every call" in refused.stderr, "minimize refuses", refused.all)
    refused = run(HBDB, "replay", "--alone", told["processes"][0]["name"], "outside.hbdb")
    check(refused.returncode == 2 and "--level data" in refused.stderr, "alone it needs what came in", refused.all)
    program = os.path.join(folder, "rank")
    compiled = subprocess.run(
        ["mpicc.openmpi", "-xc", "-o", program, "-"], input="#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n", text=True)
    line = "mpirun.openmpi --oversubscribe --allow-run-as-root --mca mpi_yield_when_idle 1 -n 2 " + program
    done = run(HBDB, "record", "-o", "ranks.hbdb", "--", "sh", "-c", line + "; true")
    told = info("ranks.hbdb")
    check(compiled.returncode == 0 and [p["name"] for p in told["processes"]] == ["0", "1"] and told["layers"] == ["mpi", "user", "threads"] and told["events"] == 4,
          "a script that starts MPI is recorded as before", told)


def daemon_started(program, name, *wrapped, more=()):
    go, out = os.path.join(folder, name + ".go"), os.path.join(folder, name + ".out")
    done = run(HBDB, "record", *LAYERS, "-o", name + ".hbdb", "--", *wrapped, program, "daemon", go, out, *more)
    return done, go, out


def ends(go, out, what):
    open(go, "w").close()
    check(wait_until(lambda: os.path.exists(out) and open(out).read() == "it lived\n"), what + ": the program goes on to its end")


def daemons(program):
    done, go, out = daemon_started(program, "lasts")
    check(done.returncode == 0 and done.stdout == "started\n" and re.search(r"lasts.hbdb: recorded on: ways(#2)? \(process \d+\); 'hbdb record --stop", done.stderr),
          "a daemon: record returns and says who lives on", done.all)
    wait_until(lambda: len(info("lasts.hbdb")["processes"]) == 2)
    facts = info("lasts.hbdb")
    check(facts.get("open") and [p["state"] for p in facts["processes"]] == ["ended", "runs"], "info says that it runs", facts)
    before = facts["processes"][1]["events"]
    check(wait_until(lambda: info("lasts.hbdb")["processes"][1]["events"] > before), "an open recording can be read, and grows")
    pid = facts["processes"][1]["pid"]
    stop = run(HBDB, "record", "--stop")
    check(stop.returncode == 0 and "1 process lived on and were told to stop" in stop.stderr and lives(pid), "--stop without a name takes the last open one", stop.all)
    facts = info("lasts.hbdb")
    check(not facts.get("open") and [p["state"] for p in facts["processes"]] == ["ended", "told to stop"] and all(p["sealed"] for p in facts["processes"]),
          "then it is sealed", facts)
    numbers = [e for e in (json.loads(line) for line in run(HBDB, "dump", "--json", "-f", "lives", "lasts.hbdb").stdout.splitlines())]
    check([e["arguments"]["n"] for e in numbers] == list(range(len(numbers))) and len(numbers) > before - 1, "whole up to then", len(numbers))
    check(run(HBDB, "verify", "lasts.hbdb").returncode == 0, "verify")
    stop = run(HBDB, "record", "--stop", "lasts.hbdb")
    check(stop.returncode == 2 and "nothing to stop" in stop.stderr, "a second --stop is refused", stop.all)
    ends(go, out, "after --stop")
    check(len(info("lasts.hbdb")["processes"]) == 2, "and nothing more came", os.listdir(folder + "/lasts.hbdb"))

    done, go, out = daemon_started(program, "itself")
    wait_until(lambda: len(info("itself.hbdb")["processes"]) == 2)
    pid = info("itself.hbdb")["processes"][1]["pid"]
    ends(go, out, "a daemon that ends by itself")
    wait_until(lambda: not lives(pid))
    stop = run(HBDB, "record", "--stop", "itself.hbdb")
    check(stop.returncode == 0 and [p["state"] for p in info("itself.hbdb")["processes"]] == ["ended", "ended"] and "told" not in stop.stderr,
          "it is complete, and was not told to stop", stop.all)
    in_a_hurry(program)
    while_it_runs(program)
    without_hbdb(program)


def in_a_hurry(program):
    """One that goes on making events while its log is sealed."""
    _, go, out = daemon_started(program, "hurry", more=["fast"])
    wait_until(lambda: len(info("hurry.hbdb")["processes"]) == 2 and info("hurry.hbdb")["processes"][1]["events"] > 1000)
    stop = run(HBDB, "record", "--stop", "hurry.hbdb")
    facts = info("hurry.hbdb")
    check(stop.returncode == 0 and "stays uncompressed" not in stop.stderr and all(p["sealed"] for p in facts["processes"]) and "%d events" % facts["events"] in stop.stderr,
          "a daemon that makes many events is sealed, and as many are counted as the recording has", stop.all + str(facts)[:500])
    check(run(HBDB, "verify", "hurry.hbdb").returncode == 0, "verify it")
    ends(go, out, "one that makes many events")


def while_it_runs(program):
    """--stop from beside, while the command still runs."""
    go, out, more = (os.path.join(folder, "beside." + x) for x in ("go", "out", "more"))
    script = "%s said before; %s daemon %s %s; while [ ! -e %s ]; do sleep 0.05; done; %s said after; exit 6" % (program, program, go, out, more, program)
    command = subprocess.Popen([HBDB, "record", *LAYERS, "-o", "beside.hbdb", "--", "sh", "-c", script], cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, env=dict(os.environ, XDG_STATE_HOME=folder + "/state"))
    wait_until(lambda: len(ways_of("beside.hbdb")) == 3)
    stop = run(HBDB, "record", "--stop", "beside.hbdb")
    check(stop.returncode == 0 and "when the command ends" in stop.stderr and not any(p["sealed"] for p in info("beside.hbdb")["processes"]),
          "--stop while the command runs leaves the rest to its hbdb", stop.all)
    open(more, "w").close()
    said = command.communicate(timeout=120)[1]
    facts = info("beside.hbdb")
    check(command.returncode == 6 and len(ways_of("beside.hbdb")) == 3 and all(p["sealed"] for p in facts["processes"]) and not facts.get("open"),
          "which seals it; what began later is not recorded", said + str(facts))
    ends(go, out, "beside")


def without_hbdb(program):
    """hbdb is killed: nothing is lost, and --stop completes the recording."""
    go, out = (os.path.join(folder, "killed." + x) for x in ("go", "out"))
    script = "%s daemon %s %s; sleep 100" % (program, go, out)
    command = subprocess.Popen([HBDB, "record", *LAYERS, "-o", "killed.hbdb", "--", "sh", "-c", script], cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=dict(os.environ, XDG_STATE_HOME=folder + "/state"))
    wait_until(lambda: len(ways_of("killed.hbdb")) == 2)
    command.send_signal(signal.SIGKILL)
    command.wait()
    before = ways_of("killed.hbdb")[1]["events"]
    check(wait_until(lambda: ways_of("killed.hbdb")[1]["events"] > before), "hbdb is killed: the daemon is recorded on")
    stop = run(HBDB, "record", "--stop", "killed.hbdb")
    facts = info("killed.hbdb")
    check(stop.returncode == 0 and all(p["sealed"] for p in facts["processes"]) and ways_of("killed.hbdb")[1]["state"] == "told to stop", "and --stop completes it",
          stop.all + str(facts))
    ends(go, out, "after hbdb was killed")


def disk(program):
    """Full: the programs print and end the same, hbdb says so."""
    if not ROOT or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        check(True, "full disk: mounting needs root, not run")
        return
    os.mkdir(folder + "/small")
    for mode in ["closes"], ["workers"], ["three"], ["user"]:
        alone = run(program, *mode)
        script = "mount -t tmpfs -o size=%s none small && chmod 755 small && exec %s record %s -o small/r.hbdb -- %s %s"
        for size in "400k", "64k":
            done = run("unshare", "-m", "sh", "-c", script % (size, HBDB, " ".join(LAYERS), program, " ".join(mode)))
            told = re.search("No space left on device", done.stderr) or mode[0] in ("three", "workers") and size == "400k"
            check((done.stdout, done.returncode) == (alone.stdout, alone.returncode) and told, "full disk, %s on %s: the same output, and it is said" % (mode[0], size), done.all)


def server(standin):
    """A real one, which begins as root, makes a daemon of itself, and workers of another user."""
    nginx, port = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"), ports.free()
    if not ROOT or not nginx or not shutil.which("curl"):
        check(True, "nginx: needs root, nginx and curl, not run")
        return
    with open(folder + "/conf", "w") as f:
        paths = "".join("%s_temp_path %s/%s; " % (x, folder, x) for x in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        f.write("worker_processes 2; pid %s/pid; error_log %s/log; events { worker_connections 64; }\nhttp { access_log off; %s server { listen 127.0.0.1:%d; "
                "location / { return 200 \"hello\\n\"; } } }\n" % (folder, folder, paths, port))
    done = run(HBDB, "record", *LAYERS, "-o", "nginx.hbdb", "--", nginx, "-c", folder + "/conf", env={"LD_PRELOAD": standin})
    check(done.returncode == 0 and "recorded on: nginx" in done.stderr, "nginx: record returns", done.all)
    answers = [run("curl", "-s", "--retry", "20", "--retry-connrefused", "http://127.0.0.1:%d/" % port).stdout for _ in range(4)]
    check(answers == ["hello\n"] * 4, "nginx: it answers", answers)
    stop = run(HBDB, "record", "--stop", "nginx.hbdb")
    users = {os.stat(os.path.join(folder, "nginx.hbdb", n)).st_uid for n in os.listdir(folder + "/nginx.hbdb")}
    sums = info("nginx.hbdb")
    check(stop.returncode == 0 and sums["calls"].get("accept4", 0) >= 4 and len(sums["processes"]) >= 4, "nginx: workers of another user are recorded", "%s\n%s" % (sums, stop.all))
    check(users == {0}, "nginx: what is sealed is root's", users)
    check(run("curl", "-s", "http://127.0.0.1:%d/" % port).stdout == "hello\n", "nginx: it goes on after --stop")
    pid = int(open(folder + "/pid").read())
    os.kill(pid, signal.SIGTERM)
    check(wait_until(lambda: not lives(pid)), "nginx: and ends as it is told to")


def main():
    program = built("ways", "ways.c", "-pthread")
    ways(program)
    layers(program)
    found()
    daemons(program)
    disk(program)
    server(built("libhbdb-standin.so", "standin.c", "-fPIC", "-shared"))
    if not count["failed"]:
        shutil.rmtree(folder)
    print("%(passed)d passed, %(failed)d failed" % count)
    return count["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
