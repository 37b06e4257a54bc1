#!/usr/bin/python3
"""hbdb record without MPI: what reaches the job, what hbdb says, what it returns. Launchers are scripts that show how
they were called."""
import json
import os
import re
import signal
import subprocess
import time

import lib
from lib import HBDB, check, has, same

SHOW = 'for a in "$@"; do echo "arg $a"; done; echo "preload ${LD_PRELOAD-none}"; echo "mode ${HBDB_MODE-none}"\n'


def lines(text, first):
    return [line[len(first) + 1:] for line in text.splitlines() if line.startswith(first + " ")]


def launchers(place):
    for name in ("orte/orterun", "hydra/mpiexec.hydra", "slurm/srun"):
        place.script(name, SHOW)
    os.symlink("orterun", place.path + "/orte/mpirun")
    os.symlink("mpiexec.hydra", place.path + "/hydra/mpirun")
    os.symlink("../hydra/mpirun", place.path + "/orte/mpiexec")
    place.script("prog", SHOW)
    place.script("two words/prog", SHOW)
    openmpi, mpich = (":".join(place.path + "/lib/libhbdb-%s.so" % m for m in (mpi, "threads")) for mpi in ("openmpi", "mpich"))
    # of a command without MPI how its processes talk is recorded, too
    found = ":".join(place.path + "/lib/libhbdb-%s.so" % m for m in ("mpich", "sockets", "inputs", "threads"))

    _, out, _ = place.run("record", "--", "orte/mpirun", "-n", "2", "./prog", "a b", "", "-x")
    args = lines(out, "arg")
    same("Open MPI: -x goes before the user's options", args[:2], ["-x", "LD_PRELOAD=" + openmpi])
    same("Open MPI: the rest is untouched", args[-6:], ["-n", "2", "./prog", "a b", "", "-x"])
    check("Open MPI: HBDB_DIR is handed on", any(re.match(r"HBDB_DIR=/.*/prog-1\.hbdb$", a) for a in args), args)
    same("Open MPI: the launcher is not preloaded", (lines(out, "preload"), lines(out, "mode")), (["none"], ["none"]))

    _, out, _ = place.run("record", "orte/orterun", "-n", "1", "./prog", ":", "-n", "1", "./prog")
    same("Open MPI: each context gets the variables", lines(out, "arg").count("LD_PRELOAD=" + openmpi), 2)
    _, out, _ = place.run("record", "orte/mpirun", "-x", "LD_PRELOAD=/other.so", "./prog")
    check("Open MPI: the user's -x LD_PRELOAD is kept behind ours",
            "LD_PRELOAD=%s:/other.so" % openmpi in lines(out, "arg"), out)

    _, out, _ = place.run("record", "--level", "order", "hydra/mpirun", "-n", "2", "./prog")
    args = lines(out, "arg")
    same("hydra: -genv goes before the user's options", args[:3], ["-genv", "LD_PRELOAD", mpich])
    at = args.index("HBDB_LEVEL") if "HBDB_LEVEL" in args else 0
    same("hydra: the level is handed on", args[at - 1:at + 2], ["-genv", "HBDB_LEVEL", "order"])
    _, out, _ = place.run("record", "orte/mpiexec", "./prog")
    same("a launcher is known through links", lines(out, "arg")[0], "-genv")

    _, out, _ = place.run("record", "--mpi", "mpich", "slurm/srun", "--export=A=1", "./prog")
    check("srun: --export is added to", lines(out, "arg")[0].startswith("--export=A=1,LD_PRELOAD=" + mpich), out)
    _, out, _ = place.run("record", "--mpi", "openmpi", "slurm/srun", "./prog")
    check("srun: else --export=ALL", lines(out, "arg")[0].startswith("--export=ALL,LD_PRELOAD=" + openmpi), out)

    _, out, _ = place.run("record", "--mpi", "mpich", "--", "./prog", "x", env={"LD_PRELOAD": "libm.so.6"})
    same("a program gets plain environment, what was preloaded stays", (lines(out, "preload"), lines(out, "mode"),
            lines(out, "arg")),
         ([found + ":libm.so.6"], ["record"], ["x"]))
    _, out, err = place.run("record", "sh", "-c", "hydra/mpirun ./prog")
    same("a launcher named in sh -c decides", lines(out, "preload"), [found])
    _, out, err = place.run("record", "--level", "order", "sh", "-c", "hydra/mpirun ./prog")
    same("a level that has no calls finds none of sockets", lines(out, "preload"), [mpich])
    _, out, err = place.run("record", "timeout", "20", "env", "A=1", "orte/mpirun", "./prog")
    same("a launcher behind timeout and env", lines(out, "arg")[0], "-x")
    _, out, err = place.run("record", "sh", "-c", "./prog", env={"PATH": place.path + "/hydra:/usr/bin:/bin"})
    same("else the mpirun in the PATH decides", lines(out, "preload"), [found])
    check("which matters to none who has no MPI, and is not said", "assuming" not in err, err)
    _, _, err = place.run("record", "--level", "order", "sh", "-c", "./prog", env={"PATH": place.path + "/hydra:/usr/bin:/bin"})
    has("where nothing but MPI is recorded it is", err, "assuming MPICH", "'hbdb record -- COMMAND', without --check, --watch and --level order or racing")
    status, out, _ = place.run("record", "/bin/sh", "-c", "./prog", env={"PATH": place.path + "/none"})
    same("nothing tells which MPI: it may have none", (status, len(lines(out, "preload"))), (0, 1))
    status, _, err = place.run("record", "--level", "order", "/bin/sh", "-c", "./prog", env={"PATH": place.path + "/none"})
    same("nothing tells which MPI: refused", status, 2)
    has("and what to do is said", err, "--mpi openmpi")


