"""hbdb import run on files, and the events of what it makes."""
import ctypes
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
HBDB = os.path.join(BUILD, "hbdb")
ASAN = os.path.join(BUILD, "asan", "hbdb")
HASH = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
HASH.restype, HASH.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]
passed = failed = 0


def hash_of(payload):
    return HASH(payload, len(payload))


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok" if good else "FAIL", name, flush=True)
    if not good:
        print("\n".join("    " + line for line in str(detail).splitlines()[:20]))


def finish():
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def inside(script):
    """Runs the script once more, in a network of its own. It comes back where the system lets nobody have one, as in many containers."""
    if subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode == 0:
        os.execvp("unshare", ["unshare", "-n", sys.executable, os.path.abspath(script), "--inside"])
    check("a network of its own: not allowed here, so nothing of this is run", True)


def hbdb(*arguments, program=HBDB, timeout=300):
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
    return done.returncode, done.stdout, done.stderr


class Imported:
    """A file that became a recording: status, out, err; where there is one, its events by process, as (function, end, values in order)."""

    def __init__(self, folder, data, *options, name="x", program=ASAN):
        self.file, self.name = os.path.join(folder, name), os.path.join(folder, name + ".hbdb")
        if data is not None:
            with open(self.file, "wb") as f:
                f.write(data)
        subprocess.run(["rm", "-rf", self.name], check=True)
        self.status, self.out, self.err = hbdb("import", self.file, "-o", self.name, *options, program=program)
        self.there = os.path.exists(self.name)
        self.events = {}
        if self.status == 0:
            self.read()

    def read(self):
        self.rows = [json.loads(line) for line in hbdb("dump", "--json", self.name)[1].splitlines()]
        for e in self.rows:
            # the values of a datagram are lists: a call may move several; each event of an import has one
            assert all(len(v) == 1 for v in e["arguments"].values() if isinstance(v, list)), e
            e["arguments"] = {k: v[0] if isinstance(v, list) else v for k, v in e["arguments"].items()}
            values = dict(e["arguments"])
            end = values.pop("end", None)
            self.events.setdefault(e["process"], []).append((e["function"], end, tuple(values.values())))

    def whole(self):
        """What verify finds wrong: nothing."""
        status, out, err = hbdb("verify", self.name)
        return "" if status == 0 and f"{len(self.rows)} event" in out else out + err

    def only(self, process):
        return self.events.get(process, [])

    def times(self, process):
        return [(e["enter_ns"], e["exit_ns"]) for e in self.rows if e["process"] == process]
