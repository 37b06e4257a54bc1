#!/usr/bin/python3
"""libhbdb-self as its users have it: headers, both libraries, C, C++, Fortran, Python; hbdb reads the log of a stream in the place of a recording; the
examples, the page's conformance list, and the lines that docs/system/self.md promises."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build")))
HBDB = os.path.join(BUILD, "hbdb")
INCLUDE = os.path.join(TOP, "include")
EXAMPLES = os.path.join(TOP, "examples", "self")
TRACE = ["-I", os.path.join(INCLUDE, "hbdb", "self")]
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", INCLUDE]
SHARED = ["-L", BUILD, "-lhbdb-self", "-Wl,-rpath," + BUILD]
folder = tempfile.mkdtemp(prefix="hbdb-self.")
count = {"passed": 0, "failed": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[:2000].replace("\n", "\n     ")), flush=True)
    return good


def run(*command, **env):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=600, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, XDG_STATE_HOME=folder + "/state", TMPDIR=folder, **env))
    done.all = done.stdout + done.stderr
    return done


def built(name, *command):
    done = run(*command, "-o", name)
    check(done.returncode == 0 and not done.all.strip(), "%s compiles without a word" % name, done.all)
    return os.path.join(folder, name)


def names(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def symbols(*command):
    return {line.split()[-1] for line in run(*command).stdout.splitlines() if len(line.split()) > 2 and line.split()[-2] in "TDBRVWd"}


def interface():
    text = names(os.path.join(INCLUDE, "hbdb", "self.h"))
    declared = set(re.findall(r"\b(hb_(?:posix_trace|self)_\w+)\(", text)) - {"hb_self_action"}
    shared = symbols("nm", "-D", "--defined-only", os.path.join(BUILD, "libhbdb-self.so"))
    check(declared == shared, "the shared library has what the header declares and no other name", declared ^ shared)
    archive = {s for s in symbols("nm", "-g", "--defined-only", os.path.join(BUILD, "libhbdb-self.a"))}
    check(declared == archive, "so has the archive", declared ^ archive)
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", os.path.join(BUILD, "libhbdb-self.so")).stdout)
    check(set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2"}, "it needs the C library alone", needed)
    standard = names(os.path.join(INCLUDE, "hbdb", "self", "trace.h"))
    mapped = dict(re.findall(r"#define (posix_trace_\w+) (hb_\w+)", standard))
    ours = {s for s in declared if s.startswith("hb_posix_trace_")}
    check(ours == set(mapped.values()) - {"hb_posix_trace_event_info", "hb_posix_trace_status_info"} and
          all(v == "hb_" + k for k, v in mapped.items()), "hbdb/self/trace.h has the standard's name of each function", ours ^ set(mapped.values()))
    # as many as <trace.h> of the standard's 2008 edition declares
    check(len(ours) == 50, "all 50 functions of the option are there", len(ours))
    page = names(os.path.join(TOP, "docs", "system", "self.md"))
    told = set(re.findall(r"^\| `(posix_trace_\w+)`", page, re.M))
    check(told == {s[3:] for s in ours}, "the conformance list has each function once", told ^ {s[3:] for s in ours})
    tests = " ".join(names(os.path.join(HERE, f)) for f in os.listdir(HERE) if f.startswith("test_"))
    check(all(t + "(" in tests or "posix_trace_" + t[12:] in tests for t in told), "and each is called in a test",
          [t for t in told if t + "(" not in tests])


def languages():
    for std in ("c99", "c17"):
        built("posix-" + std, "gcc", "-std=" + std, "-D_POSIX_C_SOURCE=200809L", *TRACE, *FLAGS, os.path.join(EXAMPLES, "posix.c"), *SHARED)
    expected = "posix_trace_start\nodd 1\nodd 3\nodd 5\nposix_trace_stop\n"
    done = run("./posix-c99")
    check(done.stdout == expected and not done.returncode, "a program for POSIX trace runs", done.all)
    built("posix-static", "gcc", *TRACE, *FLAGS, os.path.join(EXAMPLES, "posix.c"), os.path.join(BUILD, "libhbdb-self.a"), "-pthread")
    done = run("./posix-static")
    check(done.stdout == expected, "with the archive, too", done.all)
    shutil.copy(os.path.join(EXAMPLES, "posix.c"), os.path.join(folder, "posix.cc"))
    for std in ("c++98", "c++17"):
        built("posix-" + std, "g++", "-std=" + std, "-Wno-c++11-long-long", "-Wno-long-long", *TRACE, *FLAGS, "posix.cc", *SHARED)
    check(run("./posix-c++17").stdout == expected, "in C++", "")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "hbdb-self-uninstalled"], capture_output=True, text=True,
                           env=dict(os.environ, PKG_CONFIG_PATH=os.path.join(BUILD, "lib", "self"))).stdout.split()
    built("server", "gcc", "-O2", os.path.join(EXAMPLES, "server.c"), *flags)
    done = run("./server", "server.trace")
    check(done.returncode == 0 and "queue is 11" in done.stdout, "the example of the page runs", done.all)
    built("solver", "gfortran", "-Wall", "-Werror", "-J", folder, os.path.join(INCLUDE, "hbdb", "self", "self.f90"),
          os.path.join(EXAMPLES, "solver.f90"), *SHARED)
    done = run("./solver")
    check(done.stdout.split() == ["tripped:", "T", "256.0"], "in Fortran", done.all)
    text = run(HBDB, "dump", "solver.trace").stdout
    check("step(bytes=4, number=8)" in text and 'step(bytes=5, data="done")' in text and 'data="256.0' in text and
          'residual(bytes=32, data="tripped value=128 low=0 high=100")' in text, "what it said is dumped", text)
    done = run(sys.executable, os.path.join(EXAMPLES, "worker.py"), "worker.trace", PYTHONPATH=os.path.join(TOP, "lib", "self"),
               HBDB_SELF_LIBRARY=os.path.join(BUILD, "libhbdb-self.so"))
    check("size is 60" in done.stdout and "job 49\n" in done.stdout and "job the last\n" in done.stdout and
          "size tripped value=60" in done.stdout, "in Python, which reads its own trace", done.all)


def catches(pid, number):
    with open("/proc/%d/status" % pid, encoding="utf-8") as file:
        return int(re.search(r"^SigCgt:\s*(\w+)", file.read(), re.M)[1], 16) >> (number - 1) & 1


def read_by_hbdb():
    def tool(*arguments):
        return run(HBDB, *arguments)
    before = sorted(os.listdir(folder))
    lines = [json.loads(line) for line in tool("dump", "--json", "server.trace").stdout.splitlines()]
    functions = [e.get("call") or e.get("function") or e.get("name") for e in lines]
    check(functions.count("request") == 26 and functions.count("refused") == 14, "dump --json: each event is there", functions)
    text = tool("dump", "server.trace").stdout
    check('queue(bytes=30, data="tripped value=11 low=0 high=10")' in text and "posix_trace_stop(bytes=4, number=0)" in text, "dump", text)
    done = tool("sql", "server.trace", "select call, count(*) from events group by call order by 2 desc limit 1")
    check(done.stdout.split() == ["request", "26"], "sql", done.all)
    done = tool("info", "server.trace")
    check("imported      hbdb-self" in done.stdout and re.search(r"^ +26  request$", done.stdout, re.M) and "server" in done.stdout, "info", done.all)
    done = tool("export", "--to", "perfetto", "-o", "server.pf", "server.trace")
    check(not done.returncode and os.path.getsize(os.path.join(folder, "server.pf")) > 500, "export", done.all)
    done = tool("export", "--to", "csv", "-o", "-", "--table", "events", "server.trace")
    check(done.stdout.count("request") == 26, "export to csv", done.all)
    done = tool("check", "--json", "server.trace")
    check('"summary":"server.trace"' in done.stdout.replace(folder + "/", ""), "check --json names the file, and not where it was read into", done.all)
    done = tool("order", "server:2", "server:5", "server.trace")
    check(done.returncode == 0 and "before" in done.stdout, "order", done.all)
    done = tool("import", "-o", "kept.hbdb", "server.trace")
    check(done.returncode == 0 and "from server.trace (hbdb-self)" in done.stdout, "import keeps it as a recording", done.all)
    check("request" in tool("dump", "kept.hbdb").stdout, "which is read as others are")
    left = set(os.listdir(folder)) - set(before) - {"server.pf", "kept.hbdb", "state"}
    check(not left, "no folder is left behind", left)
    sql = subprocess.Popen([HBDB, "sql", "server.trace", "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"],
                           cwd=folder, stdin=subprocess.DEVNULL, env=dict(os.environ, XDG_STATE_HOME=folder + "/state", TMPDIR=folder))
    while not catches(sql.pid, signal.SIGTERM):  # from then on it knows what it has to remove; its query has no end
        time.sleep(0.01)
    sql.terminate()
    check(sql.wait(600) != 0 and not [f for f in os.listdir(folder) if f.startswith("hbdb.")], "a command that is ended leaves no folder",
          os.listdir(folder))
    view = subprocess.Popen([HBDB, "view", "--no-browser", "server.trace"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            stdin=subprocess.DEVNULL, text=True, env=dict(os.environ, XDG_STATE_HOME=folder + "/state", TMPDIR=folder))
    line = ""
    while "http" not in line:
        line = view.stdout.readline()
        if not line:
            break
    address = re.search(r"http://\S+", line)
    got = run("curl", "-s", "-L", "-c", "jar", "-b", "jar", address[0]) if address else None
    check(got is not None and "<html" in got.stdout.lower(), "view serves it", line)
    view.send_signal(signal.SIGINT)
    rest = view.communicate(timeout=600)[0]
    check(not [f for f in os.listdir(folder) if f.startswith("hbdb.")], "and leaves no folder behind", rest)


KILLED = """
#include <hbdb/self.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	hb_trace_id_t t;
	hb_trace_event_id_t step;
	hb_posix_trace_eventid_open("step", &step);
	if (hb_self_open(argv[argc - 1], 0, &t))
		return 1;
	if (fork() == 0)
		_exit(0);
	for (int i = 0; i < 5; i++)
		hb_posix_trace_event(step, &i, sizeof i);
	kill(getpid(), SIGKILL);
}
"""


def killed():
    with open(os.path.join(folder, "killed.c"), "w", encoding="utf-8") as file:
        file.write(KILLED)
    built("killed", "gcc", "-D_GNU_SOURCE", *FLAGS, "killed.c", *SHARED)
    run("./killed", "killed.trace")
    done = run(HBDB, "dump", "killed.trace")
    check(done.stdout.count("step(") == 5 and "was killed" in done.stderr, "a program that was killed: nothing is lost, which hbdb says", done.all)
    path = os.path.join(folder, "killed.trace")
    with open(path, "r+b") as file:
        file.truncate(1000)
    done = run(HBDB, "dump", "killed.trace")
    check(done.returncode == 3 and "makes no sense" in done.stderr, "a log that is cut in its head: an error", done.all)
    with open(path, "wb") as file:
        file.write(b"something else" * 100)
    done = run(HBDB, "dump", "killed.trace")
    check(done.returncode == 3 and "is a file; a recording is a folder" in done.stderr, "another file: said as before", done.all)


def other_order():
    """The log of a program on a processor of the other byte order, read here by both readers."""
    compiler, emulator = "s390x-linux-gnu-gcc", "qemu-s390x"
    if not shutil.which(compiler) or not shutil.which(emulator):
        print("a log of the other byte order was not tried: %s and %s are needed" % (compiler, emulator))
        return
    sources = [os.path.join(TOP, "lib", "self", d, f) for d in ("sense", "stream", "values")
               for f in os.listdir(os.path.join(TOP, "lib", "self", d)) if f.endswith(".c")]
    built("server-s390x", compiler, "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-static", "-I", INCLUDE, os.path.join(EXAMPLES, "server.c"), *sources)
    done = run(emulator, "./server-s390x", "s390x.trace")
    check(done.returncode == 0 and "queue is 11" in done.stdout, "a program of s390x runs", done.all)
    with open(os.path.join(folder, "s390x.trace"), "rb") as file:
        check(file.read(12)[8:] == bytes((1, 2, 3, 4)), "its log is of the other byte order")
    text = run(HBDB, "dump", "s390x.trace").stdout
    check(text.count(" request(bytes=4") == 26 and "refused(bytes=4, number=15)" in text and "tripped value=11" in text, "hbdb reads it", text)
    done = run(sys.executable, "-c", "import hbdb_self; print(*(e.name for e in hbdb_self.read('s390x.trace')))",
               PYTHONPATH=os.path.join(TOP, "lib", "self"), HBDB_SELF_LIBRARY=os.path.join(BUILD, "libhbdb-self.so"))
    check(done.stdout.split().count("request") == 26, "so does posix_trace_open", done.all)


try:
    interface()
    languages()
    read_by_hbdb()
    killed()
    other_order()
finally:
    shutil.rmtree(folder)
print("%d passed, %d failed" % (count["passed"], count["failed"]))
sys.exit(count["failed"] != 0)
