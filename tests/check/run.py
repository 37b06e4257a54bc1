#!/usr/bin/python3
"""hbdb check, record --watch and hang from outside, each part under one of the two MPIs, under the other at the next commit (../turn.py).

usage: run.py [--mpi openmpi|mpich] [--only TEXT]"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import turn  # noqa: E402

TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
HBDB = os.environ.get("HBDB", os.path.join(BUILD, "hbdb"))
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"],
          "mpich": ["mpirun.mpich"]}
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(("ok " if good else "FAIL ") + name + ("" if good else "\n    %s" % str(detail)[:2000]), flush=True)


class Place:
    """A folder with the program, for one MPI."""

    def __init__(self, mpi):
        self.mpi, self.path = mpi, tempfile.mkdtemp(prefix="hbdb-check.")
        self.env = dict(os.environ, XDG_STATE_HOME=self.path + "/state", LC_ALL="C", NO_COLOR="1")
        self.env.pop("LD_PRELOAD", None)
        subprocess.run(["mpicc." + mpi, "-g", "-O0", "-o", self.path + "/job", HERE + "/programs/job.c"], check=True)

    def job(self, what, n=2):
        return LAUNCH[self.mpi] + ["-n", str(n), self.path + "/job", what]

    def start(self, *args):
        return subprocess.Popen([HBDB, *args], cwd=self.path, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)

    def run(self, *args, timeout=90):
        job = self.start(*args)
        try:
            out, err = job.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            job.send_signal(signal.SIGTERM)
            out, err = job.communicate()
            return -1, out, err + "\n(not over in %d s)" % timeout
        return job.returncode, out, err


def outputs(place, name):
    status, out, err = place.run("check", "-o", "leak.hbdb", "--leaks", "--json", "--sarif", "s.json", "--junit", "j.xml", "--",
                                 *place.job("leak"))
    lines = [json.loads(line) for line in out.splitlines()]
    found = [x for x in lines if "finding" in x]
    check(name + " a leak fails the check", status == 1, (status, out, err))
    check(name + " stdout is JSON, the job prints on stderr", "here is rank 1" in err and "summary" in lines[-1], (out, err))
    check(name + " the leak is found, once for both ranks", [(x["finding"], x["also_ranks"]) for x in found] ==
          [("HB-LEAK-COMM", [1])], found)
    if not found:
        return
    point = found[0]["points"][0]
    check(name + " at its line", point["file"].endswith("job.c") and point["line"] > 40 and point["rank"] == 0, point)
    run = json.load(open(place.path + "/s.json"))["runs"][0]
    rules, result = run["tool"]["driver"]["rules"], run["results"][0]
    check(name + " SARIF: the result names its rule", rules[result["ruleIndex"]]["id"] == result["ruleId"] == "HB-LEAK-COMM", result)
    where = result["locations"][0]["physicalLocation"]
    check(name + " SARIF: and its place", where["region"]["startLine"] == point["line"] and
          where["artifactLocation"]["uri"].endswith("job.c"), where)
    check(name + " SARIF: the rules have help", all(r["helpUri"] and r["help"]["text"] for r in rules), rules[0])
    suite = xml.parse(place.path + "/j.xml").getroot().find("testsuite")
    cases = suite.findall("testcase")
    broken = [c for c in cases if c.find("failure") is not None]
    check(name + " JUnit: counts are right", (int(suite.get("tests")), int(suite.get("failures"))) ==
          (len(cases), len(broken)) and len(broken) == 1, suite.attrib)
    check(name + " JUnit: the case is named by its line", broken and broken[0].get("name") ==
          "HB-LEAK-COMM at job.c:%d" % point["line"], [c.attrib for c in broken])
    again = json.loads(place.run("check", "leak.hbdb", "--leaks", "--json")[1].splitlines()[0])
    check(name + " the fingerprint stays", again["fingerprint"] == found[0]["fingerprint"], again)


def choices(place, name):
    """On the recording that outputs made."""
    status, out, err = place.run("check", "leak.hbdb", "--sarif", "note.json")
    check(name + " a communicator that leaks is a note without --leaks", status == 0 and out.startswith("note HB-LEAK-COMM: ") and
          "no errors found, 1 note in 2 processes" in out, (status, out, err))
    check(name + " in SARIF, too", json.load(open(place.path + "/note.json"))["runs"][0]["results"][0]["level"] == "note")
    text = place.run("check", "leak.hbdb", "--leaks")[1]
    check(name + " text: sentence, places, sum", text.startswith("warning HB-LEAK-COMM: ") and "  rank 0  " in text and
          "the same in rank 1" in text and "hbdb help HB-LEAK-COMM" in text and "1 warning in 2 processes" in text, text)
    for args, wanted in ((("--severity", "error"), 0), (("--fail-on", "error"), 0), (("--fail-on", "never"), 0),
                         (("--error-exit", "9"), 9), (("--only", "HB-MESSAGE"), 0), (("--only", "HB-DEAD,HB-LEAK"), 1),
                         (("--category", "messages"), 0), (("--category", "lifecycle"), 1)):
        status, out, err = place.run("check", "leak.hbdb", "--leaks", *args)
        check("%s check %s" % (name, " ".join(args)), status == wanted, (status, out, err))
    made = place.run("check", "leak.hbdb", "--leaks", "--generate-suppressions")[1]
    line = [x for x in made.splitlines() if x.startswith("HB-LEAK-COMM ")]
    for what, wanted in ((line, 0), (["HB-LEAK-*"], 0), (["HB-LEAK-COMM file=job.c rank=0 text=*communicator*"], 0),
                         (["HB-LEAK-COMM line=1"], 1), (["HB-MESSAGE-LOST # another"], 1), (["HB-LEAK-COMM nonsense"], 2)):
        with open(place.path + "/known", "w") as f:
            f.write("# known\n\n%s\n" % "\n".join(what))
        status, out, err = place.run("check", "leak.hbdb", "--leaks", "--suppress", "known", "--verbose")
        check("%s suppressed by %s" % (name, what), status == wanted, (status, out, err))
        check("%s unused ones are named" % name, ("suppresses nothing" in err) == (wanted == 1), err)
    os.rename(place.path + "/known", place.path + "/.hbdb-suppressions")
    check(name + " a suppressions file that is wrong", place.run("check", "leak.hbdb")[0] == 2)
    os.unlink(place.path + "/.hbdb-suppressions")


def ends(place, name):
    status, out, err = place.run("check", "-o", "good.hbdb", "--", *place.job("good"))
    check(name + " a good run", status == 0 and "no errors found in 2 processes" in out and "here is rank 0" in out, (status, out, err))
    status, out, err = place.run("check", "-o", "fail.hbdb", "--", *place.job("fail"))
    check(name + " a run that fails by itself", status == 7 and "status 7" in err, (status, out, err))
    status, out, err = place.run("check", "-o", "crash.hbdb", "--json", "--", *place.job("crash"))
    check(name + " a crash", status == 1 and '"HB-CRASH"' in out and "rank 1 was killed by signal 6" in out, (status, out, err))
    place.run("record", "-o", "plain.hbdb", "--", *place.job("good"))
    status, out, err = place.run("check", "plain.hbdb")
    check(name + " a recording without remarks", status == 0 and "without --check" in err, (status, out, err))
    check(name + " a name and a command", place.run("check", "plain", "--", "true")[0] == 2)
    os.unlink(place.path + "/crash.hbdb/rank.0.log")
    status, out, err = place.run("check", "crash.hbdb")
    check(name + " a log is missing", status == 1 and "HB-CRASH" in out and "rank 0" in err, (status, out, err))
    os.unlink(place.path + "/plain.hbdb/rank.0.log")
    status, out, err = place.run("check", "plain.hbdb")
    check(name + " ... of a run without errors: not all was looked at", status == 3 and "no finding in 1 process," in out and
          "not looked at, for it is not there: 1 process without a log" in err, (status, out, err))
    out = place.run("races", "plain.hbdb")[1]
    check(name + " ... and races says so", "no races" not in out or "as far as this recording shows" in out, out)
    out = place.run("check", "good.hbdb", "--only", "HB-LEAK")[1]
    check(name + " what was not asked for is not said to be right", "nothing found of what was asked for in 2 processes" in out, out)
    with open(place.path + "/good.hbdb/manifest.json", encoding="utf-8") as f:
        manifest = json.load(f)
    with open(place.path + "/good.hbdb/manifest.json", "w", encoding="utf-8") as f:
        json.dump({key: value for key, value in manifest.items() if key != "exit_status"}, f)
    out = place.run("verify", "good.hbdb")[1]
    check(name + " verify of a run whose end hbdb did not see", "whole" not in out and "hbdb did not see the end of the run" in out, out)
    with open(place.path + "/good.hbdb/manifest.json", "w", encoding="utf-8") as f:
        json.dump(dict(manifest, nodes=[{"name": "n9", "folder": "/gone", "missing": True}]), f)
    status, out, err = place.run("check", "good.hbdb")
    check(name + " what a node recorded is missing", status == 3 and "no finding in 2 processes" in out and "what was recorded on n9 is missing" in err, (status, out, err))


def hangs(place, name):
    status, out, err = place.run("check", "-o", "hang.hbdb", "--json", "--", *place.job("hang", 3))
    lines = [json.loads(line) for line in out.splitlines()]
    check(name + " check ends a job that hangs", status == 1 and lines[-1]["hanging"] and "the job hangs" in err, (status, out, err))
    check(name + " and says why", "HB-DEADLOCK-CYCLE" in [x.get("finding") for x in lines], out)
    status, out, err = place.run("record", "-o", "kill.hbdb", "--watch", "--on-hang", "kill", "--", *place.job("hang"))
    check(name + " record --on-hang kill", status == 1 and "HB-DEADLOCK-CYCLE" in err and "hbdb ends it" in err, (status, out, err))
    job = place.start("record", "-o", "leave.hbdb", "--watch", "--on-hang", "stacks", "--", *place.job("hang"))
    end = time.monotonic() + 100
    while time.monotonic() < end and not all(os.path.exists("%s/leave.hbdb/rank.%d.log" % (place.path, rank)) for rank in (0, 1)):
        time.sleep(0.05)
    while "HB-DEADLOCK-CYCLE" not in (found := place.run("hang"))[1] and time.monotonic() < end: # a log is there before the call that hangs
        time.sleep(0.05)
    status, out, err = found
    check(name + " hbdb hang finds the job", status == 1 and "HB-DEADLOCK-CYCLE" in out and "MPI_Recv(" in out and "job.c:" in out,
          (status, out, err))
    check(name + " and what to type next", out.endswith("\n\nnext: hbdb hang --stacks, hbdb view\n"), out)
    said = ""
    for line in job.stderr:
        said += line
        if "left running, as it is" in line:
            break
    check(name + " --watch leaves it", job.poll() is None)
    job.send_signal(signal.SIGTERM)
    err = said + job.communicate(timeout=60)[1]
    check(name + " having said why, with stacks", "HB-DEADLOCK-CYCLE" in err and "receive_first (job.c:" in err and
          "left running, as it is" in err, err)
    status, out, err = place.run("hang", "leave")
    check(name + " hbdb hang of a run that is over", status == 0 and "has ended" in err and out == "\nnext: hbdb check leave\n",
          (status, out, err))
    out = place.run("check", "leave")[1]
    check(name + " check of a recording that is named names it in what to type next", "next: hbdb view leave --at " in out and
          "next: hbdb view --at" not in out, out)


def slow(place, name):
    for what in ("slow", "asking"):
        job = place.start("check", "-o", what + ".hbdb", "--watch", "1", "--", *place.job(what))
        end = time.monotonic() + 100
        while time.monotonic() < end and "computes" not in (found := place.run("hang", what))[1]:
            time.sleep(0.05)
        status, out, err = found
        open(place.path + "/looked", "w").close()
        check("%s hbdb hang of a job that computes (%s)" % (name, what), status == 0 and "computes" in out and
              out.endswith("next: hbdb hang --stacks %s, hbdb view %s\n" % (what, what)), (status, out, err))
        out, err = job.communicate(timeout=90)
        os.unlink(place.path + "/looked")
        check("%s a slow job is not called hanging (%s)" % (name, what), job.returncode == 0 and "hangs" not in err, (out, err))
    status, out, err = place.run("check", "-o", "poll.hbdb", "--watch", "1", "--json", "--", *place.job("poll"))
    check(name + " asking for ever", status == 1 and '"hanging":true' in out and "HB-HANG" in out, (status, out, err))


def told(place, name):
    """The job goes on until what is wrong with it has been told: an end that is waited for would not come."""
    for command in (("check",), ("record", "--check"), ("record", "--watch")):
        what = "%s hbdb %s:" % (name, " ".join(command))
        if os.path.exists(place.path + "/go"):
            os.unlink(place.path + "/go")
        job = place.start(*command, "-o", "%s.hbdb" % "".join(command), "--", *place.job("wrong"))
        late = threading.Timer(60, lambda: open(place.path + "/go", "w").close())
        late.start()
        err = ""
        for line in job.stderr:
            err += line
            if "HB-ARG-BUFFER" in line:
                break
        check(what + " a NULL buffer is told while the job runs", "rank 0 calls MPI_Send with buf = NULL" in err and
              "(job.c:" in err and not os.path.exists(place.path + "/go"), err)
        late.cancel()
        open(place.path + "/go", "w").close()
        out, more = job.communicate(timeout=90)
        check(what + " and once", "HB-ARG-BUFFER" not in more and job.returncode == (1 if "check" in command else 0),
              (job.returncode, out, more))


def system_calls(place, messages):
    """How many a process makes that is recorded for the check and sends so many messages to itself."""
    folder = tempfile.mkdtemp(dir=place.path)
    given = {"LD_PRELOAD": "%s/libhbdb-%s.so" % (os.path.dirname(HBDB), place.mpi), "HBDB_MODE": "record", "HBDB_DIR": folder,
             "HBDB_LEVEL": "events", "HBDB_REMARKS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["strace", "-f", "-c", "-U", "calls,name", "-o", folder + "/calls"]
    for key, value in given.items():
        command += ["-E", "%s=%s" % (key, value)]
    subprocess.run(command + [place.path + "/job", "many%d" % messages], cwd=place.path, env=place.env, check=True, timeout=300,
                   stdout=subprocess.DEVNULL)
    with open(folder + "/calls") as table:
        rows = [line.split() for line in table]
    if not any(f.endswith(".log") for f in os.listdir(folder)):
        raise RuntimeError("nothing was recorded")
    return {row[1]: int(row[0]) for row in rows if len(row) == 2 and row[0].isdigit() and row[1] != "total"}


def costs(place, name):
    few, many = system_calls(place, 1000), system_calls(place, 21000)
    more = {call: n - few.get(call, 0) for call, n in many.items() if n > few.get(call, 0) + 500}
    check(name + " messages in a loop make no system call each", sum(more.values()) < 20000 / 5, more)
    status, out, err = place.run("record", "--check", "-o", "ask.hbdb", "--", *place.job("ask"))
    took = [int(line.split()[3]) for line in out.splitlines() if line.startswith("a poll takes")]
    check(name + " a poll beside a pending receive takes microseconds at most", status == 0 and took and took[0] < 20000,
          (status, took, out, err))
    status, out, err = place.run("record", "--check", "-o", "gets.hbdb", "--", *place.job("gets"))
    took = [[float(x) for x in line.split()[1:]] for line in out.splitlines() if line.startswith("gets: ")]
    check(name + " gets into one buffer take about as long as gets into buffers of their own",
          status == 0 and took and took[0][1] < 10 * took[0][0], (status, took, out, err))
    status, out, err = place.run("check", "-o", "pile.hbdb", "--json", "--", *place.job("pile", 3))
    size = sum(os.path.getsize(place.path + "/pile.hbdb/" + f) for f in os.listdir(place.path + "/pile.hbdb") if f.endswith(".log"))
    check(name + " 60,000 accumulates like one another take a byte each at most", size < 60000, size)
    races = [json.loads(line) for line in out.splitlines() if '"HB-RMA-RACE"' in line]
    check(name + " and each is known by its bytes and its place", status == 1 and races and "bytes 492 to 495" in races[0]["sentence"] and
          sorted(p["function"] for p in races[0]["points"]) == ["MPI_Accumulate", "MPI_Put"], (status, out, err))


def blocks(place, name):
    """Blocks of the C library's malloc are known; those of another one are not, wherever it stands, and nothing is said of them."""
    source = HERE + "/programs/blocks.c"
    for what, flags in (("blocks", []), ("own", ["-DOTHER"]), ("other.so", ["-DOTHER", "-DLIBRARY", "-shared", "-fPIC"])):
        subprocess.run(["mpicc." + place.mpi, "-g", "-O0", "-fno-builtin", *flags, "-o", place.path + "/" + what, source, "-lpthread"],
                       check=True)

    def found(program, *before):
        status, out, err = place.run("check", "--json", "--", *LAUNCH[place.mpi], "-n", "2", *before, place.path + "/" + program)
        return sorted(x["finding"] for x in map(json.loads, out.splitlines()) if "finding" in x), (status, out, err)
    ids, detail = found("blocks")
    check(name + " a block too small and one that was freed are told", ids == ["HB-BUFFER-FREED", "HB-BUFFER-SIZE"], detail)
    subprocess.run(["mpicc." + place.mpi, "-g", "-o", place.path + "/freed", TOP + "/tests/corpus/lifecycle/wrong/heap_freed_types.c"], check=True)
    ids, detail = found("freed")
    check(name + " nor are blocks that hbdb takes for itself told of where the program has freed its own",
          ids == ["HB-BUFFER-FREED"] and "libhbdb-" not in detail[1], detail)
    ids, detail = found("own")
    check(name + " nothing with a malloc in the program", ids == [] and detail[0] == 0, detail)
    place.env["LD_PRELOAD"] = place.path + "/other.so"
    ids, detail = found("blocks")
    del place.env["LD_PRELOAD"]
    check(name + " nothing with a malloc that is preloaded", ids == [] and detail[0] == 0, detail)


