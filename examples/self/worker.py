"""A worker that watches its rate of work, and reads its own trace at the end.

    HBDB_SELF_LIBRARY=.../libhbdb-self.so PYTHONPATH=.../lib/self python3 worker.py worker.trace
"""
import sys

import hbdb_self

path = sys.argv[1]
with hbdb_self.Stream(path, name="worker"):
    job = hbdb_self.Event("job")
    size = hbdb_self.value("size", 0, 50)
    size.on(hbdb_self.CALL, lambda name, number: print("%s is %g" % (name, number)))
    for i in range(8):
        job(i * i)
        size.set(i * 10)
    job("the last")

for event in hbdb_self.read(path):
    if event.name in ("job", "size"):
        print(event.name, int.from_bytes(event.data, sys.byteorder) if len(event.data) == 8 and event.data != b"the last" else event.data.decode())
