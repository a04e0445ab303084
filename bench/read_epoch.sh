#!/bin/bash
# One streamed epoch of a linear model against the fastest thing that a single
# process of PostgreSQL does with the same rows: adding their columns up.
#
# The model neither scales nor shuffles, so each row is read once and used once.
ROWS=${ROWS:-4000000}
# shellcheck source=bench/lib/compare.sh
. "$(dirname "$0")/lib/compare.sh"

sum='SELECT sum(y + a + b + c + d + e + f + g + h) AS ignored FROM t'
train="SELECT osml_train('t', '{\"optimizer\": \"SGD\", \"lr\": 1e-9,
	\"scale\": \"none\", \"shuffle\": \"none\", \"max_epochs\": 1,
	\"batch_size\": 1024}') AS ignored"

nine_columns
cat <<'EOT'
SET max_parallel_workers_per_gather = 0;
SET jit = off;
EOT
compare sum "$sum" train "$train"

cat <<'EOT'
CREATE VIEW result AS
SELECT rows, 9 AS columns, repetitions, sum_seconds, train_seconds,
	round(rows / sum_seconds) AS sum_rows_per_s,
	round(rows / train_seconds) AS train_rows_per_s,
	round((sum_seconds / train_seconds)::numeric, 3) AS ratio, seconds
FROM median;

SELECT 'SELECT sum(a + b + ...)' AS statement,
	round(sum_seconds::numeric, 3) AS "median s",
	sum_rows_per_s AS "rows/s", 1.000 AS ratio FROM result
UNION ALL
SELECT 'osml_train, one streamed epoch', round(train_seconds::numeric, 3),
	train_rows_per_s, ratio FROM result;
EOT
