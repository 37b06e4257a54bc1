"""What the verdict on a program comes to, and the table of all."""

# of wrong programs, then of right ones
OUTCOMES = ("found", "as another", "missed", "silent", "false alarm")


def outcome(program, verdict):
    """One of OUTCOMES. As another: something was found, but not what the program is wrong in."""
    if not program.wrong:
        return "false alarm" if verdict.errors else "silent"
    names = {f[0] for f in verdict.findings}
    if all(names & set(choice) for choice in program.expect):
        return "found"
    return "as another" if verdict.errors else "missed"


def complaint(program, verdict):
    """None when the program got what it says, else why not, in a line."""
    what = outcome(program, verdict)
    names = sorted({f[0] for f in verdict.errors})
    if verdict.complaint:
        return "%s (%s)" % (verdict.complaint, ", ".join(names) or "no finding")
    if what == "false alarm":
        return "false alarm: " + "; ".join("%s: %s" % (f[0], f[2]) for f in verdict.errors[:3])
    if what == "missed":
        return "missed: " + wanted(program)
    if what == "as another":
        return "%s expected, found %s" % (wanted(program), ", ".join(names))
    extra = [n for n in names if n not in program.also and not any(n in choice for choice in program.expect)]
    if program.wrong and extra:
        return "beside what it is wrong in: " + "; ".join(
            "%s: %s" % (f[0], f[2]) for f in verdict.errors if f[0] in extra[:3])
    silent = [text for text in program.says if not any(text in f[2] for f in verdict.findings)]
    if silent:
        return "no finding says: " + "; ".join(silent)
    loud = [f for f in verdict.findings if f[0] in program.silent]
    if loud:
        return "must not be found: %s: %s" % (loud[0][0], loud[0][2])
    if not program.wrong and verdict.job != 0:
        return "the job's exit status is %s: %s" % (verdict.job, verdict.said.strip().splitlines()[-1:])
    return None


def wanted(program):
    return " and ".join("|".join(choice) for choice in program.expect)


class Table:
    """How often each outcome came, by category."""

    def __init__(self):
        self.rows = {}

    def add(self, category, what):
        row = self.rows.setdefault(category, dict.fromkeys(OUTCOMES, 0))
        row[what] += 1

    def lines(self):
        """Of fixed width, for the terminal; the last row is the sum."""
        yield "%-12s %8s %10s %7s | %7s %11s" % (("category",) + OUTCOMES)
        total = dict.fromkeys(OUTCOMES, 0)
        for category, row in self.rows.items():
            yield self.line(category, row)
            for what in OUTCOMES:
                total[what] += row[what]
        yield self.line("all", total)

    @staticmethod
    def line(name, row):
        return "%-12s %8d %10d %7d | %7d %11d" % ((name,) + tuple(row[what] for what in OUTCOMES))
