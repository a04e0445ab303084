#!/bin/bash
# What features cost: a pass over a table that only reads nine columns, against
# the same pass with eight of them binned, and the bins crossed in pairs.
#
# One streamed epoch each, in one session, in turn; the second trains on the
# crosses alone.  Reading is one process, making features and taking steps
# another.
ROWS=${ROWS:-2000000}
# shellcheck source=bench/lib/compare.sh
. "$(dirname "$0")/lib/compare.sh"

hparams='"optimizer": "SGD", "lr": 1e-9, "scale": "none", "shuffle": "none",
	"max_epochs": 1, "batch_size": 1024'
plain="SELECT osml_train('plain', '{$hparams}', 'plain') AS ignored"
made="SELECT osml_train('made', '{$hparams, \"features\": [\"ab\", \"cd\", \"ef\", \"gh\"]}',
	'made') AS ignored"

nine_columns
cat <<'EOT'
SELECT osml_create_dataset('plain', 't'), osml_create_dataset('made', 't') \gset
SELECT osml_bin('made', c, 20, lo => -1, hi => 2)
	FROM unnest('{a,b,c,d,e,f,g,h}'::text[]) AS c \g /dev/null
SELECT osml_cross('made', l || r, ARRAY[l || '_bin', r || '_bin'])
	FROM (VALUES ('a', 'b'), ('c', 'd'), ('e', 'f'), ('g', 'h')) AS p(l, r) \g /dev/null
EOT
compare plain "$plain" made "$made"

cat <<'EOT'
CREATE VIEW result AS
SELECT rows, repetitions, plain_seconds, made_seconds,
	round((made_seconds / plain_seconds)::numeric, 3) AS ratio, seconds
FROM median;

SELECT 'nine columns as they are' AS pass,
	round(plain_seconds::numeric, 3) AS "median s", 1.000 AS ratio FROM result
UNION ALL
SELECT 'eight of them binned, bins crossed in pairs',
	round(made_seconds::numeric, 3), ratio FROM result;
EOT
