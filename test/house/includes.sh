#!/bin/bash
# Includes point one way, and every header stands alone.
. "$(dirname "$0")/engine"

# What each room may include besides itself; src/osml.c may include any room,
# and all but pure rooms the headers in src/ itself.  compute carries the types
# that pure rooms share, such as the status codes.
bottom='storage csv features rules compute'
declare -A may=(
	[api]="train source model collective catalog hparams fdw $bottom"
	[train]="source model collective catalog hparams $bottom"
	[source]="$bottom"
	[collective]="$bottom"
	[fdw]="source storage csv compute"
	[storage]="compute"
	[catalog]="hparams source features compute"
	[hparams]="source model collective rules compute"
	[model]="csv features rules compute"
	[csv]="compute"
	[features]="compute"
	[rules]="compute"
	[compute]="rules"
)

# "file included" of each include, quoted or in angles; names that are no file
# of ours are the server's, whose folders happen to be called catalog and
# storage too, or the system's.
edges()
{
	code '^\s*#\s*include\s*["<]' | grep '^src/' |
		sed -nE 's/^([^:]+):[0-9]+:[^"<]*["<]([^">]+)[">].*/\1 \2/p' |
		while read -r file name; do
			if [ -e "$(dirname "$file")/$name" ]; then
				echo "$file $(realpath --relative-to=. "$(dirname "$file")/$name")"
			elif [ -e "src/$name" ]; then
				echo "$file $(realpath --relative-to=. "src/$name")"
			else
				echo "$file -$name"
			fi
		done
}
all=$(edges)

room() { [[ $1 =~ ^src/([^/]+)/ ]] && echo "${BASH_REMATCH[1]}"; }

while read -r file name; do
	from=$(room "$file") to=$(room "$name")
	if [ -z "$from" ] || [[ $name == -* ]] || [ "$from" = "$to" ]; then
		continue
	elif [ -z "$to" ]; then
		[[ ! $file =~ $PURE ]] || echo "$file includes $name"
	elif [[ " ${may[$from]-} " != *" $to "* ]]; then
		echo "$file includes $name: $from may include ${may[$from]:-no room}"
	fi
done <<<"$all" | check "includes point one way"

# blas.c is a module of its own and so needs the server's magic block.
# Headers of the C library are found in its own folders, with no -I at all.
system_header() { gcc -E -x c - <<<"#include <$1>" >/dev/null 2>&1; }
grep -E "$PURE" <<<"$all" | grep ' -' | grep -v '^src/compute/blas\.c ' |
	while read -r file name; do
		system_header "${name#-}" || echo "$file includes ${name#-}"
	done |
	check "pure rooms include nothing of the server's"

grep -v ' -' <<<"$all" | tsort 2>&1 >/dev/null | check "no include cycles"

# Our folders are searched first, so a name in common would hide the server's
# header from the server's other headers.
pgsrc=$("${PG_CONFIG:-pg_config}" --includedir-server 2>/dev/null)
if [ -f "$pgsrc/postgres.h" ]; then
	sources | sed -n 's,^src/\(.*\.h\)$,\1,p' | while read -r h; do
		[ ! -e "$pgsrc/$h" ] || echo "src/$h hides $pgsrc/$h"
	done | check "no header hides one of the server's"
else
	skip "no header hides one of the server's" "no server headers"
fi

# A list.h is included under the includer's macros and cannot stand alone.
alone() # header
{
	local flags=(-std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter)
	flags+=(-D_GNU_SOURCE -Isrc -x c -fsyntax-only -)
	if [[ ! $1 =~ $PURE ]]; then
		flags=(-isystem "$pgsrc" -include postgres.h "${flags[@]}")
	fi
	gcc "${flags[@]}" <<<"#include \"${1#src/}\"" 2>&1
}
export -f alone
export PURE pgsrc
# shellcheck disable=SC2016
sources | grep '^src/.*\.h$' | grep -v '/list\.h$' |
	xargs -r -n1 -P2 bash -c 'alone "$1"' - | check "every header compiles alone"

finish