def later(place, name):
    """What has been looked at a hundred times is looked at again when it matters."""
    source = HERE + "/programs/later.c"
    for what, flags in (("libtool.so", ["-DTOOL", "-shared", "-fPIC"]),
                        ("later", ["-L" + place.path, "-Wl,--no-as-needed", "-ltool", "-Wl,-rpath," + place.path])):
        subprocess.run(["mpicc." + place.mpi, "-g", "-O0", "-fno-builtin", "-o", place.path + "/" + what, source, *flags], check=True)
    command = LAUNCH[place.mpi] + ["-n", "2", place.path + "/later"]
    status, out, err = place.run("check", "-o", "later.hbdb", "--json", "--", *command)
    found = [json.loads(line) for line in out.splitlines() if '"finding"' in line]
    for which, times in (("HB-BUFFER-FREED", [50, 50]), ("HB-BUFFER-SIZE", [50]), ("HB-BUFFER-OVERLAP", [1]),
                         ("HB-MESSAGE-TRUNCATED", [1]), ("HB-CALL-FAILED", [1])):
        got = [x["times"] for x in found if x["finding"] == which]
        check("%s %s of calls that were right before" % (name, which), got == times, (found, status, err))
    status, out, err = place.run("check", "-o", "fatal.hbdb", "--json", "--", *command, "fatal")
    found = [json.loads(line) for line in out.splitlines() if '"finding"' in line]
    check(name + " and of one that ends the job", [x["finding"] for x in found] == ["HB-CALL-FAILED"], (found, status, err))


