"""What gdb itself runs for run.py (`source inside_gdb.py`): `place` prints where the process is, in one line of JSON; `follow FILE` goes forwards
from here to the end of main, instruction by instruction, and writes a line for each that is the program's own, and one about its lines; `walk MOVES FILE`
makes moves, a line each, and writes the place behind each of them."""
import hashlib
import json
import re

import gdb

REGISTERS = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip eflags".split()
GLOBALS = "pace", "seen", "probed", "var"
# gdb is not told that the process was moved: neither what it holds nor what a watched variable was is so any more
FLUSH = "maintenance flush register-cache", "maintenance flush dcache", "disable", "enable"


def address(expression):
    return int(gdb.parse_and_eval("(unsigned long)" + expression))


class Looker:
    """Reads places."""

    def __init__(self):
        gdb.execute("set backtrace past-main on")
        frame = gdb.newest_frame()
        while frame.name() != "main":
            frame = frame.older()
        self.top = int(frame.older().read_register("rsp"))
        gdb.execute("set backtrace past-main off")
        self.clock = address("&hb_alone_clock")
        self.globals = []
        for name in GLOBALS:
            value = (gdb.lookup_static_symbol(name) or gdb.lookup_global_symbol(name)).value()
            self.globals.append((int(value.address), value.type.sizeof))
        entry = value.type.target()
        # what a message brought; the handles before it are addresses, which are others in every session
        self.entry, self.kept = entry.sizeof, next(f.bitpos // 8 for f in entry.fields() if f.name == "buffer")

    def memory(self, at, size):
        return bytes(gdb.selected_inferior().read_memory(at, size))

    def place(self):
        registers = [int(gdb.newest_frame().read_register(r)) & (1 << 64) - 1 for r in REGISTERS]
        at = dict(zip(REGISTERS, registers))
        parts = [self.memory(*where) for where in self.globals]
        parts[3] = b"".join(parts[3][i + self.kept:i + self.entry] for i in range(0, len(parts[3]), self.entry))
        event, pace, seen, probed = (int.from_bytes(part, "little") for part in [self.memory(self.clock + 8, 8)] + parts[:3])
        return {"event": event, "pc": at["rip"], "sp": self.top - at["rsp"], "pace": pace, "seen": seen, "probed": probed,
                "memory": digest(b"".join(parts)), "registers": digest(repr(registers).encode())}


def digest(what):
    return hashlib.blake2b(what, digest_size=8).hexdigest()


looker = None


def place():
    global looker
    looker = looker or Looker()
    return looker.place()


def own_code():
    """Of random.c and pace.c: from the first function to the last."""
    found = []
    for name in "see", "see_message", "peer_of", "tag_of", "fill", "over", "make_comm", "message", "complete", "collective", "step", "main", "__sanitizer_cov_trace_pc":
        symbol = gdb.lookup_static_symbol(name) or gdb.lookup_global_symbol(name)
        block = gdb.block_for_pc(int(symbol.value().address))
        found.append([name, block.start, block.end])
    return found


class Place(gdb.Command):
    """Where the process is."""

    def __init__(self):
        super().__init__("place", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        print("place " + json.dumps(place()))


def lines_of(addresses):
    """Lines that begin there: for each the addresses where a breakpoint at it stands."""
    lines, found = {gdb.find_pc_line(a).line for a in addresses if gdb.find_pc_line(a).pc == a}, {}
    for line in lines:
        point = gdb.Breakpoint("random.c:%d" % line)
        found[line] = [int(word, 16) for word in re.findall(r"\b0x[0-9a-f]{16}\b", gdb.execute("info breakpoints %d" % point.number, to_string=True))]
        point.delete()
    return found


class Follow(gdb.Command):
    """Forwards to the end of main, a line of JSON for each instruction."""

    def __init__(self):
        super().__init__("follow", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        code = own_code()
        low, high = min(c[1] for c in code), max(c[2] for c in code)
        with open(argument, "w", encoding="utf-8") as out:
            addresses = self.follow(out, low, high)
            print(json.dumps({"lines": lines_of(addresses), "functions": [c[1] for c in code]}), file=out)

    def follow(self, out, low, high):
        addresses = set()
        while True:
            here = place()
            gdb.execute("stepi", to_string=True)
            pc, sp = (int(gdb.newest_frame().read_register(r)) for r in ("rip", "rsp"))
            here["leaves"] = not low <= pc < high
            print(json.dumps(here), file=out)
            addresses.add(here["pc"])
            if here["leaves"] and sp >= looker.top:
                return addresses
            if here["leaves"]:
                back = int.from_bytes(looker.memory(sp, 8), "little")
                until = gdb.Breakpoint("*%d" % back, temporary=True)
                until.condition = "$sp == %d" % (sp + 8)
                gdb.execute("continue", to_string=True)


class Walk(gdb.Command):
    """Moves, and the places behind them."""

    def __init__(self):
        super().__init__("walk", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        moves, places = argument.split()
        with open(moves, encoding="utf-8") as lines, open(places, "w", encoding="utf-8") as out:
            for line in lines:
                said = []
                for command in line.strip().split("; "):
                    try:
                        said.append(gdb.execute(command, to_string=True))
                    except gdb.error as e:
                        said.append("error: %s" % e)
                    if command.startswith("monitor"):
                        for flush in FLUSH:
                            gdb.execute(flush, to_string=True)
                print(json.dumps(dict(place(), said="".join(said)[-500:])), file=out, flush=True)


Place()
Follow()
Walk()