def families(place):
    for mpi, needed in (("openmpi", "libmpi.so.40"), ("mpich", "libmpich.so.12")):
        os.mkdir(place.path + "/" + mpi)
        place.build("int f(void) { return 0; }", mpi + "/" + needed, "-shared", "-fPIC", "-Wl,-soname," + needed)
        place.build("int f(void); int g(void) { return f(); }", mpi + "/libmiddle.so", "-shared", "-fPIC",
                "-Wl,-soname,libmiddle.so",
                    place.path + "/%s/%s" % (mpi, needed), "-Wl,-rpath,$ORIGIN")
        place.build("int f(void); int main(void) { return f(); }", "direct-" + mpi, place.path + "/%s/%s" % (mpi,
                needed),
                    "-Wl,-rpath,$ORIGIN/" + mpi)
        place.build("int g(void); int main(void) { return g(); }", "through-" + mpi,
                place.path + "/%s/libmiddle.so" % mpi,
                    "-Wl,-rpath,$ORIGIN/" + mpi, "-Wl,-rpath-link," + place.path + "/" + mpi)
    wrong = {"openmpi": "hydra/mpirun", "mpich": "orte/mpirun"}
    for mpi, launcher in wrong.items():
        for how in ("direct", "through"):
            program = "./%s-%s" % (how, mpi)
            status, out, err = place.run("record", launcher, "-n", "2", "--bind-to", "none", program)
            same("%s under the other launcher is refused" % program, (status, out), (2, ""))
            has("and the message names both (%s)" % program, err, "is linked with", "starts programs built with", "--mpi")
        status, out, _ = place.run("record", "--mpi", mpi, launcher, program)
        same("--mpi %s skips the check" % mpi, (status, len(lines(out, "arg")) > 2), (0, True))
        status, _, err = place.run("record", "./through-" + mpi)
        has("a program without MPI_Init is explained (%s)" % mpi, err, "no process called MPI_Init")


def by_name(place):
    """Libraries and launchers that are known by name only: what stands behind them here answers for none of them."""
    for needed, mpi in (("libmpi.so.12", "MPICH"), ("libmpifort.so.12", "MPICH"), ("libmpi_cray.so.12", "MPICH"),
                        ("libmpi_gnu_123.so.12", "MPICH"), ("libmpifort_gnu_123.so.12", "MPICH"),
                        ("libmpi_ibm.so.3", "Open MPI"), ("libmpi_usempif08.so.40", "Open MPI")):
        place.build("int f(void) { return 0; }", needed, "-shared", "-fPIC", "-Wl,-soname," + needed)
        place.build("int f(void); int main(void) { return f(); }", "named", place.path + "/" + needed, "-Wl,-rpath,$ORIGIN")
        status, _, err = place.run("record", {"MPICH": "orte", "Open MPI": "hydra"}[mpi] + "/mpirun", "./named")
        has("%s is of %s" % (needed, mpi), err, "is linked with %s (%s)" % (mpi, needed))
    place.build("int f(void) { return 0; }", "libmpi_abi.so.0", "-shared", "-fPIC", "-Wl,-soname,libmpi_abi.so.0")
    place.build("int f(void); int main(void) { return f(); }", "standard", place.path + "/libmpi_abi.so.0", "-Wl,-rpath,$ORIGIN")
    for more in ([], ["--mpi", "mpich"]):
        status, _, err = place.run("record", *more, "orte/mpirun", "./standard")
        same("the standard ABI is refused" + " ".join(more), status, 2)
        has("and named", err, "libmpi_abi.so.0", "does not know yet")
    for launcher, wanted in (("aprun", ["-e", "LD_PRELOAD="]), ("jsrun", ["-E", "LD_PRELOAD="])):
        place.script("site/" + launcher, SHOW)
        _, out, _ = place.run("record", "--mpi", "mpich", "site/" + launcher, "-n", "2", "./prog")
        args = lines(out, "arg")
        same("%s: variables go before the user's options" % launcher, [a[:len(w)] for a, w in zip(args, wanted)], wanted)
        same("%s: the rest is untouched" % launcher, args[-3:], ["-n", "2", "./prog"])
    place.script("site/mpirun_rsh", SHOW)
    _, out, _ = place.run("record", "site/mpirun_rsh", "-np", "2", "-hostfile", "hosts", "./prog", "x")
    args = lines(out, "arg")
    same("mpirun_rsh: variables stand between its options and the program", (args[:4], args[4][:11], args[-2:]),
         (["-np", "2", "-hostfile", "hosts"], "LD_PRELOAD=", ["./prog", "x"]))


