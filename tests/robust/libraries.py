"""The wrong library, and programs that have nothing to do with MPI."""
import os

from lib import HBDB, LAUNCH, preload_of, test


@test("libraries/mpi-of-the-other")
def mpi_of_the_other(t):
    """--mpi names the library that the program does not use: it runs, unrecorded, and is told why."""
    command = t.launch(2, t.program("process"), "plain", "100")
    bare = t.run(command)
    done = t.record(command, "--mpi", t.other())
    t.same_run(bare, done)
    t.want("a different MPI library" in done.said, "hbdb should say that this is another MPI: " + done.said)
    t.want("nothing was recorded" in done.said and not os.path.exists(t.path("r.hbdb")), "hbdb should say that nothing was recorded: " + done.said)
    # in replay, too
    t.want(t.record(command).status == 0, "record failed")
    again = t.replay("--mpi", t.other())
    t.want(again.lines() == bare.lines(), "replay prints something else: %s\n%s" % (again.lines(), again.tail()))
    t.want(again.status == 1 and "a different MPI library" in again.said and "nothing was replayed" in again.said,
           "replay: status %d\n%s" % (again.status, again.said))


@test("libraries/launcher-of-the-other")
def launcher_of_the_other(t):
    command = LAUNCH[t.other()] + ["-n", "2", t.program("process"), "plain", "100"]
    done = t.record(command)
    t.want(done.status == 2 and not done.out, "status %d\n%s%s" % (done.status, done.out, done.tail()))
    t.want(len(done.err.splitlines()) == 1 and "linked with" in done.err, "one clear line is wanted: " + done.err)


@test("libraries/no-mpi-program")
def no_mpi_program(t):
    """The capture library in programs without MPI: silent, harmless."""
    env = {"LD_PRELOAD": preload_of(t.mpi), "HBDB_MODE": "record", "HBDB_DIR": t.dir}
    for command in (["/bin/ls", "/usr"], ["/bin/sh", "-c", "echo a | cat; exit 3"], ["/usr/bin/gdb", "--version"],
                    ["/usr/bin/python3", "-c", "import threading, subprocess; t = threading.Thread(target=print, args=('in a thread',)); "
                     "t.start(); t.join(); print(subprocess.run(['echo', 'x'], capture_output=True).stdout)"],
                    ["/usr/bin/make", "--version"], ["/bin/dash", "-c", "ulimit -n 10; ls / | wc -l"]):
        if os.path.exists(command[0]):
            bare, loaded = t.run(command), t.run(command, env=env)
            t.want((bare.status, bare.out, bare.err) == (loaded.status, loaded.out, loaded.err),
                   "%s: status %d, %d\n%s%s" % (command, bare.status, loaded.status, loaded.out[-300:], loaded.err[-300:]))
    t.want(not os.listdir(t.dir), "left behind: %r" % os.listdir(t.dir))


@test("libraries/no-mpi-recorded")
def no_mpi_recorded(t):
    done = t.record(["/bin/sh", "-c", "echo hello; exit 3"], "--mpi", t.mpi)
    t.want(done.status == 3 and done.out == "hello\n" and "nothing was recorded" in done.said, "status %d\n%s%s" % (done.status, done.out, done.err))


@test("libraries/without-hbdb-variables")
def without_variables(t):
    """The library alone, without a word of what to do: it does nothing."""
    command = [t.program("process"), "plain", "200"]
    bare = t.run(t.launch(2, *command))
    done = t.run(t.launch(2, "env", "LD_PRELOAD=" + preload_of(t.mpi), *command))
    t.same_run(bare, done)
    t.want("hbdb" not in done.err, "it said: " + done.err)


FORTRAN = """program called
 use mpi
 integer :: e, r, v, s(MPI_STATUS_SIZE)
 call MPI_Init(e)
 call MPI_Comm_rank(MPI_COMM_WORLD, r, e)
 v = 41 + r
 if (r == 0) call MPI_Recv(v, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, s, e)
 if (r == 1) call MPI_Send(v, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, e)
 if (r == 0) print *, 'got', v
 call MPI_Finalize(e)
end program
"""


OLDER = ((b"Type_create_struct_c\0", b"Type_create_strukt_c\0"), (b"Type_get_envelope_c\0", b"Type_get_envelupe_c\0"))


def rename_libraries(t, more):
    folder = "/usr/lib/x86_64-linux-gnu/"
    names = ((b"libmpichfort.so.12\0", b"libmpifort.so.12\0\0\0"), (b"libmpich.so.12\0", b"libmpi.so.12\0\0\0"))
    for name, new in (("libmpich.so.12", "libmpi.so.12"), ("libmpichfort.so.12", "libmpifort.so.12")):
        with open(folder + name, "rb") as f:
            data = f.read()
        for old, other in names + tuple(more):
            data = data.replace(old, other)
        with open(t.path(new), "wb") as f:
            f.write(data)


@test("libraries/names-of-the-abi")
def names_of_the_abi(t):
    """Intel MPI and MVAPICH are MPICH under other names, and older than MPI 4: MPICH's own libraries, renamed, without
    two functions of MPI 4."""
    if t.mpi != "mpich":
        return
    rename_libraries(t, OLDER)
    with open(t.path("called.f90"), "w") as f:
        f.write(FORTRAN)
    built = t.run(["sh", "-c", "mpif90.mpich -g -c called.f90 && gfortran -o called called.o -L. -l:libmpifort.so.12 -l:libmpi.so.12 "
                   "-Wl,-rpath,%s -Wl,--disable-new-dtags" % t.dir])
    t.want(built.status == 0, "the program is not built: " + built.tail())
    if t.run(t.launch(2, t.path("called"))).status:
        rename_libraries(t, ())  # its Fortran library insists on functions of MPI 4
    done = t.record(t.launch(2, t.path("called")))
    t.want(done.status == 0 and done.out.split() == ["got", "42"], "record: status %d\n%s" % (done.status, done.tail()))
    lines = t.run([HBDB, "dump", "--rank", "0", t.path("r.hbdb")]).out.splitlines()
    t.want(any("MPI_Recv(" in line and line.endswith("called.f90:7") for line in lines),
           "the place is not the program's, behind the Fortran library: %s" % lines)
    again = t.replay()
    t.want(again.status == 0 and again.out == done.out and "no difference" in again.said, "replay: " + again.said)
    carried = t.record(t.launch(2, t.path("called")), "--level", "racing", name="racing.hbdb")
    t.want(carried.status == 0 and carried.out == done.out and "function" not in carried.said, "level racing: " + carried.tail())
