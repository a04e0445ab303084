#!/bin/bash
# Files of at most 1,000 lines, functions of at most 100.
. "$(dirname "$0")/engine"

sources | while read -r f; do
	n=$(wc -l <"$f")
	[ "$n" -le 1000 ] || echo "$f: $n lines"
done | check "no file over 1000 lines"

if ctags --version 2>/dev/null | grep -q Universal; then
	ctags -f - --languages=C,C++ --langmap=C++:+.cu --fields=ne --kinds-C=f \
		--kinds-C++=f -L <(sources) 2>/dev/null | awk -F'\t' '
		{
			line = end = 0
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^line:/) line = substr($i, 6)
				if ($i ~ /^end:/) end = substr($i, 5)
			}
			if (end - line >= 100)
				print $2 ":" line ": " $1 " has " end - line + 1 " lines"
		}' | check "no function over 100 lines"
else
	skip "no function over 100 lines" "needs universal-ctags"
fi

finish