def statuses(place):
    same("exit status of the command", place.run("record", "sh", "-c", "exit 7")[0], 7)
    status, _, err = place.run("record", "--mpi", "mpich", "sh", "-c", "kill -9 $$")
    same("128 + signal when it was killed", status, 137)
    same("a program that does not exist", place.run("record", "./none")[0], 127)
    with open(place.path + "/text", "w") as f:
        f.write("x")
    same("a file that is no program", place.run("record", "./text")[0], 126)
    same("nothing to run", place.run("record")[0], 2)
    same("an unknown option", place.run("record", "--nope", "x")[0], 2)
    same("an unknown level", place.run("record", "--level", "all", "x")[0], 2)
    same("an unknown command", place.run("rekord")[0], 2)
    same("no command", place.run()[0], 2)
    same("the version", place.run("--version")[0], 0)
    check("no empty recording stays behind", not [f for f in os.listdir(place.path) if f.endswith(".hbdb")],
            os.listdir(place.path))


def streams(place):
    _, out, _ = place.run("record", "--mpi", "mpich", "cat", input="first\nsecond\n")
    same("stdin reaches the program", out, "first\nsecond\n")
    _, out, err = place.run("record", "--mpi", "mpich", "sh", "-c", "echo out; echo err >&2")
    same("stdout is the program's alone", out, "out\n")
    check("hbdb's own lines begin with hbdb:",
            all(line == "err" or line.startswith("hbdb: ") for line in err.splitlines()), err)
    check("no colour but on a terminal", "\033" not in err, err)
    _, out, _ = place.run("record", "--mpi", "mpich", "sh", "-c", "exec setarch --list >/dev/null; exit", input="")
    maps = "awk '/heap/ {print $1}' /proc/self/maps"
    runs = {place.run("record", "--mpi", "mpich", "sh", "-c", maps)[1] for _ in range(4)}
    same("addresses are the same in every run", len(runs), 1)
    runs = {place.run("record", "--aslr", "--mpi", "mpich", "sh", "-c", maps)[1] for _ in range(4)}
    check("but not with --aslr", len(runs) > 1, runs)


