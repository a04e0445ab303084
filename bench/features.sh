#!/bin/bash
# What features cost: a pass over a table that only reads nine columns, against
# the same pass with eight of them binned and the bins crossed: in pairs, of widths
# that are given, of widths or quantiles that a pass before learns, and all eight in
# one, whose cells are hashed to a quarter of a million buckets.
#
# One streamed epoch each, in one session, in turn; all but the first train on the
# crosses alone.  Reading is one process, making features and taking steps
# another.
ROWS=${ROWS:-2000000}
# shellcheck source=bench/lib/compare.sh
. "$(dirname "$0")/lib/compare.sh"

hparams='"optimizer": "SGD", "lr": 1e-9, "scale": "none", "shuffle": "none",
	"max_epochs": 1, "batch_size": 1024'

run() # dataset [features]
{
	echo "SELECT osml_train('$1', '{$hparams${2:+, \"features\": $2}}', '$1') AS ignored"
}
pairs='["ab", "cd", "ef", "gh"]'

nine_columns
cat <<'EOT'
SELECT osml_create_dataset('plain', 't'), osml_create_dataset('given', 't'),
	osml_create_dataset('widths', 't'), osml_create_dataset('quantiles', 't'),
	osml_create_dataset('one', 't') \gset
SELECT osml_bin('given', c, 20, lo => -1, hi => 2), osml_bin('one', c, 20, lo => -1, hi => 2),
	osml_bin('widths', c, 20), osml_bin('quantiles', c, 20, method => 'quantile')
	FROM unnest('{a,b,c,d,e,f,g,h}'::text[]) AS c \g /dev/null
SELECT osml_cross(d, l || r, ARRAY[l || '_bin', r || '_bin'])
	FROM unnest('{given,widths,quantiles}'::text[]) AS d,
		(VALUES ('a', 'b'), ('c', 'd'), ('e', 'f'), ('g', 'h')) AS p(l, r) \g /dev/null
SELECT osml_cross('one', 'cell', array_agg(c || '_bin'))
	FROM unnest('{a,b,c,d,e,f,g,h}'::text[]) AS c \g /dev/null
EOT
compare plain "$(run plain)" given "$(run given "$pairs")" widths "$(run widths "$pairs")" \
	quantiles "$(run quantiles "$pairs")" one "$(run one '["cell"]')"

cat <<'EOT'
CREATE VIEW result AS
SELECT rows, repetitions, plain_seconds, given_seconds, widths_seconds, quantiles_seconds,
	one_seconds, given_seconds / plain_seconds AS given_ratio,
	widths_seconds / plain_seconds AS widths_ratio,
	quantiles_seconds / plain_seconds AS quantiles_ratio,
	one_seconds / plain_seconds AS one_ratio, seconds
FROM median;

SELECT pass, round(s::numeric, 3) AS "median s", round((s / plain_seconds)::numeric, 3) AS ratio
FROM result, LATERAL (VALUES ('nine columns as they are', plain_seconds),
	('eight of them binned, bins crossed in pairs', given_seconds),
	('the same, of widths that are learned', widths_seconds),
	('the same, of quantiles', quantiles_seconds),
	('bins of all eight in one cross', one_seconds)) AS v(pass, s);
EOT
