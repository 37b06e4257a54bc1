#!/bin/sh
# Builds the applications that no package holds as a program, into build/apps. Quick when done before.
# An application that cannot be built leaves NAME.why there, and the tests report it as skipped.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../build/apps}
mkdir -p "$out" && out=$(cd "$out" && pwd)

fail() { # NAME REASON
    echo "$2" >"$out/$1.why"
    echo "$1: $2" >&2
}

build_petsc_ex2() {
    [ -x "$out/petsc-ex2" ] && return
    # one version of PETSc stands in each release
    source=$(ls /usr/share/petsc/*/share/petsc/examples/src/ksp/ksp/tutorials/ex2.c 2>/dev/null | tail -n 1)
    tree=$(ls -d /usr/lib/petscdir/petsc*/*-real 2>/dev/null | tail -n 1)
    [ -r "$source" ] || { fail petsc-ex2 "package libpetsc*-dev-examples is missing"; return; }
    [ -d "$tree" ] || { fail petsc-ex2 "package petsc-dev is missing"; return; }
    mpicc.openmpi -g -O1 "$source" -o "$out/petsc-ex2" "-I$tree/include" "-I${source%%/share/petsc/examples/*}/include" \
        "-L$tree/lib" -lpetsc_real >"$out/petsc-ex2.log" 2>&1 || fail petsc-ex2 "does not compile, see petsc-ex2.log"
}

# The source of a package, with a list of source packages of its own made from the machine's list.
fetch_source() { # PACKAGE FOLDER
    lists="$out/lists"
    mkdir -p "$lists/partial" "$2"
    cat /etc/apt/sources.list.d/debian.sources 2>/dev/null | sed 's/^Types:.*/Types: deb-src/' >"$out/here.sources"
    [ -s "$out/here.sources" ] || return 1
    set -- "$1" "$2" -o Dir::Etc::sourcelist="$out/here.sources" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$lists"
    package=$1 folder=$2
    shift 2
    apt-get "$@" update >"$lists/log" 2>&1
    # The upstream archive is enough: a mirror may lack the packaging part.
    (cd "$folder" && apt-get "$@" source --download-only "$package" >>"$lists/log" 2>&1)
    ls "$folder"/*.orig.tar.* >/dev/null 2>&1
}

write_hpcc_make() { # FILE
    cat >"$1" <<'MAKE'
SHELL=/bin/sh
CD=cd
CP=cp
LN_S=ln -s
MKDIR=mkdir
RM=/bin/rm -f
TOUCH=touch
ARCH=hbdb
TOPdir=../../..
INCdir=$(TOPdir)/include
BINdir=$(TOPdir)/bin/$(ARCH)
LIBdir=$(TOPdir)/lib/$(ARCH)
HPLlib=$(LIBdir)/libhpl.a
LAlib=-lblas
F2CDEFS=-DAdd_ -DF77_INTEGER=int -DStringSunStyle
HPL_INCLUDES=-I$(INCdir) -I$(INCdir)/$(ARCH)
HPL_LIBS=$(HPLlib) $(LAlib) -lm
HPL_DEFS=$(F2CDEFS) $(HPL_INCLUDES)
CC=mpicc.mpich
CCNOOPT=$(HPL_DEFS)
CCFLAGS=$(HPL_DEFS) -g -O1 -w
LINKER=$(CC)
ARCHIVER=ar
ARFLAGS=r
RANLIB=echo
MAKE
}

build_hpcc_mpich() {
    [ -x "$out/hpcc-mpich" ] && return
    command -v mpicc.mpich >/dev/null || { fail hpcc-mpich "package libmpich-dev is missing"; return; }
    fetch_source hpcc "$out/hpcc-source" || { fail hpcc-mpich "its source package cannot be had here"; return; }
    (cd "$out/hpcc-source" && tar xf hpcc_*.orig.tar.*) || { fail hpcc-mpich "its source does not unpack"; return; }
    tree=$(ls -d "$out"/hpcc-source/hpcc-*/ | head -n 1)
    write_hpcc_make "$tree/hpl/Make.hbdb"
    make -C "$tree" -j2 arch=hbdb >"$out/hpcc-mpich.log" 2>&1 && cp "$tree/hpcc" "$out/hpcc-mpich" ||
        fail hpcc-mpich "does not build, see hpcc-mpich.log"
}

build_fixed_time() {
    [ "$out/fixed-time.so" -nt "$here/fixed_time.c" ] && return
    cc -O1 -Wall -shared -fPIC "$here/fixed_time.c" -o "$out/fixed-time.so" || fail fixed-time.so "does not compile"
}

rm -f "$out"/*.why
build_fixed_time
build_petsc_ex2
build_hpcc_mpich
