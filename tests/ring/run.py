#!/usr/bin/python3
"""Recordings of the last part of a run: hbdb record --ring, --keep.

usage: run.py [--all]
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
COMPARE = os.environ.get("HBDB_COMPARE", os.path.join(TOP, "build/tests/matching/compare"))
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"],
          "mpich": ["mpirun.mpich"]}
COUNTS = re.compile(r"^same (\d+) wrong (\d+) unposted (\d+) doubted-same (\d+) doubted-wrong (\d+) lost (\d+) unconfirmed (\d+)$", re.M)
ALL = "--all" in sys.argv[1:]
SERIAL = {"HBDB_CARRY": "serial"}
passed = failed = 0


def check(what, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", what, "\n    ", detail, flush=True)


def run(*words, env=None, seconds=1200):
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=seconds, errors="replace",
                              env=dict(os.environ, **(env or {})))
    except subprocess.TimeoutExpired as late:
        check("%s took no longer than %d s" % (" ".join(words), seconds), False)
        return 124, "", str(late)
    return done.returncode, done.stdout, done.stderr


def compiled(name, mpi, folder):
    binary = os.path.join(folder, "%s-%s" % (name, mpi))
    if os.path.exists(binary):
        return binary
    status, _, err = run("mpicc." + mpi, "-O1", "-g", "-pthread", os.path.join(HERE, name + ".c"), "-o", binary)
    if status:
        raise SystemExit("%s does not compile: %s" % (name, err))
    return binary


def record(place, name, command, size="128K", more=(), env=None):
    shutil.rmtree(os.path.join(place, name), ignore_errors=True)
    return run(HBDB, "record", "--ring", size, *more, "-o", os.path.join(place, name), "--", *command, env=env)


def events_before(recording):
    """(events that are there, events that were given up), of each process"""
    _, out, err = run(HBDB, "info", "--json", recording)
    processes = json.loads(out or "{}").get("processes", [])
    return [(p["events"], p["events_before"]) for p in processes] or err


def confirm(what, recording, least, doubted=0):
    """No message is matched wrongly, but so many of those that are said to be in doubt at most; at least so many are matched, and none is left out that need not be."""
    status, out, err = run(COMPARE, recording)
    counts = COUNTS.search(out)
    check(what + ": compared", counts, out + err)
    if not counts:
        return
    same, wrong, unposted, _, doubted_wrong = map(int, counts.groups()[:5])
    untold = re.search(r" untold (\d+)$", out, re.M)
    check(what + ": nothing is matched wrongly", not (wrong or unposted or doubted_wrong > doubted) and not status, out)
    check(what + ": at least %d messages are matched" % least, same >= least, out)
    check(what + ": none is left out", not untold or int(untold[1]) < 20, out)


def whole(what, recording):
    status, out, err = run(HBDB, "verify", recording)
    check(what + ": hbdb verify", not status and "whole" in out, out + err)


def steady(place, mpi, n, rounds, size, raw):
    what = "steady %s %d %s%s" % (mpi, n, size, " raw" if raw else "")
    recording = os.path.join(place, "steady.hbdb")
    status, _, err = record(place, "steady.hbdb", LAUNCH[mpi] + ["-n", str(n), compiled("steady", mpi, place), str(rounds)], size,
                            ["--keep-raw"] if raw else [], SERIAL)
    check(what + ": recorded", not status, err)
    told = events_before(recording)
    check(what + ": the beginning was given up", told and all(b > 1000 and e > 1000 for e, b in told), told)
    log = max(os.path.getsize(os.path.join(recording, f)) for f in os.listdir(recording) if f.endswith(".log"))
    units = int(size[:-1]) * (1024 if size[-1] == "K" else 1024 * 1024) + 8 * 32768
    check(what + ": the log is no larger than the ring and a few units", log <= units, (log, units))
    whole(what, recording)
    confirm(what, recording, 2000)
    return recording


def commands(recording):
    """What each command says of such a recording."""
    for words, status, wanted in (
            (["info"], 0, "given up"), (["races"], 0, "last part of its run"), (["check"], 0, "no errors found"),
            (["dump"], 0, "0:1 "), (["sql", recording, "SELECT count(*) FROM messages WHERE state = 'received'"], 0, ""),
            (["order", "0:10", "1:2000"], 0, ""), (["graph", "-o", recording + ".svg"], 0, ""),
            (["replay"], 2, "its beginning is missing, so it cannot be replayed"),
            (["debug"], 2, "its beginning is missing, so it cannot be debugged")):
        got, out, err = run(HBDB, *words, *([] if recording in words else [recording]))
        check("hbdb %s" % words[0], got == status and wanted in out + err, (got, (out + err)[-1500:]))
    # none of them speaks of what it did not see
    out = run(HBDB, "verify", recording)[1]
    check("verify: whole from where its rings begin", re.search("whole from where its rings begin, 2 logs, .* earlier ones were given up", out), out)
    out = run(HBDB, "races", recording)[1]
    check("races: as far as the recording shows", "as far as this recording shows" in out or "there may be more" in out, out)
    _, out, err = run(HBDB, "check", recording)
    check("check: the earlier events were not looked at", re.search(r"not looked at, .*: \d+ earlier events of 2 processes", err), out + err)
    # what is before the first event of a process cannot have come after what another one did later
    _, out, err = run(HBDB, "order", "0:1", "1:1", recording)
    check("the first events have no order that nobody knows", "error" not in err, out + err)


def crash(place, mpi, round_of_death):
    what = "killed in round %d (%s)" % (round_of_death, mpi)
    recording = os.path.join(place, "crash.hbdb")
    record(place, "crash.hbdb", LAUNCH[mpi] + ["-n", "2", compiled("steady", mpi, place), "1000000", "0", str(round_of_death)],
           env=SERIAL)
    whole(what, recording)
    told = events_before(recording)
    check(what + ": the last part is there", len(told) == 2 and all(e > 1000 and b > 1000 for e, b in told), told)
    confirm(what, recording, 1000)


def kept_now(recording, last):
    """Keeps what the rings hold until each has gone on behind `last`: (the new recording, its events, what hbdb said)."""
    end, said = time.time() + 120, ""
    while time.time() < end:
        status, _, said = run(HBDB, "record", "--keep", recording)
        made = re.search(r"^hbdb: (\S+-kept-\d+\.hbdb): ", said, re.M)
        told = events_before(made[1]) if made and not status else []
        if len(told) == 2 and all(b > max(last, 1000) for _, b in told):
            return made[1], told, said
        if made:
            shutil.rmtree(made[1])
        time.sleep(0.05)
    return None, [], said


def keep(place, mpi, times):
    """Several recordings of one run while it goes on."""
    what = "kept (%s)" % mpi
    folder = tempfile.mkdtemp(dir=place)  # no earlier run's recording may stand for one of this run
    recording, words = os.path.join(folder, "run.hbdb"), os.path.join(folder, "words")
    with open(words, "w") as said:
        child = subprocess.Popen([HBDB, "record", "--ring", "1M", "-o", recording, "--"] + LAUNCH[mpi] +
                                 ["-n", "2", compiled("steady", mpi, place), "100000000"], stdout=said, stderr=said,
                                 env=dict(os.environ, **SERIAL))
    last, wanted = -1, []
    for k in range(1, times + 1):
        kept, told, err = kept_now(recording, last) if child.poll() is None else (None, [], "the program has ended")
        check("%s %d: made" % (what, k), kept, err)
        if not kept:
            break
        wanted.append("run-kept-%d.hbdb" % k)
        last = max(b for _, b in told)
        whole("%s %d" % (what, k), kept)
        confirm("%s %d" % (what, k), kept, 100, doubted=2)  # how the last wildcard receive of each ended may stand behind the copy
        _, out, err = run(HBDB, "check", kept)
        check("%s %d: nothing is found that is not there, and not all was looked at" % (what, k), "no finding in 2 processes" in out, out + err)
    names = [f for f in os.listdir(folder) if "-kept-" in f]
    check(what + ": they are numbered one after the other", sorted(names) == sorted(wanted), (names, wanted))
    check(what + ": the program went on", child.poll() is None, open(words).read())
    child.terminate()
    child.wait(60)
    shutil.rmtree(folder)


def stands(place, mpi, rounds):
    """What is kept while processes wait for each other is no run that ended so, and nothing in it says that it is."""
    what = "kept while it stands (%s, %d rounds)" % (mpi, rounds)
    folder = tempfile.mkdtemp(dir=place)
    recording, kept, words, go = (os.path.join(folder, f) for f in ("run.hbdb", "run-kept-1.hbdb", "words", "go"))
    with open(words, "w") as said:
        child = subprocess.Popen([HBDB, "record", "--ring", "128K", "-o", recording, "--"] + LAUNCH[mpi] +
                                 ["-n", "2", compiled("still", mpi, place), go, str(rounds)], stdout=said, stderr=said)
    while child.poll() is None and "stands" not in open(words).read():
        time.sleep(0.02)
    _, _, kept_says = run(HBDB, "record", "--keep", recording)
    says = {c: "".join(run(HBDB, c, kept)[1:]) for c in ("check", "info", "verify", "hang")}
    _, facts, _ = run(HBDB, "info", "--json", kept)
    open(go, "w").close()
    child.wait(600)
    check(what + ": the run goes on", "2 processes recorded up to now: the run goes on" in kept_says, kept_says)
    check(what + ": no finding", "no finding in 2 processes" in says["check"], says["check"])
    check(what + ": it has no exit status", "the run went on" in says["info"] and "exit status" not in says["info"], says["info"])
    facts = json.loads(facts or "{}")
    check(what + ": nor in what programs read", facts.get("kept") and "exit_status" not in facts, facts)
    check(what + ": nobody told its processes to stop", [p["state"] for p in facts.get("processes", [])] == ["went on", "went on"]
          and says["verify"].count("lived on when this was kept") == 2 and "told to stop" not in "".join(says.values()), says)
    check(what + ": its job has not ended", "has ended" not in says["hang"] and "a run that went on" in says["hang"], says["hang"])
    _, out, err = run(HBDB, "info", recording)
    check(what + ": the run itself ended well", child.returncode == 0 and "exit status 0" in out, out + err)
    status, _, err = run(HBDB, "record", "--keep", recording)
    _, out, _ = run(HBDB, "info", kept.replace("-1.", "-2."))
    check(what + ": what is kept of a run that has ended says how", not status and "exit status 0" in out, out + err)


def threads_kept(place):
    """Threads share a connection: the copy of a log has more of one than of another. Nothing is told that only follows from that."""
    folder = tempfile.mkdtemp(dir=place)
    recording, go = os.path.join(folder, "run.hbdb"), os.path.join(folder, "go")
    child = subprocess.Popen([HBDB, "record", "--ring", "64M", "--layers", "sockets", "-o", recording, "--", "/usr/bin/python3",
                              os.path.join(HERE, "shared.py"), go], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end, found = time.time() + 120, None
    while child.poll() is None and time.time() < end and not (found and int(found[1]) > 100):
        kept = re.search(r"^hbdb: (\S+-kept-\d+\.hbdb): ", run(HBDB, "record", "--keep", recording)[2], re.M)
        _, out, _ = run(HBDB, "sql", "--csv", kept[1], "SELECT count(*) FROM messages WHERE state = 'received'") if kept else (0, "", "")
        found = re.search(r"(\d+)\s*$", out)
    open(go, "w").close()
    child.wait(600)
    _, _, err = run(HBDB, "check", kept[1] if kept else folder)
    check("threads kept: no one else sent, and no clock is wrong", "others sent" not in err and "contradict" not in err, err)
    check("threads kept: messages may be others than shown, or are not matched", re.search("may belong to other receives|is not matched", err), err)


def lines_share(place, mpi):
    recording = os.path.join(place, "threads.hbdb")
    status, _, err = record(place, "threads.hbdb", LAUNCH[mpi] + ["-n", "2", compiled("threads", mpi, place), "4000"],
                            more=["--threads", "off"], env=SERIAL)
    check("threads: recorded", not status, err)
    status, out, err = run(COMPARE, recording)
    counts = COUNTS.search(out)
    check("threads: nothing is matched wrongly", counts and counts[2] == "0" and counts[3] == "0", out + err)
    check("threads: what each has for itself is matched", counts and int(counts[1]) > 500, out + err)
    check("threads: what they share is said", "are not matched" in out, out)
    _, _, err = run(HBDB, "races", recording)
    check("threads: that no order between them is there is said", "no order between these" in err, err)


def order_asked_for(place, mpi):
    """A ring has the order between threads where that is asked for, and says what it is without it."""
    command = LAUNCH[mpi] + ["-n", "2", compiled("threads", mpi, place), "10"]
    for more, wanted in (((), False), (("--threads", "on"), True)):
        what = "threads" + "".join(" " + word for word in more)
        status, _, err = record(place, "order.hbdb", command, "64M", more)
        with open(os.path.join(place, "order.hbdb", "manifest.json"), encoding="utf-8") as f:
            layers = json.load(f)["layers"]
        check(what + ": the order between them is recorded or not", not status and ("threads" in layers) == wanted, (layers, err))
        check(what + ": and said when it is not", ("but not the order between threads" in err) == (not wanted), err)


def talk(place):
    recording = os.path.join(place, "talk.hbdb")
    status, _, err = record(place, "talk.hbdb", ["/usr/bin/python3", os.path.join(HERE, "talk.py"), "3500"],
                            more=["--layers", "sockets"])
    check("sockets: recorded", not status, err)
    whole("sockets", recording)
    told = events_before(recording)
    check("sockets: the beginning was given up", all(b > 1000 for _, b in told), told)
    _, out, err = run(HBDB, "races", recording)
    check("sockets: the long connection is not matched, and that is said", "connections began before" in err, out + err)
    _, out, err = run(HBDB, "sql", "--csv", recording, "SELECT count(*) FROM messages WHERE state = 'received'")
    found = re.search(r"(\d+)\s*$", out)
    check("sockets: the short ones are", found and int(found[1]) > 500, out + err)


def pages(place):
    """The pages of a log that grows are made many at once: a process that waits for each pays for it with more than with all that it records."""
    times = 200000
    recording = os.path.join(place, "pages.hbdb")
    status, out, err = record(place, "pages.hbdb", ["/usr/bin/python3", os.path.join(HERE, "pages.py"), str(times)], "64M",
                              ["--keep-raw", "--layers", "sockets"])
    told = events_before(recording)
    check("pages: recorded", not status and out.strip().isdigit() and len(told) == 1 and told[0][0] >= 2 * times + 40000, (out, err, told))
    log = max(os.path.getsize(os.path.join(recording, f)) for f in os.listdir(recording) if f.endswith(".log"))
    grown = log // 4096 * times // (times + 20000)
    check("pages: a process waits for few of the %d" % grown, grown > 300 and int(out or grown) < grown // 3, out)
    whole("pages", recording)


def refused(place):
    for words, wanted in ((["--ring", "64M", "--level", "order"], "--ring is for --level events"),
                          (["--ring", "64M", "--check"], "--ring does not go with --check"),
                          (["--ring", "12x"], "--ring takes a size"), (["--ring", "1K"], "at least 128K"),
                          (["--ring", "64M", "--digests", "whole"], "--digests whole")):
        status, _, err = run(HBDB, "record", *words, "-o", os.path.join(place, "no.hbdb"), "--", "/bin/true")
        check("refused: " + " ".join(words), status == 2 and wanted in err, err)
    status, _, err = run(HBDB, "record", "--keep", os.path.join(place, "none.hbdb"))
    check("refused: --keep of what is not there", status and "none" in err, err)


def short(place, mpi):
    """A run that fits the ring is a recording like any other: it is replayed."""
    recording = os.path.join(place, "short.hbdb")
    record(place, "short.hbdb", LAUNCH[mpi] + ["-n", "2", compiled("steady", mpi, place), "20"], "64M")
    check("short: nothing was given up", all(not b for _, b in events_before(recording)))
    status, out, err = run(HBDB, "replay", recording)
    check("short: replayed", not status, out + err)


def main():
    place = tempfile.mkdtemp(prefix="hbdb-ring.")
    try:
        refused(place)
        commands(steady(place, "mpich", 2, 3000, "128K", False))
        crash(place, "mpich", 2501)
        keep(place, "mpich", 2)
        stands(place, "mpich", 10)
        talk(place)
        pages(place)
        short(place, "openmpi")
        steady(place, "openmpi", 2, 3000, "128K", True)
        lines_share(place, "mpich")
        order_asked_for(place, "openmpi")
        threads_kept(place)
        for mpi in LAUNCH if ALL else ():
            steady(place, mpi, 2, 200000, "1M", False)
            keep(place, mpi, 10)
            stands(place, mpi, 20000)
            for k in range(20):
                crash(place, mpi, 9000 + 997 * k)
        if ALL:
            steady(place, "openmpi", 4, 30000, "256K", False)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
