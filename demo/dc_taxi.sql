-- dc_taxi.sql: taxi trips in Washington, generated.
--
--   psql -v rows=1000000 -v test_rows=100000 -f dc_taxi.sql
--
-- Makes dc_taxi and dc_taxi_test, label first.  Most trips start downtown; a
-- third of them end downtown or east of it, half in the north-west, a sixth at
-- the airport.  The meter counts driven miles, dearer each year; rush hours add
-- waiting time, nights a flat sum.  So a linear model explains a part of it.
--
-- Every row is a function of its index alone (hashes instead of random()), so
-- each run and each machine makes the same rows.  Quality of the random numbers
-- is not needed: 21 bits a number, three numbers a hash.

\if :{?rows}
\else
	\set rows 1000000
\endif
\if :{?test_rows}
\else
	\set test_rows 100000
\endif

-- Rows $1 to $2.  Each OFFSET 0 keeps the planner from merging the layers and
-- so from computing a layer's columns anew at every use.
PREPARE dc_taxi_rows(bigint, bigint) AS
SELECT round(100 * greatest(3.25,
		3.25 + 2.12 * (1 + 0.08 * (year - 2015)) * miles * detour
		+ CASE WHEN hour BETWEEN 7 AND 9 OR hour BETWEEN 16 AND 18
			THEN -1.35 * ln(rush) WHEN hour < 5 THEN 1 ELSE 0 END)) / 100
		AS fareamount,
	origin_block_latitude, origin_block_longitude,
	destination_block_latitude, destination_block_longitude,
	year, month, dow, hour
FROM (
	-- Great-circle distance in miles, after haversine.
	SELECT *, 7917.6 * asin(sqrt(
		power(sind((destination_block_latitude - origin_block_latitude) / 2), 2)
		+ cosd(origin_block_latitude) * cosd(destination_block_latitude)
		* power(sind((destination_block_longitude - origin_block_longitude) / 2),
			2))) AS miles
	FROM (
		-- Normal deviates, after Box and Muller, to places with six digits.
		SELECT year, month, dow, hour, rush,
			1.33 + 0.11 * r3 * cos(a3) AS detour,
			round(1e6 * (38.9000 + 0.0120 * r1 * cos(a1))) / 1e6
				AS origin_block_latitude,
			round(1e6 * (-77.0297 + 0.0140 * r1 * sin(a1))) / 1e6
				AS origin_block_longitude,
			round(1e6 * CASE WHEN place < 0.175
				THEN 38.8510 + 0.0025 * r2 * cos(a2)
				WHEN place < 0.75 THEN 38.9260 + 0.0150 * r2 * cos(a2)
				ELSE 38.8990 + 0.0110 * r2 * cos(a2) END) / 1e6
				AS destination_block_latitude,
			round(1e6 * CASE WHEN place < 0.175
				THEN -77.0380 + 0.0025 * r2 * sin(a2)
				WHEN place < 0.75 THEN -77.0590 + 0.0110 * r2 * sin(a2)
				ELSE -77.0205 + 0.0110 * r2 * sin(a2) END) / 1e6
				AS destination_block_longitude
		FROM (
			-- Each hash makes three uniform numbers in (0, 1].
			SELECT sqrt(-2 * ln(((h1 & 2097151) + 1) / 2097152::float8)) AS r1,
				((h1 >> 21) & 2097151) * (2 * pi() / 2097152) AS a1,
				(((h1 >> 42) & 2097151) + 1) / 2097152::float8 AS place,
				sqrt(-2 * ln(((h2 & 2097151) + 1) / 2097152::float8)) AS r2,
				((h2 >> 21) & 2097151) * (2 * pi() / 2097152) AS a2,
				(((h2 >> 42) & 2097151) + 1) / 2097152::float8 AS rush,
				sqrt(-2 * ln(((h3 & 2097151) + 1) / 2097152::float8)) AS r3,
				((h3 >> 21) & 2097151) * (2 * pi() / 2097152) AS a3,
				(2015 + (h4 & 65535) % 5)::int AS year,
				(1 + ((h4 >> 16) & 65535) % 12)::int AS month,
				(1 + ((h4 >> 32) & 65535) % 7)::int AS dow,
				(((h4 >> 48) & 65535) % 24)::int AS hour
			FROM (
				SELECT hashint8extended(i, 1) AS h1, hashint8extended(i, 2) AS h2,
					hashint8extended(i, 3) AS h3, hashint8extended(i, 4) AS h4
				FROM generate_series($1, $2) AS i
				OFFSET 0
			) AS hashes
			OFFSET 0
		) AS uniforms
		OFFSET 0
	) AS places
	OFFSET 0
) AS trips;

SET client_min_messages = warning;
DROP TABLE IF EXISTS dc_taxi, dc_taxi_test;
RESET client_min_messages;
CREATE TABLE dc_taxi AS EXECUTE dc_taxi_rows(1, :rows);
CREATE TABLE dc_taxi_test AS
	EXECUTE dc_taxi_rows(1000000000001, 1000000000000 + :test_rows);
DEALLOCATE dc_taxi_rows;

VACUUM ANALYZE dc_taxi, dc_taxi_test;
