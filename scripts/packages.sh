# shellcheck shell=bash
# Sourced by ./dev: what Debian's packages are missing, and how they are installed.

# release: 12 or 13, whichever names of packages hold here.
release()
{
	local id
	id=$(sed -n 's/^VERSION_ID="\?\([0-9]*\).*/\1/p' /etc/os-release 2>/dev/null)
	if [ "$id" = 12 ]; then echo 12; else echo 13; fi
}

# packages_of GROUP...: the names listed for these groups in this release.
packages_of()
{
	awk -v groups=" $* " -v release="$(release)" '
		!/^#/ && NF { split($1, part, ":") }
		!/^#/ && NF && index(groups, " " part[1] " ") && (part[2] == "" || part[2] == release) { print $2 }
	' "$TOP/scripts/packages.txt"
}

# packages_missing GROUP...: those of them that are not installed.
packages_missing()
{
	local wanted installed
	wanted=$(packages_of "$@" | sort -u)
	# dpkg-query fails when it does not know one of the names: that is an answer here.
	# shellcheck disable=SC2086
	installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null |
		awk '$2 == "installed" { print $1 }' | sort -u)
	comm -23 <(echo "$wanted") <(echo "$installed")
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "this needs root, and there is no sudo: run as root: $*"
	fi
}

# need GROUP...: installs what is missing; says nothing when nothing is.
need()
{
	local missing log=$TOP/build/packages.log
	command -v dpkg-query >/dev/null || die "no dpkg here: ./dev installs packages of Debian 12 or 13"
	missing=$(packages_missing "$@")
	[ -n "$missing" ] || return 0
	say "installing $(echo "$missing" | wc -l) packages: ${missing//$'\n'/ }"
	mkdir -p "$TOP/build"
	# shellcheck disable=SC2086
	as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >"$log" 2>&1 </dev/null ||
		say "apt-get update failed (see build/packages.log); trying with the lists that are there"
	# shellcheck disable=SC2086
	if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
		$missing >>"$log" 2>&1 </dev/null; then
		tail -n 15 "$log" >&2
		die "apt-get install failed: the whole log is build/packages.log"
	fi
	missing=$(packages_missing "$@")
	[ -z "$missing" ] || die "still missing after the installation: $missing"
}

# need_node: node and npm. Those that are here may be from elsewhere, and Debian's must not be put over them.
need_node()
{
	command -v node >/dev/null && command -v npm >/dev/null && return 0
	need page
}

# need_page: what making the page needs: nothing where it was made from these very sources before.
need_page()
{
	python3 "$TOP/src/view/page/bundle.py" made || need_node
}
