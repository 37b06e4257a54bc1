#!/usr/bin/python3
"""hbdb cc and hbdb fc: what the compiler makes stays as it is, and instrumented copies come along."""
import filecmp
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import lib  # noqa: E402
from lib import HBDB, check, has, same  # noqa: E402

MAIN = """#include <stdio.h>
#include "sum.h"
double grid[100];
int main(void) { for (int i = 0; i < 100; i++) grid[i] = WIDTH * i; printf("%g\\n", sum(grid, 100)); return 0; }
"""
SUM = """#include "sum.h"
double sum(const double *u, int n) { double s = 0; for (int i = 0; i < n; i++) s += u[i]; return s; }
"""
HEADER = """#ifdef __cplusplus
extern "C"
#endif
double sum(const double *u, int n);
"""
GRID = """module grid
  real(8) :: u(100)
contains
  subroutine fill(w)
    real(8), intent(in) :: w
    integer :: i
    do i = 1, 100
      u(i) = w * (i - 1)
    end do
  end subroutine
end module
"""
PROGRAM = """program main
  use grid
  call fill(2d0)
  print '(f6.0)', sum(u)
end program
"""
MAKEFILE = """CFLAGS = -O2 -g -MMD -DWIDTH=2
prog: main.o libsum.a
	$(CC) -o $@ main.o -L. -lsum -lm
libsum.a: sum.o
	ar cr $@ sum.o
	ranlib $@
%.o: %.c
	$(CC) $(CFLAGS) -c -o $@ $<
-include *.d
"""


class Folders:
    """The same sources twice, under the same name when they are built: paths are part of what a compiler writes."""

    def __init__(self, place):
        self.place = place

    def build(self, way, commands):
        """Runs the commands in a new folder; how they ended and what they said."""
        now, kept = self.place.path + "/now", self.place.path + "/" + way
        os.mkdir(now)
        for name, text in {"main.c": MAIN, "sum.c": SUM, "sum.h": HEADER, "grid.f90": GRID, "main.f90": PROGRAM, "Makefile": MAKEFILE,
                           "main.cc": MAIN}.items():
            with open(now + "/" + name, "w") as f:
                f.write(text)
        ends = []
        for command in commands:
            done = subprocess.run(command, cwd=now, env=dict(self.place.env, TMPDIR=self.place.path + "/tmp"), capture_output=True,
                                  text=True, shell=True, timeout=600)
            ends.append((done.returncode, done.stdout, done.stderr))
        os.rename(now, kept)
        return ends, kept

    def both(self, name, commands):
        """The same commands with CC and FC in them alone, and behind hbdb: the folder of the second, once all is compared."""
        plain, alone = self.build(name + "-alone", [c.replace("CC:", "").replace("FC:", "") for c in commands])
        ours, kept = self.build(name, [c.replace("CC:", HBDB + " cc ").replace("FC:", HBDB + " fc ") for c in commands])
        for one, other in zip(plain, ours):
            same("%s: exit status and output are the compiler's" % name, other, one)
        same("%s: nothing is left in the temporary folder" % name, os.listdir(self.place.path + "/tmp"), [])
        files = sorted(os.listdir(alone))
        same("%s: the same files" % name, sorted(f for f in os.listdir(kept) if "hbdb-watched" not in f), files)
        for f in files:
            here, there = kept + "/" + f, alone + "/" + f
            if f.endswith(".o"):
                check("%s: %s without its copy is the compiler's" % (name, f), stripped(here) == stripped(there))
            elif f == "map":
                check("%s: the map is that of the compiler's run" % name, "hbdb" not in open(here).read().replace(".hbdb.watched", ""))
            elif os.path.isfile(here) and not f.endswith(".a"):
                check("%s: %s is the compiler's, byte by byte" % (name, f), filecmp.cmp(here, there, shallow=False))
        return kept


def stripped(path):
    """What an object holds but for the copy: its sections, as they are read, and its symbols."""
    sections = subprocess.run(["objdump", "-s", "-r", "-t", "-h", "-w", os.path.basename(path)], cwd=os.path.dirname(path), capture_output=True,
                              text=True, check=True).stdout
    blocks, keep = [], True
    for line in sections.splitlines():
        if line.startswith("Contents of section"):
            keep = ".hbdb.watched" not in line
        if "SYMBOL TABLE" in line or "RELOCATION" in line:
            keep = True
        # a line of the list of sections has a place in the file, which nothing depends on
        if keep and ".hbdb.watched" not in line:
            blocks.append(line)
    return blocks


def sections(path):
    return subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout


def calls(path):
    """The functions of ThreadSanitizer that a program calls."""
    out = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    return [w for w in out.split() if w.startswith("__tsan_")]


