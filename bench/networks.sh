#!/bin/bash
# Networks and classes against PyTorch: the same rows, batches, optimizer, epochs,
# float32, THREADS threads.
#
# Two figures of each: the step loops alone, over rows that lie shuffled in memory, and
# the whole from the table to the trained network, reading, standardising and shuffling
# included.
REPS=${REPS:-3}
PYTHON=${PYTHON:-/usr/bin/python3}
THREADS=${THREADS:-1}
# a tenth of the rows is enough to look at how it works
SCALE=${SCALE:-1}

# name rows columns hidden outputs epochs
cases=(
	"small $((262144 / SCALE)) 9 3,5,8 1 4"
	"large $((65536 / SCALE)) 9 512,512 1 1"
	"classes $((1000000 / SCALE)) 100 - 10 1"
)
batch=512

"$PYTHON" -c 'import torch' 2>/dev/null || {
	echo "\\echo needs PyTorch: apt-get install python3-torch"
	echo "\\quit"
	exit
}

cat <<'EOT'
SET client_min_messages = warning;
SET osml.max_memory = '4GB';
CREATE EXTENSION osml;
CREATE TABLE measurement (name text, what text, repetition int, loop float8, whole float8);
-- seconds of a run's steps: what is logged at the first of them includes the shuffle
CREATE FUNCTION loop_seconds(run bigint) RETURNS float8 LANGUAGE sql AS $$
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) * max(step)
	FROM osml.metrics WHERE run_id = run AND name = 'step_seconds'
$$;
EOT
echo "SET osml.threads = $THREADS;"
for case in "${cases[@]}"; do
	read -r name rows columns hidden outputs epochs <<<"$case"
	hidden=${hidden#-}
	# an integer label that is a function of the columns, with some noise
	cat <<-EOT
	SELECT 'CREATE TABLE "$name" AS SELECT '
		|| CASE $outputs WHEN 1 THEN '(100 * (x1 + x2 * x3) + 10 * random())::int'
			ELSE 'floor($outputs * (x1 + x2) / 2.0000001)::int' END
		|| ' AS y, ' || string_agg('x' || c, ', ' ORDER BY c)
		|| ' FROM (SELECT ' || string_agg('(hashint8(i * $columns + ' || c
			|| ') & 1048575) / 1048576::float8 AS x' || c, ', ' ORDER BY c)
		|| ' FROM generate_series(1::bigint, $rows) i) r'
	FROM generate_series(1, $columns) c \\gexec
	EOT
	if [ "$outputs" = 1 ]; then kind='"model_type": "mlp", '; else kind='"model_type": "softmax", '; fi
	[ -z "$hidden" ] || kind+="\"num_hidden_neurons\": [$hidden], "
	for ((rep = 0; rep <= REPS; rep++)); do
		cat <<-EOT
		SELECT clock_timestamp() AS started \\gset
		SELECT osml_train('"$name"', '{$kind"optimizer": "AdamW", "lr": 0.001, "precision": "float32",
			"batch_size": $batch, "max_epochs": $epochs}', '$name') AS run \\gset
		INSERT INTO measurement SELECT '$name', 'osml', $rep, loop_seconds(:run),
			extract(epoch FROM clock_timestamp() - :'started');
		\\set torch \`THREADS=$THREADS $PYTHON bench/lib/torch_peer.py "networks" "$name" $columns "$hidden" $outputs $batch $epochs\`
		INSERT INTO measurement SELECT '$name', 'torch', $rep, s[1]::float8, s[2]::float8
			FROM string_to_array(:'torch', ' ') s;
		EOT
	done
	echo "DROP TABLE \"$name\";"
done
cat <<'EOT'
-- the first round warms caches and is thrown away
DELETE FROM measurement WHERE repetition = 0;
CREATE VIEW median AS
	SELECT name, percentile_cont(0.5) WITHIN GROUP (ORDER BY loop) FILTER (WHERE what = 'osml') AS osml_loop,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY loop) FILTER (WHERE what = 'torch') AS torch_loop,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY whole) FILTER (WHERE what = 'osml') AS osml_whole,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY whole) FILTER (WHERE what = 'torch') AS torch_whole,
		json_object_agg(what || ' ' || repetition, json_build_array(loop, whole)) AS seconds
	FROM measurement GROUP BY name;
CREATE VIEW result AS
	SELECT json_object_agg(name, to_jsonb(m) || jsonb_build_object('loop_ratio', round((torch_loop / osml_loop)::numeric, 2),
		'whole_ratio', round((torch_whole / osml_whole)::numeric, 2))) AS networks FROM median m;
EOT
echo "SELECT CASE name"
for case in "${cases[@]}"; do
	read -r name rows columns hidden outputs epochs <<<"$case"
	echo "	WHEN '$name' THEN '$rows rows of $columns columns, hidden [${hidden#-}], $outputs outputs, $epochs epochs'"
done
cat <<EOT
	END AS run, round(osml_loop::numeric, 2) AS "steps s", round(torch_loop::numeric, 2) AS "PyTorch s",
	round((torch_loop / osml_loop)::numeric, 2) AS "ratio", round(osml_whole::numeric, 2) AS "whole s",
	round(torch_whole::numeric, 2) AS "PyTorch s", round((torch_whole / osml_whole)::numeric, 2) AS "ratio"
FROM median ORDER BY name DESC;
EOT
