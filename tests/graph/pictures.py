"""Reading pictures back: SVG as events and arrows, PNG as pixels."""
import struct
import xml.etree.ElementTree as ET
import zlib

SVG = "{http://www.w3.org/2000/svg}"


class Svg:
    """The groups of an SVG of hbdb graph. What stands in two bands counts once."""

    def __init__(self, text):
        self.root = ET.fromstring(text)
        self.width, self.height = (float(self.root.get(name)) for name in ("width", "height"))
        self.events, self.titles, self.messages, self.others = {}, {}, {}, {}
        self.spans = {}
        self.rings, self.lines, self.classes, self.ends = [], [], {}, 0
        self.walk(self.root, (0.0, 0.0))

    def walk(self, node, moved):
        for group in node.findall(SVG + "g"):
            at = moved
            if (group.get("transform") or "").startswith("translate("):
                x, y = group.get("transform")[10:-1].split()
                at = (moved[0] + float(x), moved[1] + float(y))
            self.take(group, at)
            self.walk(group, at)

    def take(self, group, at):
        words = (group.get("class") or "").split()
        if words[:1] == ["event"]:
            self.events.setdefault(group.get("data-event"), []).append((group, at))
            self.titles[group.get("data-event")] = group.findtext(SVG + "title")
            self.classes[group.get("data-event")] = words
        elif words[:1] == ["message"]:
            self.messages[group.get("data-from"), group.get("data-to")] = (group, words)
        elif words[:1] == ["alternative"]:
            self.others[group.get("data-from"), group.get("data-to")] = (group, words)
        elif words[:1] == ["collective"]:
            self.rings.append((group.get("data-function"), group.get("data-first")))
        elif words[:1] == ["span"]:
            self.spans.setdefault((group.get("data-name"), group.get("data-from"), group.get("data-to")), []).append((group, at))
        elif words[:1] == ["line"]:
            self.lines.append(group.get("data-line"))
        elif words[:1] == ["end"]:
            self.ends += 1

    def boxes(self, event):
        """x, y, width, height, fill of an event's boxes, in pixels of the sheet."""
        yield from self.boxes_of(self.events[event])

    @staticmethod
    def boxes_of(groups):
        for group, at in groups:
            for box in group.findall(SVG + "rect"):
                x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
                yield x + at[0], y + at[1], w, h, box.get("fill")


def shaft(group):
    """The ends of an arrow."""
    dots = [tuple(map(float, dot.split(","))) for dot in group.find(SVG + "polyline").get("points").split()]
    return dots[0], dots[-1]


class Png:
    """Width, height and pixels of a PNG with 8 bits of red, green, blue (and alpha)."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
            if kind == b"IHDR":
                self.width, self.height, depth, colours, *_ = struct.unpack(">IIBBBBB", body)
                assert depth == 8 and colours in (2, 6), (depth, colours)
                self.size = 4 if colours == 6 else 3
            elif kind == b"IDAT":
                packed += body
            at += 12 + size
        self.rows = self.unfilter(zlib.decompress(packed))

    def unfilter(self, raw):
        length, rows, above = self.width * self.size, [], bytearray(self.width * self.size)
        for y in range(self.height):
            kind, row = raw[y * (length + 1)], bytearray(raw[y * (length + 1) + 1:(y + 1) * (length + 1)])
            for i in range(length):
                left = row[i - self.size] if i >= self.size else 0
                corner = above[i - self.size] if i >= self.size else 0
                if kind == 1:
                    row[i] = row[i] + left & 255
                elif kind == 2:
                    row[i] = row[i] + above[i] & 255
                elif kind == 3:
                    row[i] = row[i] + (left + above[i]) // 2 & 255
                elif kind == 4:
                    guess = left + above[i] - corner
                    ways = abs(guess - left), abs(guess - above[i]), abs(guess - corner)
                    best = left if ways[0] <= min(ways[1:]) else above[i] if ways[1] <= ways[2] else corner
                    row[i] = row[i] + best & 255
            rows.append(row)
            above = row
        return rows

    def pixel(self, x, y):
        return "#%02x%02x%02x" % tuple(self.rows[int(y)][int(x) * self.size:int(x) * self.size + 3])
