#!/bin/sh
# Builds the programs of both boards, left.elf and right.elf, into a folder: build.sh FOLDER [-DROUNDS=N] [-DBURST=N]
set -e
HERE=$(dirname "$0") TO=$1
shift
board()
{
	arm-linux-gnueabihf-gcc -g -Wall -Wextra -Wno-unused-function -ffreestanding -nostdlib -static -marm -march=armv7-a \
		-mgeneral-regs-only -mfloat-abi=soft -fno-pic -no-pie -fno-stack-protector \
		-Wl,--build-id=none -Wl,--no-warn-rwx-segments -Wl,-T,"$HERE/board.ld" "$@" "$HERE/pingpong.c"
}
board -DLEFT "$@" -o "$TO/left.elf"
board "$@" -o "$TO/right.elf"
