#!/usr/bin/python3
"""schema.sql as a text of C: embed.py schema.sql OUTPUT"""
import json
import sys

with open(sys.argv[1], encoding="ascii") as f:
    lines = f.read().splitlines()
with open(sys.argv[2], "w", encoding="ascii") as f:
    f.write("extern const char hb__complex_schema[];\nconst char hb__complex_schema[] =\n")
    f.writelines("\t%s\n" % json.dumps(line + "\n") for line in lines)
    f.write("\t;\n")
