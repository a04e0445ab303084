#!/bin/bash
# Modules share one name space in a backend: what they export is prefixed.
. "$(dirname "$0")/engine"

for so in osml.so osml_blas.so cuda/osml_cuda.so; do
	if [ -f "$so" ]; then
		nm -D --defined-only "$so" | awk '{ print $3 }' |
			grep -vE '^(osml_|Osml|pg_finfo_osml_|_PG_init$|Pg_magic_func$)' |
			check "$so exports only osml's names"
	else
		skip "$so exports only osml's names" "$so is not built"
	fi
done

finish
