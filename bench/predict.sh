#!/bin/bash
# What a prediction costs in a scan: a linear model of eight columns against the same
# arithmetic as an SQL expression over the same rows, one process and parallel plans, and
# against osml_predict_batch(); and the first prediction of a session.
ROWS=${ROWS:-2000000}
# shellcheck source=bench/lib/compare.sh
. "$(dirname "$0")/lib/compare.sh"

columns='a b c d e f g h'
expression='0.25'
n=0
for c in $columns; do
	n=$((n + 1))
	expression="$expression + 0.$n * $c"
done
values=${columns// /, }

nine_columns
cat <<'EOT'
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SELECT osml_train('t', '{"max_batches": 10}') AS ignored \gset
EOT
# in one process, and with two workers beside it
alone='SET max_parallel_workers_per_gather = 0;'
beside='SET max_parallel_workers_per_gather = 2;'
sum="SELECT sum($expression) AS ignored FROM t"
row="SELECT sum(osml_predict('t', t)) AS ignored FROM t"

compare expression "$alone $sum" row "$row" \
	"values" "SELECT sum(osml_predict('t', $values)) AS ignored FROM t" \
	batch "SELECT sum(prediction) AS ignored FROM osml_predict_batch('t', 't')" \
	parallel_expression "$beside $sum" parallel_row "$row"

# the first of a session, which loads the library and the model
echo 'CREATE TABLE first_call (seconds float8);'
for ((i = 0; i < 20; i++)); do
	cat <<-'EOT'
	\connect -
	SELECT clock_timestamp() AS started \gset
	SELECT osml_predict('t', 1, 2, 3, 4, 5, 6, 7, 8) AS ignored \gset
	INSERT INTO first_call SELECT extract(epoch FROM clock_timestamp() - :'started');
	EOT
done

cat <<'EOT'
CREATE VIEW result AS
SELECT rows, 8 AS columns, repetitions, expression_seconds, row_seconds, values_seconds, batch_seconds,
	parallel_expression_seconds, parallel_row_seconds,
	row_seconds / expression_seconds AS row_ratio,
	values_seconds / expression_seconds AS values_ratio,
	batch_seconds / expression_seconds AS batch_ratio,
	parallel_row_seconds / parallel_expression_seconds AS parallel_row_ratio,
	(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FROM first_call) AS first_call_seconds,
	seconds
FROM median;

SELECT what, round(s::numeric, 4) AS "median s", round((s / beside)::numeric, 3) AS ratio
FROM result, LATERAL (VALUES ('the arithmetic as an expression', expression_seconds, expression_seconds),
	('osml_predict of the row', row_seconds, expression_seconds),
	('osml_predict of the values', values_seconds, expression_seconds),
	('osml_predict_batch', batch_seconds, expression_seconds),
	('the expression, two parallel workers', parallel_expression_seconds, parallel_expression_seconds),
	('osml_predict of the row, two parallel workers', parallel_row_seconds, parallel_expression_seconds),
	('the first call of a session', first_call_seconds, NULL)) AS v(what, s, beside);
EOT
