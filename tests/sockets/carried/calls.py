#!/usr/bin/python3
"""Whether a recording has every call that the system saw: the recorded run under strace, process by process.

usage: calls.py COMMAND...       records COMMAND under strace and compares
       calls.py --scene NAME...  so with scenes of ../apps (root)
       calls.py --cases [--full] [TEXT]  so with the quick cases of cases.py, or with all, or with those whose line contains the text

strace sees what no library can stand in front of, too: what the C library does by itself, and programs that make no calls of it. What the two are
compared by: how many calls of each number of bytes a process made, sent and received, over sockets and pipes; successful connect, accept, listen and
shutdown; processes made and waited for; calls that said that something was ready. A line for each difference, and `N passed, N failed`.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import cases
import truth as truths

HERE = os.path.dirname(os.path.abspath(__file__))
CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)")
TALKS = re.compile(r"\d+<(?:TCP|TCPv6|UDP|UDPv6|UNIX|UNIX-\w+|pipe|socket|[^<>]*fifo)\b[^<>]*(?:->[^<>]*)?>")
OUT = {"write", "writev", "sendto", "sendmsg", "sendmmsg", "pwritev2"}
IN = {"read", "readv", "recvfrom", "recvmsg", "recvmmsg", "preadv2"}
READY = {"poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2"}
MADE = {"fork", "vfork", "clone", "clone3"}
PLAIN = {"connect": "connect", "accept": "accept", "accept4": "accept", "listen": "listen", "shutdown": "shutdown", "pipe": "pair", "pipe2": "pair",
         "socketpair": "pair"}
TRACE = ",".join(sorted(OUT | IN | READY | MADE | set(PLAIN) | {"sendfile", "splice", "wait4", "waitid", "execve", "tee", "vmsplice", "io_uring_enter"}))
STRACE = ["strace", "-f", "-ff", "-yy", "-s", "0", "-qq", "-e", "signal=none", "-e", "abbrev=none", "-e", "trace=" + TRACE]


def first_argument(arguments):
    return TALKS.match(arguments)


def of_line(name, arguments, result):
    """What a call counts as: [(what, bytes)]."""
    if name in ("sendmmsg", "recvmmsg"):
        lengths = [int(n) for n in re.findall(r"msg_len=(\d+)", arguments)][:max(result, 0)]
        return [("out" if name == "sendmmsg" else "in", n) for n in lengths if n]  # a stream ends with 0
    if name in OUT or name in IN:
        if result > 0 and first_argument(arguments) and "MSG_PEEK" not in arguments:
            return [("out" if name in OUT else "in", result)]
    elif name == "sendfile":
        return [("out", result)] if result > 0 and first_argument(arguments) else []
    elif name == "splice" and result > 0:
        ends = re.split(r", (?=\d+<)", arguments)
        return [("in", result)] * bool(TALKS.match(ends[0])) + [("out", result)] * bool(TALKS.match(ends[1]))
    elif name in ("tee", "vmsplice", "io_uring_enter") and result > 0:
        return [(name, 0)]
    elif name in PLAIN and result >= 0:
        return [(PLAIN[name], 0)]
    elif name in READY and result > 0:
        return [("ready", 0)]
    elif name in MADE and result > 0 and "CLONE_THREAD" not in arguments:
        return [("made", 0)]
    elif name == "wait4" and result > 0 or name == "waitid" and result == 0 and "si_pid" in arguments and "WNOWAIT" not in arguments:
        return [("waited", 0)]
    return []


def read_traces(folder, command):
    """({pid: Counter}, {pid: last program}) of the files trace.TID that strace -ff left: of the command and what it made. Threads are counted with
    their process."""
    counts, programs, process, lines_of = collections.defaultdict(collections.Counter), {}, {}, {}
    parents, roots = {}, set()
    for name in os.listdir(folder):
        if name.startswith("trace."):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
                lines_of[int(name[6:])] = [CALL.match(line) for line in f]
    for tid, lines in lines_of.items():
        for call in filter(None, lines):
            if call[1] in MADE and "CLONE_THREAD" in call[2] and int(call[3]) > 0:
                process[int(call[3])] = tid
            elif call[1] in MADE and int(call[3]) > 0:
                parents[int(call[3])] = tid
    for tid, lines in lines_of.items():
        pid = tid
        while pid in process:
            pid = process[pid]
        for call in filter(None, lines):
            if call[1] == "execve" and int(call[3]) == 0:
                programs[pid] = call[2].split('"')[1] if '"' in call[2] else "?"
                if os.path.realpath(programs[pid]) == os.path.realpath(command):
                    roots.add(pid)
            for key in of_line(call[1], call[2], int(call[3])):
                counts[pid][key] += 1
    if not roots:
        raise RuntimeError("%s was not seen by strace" % command)

    def descends(pid):
        while pid is not None and pid not in roots:
            pid = process.get(pid, parents.get(pid))
        return pid is not None
    return {pid: counts[pid] for pid in set(counts) if descends(pid)}, programs


def of_event(event):
    name, arguments = event["function"], event.get("arguments", {})
    if truths.kind_of(event):
        return [("out" if name in truths.OUT else "in", n) for n in truths.moved(event)]
    result = arguments.get("result", 0)
    if name in PLAIN and result >= 0:
        return [(PLAIN[name], 0)]
    if name in READY | {"pselect"}:
        return [("ready", 0)] if arguments.get("count", 0) > 0 else []
    if event["layer"] == "sockets" and "pid" in arguments and arguments["pid"] > 0:
        return [("waited" if name.startswith("wait") else "made", 0)]
    return []


def read_events(recording):
    pids, counts = {}, collections.defaultdict(collections.Counter)
    for line in truths.ask("sql", recording, "--json", "SELECT world, rank, pid FROM processes"):
        row = json.loads(line)
        pids[row["world"], row["rank"]] = row["pid"]
    for line in truths.ask("dump", "--json", recording):
        event = json.loads(line, object_pairs_hook=truths.unique_members)
        if event.get("layer") == "sockets":
            for key in of_event(event):
                counts[pids[event.get("world", 0), event["rank"]]][key] += 1
    return counts, set(pids.values())


def compare(traced, programs, recorded, pids):
    """{process: [differences]}"""
    found = {}
    for pid in sorted(set(traced) | pids):
        program = os.path.basename(programs.get(pid, "(fork)"))
        if pid not in pids and not any(key[0] in ("in", "out") for key in traced[pid]):
            continue
        said, seen = traced.get(pid, collections.Counter()), recorded.get(pid, collections.Counter())
        title = "%d %s" % (pid, program)
        if pid not in pids:
            found[title] = ["is not recorded: %d calls" % sum(said.values())]
            continue
        differences = []
        for what in sorted({key[0] for key in set(said) | set(seen)}):
            a = {key: n for key, n in said.items() if key[0] == what}
            b = {key: n for key, n in seen.items() if key[0] == what}
            if a != b:
                sizes = sorted(key[1] for key in set(a) | set(b) if a.get(key) != b.get(key))
                differences.append("%s: %d calls with %d bytes, recorded %d with %d%s" % (
                    what, sum(a.values()), sum(k[1] * n for k, n in a.items()), sum(b.values()), sum(k[1] * n for k, n in b.items()),
                    "; of other numbers: those of %s bytes" % ", ".join(map(str, sizes[:6])) if what in ("in", "out") else ""))
        found[title] = differences
    return found


def check(folder, command, run):
    """Runs run(prefix), which plays the command under the prefix that records into folder/run.hbdb, and compares."""
    run(STRACE + ["-o", os.path.join(folder, "trace"), truths.HBDB, "record", "--layers", "sockets", "-o", os.path.join(folder, "run.hbdb"), "--"])
    return compare(*read_traces(folder, command), *read_events(os.path.join(folder, "run.hbdb")))


def of_command(command, folder, before=()):
    with open(os.path.join(folder, "out"), "wb") as out:
        return check(folder, shutil.which(command[0]), lambda prefix: subprocess.run(
            list(before) + prefix + command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=True))


def of_scene(name, folder):
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "apps"))
    sys.modules.pop("run", None)  # this folder has one of this name, too
    import run as apps
    return check(folder, "/usr/bin/python3", lambda prefix: apps.played(name, folder, "scene", prefix))


def tell(jobs):
    """A line for each process, or for each job where there are several; the exit status."""
    passed = failed = 0
    for title, job in jobs:
        folder = tempfile.mkdtemp(prefix="hbdb-calls.")
        try:
            found = job(folder)
        except (RuntimeError, subprocess.CalledProcessError) as failure:
            found = {title: [str(failure)]}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        wrong = ["%s: %s" % (process, "; ".join(differences)) for process, differences in found.items() if differences]
        print("FAIL %s: %s" % (title, "\n    ".join(wrong)) if wrong or not found else "ok %s: %d processes" % (title, len(found)), flush=True)
        passed, failed = passed + (not wrong and bool(found)), failed + bool(wrong or not found)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


def but_hidden(jobs):
    """system and popen make processes, wait for them and make pipes inside of the C library, where nothing can stand in front."""
    hidden = {word: re.compile(r"(made|pair|waited): ") for word in ("system", "popen")}
    for title, job in jobs:
        leaves = hidden.get(title.split()[-1])

        def run(folder, job=job, leaves=leaves):
            return {who: [d for d in found if not (leaves and leaves.match(d))] for who, found in job(folder).items()}
        yield title, run


def case_jobs(full, text):
    import run as programs
    programs.compile_all()
    for case in cases.CASES:
        title = " ".join([case.program] + case.options)
        if (text in title if text else case.quick or full) and not (case.network and os.geteuid()):
            command = [os.path.join(cases.BUILT, case.program)] + case.options
            yield title, lambda folder, c=command, n=case.network: of_command(c, folder, n)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--cases":
        return tell(but_hidden(case_jobs("--full" in sys.argv, " ".join(w for w in sys.argv[2:] if w != "--full"))))
    if sys.argv[1] == "--scene":
        return tell([(name, lambda folder, n=name: of_scene(n, folder)) for name in sys.argv[2:]])
    command = [os.path.abspath(sys.argv[1])] + sys.argv[2:] if os.path.exists(sys.argv[1]) else sys.argv[1:]
    return tell([(" ".join(sys.argv[1:]), lambda folder: of_command(command, folder))])


if __name__ == "__main__":
    sys.exit(main())