def runs(name, program, wanted, instrumented=True):
    """It runs, and both give the same."""
    one = subprocess.run([program], cwd=os.path.dirname(program), capture_output=True, text=True, timeout=60)
    other = subprocess.run([program + ".hbdb-watched"], cwd=os.path.dirname(program), capture_output=True, text=True, timeout=60)
    same("%s: the program prints" % name, one.stdout.strip(), wanted)
    same("%s: the instrumented program prints the same" % name, (other.returncode, other.stdout), (0, one.stdout))
    check("%s: it is instrumented" % name, any("write" in c for c in calls(program + ".hbdb-watched")))
    check("%s: the other is not" % name, not calls(program))


def objects(folders, cc):
    kept = folders.both("objects-" + cc, [
        "CC:%s -O2 -g -MD -MF deps -DWIDTH=2 -c main.c sum.c" % cc, "CC:%s main.o sum.o -lm -o prog" % cc])
    runs(cc, kept + "/prog", "9900")
    has(cc + ": the section is left out by linkers", sections(kept + "/main.o"), ".hbdb.watched")
    check(cc + ": ... so the program has none", ".hbdb.watched" not in sections(kept + "/prog"))
    kept = folders.both("at-once-" + cc, ["CC:%s -O1 -DWIDTH=2 -x c main.c -x none sum.c" % cc])
    runs(cc + " at once", kept + "/a.out", "9900")
    kept = folders.both("cxx-" + cc, [{"gcc": "CC:g++", "clang": "CC:clang++"}[cc] + " -DWIDTH=2 -c main.cc -o main++.o", "CC:%s -c sum.c" % cc,
                                      {"gcc": "CC:g++", "clang": "CC:clang++"}[cc] + " -o prog main++.o sum.o"])
    runs(cc + " with C++", kept + "/prog", "9900")


def mpi(folders, family):
    kept = folders.both("mpi-" + family, ["CC:mpicc.%s -O1 -DWIDTH=2 -c main.c" % family, "CC:mpicc.%s -O1 -c sum.c" % family,
                                         "CC:mpicc.%s -o prog main.o sum.o" % family])
    runs("mpicc." + family, kept + "/prog", "9900")
    kept = folders.both("mpif-" + family, ["mkdir mods", "FC:mpifort.%s -O1 -J mods -c grid.f90" % family,
                                          "FC:mpifort.%s -O1 -Jmods -c main.f90" % family, "FC:mpifort.%s -o prog main.o grid.o" % family])
    runs("mpifort." + family, kept + "/prog", "9900.")
    mods = [folders.place.path + "/mpif-" + family + way + "/mods/grid.mod" for way in ("", "-alone")]
    check("mpifort.%s: the module file is the compiler's" % family, filecmp.cmp(*mods, shallow=False))


def fortran(folders):
    kept = folders.both("fortran", ["FC:gfortran -O2 grid.f90 main.f90 -o prog"])
    runs("gfortran", kept + "/prog", "9900.")


def makefile(folders):
    kept = folders.both("make", ["make -s -j2 CC='CC:gcc'", "touch sum.h; make -s -j2 CC='CC:gcc'", "make -s CC='CC:gcc'"])
    runs("make", kept + "/prog", "9900")


def joined(folders):
    kept = folders.both("joined", ["CC:gcc -DWIDTH=2 -O1 -c main.c sum.c", "strip -g main.o", "ld -r -o both.o main.o sum.o",
                                   "CC:gcc -o prog both.o"])
    runs("ld -r", kept + "/prog", "9900")
    same("ld -r: both copies are in it", subprocess.run(["grep", "-c", "-a", "HBDBWTCH", "both.o"], cwd=kept, capture_output=True,
            text=True).stdout.strip() >= "1", True)
    kept = folders.both("thin", ["CC:gcc -DWIDTH=2 -O1 -c main.c sum.c", "mkdir sub; ar crT sub/libthin.a sum.o",
                                 "CC:gcc -o prog main.o -Wl,--whole-archive,sub/libthin.a,--no-whole-archive -Wl,-Map=map"])
    runs("a thin archive", kept + "/prog", "9900")
    kept = folders.both("response", ["printf '%s' '-DWIDTH=2 \"-O1\" main.c -c -o \\m.o' >words", "CC:gcc @words", "CC:gcc -c sum.c",
                                    "CC:gcc m.o sum.o -o prog"])
    runs("a response file", kept + "/prog", "9900")
    kept = folders.both("lto", ["CC:gcc -flto -frandom-seed=1 -O2 -DWIDTH=2 -c main.c sum.c", "CC:gcc -flto -O2 main.o sum.o -o prog"])
    runs("link-time optimisation", kept + "/prog", "9900")
    kept = folders.both("ccache", ["CC:env gcc -O2 -DWIDTH=2 -c main.c sum.c", "CC:env gcc main.o sum.o -o prog"])
    runs("a program in front of the compiler", kept + "/prog", "9900")


