"""The programs of ../programs and what they are run with."""
import collections
import os

BUILT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "build", "tests", "sockets")
# quick: of ./dev check.  varies: free runs print other things.  network: what stands before the command; it needs root.  refuses: the replay ends and says this.
Case = collections.namedtuple("Case", "program options quick varies network truth seconds refuses")


def case(program, options="", quick=False, varies=True, network=(), truth=True, seconds=60, refuses=None):
    return Case(program, options.split(), quick, varies, network, truth, seconds, refuses)


FLAGS = {"fortify": ["-D_FORTIFY_SOURCE=2"], "tcp_mix": ["-pthread"]}
PROGRAMS = ("network", "udp_random", "tcp_mix", "unix_mix", "pipes", "syscalls", "fortify", "stdio")
# A network namespace with an interface that has multicast of IPv6.
PAIR = ["unshare", "-n", "sh", "-e", "-c", """
ip link set lo up
ip link add v0 type veth peer name v1
ip link set v0 up
ip link set v1 up
for i in $(seq 100); do ip -6 addr show dev v0 | grep -q "tentative" || break; sleep 0.1; done
exec "$@" """, "sh"]


def losing(nets, loss=20, duplicate=20, microseconds=2000):
    """Under ../programs/network.c, per thousand packets."""
    return [os.path.join(BUILT, "network")] + [str(x) for x in (nets, loss, duplicate, microseconds)]


CASES = [
    case("udp_random", "", quick=True),
    case("udp_random", "-r dontwait"),
    case("udp_random", "-r poll", quick=True),
    case("udp_random", "-r select"),
    case("udp_random", "-r epoll"),
    case("udp_random", "-r mmsg -w mmsg", quick=True),
    case("udp_random", "-r msg -w msg -6"),
    case("udp_random", "-r peek"),
    case("udp_random", "-r cut", refuses="a datagram that was cut when it was received cannot be found again"),
    case("udp_random", "-C", quick=True),
    case("udp_random", "-M"),
    case("udp_random", "-M -6 -i v0", network=PAIR),
    case("udp_random", "-I", varies=False, truth=False),
    case("udp_random", "-n 2 -m 100", varies=False),  # one sender each: nothing can overtake
    case("udp_random", "-n 16 -m 40"),
    case("udp_random", "-n 64 -m 20"),
    case("udp_random", "-L -r timeout -n 4 -m 200 -N", network=losing(4)),
    case("udp_random", "-L -r epoll -n 6 -m 200 -N -W 50", network=losing(6), quick=True),
    case("tcp_mix", "", quick=True, varies=False),  # one client after the other is served, but which first
    case("tcp_mix", "-S thread", quick=True),
    case("tcp_mix", "-S fork", varies=False),
    case("tcp_mix", "-S level", quick=True),
    case("tcp_mix", "-S edge"),
    case("tcp_mix", "-S pass", quick=True),
    case("tcp_mix", "-S share", quick=True, varies=False),
    case("tcp_mix", "-w write -r read", varies=False),
    case("tcp_mix", "-w writev -r readv", varies=False),
    case("tcp_mix", "-w msg -r msg", varies=False),
    case("tcp_mix", "-w sendfile -r timeout -p", varies=False),
    case("tcp_mix", "-w splice -r splice", varies=False),
    case("tcp_mix", "-r waitall", varies=False),
    case("tcp_mix", "-r poll -n -p", quick=True, varies=False),
    case("tcp_mix", "-x", varies=False),
    case("tcp_mix", "-6 -a", varies=False),
    case("tcp_mix", "-l -c 20", varies=False),
    case("tcp_mix", "-D dup -C range", varies=False),
    case("tcp_mix", "-D dup2 -C from", varies=False),
    case("tcp_mix", "-D dup3 -C loop", quick=True, varies=False),
    case("tcp_mix", "-D fcntl -C raw", varies=False),
    case("tcp_mix", "-k 20 -c 20 -S thread -p"),
    case("tcp_mix", "-k 6 -c 10 -S level -N", network=losing(3, loss=10)),
    case("unix_mix", "-t stream -n path", quick=True),
    case("unix_mix", "-t stream -n abstract"),
    case("unix_mix", "-t stream -n pair"),
    case("unix_mix", "-t stream -n auto"),
    case("unix_mix", "-t seqpacket -n path"),
    case("unix_mix", "-t seqpacket -n pair"),
    case("unix_mix", "-t seqpacket -n abstract"),
    case("unix_mix", "-t dgram -n path", quick=True),
    case("unix_mix", "-t dgram -n abstract"),
    case("unix_mix", "-t dgram -n auto"),
    case("pipes", "-h fork", quick=True),
    case("pipes", "-h exec"),
    case("pipes", "-h vfork"),
    case("pipes", "-h spawn"),
    case("pipes", "-h spawnp"),
    case("pipes", "-h system", varies=False),
    case("pipes", "-h popen", varies=False),
    case("pipes", "-h chain", quick=True),
    case("pipes", "-h twice"),
    case("pipes", "-h fifo"),
    case("pipes", "-h filter", quick=True, varies=False),
    case("pipes", "-h clone", varies=False),
    case("pipes", "-r 2"),
    case("pipes", "-w pid"),
    case("pipes", "-w poll"),
    case("pipes", "-w wait3"),
    case("pipes", "-w wait4"),
    case("pipes", "-w waitid"),
    case("pipes", "-w nowait", quick=True),
    case("pipes", "-w ignore"),
    case("pipes", "-e exit"),
    case("pipes", "-e return"),
    case("pipes", "-e kill"),
    case("pipes", "-e raw"),
    case("pipes", "-b -h fork"),
    case("pipes", "-b -h vfork"),
    case("pipes", "-b -h spawn"),
    case("pipes", "-b -h system", varies=False),
    case("pipes", "-b -h popen", varies=False),
    case("pipes", "-b -h clone", quick=True, varies=False),
    case("syscalls", "24", quick=True, varies=False),
    case("fortify", "24", quick=True, varies=False),
    case("stdio", "40", quick=True, varies=False),
]
# A million datagrams under loss, duplication and reordering.
MILLION = case("udp_random", "-L -r epoll -n 8 -m 125000 -d 0 -N -W 2", network=losing(8), seconds=1800)
