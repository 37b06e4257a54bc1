"""What /proc says of processes. Read as bytes: a process names itself as it likes, and the kernel cuts the name in the middle of a letter."""
import os


def stat(pid, task=None):
    """(name, fields behind it: state, parent, group, session ...) of a process or one of its threads; OSError when it is gone."""
    with open("/proc/%d/%sstat" % (pid, "task/%d/" % task if task else ""), "rb") as f:
        name, fields = f.read().decode(errors="replace").split("(", 1)[1].rsplit(")", 1)
    return name, fields.split()


def states(pid):
    """The state of each of its threads."""
    return [stat(pid, int(task))[1][0] for task in os.listdir("/proc/%d/task" % pid)]


def everyone():
    """(pid, name, fields) of each process there is."""
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            yield pid, *stat(pid)
        except (OSError, IndexError):
            continue


def in_session(session):
    """Those of a session that live; a zombie is over, who inherited it has not looked yet."""
    return [pid for pid, _, fields in everyone() if int(fields[3]) == session and fields[0] != "Z"]


def lives(pid):
    try:
        return stat(pid)[1][0] != "Z"
    except (OSError, IndexError):
        return False
