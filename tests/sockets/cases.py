"""The programs of programs/ and what they are run with."""
import collections

# quick: of ./dev check.  varies: free runs print other things.  network: in a network namespace of its own, with these settings of its loopback.
Case = collections.namedtuple("Case", "program options quick varies network truth seconds")


def case(program, options="", quick=False, varies=True, network=None, truth=True, seconds=60):
    return Case(program, options.split(), quick, varies, network, truth, seconds)


FLAGS = {"fortify": ["-D_FORTIFY_SOURCE=2"], "tcp_mix": ["-pthread"]}
PROGRAMS = ("udp_random", "tcp_mix", "unix_mix", "pipes", "syscalls", "fortify", "stdio")
NETEM = "loss 2%% duplicate 2%% delay %s reorder 30%% 50%%"

CASES = [
    case("udp_random", "", quick=True),
    case("udp_random", "-r dontwait"),
    case("udp_random", "-r poll", quick=True),
    case("udp_random", "-r select"),
    case("udp_random", "-r epoll"),
    case("udp_random", "-r mmsg -w mmsg", quick=True),
    case("udp_random", "-r msg -w msg -6"),
    case("udp_random", "-r peek"),
    case("udp_random", "-r cut"),
    case("udp_random", "-C", quick=True),
    case("udp_random", "-M"),
    case("udp_random", "-M -6", network={}),
    case("udp_random", "-I", varies=False, truth=False),
    case("udp_random", "-n 2 -m 100"),
    case("udp_random", "-n 16 -m 40"),
    case("udp_random", "-n 64 -m 20"),
    case("udp_random", "-L -r timeout -n 4 -m 200", network={"netem": NETEM % "2ms 1ms"}),
    case("udp_random", "-L -r epoll -n 6 -m 200", network={"netem": NETEM % "1ms 1ms"}, quick=True),
    case("tcp_mix", "", quick=True, varies=False),  # one client after the other is served, but which first
    case("tcp_mix", "-S thread", quick=True),
    case("tcp_mix", "-S fork", varies=False),
    case("tcp_mix", "-S level", quick=True),
    case("tcp_mix", "-S edge"),
    case("tcp_mix", "-S pass", quick=True),
    case("tcp_mix", "-S share", varies=False),
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
    case("tcp_mix", "-k 6 -c 10 -S level", network={"netem": "loss 1% delay 1ms"}),
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
    case("pipes", "-h popen"),
    case("pipes", "-h chain", quick=True),
    case("pipes", "-h twice"),
    case("pipes", "-h fifo"),
    case("pipes", "-h filter", quick=True),
    case("pipes", "-h clone"),
    case("pipes", "-r 2"),
    case("pipes", "-w pid"),
    case("pipes", "-w poll"),
    case("pipes", "-w wait3"),
    case("pipes", "-w wait4"),
    case("pipes", "-w waitid"),
    case("pipes", "-w nowait"),
    case("pipes", "-w ignore"),
    case("pipes", "-e exit"),
    case("pipes", "-e return"),
    case("pipes", "-e kill"),
    case("pipes", "-e raw"),
    case("syscalls", "24", quick=True, varies=False),
    case("fortify", "24", quick=True, varies=False),
    case("stdio", "40", quick=True, varies=False),
]
# A million datagrams under loss, duplication and reordering.
MILLION = case("udp_random", "-L -r epoll -n 8 -m 125000 -d 0", network={"netem": NETEM % "1ms 1ms"}, seconds=1800)
