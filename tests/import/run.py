#!/usr/bin/python3
"""hbdb import on capture files that are made byte by byte: every form, and streams against what was said."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import made
import reading
from made import ACK, COOKED, COOKED2, ETHERNET, FIN, LOOP, NULL, PSH, RAW, RST, START, SYN, Connection, ip4, ip6, timed, udp
from reading import Imported, check, hash_of

A, B, C = "10.0.0.1", "10.0.0.2", "10.0.0.3"
A6, B6 = "2001:db8::1", "2001:db8::2"


def signed(n):
    return n - 2**64 if n >= 2**63 else n


def datagram(x, source, dest, payload, sport=1000, dport=53):
    """Whether one went from source to dest: the send, and the receive, as the format has them."""
    (s, d) = (f"[{source}]:{sport}", f"[{dest}]:{dport}") if ":" in source else (f"{source}:{sport}", f"{dest}:{dport}")
    h = hash_of(payload)
    sent, got = ("sendto", "udp " + s, (len(payload), h, d)), ("recvfrom", "udp " + d, (len(payload), h, s))
    everything = [e for events in x.events.values() for e in events]
    return sent in everything and got in everything


DNS = [ip4(A, B, udp(1000, 53, b"question")), ip4(B, A, udp(53, 1000, b"answer"))]


def is_dns(x):
    return x.status == 0 and datagram(x, A, B, b"question") and datagram(x, B, A, b"answer", 53, 1000) and not x.whole() \
        and len(x.rows) == 4 and sorted(x.events) == ["ip-" + A, "ip-" + B]


def forms(folder):
    whole = timed(DNS)
    for order in "<>":
        for nanoseconds in (False, True):
            x = Imported(folder, made.pcap(whole, order=order, nanoseconds=nanoseconds))
            check(f"pcap {order} {'ns' if nanoseconds else 'us'}", is_dns(x), x.out + x.err)
            late = x.times("ip-" + B)[0][0] - x.times("ip-" + A)[0][0]
            check("... a receive is entered with its send, and left later", late == 0 and x.times("ip-" + B)[0] == (1000, 1001), x.rows)
    fine = [(START + 1234567891, whole[0][1]), (START + 1234567894, whole[1][1])]
    x = Imported(folder, made.pcap(fine, nanoseconds=True))
    check("nanoseconds are kept", x.times("ip-" + B)[1][0] - x.times("ip-" + B)[0][0] == 3, x.rows)
    for order in "<>":
        for resolution in (None, 6, 9, 3, 0x80 | 20):
            file = made.section(order) + made.interface(order, resolution=resolution)
            r = 6 if resolution is None else resolution
            file += made.block(order, 5, b"statistics..") + made.block(order, 0xbad, b"what is that") + \
                b"".join(made.enhanced(t, f, order, resolution=r) for t, f in timed(DNS, 10**9))
            x = Imported(folder, file)
            second = x.times("ip-" + B)[1][0] - x.times("ip-" + B)[0][0] if x.status == 0 else 0
            check(f"pcapng {order}, resolution {resolution}", is_dns(x) and abs(second - 10**9) < 3000, x.out + x.err + str(x.rows))
    file = made.section() + made.interface(offset=3600) + b"".join(made.enhanced(t, f) for t, f in whole)
    check("pcapng: an offset of its times", "2023-11-14T23:13:20" in reading.hbdb("info", Imported(folder, file).name)[1])
    file = made.section() + made.interface() + b"".join(made.simple(f) for _, f in whole)
    check("pcapng: simple packets", is_dns(Imported(folder, file)))
    file = made.section() + made.interface() + b"".join(made.old_packet(t, f) for t, f in whole)
    check("pcapng: packets of older versions", is_dns(Imported(folder, file)))
    file = made.section() + made.interface(link=RAW) + made.enhanced(START, DNS[0]) + \
        made.section(">") + made.interface(">", link=NULL) + made.interface(">") + made.enhanced(START + 5000, whole[1][1], ">", 1)
    check("pcapng: sections of two orders, interfaces of several kinds", is_dns(Imported(folder, file)))


def links(folder):
    for link in (ETHERNET, RAW, 12, 14, 228, NULL, LOOP, COOKED, COOKED2):
        check(f"link {link}", is_dns(Imported(folder, made.pcap(timed(DNS, link=link), link))))
    check("null, of a machine with the other order", is_dns(Imported(folder, made.pcap(timed(DNS, link=NULL, big=True), NULL))))
    for vlans in ((0x8100,), (0x88a8, 0x8100)):
        check(f"{len(vlans)} tags of VLANs", is_dns(Imported(folder, made.pcap(timed(DNS, vlans=vlans)))))
    six = [ip6(A6, B6, udp(1000, 53, b"question"))]
    for link in (ETHERNET, RAW, NULL, LOOP, COOKED, COOKED2, 229):
        check(f"IPv6, link {link}", datagram(Imported(folder, made.pcap(timed(six, link=link), link)), A6, B6, b"question"))
    x = Imported(folder, made.pcap([(START, made.framed(COOKED, DNS[0], way=w)) for w in (4, 0)], COOKED))
    check("interface any: seen twice is sent once", x.status == 0 and len(x.rows) == 2 and "1 datagram was left out" in x.out, x.out)
    x = Imported(folder, made.pcap([(START, made.framed(COOKED, DNS[0], way=w)) for w in (4, 4, 0, 0)], COOKED))
    check("... and sent twice is sent twice", x.status == 0 and len(x.rows) == 4, x.out)
    two = made.section() + made.interface() + made.interface()
    for t, f in timed(DNS):
        two += made.enhanced(t, f, number=0) + made.enhanced(t + 100, f, number=1)
    check("seen at two interfaces is sent once", is_dns(Imported(folder, two)))
    x = Imported(folder, made.pcap(timed(DNS + DNS)))
    check("at one point: the same again is another one", x.status == 0 and len(x.rows) == 8, x.out)


def internet(folder):
    x = Imported(folder, made.pcap(timed([ip4(A, B, udp(1000, 53, b"with options"), options=b"\1\1\1\0")])))
    check("IPv4: options", datagram(x, A, B, b"with options"))
    headers = [(0, b"\0" + b"\1\4" + b"\0" * 4), (60, b"\1" + b"\0" * 14), (43, b"\0" + b"\0" * 6)]
    x = Imported(folder, made.pcap(timed([ip6(A6, B6, udp(1000, 53, b"behind headers"), headers)])))
    check("IPv6: headers of extensions", datagram(x, A6, B6, b"behind headers"))
    big = bytes(range(256)) * 40
    for name, parts, (s, d) in (("IPv4", made.fragments4(A, B, udp(1000, 53, big), 77, [4000, 3200, 3048]), (A, B)),
                                ("IPv6", made.fragments6(A6, B6, udp(1000, 53, big), 77, [4000, 3200, 3048]), (A6, B6))):
        for order in ((0, 1, 2), (2, 1, 0), (1, 1, 2, 0)):
            x = Imported(folder, made.pcap(timed([parts[i] for i in order])))
            check(f"{name}: parts in order {order}", datagram(x, s, d, big) and len(x.rows) == 2, x.out + x.err)
        x = Imported(folder, made.pcap(timed(parts[:2] + DNS)))
        check(f"{name}: a part is missing", x.status == 0 and len(x.rows) == 4 and "1 packet that came in parts was left out" in x.out, x.out)
        x = Imported(folder, made.pcap(timed([parts[0], parts[0], parts[2]] + DNS)))
        check(f"{name}: ... and another one came twice", x.status == 0 and len(x.rows) == 4 and "1 packet that came in parts was left out" in x.out, x.out)
        x = Imported(folder, made.pcap(timed(parts), snap=200))
        check(f"{name}: parts that were cut", x.status == 0 and x.rows[0]["arguments"]["bytes"] == len(big) and
              x.rows[0]["arguments"]["hash"] == 0, x.out)
    x = Imported(folder, made.pcap(timed([ip4(A, B, udp(1000, 53, b""))])))
    check("a datagram of 0 bytes", datagram(x, A, B, b""))
    x = Imported(folder, made.pcap(timed([ip4(A, B, udp(1000, 53, b"x" * 100))]), snap=60))
    check("a datagram that was cut: its length is known, its hash is not", x.status == 0 and all(
        e["arguments"]["bytes"] == 100 and e["arguments"]["hash"] == 0 for e in x.rows) and "1 datagram was captured in part" in x.out, x.out)
    x = Imported(folder, made.pcap(timed([ip4(A, B, udp(1000, 53, b"x"))]), snap=36))
    check("cut within its ports: there is nothing", x.status == 3 and not x.there and "no packet of UDP or TCP" in x.err, x.err)
    group = [made.framed(ETHERNET, ip4(A, "224.0.0.251", udp(5353, 5353, b"who")), group=True), made.framed(ETHERNET, ip6(A6, "ff02::1:6", udp(6696, 6696, b"hello")), group=True),
             made.framed(ETHERNET, ip4(A, "10.0.0.255", udp(68, 67, b"all")), group=True)]
    x = Imported(folder, made.pcap([(START + i, p) for i, p in enumerate(group)]))
    check("to groups and to all: sent, and received by nobody that is known", x.status == 0 and [e["function"] for e in x.rows] == ["sendto"] * 3 and
          "3 datagrams were sent to a group or to all" in x.out and x.only("ip-" + A)[0] == ("sendto", f"udp {A}:5353", (3, hash_of(b"who"), "224.0.0.251:5353")), x.out)
    x = Imported(folder, made.pcap(timed(DNS + [ip4(A, B, (1, b"\10\0\0\0ping"))]) + [(START, b"\1" * 12 + b"\x08\x06" + b"\0" * 28)]))
    check("what is neither UDP nor TCP is counted", is_dns(x) and "2 packets were left out: neither UDP nor TCP" in x.out, x.out)
    x = Imported(folder, made.pcap([(START + 9000, made.framed(ETHERNET, DNS[0])), (START, made.framed(ETHERNET, DNS[1]))]))
    ordered = x.status == 0 and x.times("ip-" + A)[1][0] >= x.times("ip-" + A)[0][1]
    check("a time that goes back: the order of the file holds", is_dns(x) and ordered and "1 packet has an earlier time" in x.out, x.out)


# ---- streams ----

TA, TB = f"tcp {A}:4000 > {B}:80", f"tcp {B}:80 > {A}:4000"
OPEN_A, OPEN_B = ("connect", TA, (0,)), ("accept", f"tcp {B}:80", (0, TB))


def connection(**how):
    return Connection(A, 4000, B, 80, **how)


def streams(folder):
    c = connection().open().data(0, b"GET /").data(1, b"x" * 500).close()
    x = Imported(folder, made.pcap(timed(c.packets)))
    client = [OPEN_A, ("send", TA, (5,)), ("recv", TA, (500,)), ("shutdown", TA, (0, 1)), ("recv", TA, (0, 1))]
    server = [OPEN_B, ("recv", TB, (5,)), ("send", TB, (500,)), ("recv", TB, (0, 1)), ("shutdown", TB, (0, 1))]
    check("opened, both ways, ended", x.only("ip-" + A) == client and x.only("ip-" + B) == server and not x.whole(), x.events)
    x6 = Connection(A6, 4000, B6, 80).open().data(0, b"GET /")
    x = Imported(folder, made.pcap(timed(x6.packets)))
    check("IPv6", x.only("ip-" + A6.replace(":", "_"))[:2] == [("connect", f"tcp [{A6}]:4000 > [{B6}]:80", (0,)), ("send", f"tcp [{A6}]:4000 > [{B6}]:80", (5,))], x.events)
    x = Imported(folder, made.pcap(timed(c.packets), snap=54))
    check("segments cut behind their heads: nothing is lost", x.only("ip-" + A) == client and x.only("ip-" + B) == server, x.events)
    doubled = [p for p in c.packets for _ in range(2)]
    x = Imported(folder, made.pcap(timed(doubled)))
    check("each segment twice", x.only("ip-" + A) == client and x.only("ip-" + B) == server, x.events)
    x = Imported(folder, made.pcap([(START + i, made.framed(COOKED, p, way=w)) for i, p in enumerate(c.packets) for w in (4, 0)], COOKED))
    check("each segment at two points", x.only("ip-" + A) == client and x.only("ip-" + B) == server, x.events)
    wrap = connection(isn=(2**32 - 3, 2**32 - 700)).open().data(0, b"GET /").data(1, b"x" * 500).data(1, b"y" * 500).close()
    x = Imported(folder, made.pcap(timed(wrap.packets)))
    check("sequence numbers that wrap", [e[2] for e in x.only("ip-" + A) if e[0] == "recv"] == [(500,), (500,), (0, 1)], x.events)

    c = connection().open()
    late = c.segment(0, ACK, b"first")
    c.packets += [c.segment(0, ACK, b"second", seq=c.next[0] + 5), late, c.segment(0, ACK, b"st" + b"second" + b"third", seq=c.next[0] + 3)]
    x = Imported(folder, made.pcap(timed(c.packets)))
    check("out of order, and over each other", x.only("ip-" + A)[1:] == [("send", TA, (11,)), ("send", TA, (5,))] and
          x.only("ip-" + B)[1:] == [("recv", TB, (11,)), ("recv", TB, (5,))], x.events)

    c = connection().open()
    c.packets += [c.segment(0, ACK, b"z" * 10, seq=c.next[0] + 100), c.segment(1, ACK, ack=c.next[0] + 110)]
    x = Imported(folder, made.pcap(timed(c.packets)))
    check("bytes that were not captured and were received", x.only("ip-" + B)[1:] == [("recv", TB, (110,))] and
          "100 bytes were of streams received and not captured" in x.out, x.out + str(x.events))
    x = Imported(folder, made.pcap(timed(c.packets[:-1])))
    check("... and of which nobody says that they were", x.only("ip-" + B)[1:] == [] and "10 bytes were of streams captured" in x.out, x.out)
    one = [p for p in connection().open().data(0, b"GET /").data(0, b"more").packets if p[12:16] == bytes([10, 0, 0, 1])]
    x = Imported(folder, made.pcap(timed(one)))
    check("one direction alone", x.only("ip-" + A) == [OPEN_A, ("send", TA, (5,)), ("send", TA, (4,))] and x.only("ip-" + B)[0] == OPEN_B, x.events)


def endings(folder):
    c = connection().open().data(0, b"GET /")
    c.say(1, RST | ACK)
    x = Imported(folder, made.pcap(timed(c.packets)))
    check("reset", x.only("ip-" + B)[-1] == ("close", TB, (0,)) and x.only("ip-" + A)[-1] == ("recv", TA, (-104,)), x.events)
    c = connection()
    c.say(0, SYN)
    c.packets.append(c.segment(1, RST | ACK))
    x = Imported(folder, made.pcap(timed(c.packets)))
    check("refused", x.events == {"ip-" + A: [("connect", TA, (-111,))]}, x.events)
    c = connection()
    c.packets = [c.segment(0, SYN)] * 3
    x = Imported(folder, made.pcap(timed(c.packets + DNS)))
    check("never answered", x.status == 0 and "1 connection was tried and not answered" in x.out and len(x.rows) == 4, x.out)
    c = connection()
    c.next = [12345, 99]
    c.data(0, b"late").data(1, b"answer")
    x = Imported(folder, made.pcap(timed(c.packets)))
    check("open when the capture began", x.only("ip-" + A) == [("send", TA, (4,)), ("recv", TA, (6,))] and "1 connection was open already" in x.out, x.events)
    again = connection().open().data(0, b"one").close().packets + connection(isn=(77777, 88888)).open().data(0, b"other").close().packets
    x = Imported(folder, made.pcap(timed(again)))
    check("the same ports again", [e for e in x.only("ip-" + A) if e[0] in ("connect", "send")] ==
          [OPEN_A, ("send", TA, (3,)), OPEN_A, ("send", TA, (5,))], x.events)
    c = connection().open().data(0, b"GET /")
    c.packets += [c.segment(0, ACK, b"/", seq=c.next[0] - 1), c.segment(0, ACK, seq=c.next[0] - 1), c.segment(1, ACK)]
    x = Imported(folder, made.pcap(timed(c.packets)))
    check("signs of life are no data", [e[0] for e in x.only("ip-" + A)] == ["connect", "send"], x.events)
    c = connection()
    c.say(0, SYN)
    c.say(1, SYN | ACK)
    c.say(0, ACK | PSH | FIN, b"all at once")
    x = Imported(folder, made.pcap(timed(c.packets)))
    check("data and the end with the answer", x.only("ip-" + B) == [OPEN_B, ("recv", TB, (11,)), ("recv", TB, (0, 1))], x.events)


def random_streams(folder, seeds=60):
    """Segments lost, doubled, cut elsewhere and in disorder: all bytes of a stream are sent and received, in order, none before it was sent."""
    wrong = []
    for seed in range(seeds):
        rng = random.Random(seed)
        c = connection(isn=(rng.getrandbits(32), rng.getrandbits(32))).open()
        said = [bytes(rng.randrange(1, 30000)) for _ in range(2)]
        base = list(c.next)
        waiting = [made.disturbed(rng, said[side], base[side]) for side in range(2)]
        top = [0, 0]
        while waiting[0] or waiting[1]:
            side = rng.randrange(2) if waiting[0] and waiting[1] else int(not waiting[0])
            seq, payload = waiting[side].pop(0)
            c.packets.append(c.segment(side, ACK, payload, seq=seq, ack=base[1 - side]))
            top[side] = max(top[side], seq - base[side] + len(payload))
        c.next = [base[side] + len(said[side]) for side in range(2)]
        c.close(rng.randrange(2))
        x = Imported(folder, made.pcap(timed(c.packets)))
        for side, (own, other, name, peer) in enumerate(((A, B, TA, TB), (B, A, TB, TA))):
            sent = [e for e in x.only("ip-" + own) if e[:2] == ("send", name)]
            got = [e for e in x.only("ip-" + other) if e[:2] == ("recv", peer)]
            moved = sum(e[2][0] for e in sent), sum(e[2][0] for e in got)
            if moved != (len(said[side]),) * 2 or got[-1][2] != (0, 1) or x.whole() or "captured" in x.out.split("\n", 1)[1]:
                wrong.append(f"seed {seed}, side {side}: {len(said[side])} bytes, {moved} {got[-1:]}")
            wrong += early(x, "ip-" + own, "ip-" + other, name, peer)
    check(f"{seeds} random streams", not wrong, "\n".join(wrong))


def early(x, own, other, name, peer):
    """Receives that ended before their last byte was sent."""
    moved = {"send": [], "recv": []}
    for e in x.rows:
        key = e["function"]
        if key in moved and (e["process"], e["arguments"]["end"]) == ((own, name) if key == "send" else (other, peer)):
            moved[key].append((e["arguments"]["bytes"], e["enter_ns"], e["exit_ns"]))
    sends, done, i = moved["send"], 0, 0
    total = [0]
    for n, _, _ in sends:
        total.append(total[-1] + n)
    for n, _, left in moved["recv"]:
        done += n
        while i < len(sends) and total[i + 1] < done:
            i += 1
        if n and (i == len(sends) or sends[i][1] >= left):
            yield f"{own}: byte {done} was received before it was sent"


# ---- what the model makes of it ----

def matches(x):
    """All messages, as hbdb sql has them."""
    status, out, err = reading.hbdb("sql", "--json", x.name, "select *, sender_world, receiver_world from messages")
    return [json.loads(line) for line in out.splitlines()] if status == 0 else err


def matched(folder, hosts=8, n=4000):
    """Datagrams that say which they are, between random hosts; the k-th event that sends one and the one that receives it are known."""
    rng = random.Random(5)
    address = [f"10.0.1.{i + 1}" for i in range(hosts)]
    packets, truth, done = [], {}, [0] * hosts
    for i in range(n):
        a, b = rng.sample(range(hosts), 2)
        packets.append(ip4(address[a], address[b], udp(1000 + rng.randrange(3), 2000 + rng.randrange(3), i.to_bytes(4, "big") + bytes(rng.randrange(50)))))
        done[a] += 1
        done[b] += 1
        truth["ip-" + address[a], done[a]] = ("ip-" + address[b], done[b])
    x = Imported(folder, made.pcap(timed(packets)))
    found = matches(x)
    name = dict(line.split("\t") for line in reading.hbdb("sql", x.name, "select world, name from processes")[1].splitlines())
    pairs = {(name[str(m["sender_world"])], m["send_event"]): (name[str(m["receiver_world"])], m["done_event"]) for m in found if (m["state"], m["ambiguous"]) == ("received", 0)}
    check(f"{n} datagrams among {hosts} hosts: each matched with its own", pairs == truth and len(found) == n, f"{len(found)} {list(pairs.items())[:3]} {list(truth.items())[:3]}")
    x = Imported(folder, made.pcap(timed([ip4(A, B, udp(1000, 53, b"same"))] * 3)))
    found = matches(x)
    check("equal ones are matched, and ambiguous", len(found) == 3 and all(m["state"] == "received" for m in found) and any(m["ambiguous"] for m in found), found)


# ---- processes, errors ----

def hosts(folder):
    packets = timed(DNS + [ip4("10.0.0.9", B, udp(1000, 53, b"question"))] + connection().open().data(0, b"GET /").packets)
    x = Imported(folder, made.pcap(packets), "--host", f"client={A},10.0.0.9", "--host", f"web={B}:80")
    check("--host joins addresses, and takes ports apart", sorted(x.events) == ["client", "ip-" + B, "web"] and
          [e[0] for e in x.only("web")] == ["accept", "recv"] and len(x.only("client")) == 5 and not x.whole(), x.events)
    six = timed([ip6(A6, B6, udp(1000, 53, b"q"))])
    x = Imported(folder, made.pcap(six), "--host", f"a={A6}", "--host", f"b=[{B6}]:53")
    check("... of IPv6", sorted(x.events) == ["a", "b"], x.out + x.err)
    for wrong in ("x", "=10.0.0.1", "a=", "a=10.0.0", "a=10.0.0.1:", "a=10.0.0.1:70000", "a=[::1", "a/b=10.0.0.1", "10.0.0.1"):
        x = Imported(folder, made.pcap(packets), "--host", wrong)
        check(f"--host {wrong}", x.status == 2 and not x.there and "import --host" in x.err, x.err)
    long = "2001:db8:1111:2222:3333:4444:5555:6666"
    x = Imported(folder, made.pcap(timed([ip6(A6, long, udp(1, 53, b"q"))])))
    check("a long address: the name has its end", "ip-_4444_5555_6666" in " ".join(x.events) or any(n.endswith("5555_6666") for n in x.events), x.events)


def errors(folder):
    good = made.pcap(timed(DNS))
    for name, data, status, says in (
            ("nothing", b"", 3, "is empty"), ("a text", b"hello\n", 3, "neither a capture file"), ("compressed", b"\x1f\x8b\x08" + good, 3, "decompress it"),
            ("pcap 3.0", made.pcap([], version=(3, 0)), 3, "version 3.0"), ("pcapng 2", made.section(version=(2, 0)) + made.interface(), 3, "version 2"),
            ("a link that is not known", made.pcap(timed(DNS), link=147), 3, "kind of link"), ("pcap without packets", made.pcap([]), 3, "no packet of UDP or TCP"),
            ("the head alone", good[:20], 3, "within its head"), ("other magic", b"\xa1\xb2\xcd\x34" + good[4:], 3, "pcap first"),
            ("JSON of something else", b'{"a": 1}', 3, "no resourceSpans")):
        x = Imported(folder, data)
        check(name, x.status == status and says in x.err and not x.there and x.err.count("\n") == 1, f"{x.status} {x.err}")
    for data, says in ((good[:-3], "ends within a packet"), (good + b"\0" * 7, "ends within the head of a packet"), (good + b"\xff" * 16, "is no packet"),
                       (made.section() + made.interface() + b"".join(made.enhanced(t, f) for t, f in timed(DNS)) + b"\1\0\0\0\7\0\0\0....", "is no block")):
        x = Imported(folder, data)
        check(f"a prefix: {says}", x.status == 0 and says in x.err and "at offset" in x.err and len(x.rows) in (2, 4) and not x.whole(), x.err)
    status, _, err = reading.hbdb("import", os.path.join(folder, "none"))
    check("no such file", status == 3 and "No such file" in err, err)
    status, _, err = reading.hbdb("import", folder)
    check("a folder", status == 3 and "is not a file" in err, err)
    check("no file", reading.hbdb("import")[0] == 2 and reading.hbdb("import", "a", "b")[0] == 2)
    x = Imported(folder, good)
    check("the output is there already", reading.hbdb("import", x.file, "-o", x.name)[0] == 2)
    for words in (["replay", x.name], ["debug", x.name], ["minimize", x.name], ["replay", "--alone", "ip-" + A, x.name], ["replay", x.name, "--", "true"]):
        status, _, err = reading.hbdb(*words)
        check(f"hbdb {words[0]}: there is nothing to run", status == 2 and "there is no program that could be" in err, f"{status} {err}")
    place = os.path.join(folder, "place")
    os.mkdir(place)
    done = subprocess.run([reading.HBDB, "import", x.file], cwd=place, capture_output=True, text=True, check=False)
    check("a name of its own", done.returncode == 0 and os.listdir(place) == ["x-1.hbdb"], done.stderr)


def commands(folder):
    c = connection().open().data(0, b"GET /").data(1, b"x" * 500).close()
    x = Imported(folder, made.pcap(timed(DNS + c.packets)))
    for words in (["info"], ["info", "--json"], ["races"], ["graph", "-o", os.path.join(folder, "g.svg")], ["check"]):
        status, out, err = reading.hbdb(*words, x.name, program=reading.ASAN)
        check(f"hbdb {' '.join(words[:1])}", status == 0, f"{status} {out} {err}")
    status, out, err = reading.hbdb("order", "ip-" + A + ":1", "ip-" + B + ":1", x.name, program=reading.ASAN)
    check("hbdb order, which offers no program to debug", status in (0, 1) and "next: hbdb view" in out and "hbdb debug" not in out, out + err)
    for to in ("perfetto", "shiviz", "csv", "otf2"):
        status, out, err = reading.hbdb("export", "--to", to, "-o", os.path.join(folder, "out-" + to), x.name)
        check(f"hbdb export --to {to}", status == 0, out + err)
    status, out, err = reading.hbdb("sql", x.name, "select count(*) from events")
    check("hbdb sql", status == 0 and out.strip().splitlines()[-1].strip() == str(len(x.rows)), out + err)
    status, out, _ = reading.hbdb("info", x.name)
    check("info says where it came from", f"pcap, {x.file}" in out, out)


def mutations(folder):
    """Small files of each form, by tests/import/mutate.c."""
    packets = timed(DNS[:1] + connection().open().data(0, b"GET /").close().packets + made.fragments4(A, B, udp(1, 2, bytes(64)), 7, [32, 40]))
    cooked = timed(DNS + [ip6(A6, B6, udp(1000, 53, b"q"), [(0, bytes(7))])], link=COOKED2)
    files = {"pcap": made.pcap(packets), "pcapng": made.section(">") + made.interface(">") + b"".join(made.enhanced(t, f, ">") for t, f in packets),
             "cooked": made.pcap(cooked, COOKED2), "simple": made.section() + made.interface() + b"".join(made.simple(f) for _, f in packets)}
    with open(os.path.join(reading.TOP, "tests", "import", "spans.json"), "rb") as f:
        files["spans"] = f.read()
    names = []
    for name, data in files.items():
        names.append(os.path.join(folder, name))
        with open(names[-1], "wb") as f:
            f.write(data)
    done = subprocess.run([os.path.join(reading.BUILD, "asan", "tests", "import", "mutate"), folder, *names], capture_output=True, text=True, check=False)
    check("cut at every byte, and changed: " + done.stdout.strip(), done.returncode == 0 and "0 wrong" in done.stdout, done.stdout + done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="hbdb-import-") as folder:
        for part in (forms, links, internet, streams, endings, random_streams, matched, hosts, errors, commands, mutations):
            part(folder)
    return reading.finish()


if __name__ == "__main__":
    sys.exit(main())
