#!/bin/bash
# A linear model of eight columns against what people have: PyTorch and scikit-learn over
# rows that COPY brings them, and sums in plain SQL.  Ten epochs of steps of 512 rows, by
# rows and from sums (gram), and the exact solution.
#
# Of osml and of each peer two figures: reading, to rows in memory, and training.
ROWS=${ROWS:-1048576}
REPS=${REPS:-3}
PYTHON=${PYTHON:-/usr/bin/python3}
epochs=10
batch=512

"$PYTHON" -c 'import torch, sklearn, pandas' 2>/dev/null || {
	echo "\\echo needs PyTorch, scikit-learn and pandas: apt-get install python3-torch python3-sklearn python3-pandas"
	echo "\\quit"
	exit
}
# shellcheck source=bench/lib/compare.sh
. "$(dirname "$0")/lib/compare.sh"

nine_columns
cat <<'EOT'
SET max_parallel_workers_per_gather = 0;
SET jit = off;
CREATE TABLE measurement (what text, repetition int, reading float8, training float8);
-- seconds of a run's steps: what is logged at the first of them includes the shuffle
CREATE FUNCTION step_seconds(run bigint) RETURNS float8 LANGUAGE sql AS $$
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) * max(step)
	FROM osml.metrics WHERE run_id = run AND name = 'step_seconds'
$$;
-- columns that are not each other's sum
CREATE TABLE rows AS SELECT 3 * a - b + sin(i) AS y, a, b, c, d, e, f, g, h FROM (
	SELECT i, ((hashint8(i * 8) & 1048575) / 1048576.0)::float8 AS a, ((hashint8(i * 8 + 1) & 1048575) / 1048576.0)::float8 AS b,
		((hashint8(i * 8 + 2) & 1048575) / 1048576.0)::float8 AS c, ((hashint8(i * 8 + 3) & 1048575) / 1048576.0)::float8 AS d,
		((hashint8(i * 8 + 4) & 1048575) / 1048576.0)::float8 AS e, ((hashint8(i * 8 + 5) & 1048575) / 1048576.0)::float8 AS f,
		((hashint8(i * 8 + 6) & 1048575) / 1048576.0)::float8 AS g, ((hashint8(i * 8 + 7) & 1048575) / 1048576.0)::float8 AS h
EOT
echo "	FROM generate_series(1::bigint, $ROWS) i) r;"
echo 'VACUUM (FREEZE, ANALYZE) rows;'

# a run: its whole time is reading but for its steps; of the exact one all is reading
osml() # what hparams
{
	cat <<-EOT
	SELECT clock_timestamp() AS started \\gset
	SELECT osml_train('rows', '{"optimizer": "AdamW", "lr": 0.03, "batch_size": $batch, "max_epochs": $epochs, $2}', '$1') AS run \\gset
	INSERT INTO measurement SELECT '$1', $rep, whole - coalesce(steps, 0), coalesce(steps, 0)
		FROM (SELECT extract(epoch FROM clock_timestamp() - :'started') AS whole, step_seconds(:run) AS steps) s;
	EOT
}

peer() # what
{
	cat <<-EOT
	\\set seconds \`$PYTHON bench/lib/linear_peer.py $1 linear rows $epochs $batch\`
	INSERT INTO measurement SELECT '$1', $rep, s[1]::float8, s[2]::float8 FROM string_to_array(:'seconds', ' ') s;
	EOT
}

# what the normal equations need, as an SQL query
sums='count(*)'
all=(y a b c d e f g h)
for ((i = 0; i < 9; i++)); do
	sums="$sums, sum(${all[i]})"
	for ((j = i; j < 9; j++)); do sums="$sums, sum(${all[i]} * ${all[j]})"; done
done

# The first round warms caches and is thrown away.
for ((rep = 0; rep <= REPS; rep++)); do
	osml steps '"gram": "off"'
	osml gram '"gram": "on"'
	peer torch
	peer sklearn
	osml exact '"optimizer": "exact"' | sed 's/"optimizer": "AdamW", "lr": 0.03, "batch_size": [0-9]*, "max_epochs": [0-9]*, //'
	peer lstsq
	cat <<-EOT
	SELECT clock_timestamp() AS started \\gset
	SELECT $sums FROM rows \\g /dev/null
	INSERT INTO measurement SELECT 'sql', $rep, extract(epoch FROM clock_timestamp() - :'started'), 0;
	EOT
done

cat <<'EOT'
DELETE FROM measurement WHERE repetition = 0;
CREATE VIEW median AS
	SELECT what, percentile_cont(0.5) WITHIN GROUP (ORDER BY reading) AS reading,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY training) AS training,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY reading + training) AS whole
	FROM measurement GROUP BY what;
-- beside the run of osml that does the same
CREATE VIEW result AS
	SELECT json_object_agg(what, json_build_object('reading_seconds', reading, 'training_seconds', training,
		'whole_seconds', whole, 'whole_ratio', whole / (SELECT o.whole FROM median o
			WHERE o.what = CASE WHEN m.what IN ('exact', 'lstsq', 'sql') THEN 'exact' ELSE 'steps' END))) AS linear
	FROM median m;
SELECT run, round(reading::numeric, 3) AS "reading s", round(training::numeric, 3) AS "training s",
	round(whole::numeric, 3) AS "whole s", round((whole / (SELECT o.whole FROM median o WHERE o.what = v.beside))::numeric, 2) AS ratio
FROM median JOIN (VALUES (1, 'steps', 'steps', 'osml, AdamW, 10 epochs of steps of 512 rows'),
	(2, 'gram', 'steps', 'osml, the same steps from sums'),
	(3, 'torch', 'steps', 'PyTorch, the same'),
	(4, 'sklearn', 'steps', 'scikit-learn, SGDRegressor, 10 epochs'),
	(5, 'exact', 'exact', 'osml, exact'),
	(6, 'lstsq', 'exact', 'scikit-learn, LinearRegression'),
	(7, 'sql', 'exact', 'the sums of the normal equations in SQL')) v(place, what, beside, run) USING (what)
ORDER BY place;
EOT
