"""Machines for tests, all on this one: namespaces joined by a switch, each with an sshd, a name, processes and a /tmp of its own.

    with bed.Nodes(["n1", "n2", "n3", "n4"]) as nodes:
        nodes.run(["mpirun", "--host", "n1,n2", "hostname"])      # on the first machine, the one in front: "head"
        nodes["n2"].kill()                                        # every process of it at once, as when its power fails
        nodes["n2"].start()                                       # and up again, with what its disk holds

What is installed (/usr, the build) is the same on all, as on a cluster; /tmp, /run and /dev/shm are a machine's own. /tmp outlives kill().
With shared=True all have one folder more, nodes.shared. nodes.put and nodes.programs are a folder that all can read: test programs stand there.
Nothing is changed outside: names, keys and settings of ssh stand in files of the bed that only its machines see.

Needs to be root, with network, mount, PID and UTS namespaces; Refused says what the system does not allow.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INSIDE = "/run/bed"  # the folder of the bed, on every machine
HOME = "/tmp/home"
NETWORK = "10.77.0."
OTHER, OTHER_UID = "other", 4242  # a user without rights, who may log in to the machines, too
PATIENCE = 60  # seconds until what takes a tenth of one is given up
# ./dev check names the loopback to Open MPI, for machines without a network; these have one
os.environ.pop("OMPI_MCA_btl_tcp_if_include", None)


class Refused(Exception):
    """The system does not allow a bed; the text says what is missing."""


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("%s: not within %d s" % (what, PATIENCE))
        time.sleep(0.02)


def over(pid):
    """It has ended, though whoever took it over when its parent ended may not have asked for it yet."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def possible():
    """None, or why this system allows no bed."""
    if os.getuid() != 0:
        return "only root can make machines out of namespaces"
    for program in ("unshare", "nsenter", "setpriv", "ip", "mount", "ssh", "ssh-keygen", "/usr/sbin/sshd"):
        if not shutil.which(program):
            return "there is no %s here (packages: util-linux, iproute2, openssh-server)" % program
    try_it = ("mount -t tmpfs none /run && ip link set lo up && ip link add name v1 type veth peer name e1 && "
              "ip link add name switch type bridge && ip link set v1 master switch")
    done = subprocess.run(["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", try_it],
                          capture_output=True, text=True)
    if done.returncode:
        return "namespaces, or networks in them, are not allowed: " + (done.stderr.strip() or "exit status %d" % done.returncode)
    return None


def quiet(*command, **how):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **how)


class Space:
    """A process that keeps namespaces alive, and its PID out here."""

    def __init__(self, flags, script, log):
        self.log = log
        # whoever runs the tests may be killed: then the kernel ends unshare, and unshare its child
        self.keeper = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", *flags, "--fork", "--kill-child", "sh", "-ec", script],
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.pid = None
        wait_for("a namespace", self.begun)

    def begun(self):
        if self.keeper.poll() is not None:
            raise RuntimeError("a machine did not start: see " + self.log.name)
        with open("/proc/%d/task/%d/children" % (self.keeper.pid, self.keeper.pid)) as f:
            child = f.read().split()
        self.pid = int(child[0]) if child else None
        # setpriv and unshare are one process; the namespaces are there when the child has another one than we
        return self.pid and os.readlink("/proc/%d/ns/net" % self.pid) != os.readlink("/proc/self/ns/net")

    def enter(self, command):
        return ["nsenter", "-t", str(self.pid), "-a", *command]

    def kill(self):
        """With the first process of a PID namespace the kernel ends all others; it is over when this returns."""
        self.keeper.kill()
        self.keeper.wait()
        # unshare's end is told before its child's: until that is gone its port and folders may be in use
        wait_for("the end of a machine", lambda: over(self.pid))