def signals(place):
    log = place.path + "/signals"
    place.script("catch",
            "trap 'echo TERM >>%s; exit 3' TERM\ntrap 'echo INT >>%s' INT\necho ready >>%s\n"
            "while :; do sleep 0.05; done\n"
                 % (log, log, log))
    job = subprocess.Popen([HBDB, "record", "--mpi", "mpich", "./catch"], cwd=place.path, env=place.env,
            stderr=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, start_new_session=True,
                           # a shell in the background has it ignored, and a shell cannot trap what it found ignored
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    for word, then in (("ready", signal.SIGINT), ("INT", signal.SIGTERM)):
        end = time.monotonic() + 300
        while time.monotonic() < end and not (os.path.exists(log) and word in open(log).read().split()):
            time.sleep(0.05)
        job.send_signal(then)
    job.communicate(timeout=300)
    same("signals reach the job, each once", open(log).read().split(), ["ready", "INT", "TERM"])
    same("and its status comes back", job.returncode, 3)


# A job that leaves a log as the capture library would.
RECORDER = """import sys
sys.path.insert(0, %r)
import os, rawlog
for rank in range(2):
    rawlog.example(rank, 2, **eval(os.environ.get("TEST_HEADER", "{}"))).write(os.environ["HBDB_DIR"])
"""


def names(place):
    with open(place.path + "/recorder.py", "w") as f:
        f.write(RECORDER % os.path.dirname(os.path.abspath(__file__)))
    place.script("app", "exec /usr/bin/python3 recorder.py\n")
    for number in (1, 2):
        status, out, err = place.run("record", "--keep-raw", "--mpi", "mpich", "./app")
        has("recording %d is named after the program" % number, err, "app-%d.hbdb: 2 processes, 50 events" % number)
    status, out, err = place.run("info")
    has("info takes the last one", err + out, "recording app-2.hbdb")
    written = json.load(open(place.path + "/app-2.hbdb/manifest.json"))
    same("the manifest tells of the run", [written[k] for k in ("format", "command", "mpi", "level", "processes",
            "exit_status")],
         ["hbdb-recording", ["./app"], "mpich", "events", 2, 0])
    same("and which program it was", written["program"]["path"], os.path.realpath(place.path + "/app"))
    status, _, err = place.run("record", "-o", "app-1.hbdb", "--mpi", "mpich", "./app")
    same("an existing recording is not overwritten", status, 2)
    has("and the message says what to do", err, "-o")
    for header, wanted in (("{'state': 0}", "2 processes ended inside MPI"), ("{'state': 2}",
            "2 processes left without MPI_Finalize"),
                           ("{'state': 3}", "2 processes called MPI_Abort"),
                           ("{'stopped': 28, 'lost': 12}",
                           "2 processes stopped recording: No space left on device; 24 events")):
        _, _, err = place.run("record", "--keep-raw", "--mpi", "mpich", "./app", env={"TEST_HEADER": header})
        has("told: " + wanted, err, wanted)


STUCK = """#!/usr/bin/python3
import os, signal, time
for s in (signal.SIGINT, signal.SIGTERM):
    signal.signal(s, signal.SIG_IGN)
if not os.fork():
    os._exit(0)
open("stuck", "w").close()
time.sleep(50)
"""


def stuck(place):
    """Open MPI's launcher, interrupted, may wait for processes that are dead: it is ended, unless some of them live."""
    path = place.script("orte/stuck/orterun", "")
    with open(path, "w", encoding="utf-8") as f:
        f.write(STUCK)
    child = subprocess.Popen([HBDB, "record", "orte/stuck/orterun", "-n", "1", "./prog"], cwd=place.path, env=place.env,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 300
    while not os.path.exists(place.path + "/stuck") and time.monotonic() < end:
        time.sleep(0.05)
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(300)
    except subprocess.TimeoutExpired:
        pass
    check("a launcher that has nobody left and does not end is ended", child.poll() is not None)
    child.kill()
    child.wait()


SESSIONS = """#include <mpi.h>
int main(int argc, char **argv) {
	MPI_Session s;
	if (argc > 5)
		%s;
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	MPI_Session_finalize(&s);
	return 0;
}
"""


def sessions(place):
    """MPICH has them, Open MPI 4 does not."""
    for name, start in (("only", "return 1"), ("both", "MPI_Init(&argc, &argv)")):
        with open(place.path + "/s.c", "w") as f:
            f.write(SESSIONS % start)
        subprocess.run(["mpicc.mpich", "-o", place.path + "/" + name, place.path + "/s.c"], check=True)
        status, _, err = place.run("record", "-o", name + ".hbdb", "--", "./" + name)
        check("a program with sessions (%s) leaves no recording" % name, status == 0 and "nothing was recorded" in err and
              not os.path.exists(place.path + "/" + name + ".hbdb"), err)
        same("and the reason says so where it is the reason (%s)" % name, "MPI_Session_init" in err, name == "only")


def without_mpi(place):
    status, _, err = place.run("record", "-o", "none.hbdb", "--", "mpirun.mpich", "-n", "1", "true")
    check("a launcher of a program without MPI: what would record it is another command",
          status == 0 and "nothing was recorded" in err and "is recorded with --layers sockets" in err and "'hbdb record -- COMMAND'" not in err, err)
    status, _, err = place.run("record", "-o", "none.hbdb", "--", "sh", "-c", "mpirun.mpich -n 1 true")
    check("a script with a launcher: nodes are known of a launcher that is the command",
          status == 0 and "nothing was recorded" in err and "when the launcher is the command itself" in err, err)


def main():
    with lib.Place() as place:
        launchers(place)
        families(place)
        by_name(place)
        statuses(place)
        without_mpi(place)
        streams(place)
        signals(place)
        names(place)
        stuck(place)
    with lib.Place(libraries=False) as place:
        status, _, err = place.run("record", "--mpi", "mpich", "true", env={"HBDB_LIBRARY_FOLDER": "/nowhere"})
        same("without the capture library nothing runs", status, 2)
        has("and it is named", err, "libhbdb-mpich.so")
        sessions(place)
    lib.finish()


main()
