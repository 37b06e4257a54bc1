#!/bin/sh
# usage: archive.sh ARCHIVE OBJECT...: one object with the names of the interface alone, so that none of ours meets one of the program's.
set -eu
archive=$1
shift
one=$archive.o
ld -r -o "$one" "$@"
objcopy --localize-hidden "$one"
rm -f "$archive"
ar rcsD "$archive" "$one"
rm -f "$one"
