#!/usr/bin/python3
"""Unmodified programs of Debian over sockets: alone, recorded, compared with a capture of the same run, replayed.

usage: run.py [--quick] [--only NAME] [--step STEP] [--table FILE] [--keep] [--list]

Each scene is played in a network namespace of its own (this needs root), beside tcpdump, first without hbdb. Then it is recorded: its clients
must get what they got, the recording has to agree with the capture, and no match may be a wrong one (agree.py). Then it is replayed, and must print
the same. --step ends earlier, or, with alone, goes on: each process is replayed without the others. --table: what was seen goes into the table of a page.
A scene whose programs are not installed is reported as skipped.
"""
import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "carried"))
sys.path.insert(0, HERE)
import truth as truths  # noqa: E402
import agree  # noqa: E402
import capture  # noqa: E402
import scenes  # noqa: E402
import table  # noqa: E402

SECONDS, REPLAY, ALONE = 900, 100, 60  # a replay that stands still is ended by hbdb after 40


class Failed(Exception):
    pass


def digest(content):
    import xxhash
    return xxhash.xxh3_64_intdigest(content)


def within(name, folder, command):
    """Inside of the namespace: interfaces, tcpdump, the command that plays the scene. Returns its exit status."""
    one = scenes.SCENES[name]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "link", "set", "lo", "multicast", "on"], check=True)
    play = os.path.join(folder, "play")

    def run(command_before):
        subprocess.run(command_before, check=True, **quiet)

    made = os.path.join(os.path.dirname(folder), "made")
    if not os.path.exists(made):
        os.mkdir(made, 0o755)
        one.files(made, run)
    run(["cp", "-a", made, play])
    one.before(play, run)
    log = os.path.join(folder, "tcpdump.log")
    with open(log, "wb") as to:
        dump = subprocess.Popen(["tcpdump", "-Z", "root", "-i", one.interface, "-s", "0", "-B", "65536", "-U", "-w", os.path.join(folder, "pcap"), "ip or ip6"],
                                stdout=to, stderr=subprocess.STDOUT)
    while b"listening" not in open(log, "rb").read():
        if dump.poll() is not None:
            sys.exit("tcpdump: %s" % open(log, encoding="utf-8").read())
        time.sleep(0.02)
    began = time.monotonic()
    status = subprocess.run(command, check=False).returncode
    with open(os.path.join(folder, "seconds"), "w", encoding="ascii") as f:
        f.write("%.3f" % (time.monotonic() - began))
    wait_for_capture(one.interface, os.path.join(folder, "pcap"), dump)
    dump.send_signal(signal.SIGINT)
    dump.wait()
    with open(log, encoding="utf-8") as f:
        lost = re.search(r"(\d+) packets? dropped by kernel", f.read())
    if not lost or int(lost[1]):
        sys.exit("the capture is not whole: %s packets were dropped" % (lost[1] if lost else "it is not known how many"))
    return status


def wait_for_capture(interface, path, dump):
    """What went over the wire is in the file when a last datagram of this process is; or the interface went with its other end, and tcpdump ends."""
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28 + len(capture.LAST), 0, 0, 1, 17, 0, b"\x7f\0\0\1", b"\x7f\0\0\1")
    frame = bytes(12) + b"\x08\x00" + header + struct.pack(">HHHH", 9, 9, 8 + len(capture.LAST), 0) + capture.LAST
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as last:
        for _ in range(600):
            try:
                last.sendto(frame, (interface, 0))
            except OSError:
                pass  # tcpdump sees it, too
            with open(path, "rb") as f:
                if capture.LAST in f.read() or dump.poll() is not None:
                    return
            time.sleep(0.1)


