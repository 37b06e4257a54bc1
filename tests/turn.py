"""Which part of a long list this run of a suite takes. It moves on with every commit, so that in SHARE runs at SHARE
commits in a row every entry has its turn; ./dev check --all takes them all.

HBDB_TURN=N in the environment takes part N instead: a failure says which, to see it again. With ./dev check --all HBDB_ALL is set."""
import functools
import os
import subprocess
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


@functools.lru_cache(maxsize=None)
def turn():
    """The number of commits up to this one; 0 where there is no git to ask."""
    if os.environ.get("HBDB_TURN"):
        return int(os.environ["HBDB_TURN"])
    try:
        done = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return 0
    return int(done.stdout) if done.returncode == 0 else 0


def has(name, share):
    """True when it is the entry's turn, of `share` turns."""
    return (zlib.crc32(name.encode()) + turn()) % share == 0


def pick(name, choices, share=1):
    """One of the choices: another one each time that the entry has its turn."""
    return choices[((zlib.crc32(name.encode()) >> 16) + turn() // share) % len(choices)]


def whole():
    """True in ./dev check --all."""
    return bool(os.environ.get("HBDB_ALL"))


@functools.lru_cache(maxsize=None)
def say_turn():
    print("each part under one MPI, " + told(2), flush=True)


def either(name, mpis):
    """The MPIs that a part of a suite runs under: one of them, the next one at the next commit; with ./dev check --all every one."""
    if whole():
        return list(mpis)
    say_turn()
    return [pick(name, list(mpis))]


def told(share):
    """What to print, so that the run can be made again."""
    return "part %d of %d (HBDB_TURN=%d)" % (turn() % share + 1, share, turn())
