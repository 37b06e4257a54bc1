#!/usr/bin/python3
"""hbdb view: its server, against what the commands say, against attacks, with broken recordings, and with a replay."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import answers  # noqa: E402
import attacks  # noqa: E402
import viewer  # noqa: E402
import odd  # noqa: E402
import replay  # noqa: E402
import totals  # noqa: E402


def main():
    only = sys.argv[1:]  # parts by name, by hand
    with viewer.Place() as place:
        place.compile("openmpi", viewer.cli.TOP + "/examples/farm.c", "farm")
        place.compile("openmpi", HERE + "/mixed.c", "mixed")
        farm = place.record("farm.hbdb", "openmpi", 4, ["./farm"])
        mixed = place.record("mixed.hbdb", "openmpi", 3, ["./mixed"])
        made = place.generate("made.hbdb", "random", 7, 6000)
        large = place.generate("large.hbdb", "farm", 40, 3000)
        for label, binary in viewer.binaries():
            parts = {
                "answers": lambda: [answers.all_of(label + " " + name, place, path, binary, n)
                                    for name, path, n in (("farm", farm, 40), ("mixed", mixed, 1000), ("random", made, 60))],
                "totals": lambda: [totals.all_of(label + " " + name, place, path, binary, kinds)
                                   for name, path, kinds in (("farm", farm, 2), ("mixed", mixed, 1), ("random", made, 1), ("large farm", large, 2))],
                "attacks": lambda: attacks.all_of(label, place, farm, binary),
                "usage": lambda: odd.usage(label, place, farm, binary),
                "order": lambda: odd.level_order(label, place, binary),
                "cut": lambda: odd.cut(label, place, place.record("c%s.hbdb" % label, "openmpi", 4, ["./farm"]), binary),
                "remarks": lambda: odd.remarks(label, place, binary),
                "names": lambda: odd.strange_names(label, place, binary),
                "pages": lambda: odd.pages(label, place, farm, binary),
                "ends": lambda: odd.ends(label, place, farm, binary),
                "replay": lambda: label == "plain" and replay.all_of(label, place, farm, binary),
                "programs": lambda: replay.programs(label, place, binary),
                "foreign": lambda: label == "plain" and replay.foreign(label, place, farm, binary),
                "manifest": lambda: replay.without_command(label, place, farm, binary),
            }
            for name, part in parts.items():
                if not only or name in only:
                    part()
    viewer.finish()


main()