def shared(folders):
    for name, soname in (("plain", ""), ("named", "-Wl,-soname,libsum.so.1")):
        real = "libsum.so.1.2" if soname else "libsum.so"
        links = "ln -s %s libsum.so.1; ln -s libsum.so.1 libsum.so" % real if soname else "true"
        kept = folders.both("shared-" + name, ["CC:gcc -O1 -fPIC -c sum.c", "CC:gcc -shared %s -o %s sum.o" % (soname, real), links,
                                              "CC:gcc -DWIDTH=2 main.c -L. -lsum -o prog"])
        os.rename(kept, folders.place.path + "/now")  # where it was linked
        now = folders.place.path + "/now"
        maps = subprocess.run(["./prog.hbdb-watched"], cwd=now, env=dict(os.environ, LD_DEBUG="libs"), capture_output=True, text=True)
        same("shared, %s: it runs" % name, maps.stdout.strip(), "9900")
        has("shared, %s: the instrumented library is loaded" % name, maps.stderr, "calling init: %s/.hbdb-watched/libsum.so" % now)
        os.rename(now, kept)


def passed_through(folders):
    folders.both("other", ["CC:gcc -E main.c", "CC:gcc -S sum.c", "CC:gcc -M main.c", "CC:gcc --version", "CC:gcc -print-file-name=libc.so",
                           "CC:gcc -fsyntax-only sum.c", "CC:gcc -c sum.c -o /dev/null", "CC:gcc", "echo 'int x;' | CC:gcc -x c -c -o x.o -",
                           "CC:gcc -fsanitize=address -c sum.c", "CC:mpicc.openmpi --showme", "CC:gcc -c -g -DWIDTH sum.s sum.c; true"])


def wrong(folders):
    place = folders.place
    folders.both("errors", ["CC:gcc -c nosuch.c", "CC:gcc -c main.c", "CC:gcc -Wall -Werror -DWIDTH=2 -Dunused=1 sum.c",
                            "CC:gcc -Wall -DWIDTH=\"\\\"x\\\"\" -c main.c"])
    status, out, err = place.run("cc")
    check("no compiler", status == 2 and "which compiler" in err and "CC='hbdb cc mpicc'" in err, err)
    status, out, err = place.run("fc", "nosuchcompiler", "-c", "x.c")
    check("a compiler that is not there", status == 127 and "nosuchcompiler cannot be run" in err, (status, err))
    place.script("half", "case \"$*\" in *sanitize*) echo 'error: no such luck' >&2; exit 1;; esac; exec gcc \"$@\"\n")
    with open(place.path + "/one.c", "w") as f:
        f.write("int main(void) { static int x[4]; x[1] = 1; return x[2]; }\n")
    status, out, err = place.run("cc", "./half", "-c", "one.c")
    same("a second run that fails is one line", (status, out, err),
         (0, "", "hbdb: one.c: there is an object, but no instrumented copy of it: error: no such luck\n"))
    check("... and the object is there", os.path.exists(place.path + "/one.o"))
    with open(place.path + "/one.hbdb-watched", "w") as f:
        f.write("old")
    status, out, err = place.run("cc", "gcc", "-o", "one", "one.o")
    same("nothing has a copy", (status, out, err), (0, "", ""))
    check("... then an old instrumented program goes", not os.path.exists(place.path + "/one.hbdb-watched"))
    with open(place.path + "/two.c", "w") as f:
        f.write("int two(void) { static int x[4]; return x[2]++; }\n")
    place.run("cc", "gcc", "-c", "two.c")
    status, out, err = place.run("cc", "gcc", "-o", "one", "one.o", "two.o")
    check("an object without a copy among others is told", status == 0 and err.count("\n") == 1 and "one.o for one" in err, err)
    status, out, err = place.run("cc", "gcc", "-static", "-o", "one", "one.o", "two.o")
    check("a static program is told", status == 0 and "statically" in err, (status, err))
    data = bytearray(open(place.path + "/two.o", "rb").read())
    at = data.index(b"HBDBWTCH")
    data[at + 8:at + 16] = b"\xff" * 8
    open(place.path + "/two.o", "wb").write(data)
    status, out, err = place.run("cc", "gcc", "-o", "one", "one.o", "two.o")
    check("a damaged copy counts as none", status == 0 and err == "", (status, err))


def interrupted(folders):
    place = folders.place
    place.script("waits", "echo $$ >pid; exec sleep 600\n")
    job = subprocess.Popen([HBDB, "cc", "./waits", "-c", "one.c"], cwd=place.path, env=place.env)
    while not os.path.exists(place.path + "/pid") or not open(place.path + "/pid").read():
        time.sleep(0.01)
    job.send_signal(signal.SIGTERM)
    same("a signal reaches the compiler", job.wait(timeout=60), 128 + signal.SIGTERM)


def main():
    with lib.Place(libraries=False) as place:
        os.mkdir(place.path + "/tmp")
        folders = Folders(place)
        for cc in ("gcc", "clang"):
            objects(folders, cc)
        for family in ("openmpi", "mpich"):
            mpi(folders, family)
        fortran(folders)
        makefile(folders)
        joined(folders)
        shared(folders)
        passed_through(folders)
        wrong(folders)
        interrupted(folders)
    lib.finish()


main()
