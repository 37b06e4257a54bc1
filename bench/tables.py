"""Numbers into text: medians, spreads, aligned columns."""
import statistics


def median(values):
    return statistics.median(values) if values else None


def figure(value):
    """Three significant digits, without an exponent."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:.{digits}f}"


def with_spread(values):
    """Median, and in brackets the smallest and the largest."""
    if not values:
        return "-"
    return f"{median(values):.2f} [{min(values):.2f}..{max(values):.2f}]"


def columns(header, rows):
    """First columns to the left, numbers to the right."""
    cells = [header] + [[str(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = []
    for row in cells:
        left = [row[0].ljust(widths[0]), row[1].ljust(widths[1])]
        right = [c.rjust(w) for c, w in zip(row[2:], widths[2:])]
        lines.append("  ".join(left + right).rstrip())
    lines.insert(1, "-" * max(len(line) for line in lines))
    return lines
