#!/bin/sh
# Runs a command as if on another machine whose clock is half a second behind (other_host.c).
LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$PWD/other_host.so" exec "$@"
