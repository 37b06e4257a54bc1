"""Any bytes in a log: every table answers, or says what is wrong, and nothing crashes."""
import glob
import os
import random
import re
import shutil

import lib
from lib import check

QUERIES = (
    "SELECT *, arguments, skipped FROM events", "SELECT rank, event, choice FROM events WHERE event > 20 AND enter > 0.0001",
    "SELECT rank, lamport FROM events", "SELECT clock FROM events LIMIT 5", "SELECT * FROM processes; SELECT * FROM calls; SELECT * FROM remarks",
    "SELECT *, asked_source FROM messages", "SELECT * FROM messages WHERE receiver = 0 AND sender = 1",
    "SELECT * FROM races", "SELECT * FROM all_races", "SELECT * FROM communicators", "SELECT * FROM collectives")


def ask_all(place, name):
    """What went wrong: a signal, a strange status, an error without a word."""
    for query in QUERIES:
        status, out, err = place.run("sql", name, query)
        if status not in (0, 2, 3) or (status and not err) or "runtime error" in err or "Sanitizer" in err:
            yield query, status, err[-1500:]


def spoil(data, draw):
    data = bytearray(data)
    for _ in range(draw.choice((1, 3, 20))):
        data[draw.randrange(len(data))] = draw.randrange(256)
    if draw.random() < 0.2:
        del data[draw.randrange(len(data)):]
    return bytes(data)


def run(place, mpi, rounds):
    """Bytes changed in the sealed logs of a run, and in raw ones; the logs that the readers must read or refuse."""
    draw = random.Random(mpi)
    bad = []
    for i in range(rounds):
        folder = place.path + "/spoilt.hbdb"
        shutil.copytree("%s/%s.hbdb" % (place.path, mpi if i % 2 else "one"), folder)
        for path in draw.sample(sorted(glob.glob(folder + "/rank.*.log")), 1):
            with open(path, "rb") as f:
                data = f.read()
            with open(path, "wb") as f:
                f.write(spoil(data, draw))
        bad += ask_all(place, "spoilt")
        shutil.rmtree(folder)
    check("%s: %d spoilt recordings" % (mpi, rounds), not bad, "\n".join(map(str, bad[:3])))


def golden(place):
    for path in sorted(glob.glob(lib.TOP + "/tests/golden/*.log")):
        name = re.sub(r"\W", "_", os.path.basename(path))
        os.mkdir("%s/%s.hbdb" % (place.path, name))
        shutil.copy(path, "%s/%s.hbdb/rank.0.log" % (place.path, name))
        bad = list(ask_all(place, name))
        check("golden log " + os.path.basename(path), not bad, "\n".join(map(str, bad[:2])))
