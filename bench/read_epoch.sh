#!/bin/bash
# One streamed epoch of a linear model against the fastest thing that a single
# process of PostgreSQL does with the same rows: adding their columns up.
#
# The model neither scales nor shuffles, so each row is read once and used once.
# ROWS and REPS change the size and the number of repetitions.
ROWS=${ROWS:-4000000}
REPS=${REPS:-5}

sum='SELECT sum(y + a + b + c + d + e + f + g + h) AS ignored FROM t'
train="SELECT osml_train('t', '{\"optimizer\": \"SGD\", \"lr\": 1e-9,
	\"scale\": \"none\", \"shuffle\": \"none\", \"max_epochs\": 1,
	\"batch_size\": 1024}') AS ignored"

# Time one statement, which must yield one row.
measure() # what repetition statement
{
	cat <<-EOF
	SELECT clock_timestamp() AS started \gset
	$3 \gset
	INSERT INTO measurement SELECT '$1', $2,
		extract(epoch FROM clock_timestamp() - :'started');
	EOF
}

cat <<EOF
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
CREATE EXTENSION osml;
CREATE TABLE t AS
	SELECT x AS y, x + 1 AS a, x * 2 AS b, 1 - x AS c, x * x AS d, x - 0.5 AS e,
		x / 3 AS f, -x AS g, x * 0.25 AS h
	FROM generate_series(1, $ROWS) AS i,
		LATERAL (SELECT (hashint4(i) & 1048575) / 1048576::float8 AS x
			OFFSET 0) AS u;
VACUUM (FREEZE, ANALYZE) t;
CREATE TABLE measurement (what text, repetition int, seconds float8);
EOF

# The first round warms caches and is thrown away.
for ((rep = 0; rep <= REPS; rep++)); do
	measure sum $rep "$sum"
	measure train $rep "$train"
done

cat <<EOF
DELETE FROM measurement WHERE repetition = 0;

CREATE VIEW result AS
WITH median AS (
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)
			FILTER (WHERE what = 'sum') AS sum_seconds,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)
			FILTER (WHERE what = 'train') AS train_seconds
	FROM measurement
)
SELECT $ROWS AS rows, 9 AS columns, $REPS AS repetitions,
	sum_seconds, train_seconds,
	round($ROWS / sum_seconds) AS sum_rows_per_s,
	round($ROWS / train_seconds) AS train_rows_per_s,
	round((sum_seconds / train_seconds)::numeric, 3) AS ratio,
	(SELECT json_object_agg(what, seconds) FROM (
		SELECT what, array_agg(seconds ORDER BY repetition) AS seconds
		FROM measurement GROUP BY what) AS m) AS seconds
FROM median;

SELECT 'SELECT sum(a + b + ...)' AS statement,
	round(sum_seconds::numeric, 3) AS "median s",
	sum_rows_per_s AS "rows/s", 1.000 AS ratio FROM result
UNION ALL
SELECT 'osml_train, one streamed epoch', round(train_seconds::numeric, 3),
	train_rows_per_s, ratio FROM result;
EOF
