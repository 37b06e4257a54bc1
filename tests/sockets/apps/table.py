"""The table of docs/sockets/programs.md: a row for each scene, of what was seen alone. A cell without a measurement says so."""
import re

BEGIN, END = "<!-- measured: tests/sockets/apps/run.py --table -->", "<!-- end -->"
HEAD = ("program", "over the wire", "recorded", "matched", "replayed", "alone", "cost", "what does not work")


def trouble(problems):
    """The first problem in one line; of a replay that differs where it does."""
    if not problems:
        return "nothing seen"
    told = re.search(r"hbdb: (\S+, (?:lane \d+, )?event .*)", problems[0])
    first = problems[0].split("\n")[0]
    return "%s: %s" % (first.split(":")[0], told[1]) if told else first


def cost(row):
    """Seconds recorded per second alone."""
    if "recorded_seconds" not in row:
        return "not measured"
    return "%.2f s, alone %.2f s" % (row["recorded_seconds"], row["alone_seconds"])


def line(row):
    cells = [row["name"], row.get("wire", "nothing"), row.get("recorded", "no"), row.get("matched", "no"), row.get("replayed", "no"), row.get("alone", "not measured")[:160], cost(row),
             trouble(row["problems"])[:160]]
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def write(path, rows):
    """Puts the rows between the two marks of the page; those of scenes that were not played stay."""
    with open(path, encoding="utf-8") as f:
        page = f.read()
    if BEGIN not in page or END not in page:
        raise SystemExit("%s has no place for the table: %s and %s" % (path, BEGIN, END))
    inside = re.compile(re.escape(BEGIN) + "(.*?)" + re.escape(END), re.S)
    old = {text.split(" ")[1]: text for text in inside.search(page)[1].splitlines()[3:]}
    old.update((row["name"], line(row)) for row in rows)
    head = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    with open(path, "w", encoding="utf-8") as f:
        f.write(inside.sub(lambda _: "\n".join([BEGIN] + head + list(old.values()) + [END]), page))
