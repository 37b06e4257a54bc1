#!/usr/bin/python3
"""Runs a command that may not call ptrace, nor what it starts: EPERM, as filters of containers answer."""
import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
PTRACE, EPERM = 101, 1  # amd64
# load the number of the call; is it ptrace? then answer EPERM; else allow
CODE = [(0x20, 0, 0, 0), (0x15, 0, 1, PTRACE), (0x06, 0, 0, 0x00050000 | EPERM), (0x06, 0, 0, 0x7FFF0000)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in CODE))
program = Program(len(CODE), ctypes.addressof(code))
libc = ctypes.CDLL(None)
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0):
    sys.exit("the filter could not be set")
os.execvp(sys.argv[1], sys.argv[1:])
