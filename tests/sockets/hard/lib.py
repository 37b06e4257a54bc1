"""Runs programs alone and recorded, and asks the recording."""
import collections
import json
import os
import re
import signal
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
HBDB = os.environ.get("HBDB") or os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "build", "hbdb")
RECORD = [HBDB, "record", "--layers", "user,sockets"]
SECONDS = 60


class Failed(Exception):
    pass


def compile_programs(sources, built):
    os.makedirs(built, exist_ok=True)
    newest = max(os.path.getmtime(os.path.join(sources, f)) for f in os.listdir(sources))
    for name in ("calls", "places", "handled", "crowd"):
        for binary, flags in ((name, []), (name + ".static", ["-static"])):
            path = os.path.join(built, binary)
            if (not flags or name == "calls") and (not os.path.exists(path) or os.path.getmtime(path) < newest):
                subprocess.run(["gcc", "-O2", "-g", "-Wall", "-Wextra", "-pthread", os.path.join(sources, name + ".c"), "-o", path] + flags, check=True)


def run(command, folder, name, env=None, status=0):
    """(what it printed, what it complained), in files: pipes would be ends of its own."""
    out = os.path.join(folder, name)
    with open(out, "wb") as to, open(out + ".err", "wb") as complaints:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=to, stderr=complaints, start_new_session=True,
                                 env=dict(os.environ, **(env or {})))
        try:
            got = child.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            got = None
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
    with open(out, encoding="utf-8", errors="replace") as f, open(out + ".err", encoding="utf-8", errors="replace") as g:
        text, said = f.read(), g.read()
    if got != status:
        raise Failed("%s: %s\n%s%s" % (name, "not over after %d s" % SECONDS if got is None else "exit status %d" % got, text[-500:], said[-1500:]))
    return text, said


def ask(*arguments, status=0):
    done = subprocess.run([HBDB] + list(arguments), capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != status:
        raise Failed("hbdb %s: exit status %d\n%s%s" % (" ".join(arguments[:2]), done.returncode, done.stdout[-500:], done.stderr[-1500:]))
    return done.stdout


def info(recording):
    return json.loads(ask("info", "--json", recording))


def events(recording):
    """{function: how many events of the layer}; of calls that have returned"""
    found = collections.Counter()
    for line in ask("dump", "--json", recording).splitlines():
        event = json.loads(line)
        found[event["function"]] += event.get("layer") == "sockets" and not event.get("never_returned")
    return found


def expected(text):
    return {name: int(n) for name, n in re.findall(r"^expect (\S+) (\d+)$", text, re.M)}


def unmatched(recording):
    """How many datagrams and pieces of streams came of nobody, as far as the recording knows."""
    rows = ask("sql", recording, "--tsv", "SELECT state, count(*) FROM messages GROUP BY state")
    return dict(line.split("\t") for line in rows.splitlines() if "\t" in line)