class Node:
    def __init__(self, bed, name, number, monotonic):
        self.bed, self.name, self.number, self.monotonic = bed, name, number, monotonic
        self.address = NETWORK + str(number)
        self.disk = os.path.join(bed.folder, "disk", name)  # its /tmp, seen from outside
        os.makedirs(self.disk, mode=0o1777)
        os.chmod(self.disk, 0o1777)
        os.mkdir(os.path.join(self.disk, "home"), mode=0o700)
        self.space = None

    def script(self):
        """What its first process does; it ends as its sshd."""
        keep_top = TOP.startswith("/tmp/")
        lines = ["mount --make-rprivate /", "mount -t proc proc /proc", "mount -t tmpfs none /dev/shm", "hostname " + self.name, "ip link set lo up"]
        if keep_top:
            lines += ["mount -t tmpfs none /mnt", "mkdir /mnt/top", "mount --bind %s /mnt/top" % TOP]
        # the folder of the bed is below /tmp: it is held by the descriptor of the working folder, until the new /run is there
        lines += ["cd " + self.bed.folder, "mount -t tmpfs -o mode=755 none /run", "mkdir -p /run/sshd /run/munge " + INSIDE, "mount --bind . " + INSIDE,
                  "cd /", "mount --bind %s/disk/%s /tmp" % (INSIDE, self.name)]
        if keep_top:
            lines += ["mkdir -p " + TOP, "mount --move /mnt/top " + TOP]
        if self.bed.shared:
            lines += ["mount --bind %s/shared %s" % (INSIDE, self.bed.shared)]
        for path, name in (("/etc/hosts", "hosts"), ("/etc/passwd", "passwd"), ("/etc/ssh/ssh_config", "ssh_config")):
            lines += ["mount --bind %s/%s %s" % (INSIDE, name, path)]
        return "\n".join(lines + ["exec /usr/sbin/sshd -D -e -f %s/sshd_config" % INSIDE])

    def start(self):
        flags = ["--net", "--uts", "--ipc", "--mount", "--pid"]
        if self.monotonic:
            flags += ["--time", "--monotonic", str(self.monotonic), "--boottime", str(self.monotonic)]
        with open(os.path.join(self.bed.folder, self.name + ".log"), "ab") as log:
            self.space = Space(flags, self.script(), log)
        end = "v%d" % self.number
        switch = self.bed.switch.enter(["ip"])
        quiet(*switch, "link", "add", "name", end, "type", "veth", "peer", "name", "e%d" % self.number)
        quiet(*switch, "link", "set", "e%d" % self.number, "netns", "/proc/%d/ns/net" % self.space.pid)
        quiet(*switch, "link", "set", end, "master", "switch", "up")
        inside = ["nsenter", "-t", str(self.space.pid), "-n", "ip"]
        # the same address of its card after each start, so that what others know of it stays true
        quiet(*inside, "link", "set", "e%d" % self.number, "name", "eth0", "address", "02:00:0a:4d:00:%02x" % self.number)
        quiet(*inside, "addr", "add", self.address + "/24", "dev", "eth0")
        quiet(*inside, "link", "set", "eth0", "up")
        wait_for("the sshd of " + self.name, self.listens)

    def listens(self):
        if self.space.keeper.poll() is not None:
            with open(os.path.join(self.bed.folder, self.name + ".log"), errors="replace") as f:
                raise RuntimeError("the machine %s ended: %s" % (self.name, f.read()))
        return not subprocess.run(["nsenter", "-t", str(self.space.pid), "-n", "sh", "-c", "ss -Hltn sport = :22 | grep -q ."]).returncode

    def command(self, command, folder="/tmp"):
        """The command line that runs a command on this machine, in one of its folders; its environment is what it is given."""
        return self.space.enter(["sh", "-c", 'cd "$0" && exec "$@"', folder, *command])

    def run(self, command, folder="/tmp", env=None, timeout=None, **how):
        """subprocess.run on this machine; what it wrote as text."""
        how.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(self.command(command, folder), env=self.bed.environment(env), timeout=timeout, capture_output=True, text=True,
                              errors="replace", **how)

    def start_command(self, command, folder="/tmp", env=None, **how):
        how.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(self.command(command, folder), env=self.bed.environment(env), **how)

    def kill(self):
        """All its processes at once, without a word to anybody."""
        self.space.kill()
        self.space = None

    def unplug(self):
        quiet(*self.bed.switch.enter(["ip"]), "link", "set", "v%d" % self.number, "down")

    def plug(self):
        quiet(*self.bed.switch.enter(["ip"]), "link", "set", "v%d" % self.number, "up")


