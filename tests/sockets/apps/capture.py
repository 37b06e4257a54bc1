"""What a capture file says of UDP and TCP: the truth about programs that do not carry any.

Reads the file that tcpdump -w makes of the loopback or of an Ethernet interface (pcap, either byte order)."""
import collections
import ipaddress
import struct

LAST = b"the last datagram of a capture of hbdb's tests"  # run.py sends it
Datagram = collections.namedtuple("Datagram", "source target bytes hash")


class Direction:
    """One direction of a connection."""

    def __init__(self):
        self.first, self.bytes, self.reset = None, 0, False

    def segment(self, sequence, n, flags):
        self.reset = self.reset or bool(flags & 4)
        if flags & 2:
            self.first = sequence + 1 & 0xffffffff
            return
        if self.first is None:  # the capture began later
            self.first = sequence
        end = (sequence + n - self.first) & 0xffffffff
        if n and end < 1 << 31:
            self.bytes = max(self.bytes, end)


class Capture:
    """datagrams: [Datagram] in order; connections: {(client, server): [{client: Direction, server: Direction}]}, the oldest first."""

    def __init__(self, path, digest):
        self.datagrams, self.connections, self.digest = [], collections.OrderedDict(), digest
        with open(path, "rb") as f:
            data = f.read()
        order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
        link = struct.unpack_from(order + "I", data, 20)[0] & 0xffff
        if link != 1:
            raise ValueError("%s: link type %d, not Ethernet" % (path, link))
        at = 24
        while at + 16 <= len(data):
            kept, length = struct.unpack_from(order + "II", data, at + 8)
            if kept < length:
                raise ValueError("%s: packets are cut: tcpdump -s 0" % path)
            self.packet(data[at + 16:at + 16 + kept])
            at += 16 + kept

    def packet(self, frame):
        kind = struct.unpack_from(">H", frame, 12)[0]
        if kind == 0x0800:
            ip = frame[14:]
            length, protocol, head = struct.unpack_from(">H", ip, 2)[0], ip[9], (ip[0] & 15) * 4
            self.transport(protocol, ".".join(map(str, ip[12:16])), ".".join(map(str, ip[16:20])), ip[head:length or len(ip)])
        elif kind == 0x86dd:
            ip = frame[14:]
            length, protocol, at = struct.unpack_from(">H", ip, 4)[0], ip[6], 40
            while protocol in (0, 43, 60):
                protocol, at = ip[at], at + (ip[at + 1] + 1) * 8
            self.transport(protocol, address6(ip[8:24]), address6(ip[24:40]), ip[at:40 + length if length else len(ip)])

    def transport(self, protocol, source, target, packet):
        if protocol not in (6, 17):
            return
        ports = struct.unpack_from(">HH", packet)
        a, b = "%s:%d" % (source, ports[0]), "%s:%d" % (target, ports[1])
        if protocol == 17:
            content = packet[8:]
            if content == LAST:
                return
            self.datagrams.append(Datagram(a, b, len(content), self.digest(content)))
            return
        sequence, flags = struct.unpack_from(">I", packet, 4)[0], packet[13]
        n, syn = len(packet) - (packet[12] >> 4) * 4, bool(flags & 2)
        if syn and not flags & 16:
            again = self.connections.get((a, b), [])
            if not again or again[-1][a].first != sequence + 1 & 0xffffffff:
                self.connections.setdefault((a, b), []).append({a: Direction(), b: Direction()})
        pair = self.connections.get((a, b)) or self.connections.get((b, a))
        if pair is None:
            pair = self.connections.setdefault((a, b), [{a: Direction(), b: Direction()}])
        pair[-1][a].segment(sequence, n, flags)

    def streams(self):
        """{(from, to): (bytes of its connections, whether one was reset)}; who resets drops what it had not sent yet."""
        found = {}
        for (a, b), several in self.connections.items():
            reset = any(one[a].reset or one[b].reset for one in several)
            found[a, b] = sum(one[a].bytes for one in several), reset
            found[b, a] = sum(one[b].bytes for one in several), reset
        return found


def address6(raw):
    return "[%s]" % ipaddress.IPv6Address(raw)