def played(name, folder, label, prefix=(), whole=()):
    """(what the scene printed, its seconds). prefix: before its command; whole: in the place of it."""
    where = os.path.join(folder, label)
    os.mkdir(where)
    os.chmod(folder, 0o755)
    os.chmod(where, 0o755)
    limit = REPLAY if whole else SECONDS
    what = "replay" if whole else label
    command = ["unshare", "-n", sys.executable, os.path.join(HERE, "run.py"), "--within", name, where, "--"]
    command += list(whole) or list(prefix) + ["/usr/bin/python3", os.path.join(HERE, "drive.py"), name, os.path.join(where, "play")]
    with open(os.path.join(where, "out"), "wb") as to:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=to, stderr=subprocess.STDOUT, start_new_session=True,
                                 env=dict(os.environ, SCENE_GO_ON="2") if whole else None)
        try:
            status = child.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end_session(child.pid)
            child.wait()
    with open(os.path.join(where, "out"), encoding="utf-8", errors="replace") as f:
        text = f.read()
    if status != 0:
        raise Failed("%s: %s\n%s" % (what, "not over after %d s" % limit if status is None else "exit status %d" % status, text[-3000:]))
    with open(os.path.join(where, "seconds"), encoding="ascii") as f:
        return text, float(f.read())


def end_session(pid):
    """What is left of what was started: servers that made a session of their own are found by the namespace, in which nobody else is."""
    try:
        space = os.readlink("/proc/%d/ns/net" % pid)
    except OSError:
        space = None
    if space and space != os.readlink("/proc/self/ns/net"):
        for other in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink("/proc/%s/ns/net" % other) == space:
                    os.kill(int(other), signal.SIGKILL)
            except OSError:
                continue
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def without_hbdb(text):
    """What the scene printed, without the lines of the tool."""
    return "".join(line for line in text.splitlines(True) if not line.startswith("hbdb: "))


def record(name, folder, row, step):
    text, seconds = played(name, folder, "recorded", [truths.HBDB, "record", "--layers", "user,threads,inputs,sockets", "-o", os.path.join(folder, "run.hbdb"), "--"])
    row["recorded_seconds"] = seconds
    talk = agree.Talk(truths, os.path.join(folder, "run.hbdb"))
    row["recorded"] = "%d events" % talk.count["events"]
    problems = agree.against_capture(talk, capture.Capture(os.path.join(folder, "recorded", "pcap"), digest)) if not scenes.SCENES[name].go else []
    if step == "events":
        return without_hbdb(text), problems
    found = {}
    for sent, came, doubt in truths.read_recording(os.path.join(folder, "run.hbdb")).matches:
        found.setdefault(came, []).append((sent, came, doubt))
    more, counts = agree.matches(talk, found)
    row["matched"] = "%d of %d datagrams, %d ambiguous; %d pairs of streams; %d wrong" % (
        counts["matched datagrams"], counts["datagrams"], counts["ambiguous"], counts["stream pairs"], len(more))
    return without_hbdb(text), problems + more


def replay(name, folder, text, row):
    """In the same folder, which is made again."""
    os.rename(os.path.join(folder, "recorded"), os.path.join(folder, "recorded.first"))
    again, seconds = played(name, folder, "recorded", whole=[truths.HBDB, "replay", os.path.join(folder, "run.hbdb")])
    row["replayed"] = "equal output" if without_hbdb(again) == text else "other output"
    row["replayed_seconds"] = seconds
    return [] if without_hbdb(again) == text else ["the replay prints other things:\n%s-- and not\n%s" % (again, text)]


def one_alone(recording, process):
    """What hbdb says of it, without its hbdb: and its name; "": no difference."""
    command = ["unshare", "-n", truths.HBDB, "replay", "--alone", process, recording]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as to:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=to, start_new_session=True)
        try:
            child.wait(timeout=ALONE)
        except subprocess.TimeoutExpired:
            return "not over after %d s" % ALONE
        finally:
            end_session(child.pid)
            child.wait()
        to.seek(0)
        said = [line[6:] for line in to.read().splitlines() if line.startswith("hbdb: ")]
    return "" if any("no difference" in line for line in said) else said[0] if said else "nothing is said"


