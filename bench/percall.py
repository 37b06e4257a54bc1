"""What one recorded call costs, counted exactly: instructions, allocations, system calls.

The program `calls count N` runs alone (no launcher) with the capture library preloaded as
docs/CONTRACTS.md says; a figure is (2N turns minus N turns) / N, then divided by the calls in a turn. Of instructions and system calls it is what N turns
and 2N turns cost, / 3N: a log grows in steps, and a step is in one of them by chance."""
import os
import re
import shutil

from runner import Failure

MARK = re.compile(r'access\("/bench/([a-z_0-9]+/2?N|end)"')
OPERATIONS = ["comm_rank", "iprobe_no", "test_null", "send_null", "send_tags", "recv_null", "bcast_self",
              "allreduce_self", "barrier_self", "self_message", "self_wildcard", "own_event", "own_value", "own_sent"]


def preloaded(runner, mpi, level, more=()):
    """The environment of a process that records (or not, when bare) without `hbdb record`."""
    libraries = list(more)
    environment = {}
    if level != "bare":
        folder = os.path.join(runner.folder, "counted.hbdb")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        environment = {"HBDB_MODE": "record", "HBDB_DIR": folder, "HBDB_LEVEL": level}
        libraries.insert(0, runner.library(mpi))
    if libraries:
        environment["LD_PRELOAD"] = ":".join(libraries)
    return environment


def recorded(runner, level):
    """A count of a library that recorded nothing would be a lie."""
    folder = os.path.join(runner.folder, "counted.hbdb")
    if level != "bare" and not any(n.endswith(".log") for n in os.listdir(folder)):
        raise Failure("the capture library, preloaded by itself, wrote no log")


def turns(values, calls):
    """{(operation, "N" or "2N"): count} -> {operation: count of a turn}; calls of a run: N."""
    return {op: (values[op, "2N"] + values[op, "N"]) / (3 * calls)
            for op in OPERATIONS if (op, "2N") in values and (op, "N") in values}


def instructions(runner, mpi, level, n):
    folder = os.path.join(runner.folder, f"callgrind.{mpi}.{level}")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    runner.execute(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
                    f"./calls.{mpi}", "count", str(n)],
                   environment=preloaded(runner, mpi, level), timeout=120)
    recorded(runner, level)
    totals = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as dump:
            text = dump.read()
        trigger = re.search(r"^desc: Trigger: Client Request: /bench/(\S+)/(2?N)$", text, re.M)
        if trigger:
            totals[trigger[1], trigger[2]] = int(re.search(r"^totals: (\d+)", text, re.M)[1])
    if not totals:
        raise Failure("callgrind wrote no dump: valgrind/callgrind.h was missing at compile time")
    return turns(totals, n)


def allocations(runner, mpi, level, n):
    output, _ = runner.execute(
        [f"./calls.{mpi}", "count", str(n)],
        environment=preloaded(runner, mpi, level, [os.path.join(runner.folder, "alloc.so")]))
    recorded(runner, level)
    found = re.findall(r"^bench: (\S+)\.allocations\.(2?N) (\S+) 1$", output, re.M)
    if not found:
        raise Failure("alloc.so counted nothing")
    values = {(op, which): float(count) for op, which, count in found}
    return {op: (values[op, "2N"] - values[op, "N"]) / n for op in OPERATIONS if (op, "2N") in values}


def system_calls(runner, mpi, level, n):
    """All threads count: a helper thread that wakes up per call would show."""
    path = os.path.join(runner.folder, "strace.out")
    preload = preloaded(runner, mpi, level)
    given = [word for name, value in preload.items() for word in ("-E", f"{name}={value}")]
    runner.execute(["strace", "-f", "-o", path] + given + [f"./calls.{mpi}", "count", str(n)],
                   timeout=120)
    recorded(runner, level)
    counts, inside = {}, None
    with open(path, errors="replace") as trace:
        for line in trace:
            mark = MARK.search(line)
            if mark:
                inside = None if mark[1] == "end" else tuple(mark[1].split("/"))
                if inside:
                    counts[inside] = 0
            elif inside and "resumed>" not in line and "+++" not in line and "---" not in line:
                counts[inside] += 1
    os.unlink(path)
    return turns(counts, n)


def count_all(runner, mpis, levels, quick, say):
    """{"instructions" ...: {(mpi, level): {operation: per turn}}}, and what could not be counted."""
    ways = {
        "instructions": (instructions, "valgrind", 10000),
        "allocations": (allocations, None, 10000),
        "system calls": (system_calls, "strace", 20000 if quick else 100000),
    }
    counted, missing = {}, []
    for what, (count, tool, n) in ways.items():
        counted[what] = {}
        if tool and not shutil.which(tool, path="/usr/bin:/bin"):
            missing.append(f"{what} per call: package {tool} is missing")
            continue
        for mpi in mpis:
            for level in levels:
                say(f"counting {what}: {mpi}, {level}")
                try:
                    counted[what][mpi, level] = count(runner, mpi, level, n)
                except Failure as failure:
                    missing.append(f"{what} per call, {mpi}, {level}: {failure}")
    return counted, missing
