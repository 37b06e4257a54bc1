#!/usr/bin/python3
"""What was built stands alone: neither the program nor the capture libraries need an MPI library, the capture libraries
need nothing that a target may not have, export nothing but wrappers, and have no other names."""
import os
import re
import subprocess

import lib

BUILD = os.environ.get("BUILD", os.path.join(lib.TOP, "build"))
LIBRARIES = ("libhbdb-openmpi.so", "libhbdb-mpich.so", "libhbdb-heap.so", "libhbdb-threads.so", "libhbdb-accesses.so", "libhbdb-quiet.so")
ALLOWED = re.compile(r"lib(c|m|dl|pthread|rt|gcc_s)\.so|ld-linux")
# _exit, _Exit, _Fork: a child made by fork ends its log
# pthread_create, thrd_create: threads that the program starts get an identity that is the same in every run
# pthread_..., sem_..., mtx_..., cnd_..., GOMP_..., omp_...: what orders threads
# __tsan_..., __wrap_mem...: what instrumented code calls; __kmpc_..., ompt_start_tool: OpenMP of LLVM; _Zn...: operator new; p?...: ScaLAPACK
EXPORTED = re.compile(r"__tsan_\w+|__wrap_mem\w+|__kmpc_\w+|_Zn[wa]m\w*|ompt_start_tool|p[sdcz][a-z0-9]+_|pthread_\w+|(sem|mtx|cnd|GOMP|omp)_\w+|pthread_create|thrd_create|_exit|_fork|mmap(64)?|munmap|mremap|(pkey_)?mprotect|madvise|(re|c|p?v)?alloc(array)?|(aligned_|m)alloc|(posix_)?memalign|malloc_usable_size|free|shm(at|dt)|P?MPIX?_\w+|p?mpi\w*_|P?MPI_\w+__?|_?hb_\w+|.*@.*", re.I)
# what processes do before others come from them
DESCEND = os.path.join(lib.TOP, "src/capture/core/descend")


def descends():
    text = "".join(open(os.path.join(DESCEND, name)).read() for name in os.listdir(DESCEND) if name.endswith(".c"))
    by_another_name = re.findall(r"^\t?[^\n]*__asm__\(\"(\w+)\"\);", text, re.M)  # where a header has another type of it
    return set(re.findall(r"^HB__EXPORT [^(]*?(\w+)\(", text, re.M)) | set(by_another_name)


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", path))


def run(report):
    wrappers = descends()
    report.check("the wrappers of descend are found", [] if {"execve", "vfork", "setuid"} <= wrappers else [str(sorted(wrappers))])
    for name in ("hbdb",) + LIBRARIES:
        path = os.path.join(BUILD, name)
        if not os.path.exists(path):
            report.check(name + " was built", [path + " is not there"])
            continue
        report.check(name + " needs no MPI library", [n for n in needed(path) if re.search(r"mpi", n)])
        if name in LIBRARIES:
            report.check(name + " needs the C library only", [n for n in needed(path) if not ALLOWED.match(n)])
            symbols = [line.split()[-1] for line in output("nm", "-D", "--defined-only", path).splitlines()]
            report.check(name + " exports wrappers only", [s for s in symbols if not EXPORTED.fullmatch(s) and s not in wrappers])
            # the C library takes it from the stack of every thread of the target, and 16 KiB are a stack
            local = [int(line.split()[5], 16) for line in output("readelf", "-lW", path).splitlines() if line.split()[:1] == ["TLS"]]
            report.check(name + " has little that is thread-local", ["%d bytes" % n for n in local if n > 512])
            sections = re.findall(r"\] (\.symtab|\.debug_info)\s", output("readelf", "-SW", path))
            report.check(name + " has no names that gdb could take for the program's", sections)


    one_name(report)


def one_name(report):
    """Two functions of one name in two libraries of the program are no error to the linker, which takes the first one; also in two files of one."""
    where = {}
    archives = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(BUILD, "src")) for name in names
                if name.endswith(".a") and "/capture" not in folder]
    for archive in archives:
        member = ""
        for line in output("nm", "--defined-only", archive).splitlines():
            member = line[:-1] if line.endswith(":") else member
            if re.match(r"[0-9a-f]+ [TDBR] ", line):
                where.setdefault(line.split()[-1], set()).add("%s(%s)" % (os.path.basename(archive), member))
    report.check("there is something to look at", [] if where else ["no archives in " + BUILD])
    report.check("a name is of one function", ["%s: %s" % (n, ", ".join(sorted(w))) for n, w in sorted(where.items()) if len(w) > 1])


lib.main(run)
