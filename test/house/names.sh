#!/bin/bash
# Which room may say what.  src/README.md has the map of the rooms.
. "$(dirname "$0")/engine"

forbid "PG_VERSION_NUM only in compat.h" '\bPG_VERSION_NUM\b' 'src/compat\.h:'
forbid "SQL-callable functions only in api and fdw" \
	'\bPG_FUNCTION_(ARGS|INFO_V1)\b' 'src/(api|fdw)/'
forbid "background workers only in train" \
	'\bRegister(Dynamic)?BackgroundWorker\b' 'src/train/'
forbid "libcurl only in storage" '\b(curl_\w+|CURL\w*)\b|<curl/' 'src/storage/'
forbid "libcrypto only in storage" '<openssl/' 'src/storage/'
forbid "BLAS and LAPACK only in compute/blas.c" \
	'\b(cblas_|LAPACKE_|openblas_)\w+|\b[sd](ge|po|sy|tr|or)[a-z0-9]{2,4}_\b|<cblas|<lapacke' \
	'src/compute/blas\.c:'
forbid "CUDA only in cuda" '\b(cuda[A-Z]\w+|cublas\w+)\b|<cuda' 'cuda/'

# The private tables, and statements on views: what a hint tells a person to
# look at (osml.events) is neither.
tables=$(sed -nE 's/^CREATE TABLE (IF NOT EXISTS )?osml\.([a-z_]+).*/\2/ip' \
	osml--1.0.sql 2>/dev/null | paste -sd'|')
forbid "SQL on schema osml only in catalog" \
	"(?i)\"[^\"]*(\\bosml\\.(${tables:-run})\\b|\\b(from|join|into|update|table)\\s+osml\\.)" \
	'src/catalog/'

finish
