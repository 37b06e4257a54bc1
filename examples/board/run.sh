#!/bin/sh
# Two boards under qemu for as long as they talk; what they tell is written to boards.txt. After ./build.sh . in this folder.
cd "$(dirname "$0")" || exit 1
START=$(sed -n 's/^start *= *//p' vexpress-a9.platform)
rm -f left.tell right.tell wire

# board NAME WIRE: qemu waits until somebody listens
board()
{
	${START%%\{command\}} "$1.elf" -chardev "socket,id=wire,path=wire,$2" -serial "unix:$1.tell,server=on,wait=on" -serial chardev:wire >"$1.out" 2>&1 &
	QEMUS="$QEMUS $!"
	trap 'kill $QEMUS' EXIT
	until [ -S "$1.tell" ]; do sleep 0.1; done
}

board right server=on,wait=off
board left server=off
printf '%s\n' 'left until end talk' 'left read sent' 'right until end talk' 'right read received' |
	./listen.py boards.txt left=left.tell right=right.tell
