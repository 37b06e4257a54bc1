#!/usr/bin/python3
"""Going back in one process of a recording, with Debian's gdb and its command line alone: from a crash to the store that ruined a
pointer, and to events, under both MPIs.

usage: backwards.py
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
SECONDS = 300
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"], "mpich": ["mpirun.mpich"]}
SCRIPT = """
set pagination off
set confirm off
set sysroot /
target remote | %s gdbserver --alone 0 r.hbdb
echo begin:\\n
monitor event
continue
echo crash:\\n
monitor event
print/x $pc
watch -l table.row
reverse-continue
echo store:\\n
bt
up
print i
monitor event
reverse-continue
echo first:\\n
info line
delete
monitor goto 250
monitor event
monitor goto 20
monitor event
monitor goto END
maintenance flush register-cache
print/x $pc
reverse-stepi
stepi
print/x $pc
"""
passed = failed = 0


def want(what, good, text):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(("ok %s" if good else "FAIL %s\n" + text[-3000:].replace("%", "%%")) % what, flush=True)


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=SECONDS)


def after(text, word):
    return text.partition(word)[2]


def test(mpi, folder):
    run(["mpicc." + mpi, "-g", "-O0", "-o", "wild", os.path.join(HERE, "programs/wild.c")], folder).check_returncode()
    recorded = run([HBDB, "record", "--level", "data", "-o", "r.hbdb", "--"] + LAUNCH[mpi] + ["-n", "2", "./wild"], folder)
    want(mpi + ": it crashes", "ended inside MPI" in recorded.stderr, recorded.stderr)  # the status of MPICH 4.2's launcher is 0 at times
    with open(os.path.join(folder, "script"), "w") as script:
        script.write(SCRIPT % HBDB)
    done = run(["gdb", "-nx", "-batch", "-x", "script", "./wild"], folder)
    text = done.stdout + done.stderr
    # what monitor answers gdb prints on stderr
    events = re.findall(r"^after event (\d+)$", done.stderr, re.M)
    want(mpi + ": it begins at the end of MPI_Init, crashes after all messages, and goes to events in both directions",
         events == ["1", "301", "202", "250", "20"], text)
    want(mpi + ": the crash", "SIGSEGV" in after(text, "begin:").partition("crash:")[0], text)
    store = after(text, "store:").partition("first:")[0]
    want(mpi + ": the store that ruined the pointer", re.search(r"#0 .*\bstore \(index=16, value=200\)", store), text)
    want(mpi + ": in its turn", re.search(r"^\$\d+ = 200$", store, re.M), text)
    want(mpi + ": the store before it", re.search(r"Line 19 of .*wild\.c", after(text, "first:")), text)
    places = re.findall(r"^\$\d+ = (0x[0-9a-f]+)$", text, re.M)
    want(mpi + ": the end is where it crashed, also after a step back and one forward", len(places) == 3 and len(set(places)) == 1, text)


def main():
    for mpi in LAUNCH:
        with tempfile.TemporaryDirectory(prefix="hbdb-back.") as folder:
            test(mpi, folder)
    with tempfile.TemporaryDirectory(prefix="hbdb-back.") as folder:
        none = run([HBDB, "gdbserver", "--listen", "0", "--alone", "0", "nothing.hbdb"], folder)
        want("no such recording", none.returncode and "nothing.hbdb" in none.stderr, none.stderr)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