def alone(name, folder, row):
    """Each process but the one that plays the scene, without the others: how many make the calls that they made."""
    where, recording = os.path.join(folder, "recorded"), os.path.join(folder, "data.hbdb")
    if os.path.exists(where):
        os.rename(where, where + ".again")
    played(name, folder, "recorded", [truths.HBDB, "record", "--level", "data", "--layers", "user,threads,inputs,sockets", "-o", recording, "--"])
    done = subprocess.run([truths.HBDB, "dump", "--json", recording], stdout=subprocess.PIPE, check=True)
    names = sorted({json.loads(line)["process"] for line in done.stdout.splitlines() if b'"process"' in line})
    differ = {}
    names = [one for one in names if not re.fullmatch(r"python3[.0-9]*", one)]
    for one in names:
        said = one_alone(recording, one)
        if said:
            differ[one] = said
    row["alone"] = "%d of %d processes" % (len(names) - len(differ), len(names))
    if differ:
        one = min(differ)
        row["alone"] += "; %s: %s" % (one, differ[one].removeprefix(one + ", ").removeprefix(one + ": "))


def run_scene(name, options):
    """(row of the table, problems)"""
    row, problems = {"name": name}, []
    folder = tempfile.mkdtemp(prefix="hbdb-scene.")
    try:
        free = [played(name, folder, "plain")]
        if options.table:
            free += [played(name, folder, "plain.%d" % k) for k in range(2)]
        row["alone_seconds"] = statistics.median(seconds for _, seconds in free)
        wire = capture.Capture(os.path.join(folder, "plain", "pcap"), digest)
        row["wire"] = "%d datagrams, %d connections" % (len(wire.datagrams), sum(map(len, wire.connections.values())))
        if not wire.datagrams and not wire.connections:
            problems.append("the capture is empty")
        if options.step != "plain":
            text, problems = record(name, folder, row, options.step)
            if text != free[0][0]:
                problems.append("recorded it prints other things:\n%s-- and not\n%s" % (text, free[0][0]))
            if scenes.SCENES[name].go:  # of these a recording has the driver alone
                row.update(recorded="nothing: its programs make no calls of the C library", matched="no", replayed="no")
            elif options.step in ("replay", "alone"):
                if options.table or options.step == "alone":
                    alone(name, folder, row)
                problems += replay(name, folder, text, row)
    except (Failed, RuntimeError, ValueError, KeyError) as failure:
        problems.append(str(failure) if isinstance(failure, Failed) else "%s: %s" % (type(failure).__name__, failure))
    finally:
        if options.keep:
            print("   ", folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return row, problems


def within_reach(folder):
    """Servers become other users: hbdb and its libraries are put where those may read them."""
    build = os.path.dirname(os.path.realpath(truths.HBDB))
    for name in os.listdir(build):
        if name == "hbdb" or (name.startswith("libhbdb-") and name.endswith(".so")):
            shutil.copy2(os.path.join(build, name), folder)
    os.chmod(folder, 0o755)
    truths.HBDB = os.path.join(folder, "hbdb")


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="the quick scenes only")
    parser.add_argument("--only", help="this scene")
    parser.add_argument("--step", choices=("plain", "events", "matches", "replay", "alone"), default="replay", help="the last thing that is done")
    parser.add_argument("--table", metavar="FILE", help="write what was seen into the table of this page")
    parser.add_argument("--keep", action="store_true", help="keep the folders")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    if "--within" in sys.argv:
        at = sys.argv.index("--within")
        return within(sys.argv[at + 1], sys.argv[at + 2], sys.argv[at + 4:])
    options = options_of()
    if os.geteuid():
        sys.exit("the scenes need root: each has a network of its own")
    passed = failed = 0
    reach = tempfile.TemporaryDirectory(prefix="hbdb-tool.")
    within_reach(reach.name)
    for name, one in scenes.SCENES.items():
        if (options.only and options.only != name) or (options.quick and not one.quick):
            continue
        if options.list or scenes.missing(one):
            print(name if options.list else "skipped %s: there is no %s" % (name, " ".join(scenes.missing(one))), flush=True)
            continue
        row, problems = run_scene(name, options)
        row["problems"] = problems
        if options.table:
            table.write(options.table, [row])
        passed, failed = passed + (not problems), failed + bool(problems)
        seen = "; ".join(row[k] for k in ("wire", "recorded", "matched", "replayed", "alone") if k in row)
        print("%s %s: %s" % ("FAIL" if problems else "ok", name, seen) + "".join("\n    " + p.replace("\n", "\n    ") for p in problems[:8]), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not (passed or options.list) else 0


if __name__ == "__main__":
    sys.exit(main())
