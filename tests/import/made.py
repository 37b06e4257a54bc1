"""Captured packets and capture files, byte by byte; nothing of hbdb is used."""
import ipaddress
import random
import struct

ETHERNET, RAW, NULL, LOOP, COOKED, COOKED2 = 1, 101, 0, 108, 113, 276
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
START = 1_700_000_000_000_000_000  # of all captures, in nanoseconds


# ---- packets ----

def udp(sport, dport, payload):
    return 17, struct.pack(">HHHH", sport, dport, 8 + len(payload), 0) + payload


def tcp(sport, dport, seq, ack, flags, payload=b"", options=b""):
    head = struct.pack(">HHIIBBHHH", sport, dport, seq & 0xffffffff, ack & 0xffffffff, (5 + len(options) // 4) << 4, flags, 65535, 0, 0)
    return 6, head + options + payload


def ip4(source, dest, carried, ident=0, options=b"", more=False, offset=0):
    protocol, payload = carried
    head = struct.pack(">BBHHHBBH", 0x45 + len(options) // 4, 0, 20 + len(options) + len(payload), ident,
                       (0x2000 if more else 0) | offset // 8, 64, protocol, 0)
    return head + ipaddress.ip_address(source).packed + ipaddress.ip_address(dest).packed + options + payload


def ip6(source, dest, carried, headers=()):
    """headers: (kind, bytes without the first, which says what comes next)"""
    protocol, payload = carried
    kinds = [kind for kind, _ in headers] + [protocol]
    for i in range(len(headers) - 1, -1, -1):
        payload = bytes([kinds[i + 1]]) + headers[i][1] + payload
    head = struct.pack(">IHBB", 6 << 28, len(payload), kinds[0], 64)
    return head + ipaddress.ip_address(source).packed + ipaddress.ip_address(dest).packed + payload


def ip(source, dest, carried):
    return (ip6 if ":" in source else ip4)(source, dest, carried)


def fragments4(source, dest, carried, ident, pieces):
    """As many packets, each with so many bytes; all but the last a multiple of 8."""
    protocol, payload = carried
    packets, at = [], 0
    for n in pieces:
        packets.append(ip4(source, dest, (protocol, payload[at:at + n]), ident, more=at + n < len(payload), offset=at))
        at += n
    return packets


def fragments6(source, dest, carried, ident, pieces):
    protocol, payload = carried
    packets, at = [], 0
    for n in pieces:
        head = b"\0" + struct.pack(">HI", at | (at + n < len(payload)), ident)
        packets.append(ip6(source, dest, (protocol, payload[at:at + n]), [(44, head)]))
        at += n
    return packets


# ---- what stands in front of IP ----

def framed(link, packet, way=0, group=False, vlans=(), big=False, interface=1):
    kind = 0x86dd if packet[0] >> 4 == 6 else 0x0800
    tags = b""
    for tag in vlans:
        tags += struct.pack(">HH", tag, 7)
    if link == ETHERNET:
        return (b"\xff" * 6 if group else b"\2" + b"\0" * 5) + b"\2" + b"\1" * 5 + tags + struct.pack(">H", kind) + packet
    if link == COOKED:
        return struct.pack(">HHH8sH", way, 1, 6, b"\1" * 8, kind) + packet
    if link == COOKED2:
        return struct.pack(">HHIHBB8s", kind, 0, interface, 1, way, 6, b"\1" * 8) + packet
    if link in (NULL, LOOP):
        return struct.pack(">I" if big or link == LOOP else "<I", 30 if kind == 0x86dd else 2) + packet
    return packet


# ---- files ----

def pcap(packets, link=ETHERNET, order="<", nanoseconds=False, snap=262144, version=(2, 4)):
    """packets: (time in ns, frame)"""
    out = struct.pack(order + "IHHiIII", 0xa1b23c4d if nanoseconds else 0xa1b2c3d4, *version, 0, 0, snap, link)
    for time, frame in packets:
        part = time % 10**9 // (1 if nanoseconds else 1000)
        out += struct.pack(order + "IIII", time // 10**9, part, min(len(frame), snap), len(frame)) + frame[:snap]
    return out


def block(order, kind, body):
    body += b"\0" * (-len(body) % 4)
    return struct.pack(order + "II", kind, 12 + len(body)) + body + struct.pack(order + "I", 12 + len(body))


def section(order="<", version=(1, 0)):
    return block(order, 0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, *version, -1) + option(order, 4, b"a test") + option(order, 0, b""))


def option(order, code, value):
    return struct.pack(order + "HH", code, len(value)) + value + b"\0" * (-len(value) % 4)


def interface(order="<", link=ETHERNET, snap=0, resolution=None, offset=None):
    body = struct.pack(order + "HHI", link, 0, snap) + option(order, 2, b"eth0")
    if resolution is not None:
        body += option(order, 9, bytes([resolution]))
    if offset is not None:
        body += option(order, 14, struct.pack(order + "q", offset))
    return block(order, 1, body + option(order, 0, b""))


def stamp(time, resolution):
    if resolution & 0x80:
        return time * 2**(resolution & 0x7f) // 10**9
    return time * 10**resolution // 10**9


def enhanced(time, frame, order="<", number=0, resolution=6, snap=262144):
    ticks = stamp(time, resolution)
    cut = frame[:snap]
    body = struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xffffffff, len(cut), len(frame)) + cut
    return block(order, 6, body + b"\0" * (-len(cut) % 4) + option(order, 0, b""))


def old_packet(time, frame, order="<", number=0):
    ticks = stamp(time, 6)
    return block(order, 2, struct.pack(order + "HHIIII", number, 0, ticks >> 32, ticks & 0xffffffff, len(frame), len(frame)) + frame)


def simple(frame, order="<", snap=0):
    return block(order, 3, struct.pack(order + "I", len(frame)) + (frame[:snap] if snap else frame))


def timed(packets, step=1000, link=ETHERNET, **how):
    return [(START + i * step, framed(link, p, **how)) for i, p in enumerate(packets)]


# ---- conversations ----

class Connection:
    """Both sides of a connection; what they say is collected in packets."""

    def __init__(self, client, cport, server, sport, isn=(1000, 5000)):
        self.e = ((client, cport), (server, sport))
        self.next = list(isn)
        self.packets = []

    def segment(self, side, flags, payload=b"", seq=None, ack=None):
        (a, ap), (b, bp) = self.e[side], self.e[1 - side]
        seq = self.next[side] if seq is None else seq
        ack = self.next[1 - side] if ack is None else ack
        return ip(a, b, tcp(ap, bp, seq, ack if flags & ACK else 0, flags, payload))

    def say(self, side, flags, payload=b"", **how):
        self.packets.append(self.segment(side, flags, payload, **how))
        self.next[side] += len(payload) + bool(flags & SYN) + bool(flags & FIN)

    def open(self):
        self.say(0, SYN)
        self.say(1, SYN | ACK)
        self.say(0, ACK)
        return self

    def data(self, side, payload):
        self.say(side, ACK | PSH, payload)
        self.say(1 - side, ACK)
        return self

    def close(self, side=0):
        self.say(side, FIN | ACK)
        self.say(1 - side, FIN | ACK)
        self.say(side, ACK)
        return self


def disturbed(rng, stream, first, most=1400):
    """A stream as segments that the capturing point may see: (offset, bytes), each byte at least once, in any order within a window."""
    at, segments = 0, []
    while at < len(stream):
        n = rng.randint(1, most)
        segments.append((at, stream[at:at + n]))
        at += n
    for _ in range(rng.randint(0, len(segments))):  # again, with other limits
        a = rng.randrange(len(stream))
        segments.insert(rng.randrange(len(segments) + 1), (a, stream[a:a + rng.randint(1, most)]))
    order = sorted(range(len(segments)), key=lambda i: i + rng.uniform(0, 6))
    return [(first + segments[i][0], segments[i][1]) for i in order]


random.seed(1)
