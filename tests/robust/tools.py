"""Under hbdb together with other tools: both see every call once, and the program does not notice."""
import os
import re

from lib import HBDB, Skipped, test

# what a rank of `process plain 500` does: 500 rounds of Irecv, Send, Wait and 62 Allreduce
CALLS = {"MPI_Init": 2, "MPI_Finalize": 2, "MPI_Irecv": 1000, "MPI_Send": 1000, "MPI_Wait": 1000, "MPI_Allreduce": 124}


def together(t, command, bare):
    done = t.record(command)
    t.same_run(bare, done)
    told = [line for line in done.out.splitlines() if re.match(r"\d: tool 500 500 500 62$", line)]
    t.want(len(told) == 2, "the tool counts otherwise: %s" % done.out)
    t.silent(done)
    info = t.all_events()
    calls = {name: n for name, n in info["calls"].items() if name in CALLS}
    t.want(calls == CALLS, "counted by hbdb: %r" % info["calls"])
    again = t.replay()
    t.want(again.lines() == bare.lines() and again.status == 0, "replay: status %d\n%s\n%s" % (again.status, again.lines(), again.tail()))


@test("tools/preloaded-after")
def preloaded_after(t):
    """The user's LD_PRELOAD: the capture library stands before it."""
    env = {"LD_PRELOAD": t.program("tool.so")}
    command = t.launch(2, t.program("process"), "plain", "500")
    if t.mpi == "openmpi":
        command[1:1] = ["-x", "LD_PRELOAD"]
    bare = t.run(command, env=env)
    t.want("tool" in bare.out, "the tool is not in the way: " + bare.out)
    t.env.update(env)
    together(t, command, bare)


@test("tools/preloaded-before")
def preloaded_before(t):
    command = t.launch(2, "sh", "-c", 'LD_PRELOAD=%s${LD_PRELOAD:+:$LD_PRELOAD} exec %s plain 500' % (t.program("tool.so"), t.program("process")))
    together(t, command, t.run(command))


@test("tools/in-the-program")
def in_the_program(t):
    command = t.launch(2, t.program("withtool"), "plain", "500")
    together(t, command, t.run(command))


@test("tools/linked-library")
def linked_library(t):
    command = t.launch(2, t.program("withtoollib"), "plain", "500")
    together(t, command, t.run(command))


@test("tools/asan")
def asan(t):
    """The runtime of the address sanitizer insists on being the first library."""
    env = {"ASAN_OPTIONS": "detect_leaks=0"}
    command = t.launch(2, t.program("asan"), "plain", "500")
    if t.mpi == "openmpi":
        command[1:1] = ["-x", "ASAN_OPTIONS"]
    bare = t.run(command, env=env)
    if bare.status:
        raise Skipped("the program does not run alone: " + bare.tail().splitlines()[-1])
    done = t.record(command, env=env)
    t.same_run(bare, done)
    t.all_events()


TURNS, FUNCTIONS = 10, 18


def quick_calls(t, *options):
    """Of each function: how many calls came to the library past the handlers, and how many there were."""
    env = {"LD_PRELOAD": t.program("frames.so")}
    command = t.launch(1, t.program("often"), str(TURNS))
    if t.mpi == "openmpi":
        command[1:1] = ["-x", "LD_PRELOAD"]
    done = t.record(command, *options, env=env, name="-".join(("r",) + options))
    found = re.findall(r"^quick (\w+) (\d+) of (\d+)$", done.out, re.M)
    t.want(done.status == 0 and len(found) == FUNCTIONS, "status %d\n%s%s" % (done.status, done.out, done.tail()))
    return {name: (int(quick), int(n)) for name, quick, n in found}


@test("tools/quick-way")
def quick_way(t):
    """What is called often goes past the handlers from the third time on; when something unusual is asked for, nothing does."""
    slow = {name: n for name, n in quick_calls(t).items() if n[0] < n[1] * (TURNS - 2) // TURNS}
    t.want(not slow, "these calls go through their handlers: %r" % slow)
    # there a wildcard is a choice, and so is which of several requests is over
    slow = {name: n for name, n in quick_calls(t, "--level", "order").items() if n[0] < n[1] * (TURNS - 2) // TURNS}
    t.want(set(slow) == {"Waitany", "Waitsome"}, "at level order these do: %r" % slow)
    for option in (["--level", "racing"], ["--shake", "1"], ["--check"]):
        quick = {name: n for name, n in quick_calls(t, *option).items() if n[0]}
        t.want(not quick, "%s: these calls go past their handlers: %r" % (option, quick))
