#!/bin/bash
# What features cost: a pass over a table that only reads nine columns, against
# the same pass with eight of them binned, and the bins crossed in pairs.
#
# One streamed epoch each, in one session, in turn; the second trains on the
# crosses alone.  Reading is one process, making features and taking steps
# another.  ROWS and REPS as in read_epoch.sh.
ROWS=${ROWS:-2000000}
REPS=${REPS:-5}

hparams='"optimizer": "SGD", "lr": 1e-9, "scale": "none", "shuffle": "none",
	"max_epochs": 1, "batch_size": 1024'
plain="SELECT osml_train('plain', '{$hparams}', 'plain') AS ignored"
made="SELECT osml_train('made', '{$hparams, \"features\": [\"ab\", \"cd\", \"ef\", \"gh\"]}',
	'made') AS ignored"

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
CREATE EXTENSION osml;
CREATE TABLE t AS
	SELECT x AS y, x + 1 AS a, x * 2 AS b, 1 - x AS c, x * x AS d, x - 0.5 AS e,
		x / 3 AS f, -x AS g, x * 0.25 AS h
	FROM generate_series(1, $ROWS) AS i,
		LATERAL (SELECT (hashint4(i) & 1048575) / 1048576::float8 AS x
			OFFSET 0) AS u;
VACUUM (FREEZE, ANALYZE) t;
SELECT osml_create_dataset('plain', 't'), osml_create_dataset('made', 't') \gset
SELECT osml_bin('made', c, 20, lo => -1, hi => 2)
	FROM unnest('{a,b,c,d,e,f,g,h}'::text[]) AS c \g /dev/null
SELECT osml_cross('made', l || r, ARRAY[l || '_bin', r || '_bin'])
	FROM (VALUES ('a', 'b'), ('c', 'd'), ('e', 'f'), ('g', 'h')) AS p(l, r) \g /dev/null
CREATE TABLE measurement (what text, repetition int, seconds float8);
EOF

# The first round warms caches and is thrown away.
for ((rep = 0; rep <= REPS; rep++)); do
	measure plain $rep "$plain"
	measure made $rep "$made"
done

cat <<EOF
DELETE FROM measurement WHERE repetition = 0;

CREATE VIEW result AS
WITH median AS (
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)
			FILTER (WHERE what = 'plain') AS plain_seconds,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)
			FILTER (WHERE what = 'made') AS made_seconds
	FROM measurement
)
SELECT $ROWS AS rows, $REPS AS repetitions, plain_seconds, made_seconds,
	round((made_seconds / plain_seconds)::numeric, 3) AS ratio,
	(SELECT json_object_agg(what, seconds) FROM (
		SELECT what, array_agg(seconds ORDER BY repetition) AS seconds
		FROM measurement GROUP BY what) AS m) AS seconds
FROM median;

SELECT 'nine columns as they are' AS pass,
	round(plain_seconds::numeric, 3) AS "median s", 1.000 AS ratio FROM result
UNION ALL
SELECT 'eight of them binned, bins crossed in pairs',
	round(made_seconds::numeric, 3), ratio FROM result;
EOF