class Nodes:
    """The machines, by name, and one in front of them, "head". monotonic: {name: seconds} by which CLOCK_MONOTONIC of a machine is ahead."""

    def __init__(self, names, shared=False, monotonic=None, front="head"):
        self.names, self.front_name, self.monotonic = list(names), front, monotonic or {}
        self.shared = "/srv" if shared else None
        self.nodes, self.switch, self.extra = {}, None, {}

    def __enter__(self):
        why = possible()
        if why:
            raise Refused(why)
        self.folder = tempfile.mkdtemp(prefix="hbdb-bed-")
        os.chmod(self.folder, 0o755)
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def build(self):
        self.programs = os.path.join(INSIDE, "programs")
        os.mkdir(os.path.join(self.folder, "programs"))
        os.mkdir(os.path.join(self.folder, "shared"))
        every = [self.front_name] + [name for name in self.names if name != self.front_name]
        for number, name in enumerate(every, 1):
            self.nodes[name] = Node(self, name, number, self.monotonic.get(name, 0))
        self.write_settings()
        with open(os.path.join(self.folder, "switch.log"), "ab") as log:
            self.switch = Space(["--net", "--mount", "--pid"], "exec sleep infinity", log)
        quiet(*self.switch.enter(["ip"]), "link", "add", "name", "switch", "type", "bridge")
        quiet(*self.switch.enter(["ip"]), "link", "set", "switch", "up")
        for node in self.nodes.values():
            node.start()

    def write_settings(self):
        for name in ("user_key", "host_key"):
            quiet("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(self.folder, name))
        shutil.copy(os.path.join(self.folder, "user_key.pub"), os.path.join(self.folder, "authorized_keys"))
        with open(os.path.join(self.folder, "hosts"), "w") as f:
            f.write("127.0.0.1 localhost\n" + "".join("%s %s\n" % (node.address, node.name) for node in self.nodes.values()))
        # another home: what a user's shell does when it starts is none of a test's business, and /tmp is a machine's own
        with open("/etc/passwd") as users, open(os.path.join(self.folder, "passwd"), "w") as f:
            f.write("root:x:0:0:root:%s:/bin/bash\n" % HOME)
            f.write("%s:x:%d:%d::/tmp/%s:/bin/bash\n" % (OTHER, OTHER_UID, OTHER_UID, OTHER))
            f.writelines(line for line in users if not line.startswith(("root:", OTHER + ":")))
        with open(os.path.join(self.folder, "ssh_config"), "w") as f:
            f.write("Host *\n  IdentityFile %s/user_key\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n  BatchMode yes\n"
                    "  ServerAliveInterval 2\n  ServerAliveCountMax 3\n  ConnectTimeout 10\n" % INSIDE)
        with open(os.path.join(self.folder, "sshd_config"), "w") as f:
            f.write("HostKey %s/host_key\nAuthorizedKeysFile %s/authorized_keys\nStrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\n"
                    "MaxStartups 100\nMaxSessions 100\nUseDNS no\nPrintMotd no\n" % (INSIDE, INSIDE))

    def environment(self, more=None):
        env = dict(os.environ, LC_ALL="C", HOME=HOME, TMPDIR="/tmp", **self.extra)
        for name in ("LD_PRELOAD", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "SSH_AUTH_SOCK"):
            env.pop(name, None)
        env.update(more or {})
        return env

    def __getitem__(self, name):
        return self.nodes[name]

    @property
    def front(self):
        return self.nodes[self.front_name]

    def run(self, command, **how):
        return self.front.run(command, **how)

    def build_program(self, source, name, compiler="cc", *flags):
        """Compiles a file and puts the program where all machines have it; its path there."""
        quiet(compiler, "-g", "-O1", "-o", os.path.join(self.folder, "programs", name), source, *flags)
        return os.path.join(self.programs, name)

    def put(self, name, text, mode=0o755):
        path = os.path.join(self.folder, "programs", name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, mode)
        return os.path.join(self.programs, name)

    def __exit__(self, *_):
        for node in self.nodes.values():
            if node.space:
                node.kill()
        if self.switch:
            self.switch.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    """bed.py NAME...: machines of these names, and a shell on the one in front, until it ends."""
    with Nodes(sys.argv[1:] or ["n1", "n2", "n3", "n4"], shared=True) as nodes:
        sys.exit(subprocess.run(nodes.front.command(["bash"]), env=nodes.environment()).returncode)


if __name__ == "__main__":
    main()
