#!/bin/bash
# Where the time of a run goes: epochs over rows that lie in memory, against what one thread
# reads from memory at all, and the phases of the run beside them.
ROWS=${ROWS:-4000000}
REPS=${REPS:-5}
epochs=10
# shellcheck source=bench/lib/compare.sh
. "$(dirname "$0")/lib/compare.sh"

# psql runs it between the runs, and removes it
program=$(mktemp)
gcc -O3 -march=native -ffast-math "$(dirname "$0")/lib/bandwidth.c" -o "$program"

nine_columns
cat <<EOT
SET osml.max_memory = '4GB';
CREATE TABLE measurement (rows bigint, phases jsonb, waited float8, bandwidth float8);
EOT
for ((rep = 0; rep <= REPS; rep++)); do
	for shuffle in none once epoch; do
		cat <<-EOT
		\\set bandwidth \`$program\`
		SELECT osml_train('t', '{"optimizer": "SGD", "lr": 1e-9, "batch_size": 1024, "gram": "off", "max_epochs": $epochs,
			"shuffle": "$shuffle"}', '$shuffle') AS run \\gset
		INSERT INTO measurement SELECT $ROWS, summary -> 'phase_seconds' || jsonb_build_object('shuffle', '$shuffle', 'repetition', $rep),
			(summary ->> 'waited_for_rows_seconds')::float8, :bandwidth FROM osml.runs WHERE run_id = :run;
		EOT
	done
done
cat <<EOT
DELETE FROM measurement WHERE (phases ->> 'repetition')::int = 0;
-- nanoseconds of a row, and of a row and epoch; a row is nine numbers of eight bytes
CREATE VIEW median AS
	SELECT phases ->> 'shuffle' AS shuffle, percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'loading rows')::float8 * 1e9 / rows) AS loading_ns,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY waited * 1e9 / rows) AS waiting_ns,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY coalesce((phases ->> 'shuffling rows')::float8, 0) * 1e9 / rows) AS shuffling_ns,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'training')::float8 * 1e9 / rows / $epochs) AS step_ns,
		max(bandwidth) AS bandwidth, 72 / max(bandwidth) AS limit_ns
	FROM measurement GROUP BY 1;
CREATE VIEW result AS SELECT json_object_agg(shuffle, to_jsonb(m)) AS epochs FROM median m;
SELECT shuffle, round(loading_ns::numeric, 1) AS "loading, ns/row", round(waiting_ns::numeric, 1) AS "of it waiting", round(shuffling_ns::numeric, 1) AS "shuffling, ns/row",
	round(step_ns::numeric, 2) AS "steps, ns/row/epoch", round(bandwidth::numeric, 1) AS "GB/s of memory", round(limit_ns::numeric, 2) AS "its limit, ns",
	round((step_ns / limit_ns)::numeric, 2) AS ratio
FROM median ORDER BY step_ns;
EOT
echo "\\! rm -f $program"
