#!/usr/bin/python3
"""Synthetic recordings: they are whole, matched as they were made, and analysed within a bound of memory."""
import sys

sys.dont_write_bytecode = True

import json
import os
import re
import subprocess
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
HBDB = os.path.join(BUILD, "hbdb")
TOOLS = os.path.join(BUILD, "bench", "generate")
PATTERNS = ["farm", "halo", "alltoall", "random"]
BYTES_PER_EVENT = 64  # of all memory, from 1e5 to 1e6 events; 1e8 events within 4 GB would be 43
RECORDED = {"count": "number", "size": "number", "dtype": "datatype", "dest": "rank", "source": "rank",
            "tag": "tag", "comm": "comm", "op": "op", "color": "number", "key": "number", "nreq": "number"}
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok" if good else "FAIL", name, flush=True)
    if not good:
        print("\n".join("    " + line for line in str(detail).splitlines()[:20]))


def run(*arguments):
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def measure(name, *options):
    """What the model says, and the most memory that it took, in bytes."""
    status, out, _ = run(os.path.join(TOOLS, "measure"), *options, name)
    found = json.loads(out) if status == 0 else None
    return found, found["races"]["peak_kib"] * 1024 if found else 0


def generate(folder, pattern, ranks, events, *options, seed=1):
    name = os.path.join(folder, f"{pattern}-{ranks}-{events}{''.join(options)}-{seed}.hbdb")
    status, out, err = run(os.path.join(TOOLS, "generate"), "-o", name, "-p", pattern, "-n", str(ranks),
                           "-e", str(events), "-s", str(seed), *options)
    return name, (json.loads(out) if status == 0 else None), err


def differences(made, found):
    """Of what the generator knows and the model says."""
    if not made or not found:
        return "it failed"
    names = ("events", "sends", "receives", "probes", "matched", "digest")
    lines = [f"{n}: made {made[n]}, found {found['model'][n]}" for n in names if made[n] != found["model"][n]]
    lines += [f"{found['model'][n]} {n}" for n in ("troubles", "ambiguous") if found["model"][n]]
    if made["sends"] - made["matched"] != made["unreceived"]:
        lines.append("the generator contradicts itself")
    return "\n".join(lines)


def recording(folder, pattern, ranks):
    label = f"{pattern}, {ranks} ranks"
    name, made, err = generate(folder, pattern, ranks, 100000)
    check(f"{label}: made", made and abs(made["events"] - 100000) < 2000, err or made)
    if not made:
        return
    status, out, err = run(HBDB, "verify", name)
    check(f"{label}: verify", status == 0 and f"{made['events']} events" in out, out + err)
    status, out, err = run(HBDB, "info", "--json", name)
    counted = json.loads(out).get("events") if status == 0 else None
    check(f"{label}: info counts its events", counted == made["events"], out[:300] + err)
    found, _ = measure(name)
    check(f"{label}: matched as it was made", not differences(made, found), differences(made, found))
    if found:
        s = found["sum"]
        check(f"{label}: every wildcard that got a message is looked at", s["wildcards"] == made["wildcards"],
              f"made {made['wildcards']}, found {s['wildcards']}")
        racing = {"farm": s["racing"] >= s["wildcards"] - ranks, "halo": s["racing"] == 0}
        check(f"{label}: as many races as the pattern has", racing.get(pattern, 0 < s["racing"] < s["wildcards"]), s)


def forms(folder, pattern):
    """Raw logs, another seed, and the same seed again."""
    raw, made, err = generate(folder, pattern, 4, 30000, "--raw", seed=2)
    sealed, again, _ = generate(folder, pattern, 4, 30000, seed=2)
    _, other, _ = generate(folder, pattern, 4, 30000, seed=3)
    found, _ = measure(raw)
    check(f"{pattern}: raw logs are matched as they were made", not differences(made, found),
          differences(made, found) + err)
    dumps = [run(HBDB, "dump", "--json", name) for name in (raw, sealed)]
    check(f"{pattern}: raw and sealed say the same", dumps[0][0] == 0 and dumps[0][:2] == dumps[1][:2] and dumps[0][1],
          dumps[0][2])
    # nothing races in the halo, so that every run matches the same
    same_matches = made and other and made["digest"] == other["digest"]
    check(f"{pattern}: the seed decides what races, and all of it",
          again and made["digest"] == again["digest"] and same_matches == (pattern == "halo"), (made, again, other))


def table():
    """name -> (class, recorded parameters in order), from the call table."""
    calls = {}
    with open(os.path.join(TOP, "src", "calls", "mpi.calls")) as rows:
        for row in rows:
            words = row.split("#")[0].split()
            if len(words) < 2 or not words[0].startswith("MPI_"):
                continue
            parameters = [w.split(":", 1) for w in words[2:] if ":" in w]
            calls[words[0]] = (words[1].split(",")[0], [n for n, kind in parameters if kind in RECORDED])
    return calls


def functions(folder):
    """Every function of the generator has the class and the arguments that the call table gives it."""
    calls, seen, wrong = table(), {}, []
    for pattern in ("halo", "alltoall", "random"):
        name, made, _ = generate(folder, pattern, 6, 20000)
        if not made:
            continue
        for line in run(HBDB, "dump", "--json", name)[1].splitlines():
            event = json.loads(line)
            seen[event["function"]] = (event["class"], list(event["arguments"]))
    for name, said in seen.items():
        if calls.get(name) != said:
            wrong.append(f"{name}: {said}, the table: {calls.get(name)}")
    check("functions are those of the call table", len(seen) >= 15 and not wrong, "\n".join(wrong) or sorted(seen))


def memory(folder, pattern):
    peak = {}
    events = {}
    for wanted in (100000, 1000000):
        name, made, err = generate(folder, pattern, 64, wanted, seed=4)
        found, peak[wanted] = measure(name)
        check(f"{pattern}, 64 ranks, {wanted} events: matched as it was made", not differences(made, found),
              differences(made, found) + err)
        if not made:
            return
        events[wanted] = made["events"]
    each = (peak[1000000] - peak[100000]) / (events[1000000] - events[100000])
    check(f"{pattern}: memory per event is at most {BYTES_PER_EVENT} bytes ({each:.1f})", 0 < each <= BYTES_PER_EVENT, peak)


def main():
    if not os.access(os.path.join(TOOLS, "measure"), os.X_OK):
        check(f"{TOOLS}/measure is there", False)
    else:
        for pattern in PATTERNS:
            with tempfile.TemporaryDirectory(prefix="hbdb-scale-") as folder:
                for ranks in (4, 64):
                    recording(folder, pattern, ranks)
                forms(folder, pattern)
                memory(folder, pattern)
        with tempfile.TemporaryDirectory(prefix="hbdb-scale-") as folder:
            functions(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
