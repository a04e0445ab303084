# What benchmarks of the same rows share: the table, and two statements in turn.
#
# To be sourced; prints psql.  ROWS and REPS change the size and the number of
# repetitions.
REPS=${REPS:-5}

# A table t of nine columns of float8, made by arithmetic.
nine_columns()
{
	cat <<-EOF
	SET client_min_messages = warning;
	CREATE EXTENSION osml;
	CREATE TABLE t AS
		SELECT x AS y, x + 1 AS a, x * 2 AS b, 1 - x AS c, x * x AS d, x - 0.5 AS e,
			x / 3 AS f, -x AS g, x * 0.25 AS h
		FROM generate_series(1, $ROWS) AS i,
			LATERAL (SELECT (hashint4(i) & 1048575) / 1048576::float8 AS x
				OFFSET 0) AS u;
	VACUUM (FREEZE, ANALYZE) t;
	EOF
}

# Time one statement, which must yield one row with the column "ignored".
measure() # what repetition statement
{
	cat <<-EOF
	SELECT clock_timestamp() AS started \gset
	$3 \gset
	INSERT INTO measurement SELECT '$1', $2,
		extract(epoch FROM clock_timestamp() - :'started');
	EOF
}

# Time statements in turn, given as WHAT STATEMENT pairs.  Leaves a view "median" of
# one row: rows, repetitions, WHAT_seconds of each, and all measurements as JSON.
compare() # what statement...
{
	local i rep
	local pairs=("$@")

	echo "CREATE TABLE measurement (what text, repetition int, seconds float8);"
	# The first round warms caches and is thrown away.
	for ((rep = 0; rep <= REPS; rep++)); do
		for ((i = 0; i < ${#pairs[@]}; i += 2)); do
			measure "${pairs[i]}" $rep "${pairs[i + 1]}"
		done
	done
	cat <<-EOF
	DELETE FROM measurement WHERE repetition = 0;
	CREATE VIEW median AS
		SELECT $ROWS AS rows, $REPS AS repetitions,
	EOF
	for ((i = 0; i < ${#pairs[@]}; i += 2)); do
		cat <<-EOF
			percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)
				FILTER (WHERE what = '${pairs[i]}') AS ${pairs[i]}_seconds,
		EOF
	done
	cat <<-EOF
			(SELECT json_object_agg(what, seconds) FROM (
				SELECT what, array_agg(seconds ORDER BY repetition) AS seconds
				FROM measurement GROUP BY what) AS m) AS seconds
		FROM measurement;
	EOF
}