def again(place, name):
    """A handle that is given out again before the thread that had it is back from its call is not taken for what it was."""
    late = os.path.join(TOP, "tests/threads/programs/late.c")
    subprocess.run(["mpicc." + place.mpi, "-g", "-shared", "-fPIC", "-o", place.path + "/liblate.so", late], check=True)
    subprocess.run(["mpicc." + place.mpi, "-g", "-O0", "-pthread", "-o", place.path + "/again", HERE + "/programs/again.c", place.path + "/liblate.so",
                    "-Wl,-rpath," + place.path], check=True)
    status, out, err = place.run("check", "-o", "again.hbdb", "--", *LAUNCH[place.mpi], "-n", "1", place.path + "/again")
    check(name + " a handle is given out again", "same handle: " in out + err and "same handle: 0 " not in out + err, (out, err))
    check(name + " ... and nothing is found", status == 0 and "no errors found" in out, (status, out, err))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", choices=list(LAUNCH))
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    for mpi in [args.mpi] if args.mpi else list(LAUNCH):
        place = Place(mpi)
        try:
            for part in (outputs, choices, ends, hangs, slow, told, costs, blocks, later, again):
                if not (args.mpi or mpi in turn.either("outputs" if part is choices else part.__name__, LAUNCH)):
                    continue
                if args.only in part.__name__ or (part is outputs and args.only == "choices"):
                    part(place, mpi)
        finally:
            shutil.rmtree(place.path, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


main()
