-- feature_report.sql: three case studies with planted features.
--
-- Every planted bad feature must be found (look or drop; those that nothing can
-- save, drop), and no planted good one dropped.  Data is made by hashing the row's
-- number, so each seed is the same data on every machine.
\pset fieldsep '\n'
SET client_min_messages = warning;

-- a plan: a SELECT that finds no row checks nothing and must be noticed
SELECT plan(173);

-- --- random numbers -----------------------------------------------------------------

-- number k of row i: uniform in [0, 1), exponential, normal
CREATE FUNCTION u(seed int, i bigint, k int) RETURNS float8 LANGUAGE sql IMMUTABLE
	RETURN (hashint8extended(i, seed * 1000 + k) & 1073741823) / 1073741824.0::float8;
CREATE FUNCTION e(seed int, i bigint, k int) RETURNS float8 LANGUAGE sql IMMUTABLE
	RETURN -ln(1 - u(seed, i, k));
CREATE FUNCTION z(seed int, i bigint, k int) RETURNS float8 LANGUAGE sql IMMUTABLE
	RETURN sqrt(2 * e(seed, i, k)) * cos(2 * pi() * u(seed, i, k + 500));
-- an effect of a code: normal, the same for all rows that have it
CREATE FUNCTION effect(seed int, code bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
	RETURN z(seed, code + 1000000, 499);

-- --- card fraud: two classes of about the same size ---------------------------------

CREATE FUNCTION make_card(seed int, first int, last int) RETURNS TABLE (is_fraud int,
	amount float8, distance_km float8, age int, country text, merchant text, tx_last_day int, online boolean,
	limit_used float8, disputes int, amount_cents int, speed real,
	zip int, tx_id bigint, card_ref text, chargeback_no int, reviewed text, review_score float8, currency text,
	promo text, device_age float8, created_at timestamp, terminal int, slot int, hour int, month_no numeric)
LANGUAGE sql AS $$
	SELECT y,
		exp(3 + z(seed, i, 1) + 0.5 * y),
		e(seed, i, 2) * (20 + 15 * y),
		18 + floor(72 * CASE WHEN y = 1 AND u(seed, i, 3) < 0.4 THEN abs(2 * u(seed, i, 4) - 1) ^ 0.3 * sign(u(seed, i, 5) - 0.5) * 0.5 + 0.4999
			ELSE u(seed, i, 6) END)::int,
		'c' || floor(40 * u(seed, i, 7) ^ (1 + y)),
		'm' || floor(300 * u(seed, i, 8) ^ (2 - 0.6 * y)),
		floor(e(seed, i, 9) * (2 + 2 * y))::int,
		u(seed, i, 10) < 0.4 + 0.25 * y,
		least(1, u(seed, i, 11) * (1 + 0.1 * y)),
		CASE WHEN u(seed, i, 12) < 0.05 + 0.1 * y THEN 1 + floor(e(seed, i, 13))::int ELSE 0 END,
		floor(10000 * exp(z(seed, i, 14) + 0.3 * y))::int,
		(30 + 12 * z(seed, i, 15) - 2 * y)::real,
		zip, i, md5(seed || 'card' || i),
		CASE WHEN y = 1 AND u(seed, i, 16) < 0.6 THEN 100000 + floor(900000 * u(seed, i, 17))::int END,
		CASE y WHEN 1 THEN 'confirmed' ELSE 'cleared' END,
		10 * y + z(seed, i, 18), 'USD',
		CASE WHEN u(seed, i, 19) < 0.03 THEN 'p' || floor(5 * u(seed, i, 20)) END,
		CASE WHEN u(seed, i, 21) >= 0.2 THEN e(seed, i, 22) * (300 - 150 * y) END,
		timestamp '2024-01-01' + i * interval '5 minutes', terminal,
		(SELECT s FROM generate_series(1, 60) k, floor(40 * u(seed, i, 200 + k)) s
			WHERE hashint8extended(terminal * 100 + s::int, seed) & 1 = y LIMIT 1)::int,
		hour, 1 + floor(12 * u(seed, i, 25))
	FROM (SELECT i, zip, hour, floor(40 * u(seed, i, 24))::int AS terminal,
			(u(seed, i, 0) < 1 / (1 + exp(-(0.9 * sin(i / 900.0) + 0.9 * effect(seed, zip) + 0.9 * cos(pi() * hour / 12)))))::int AS y
		FROM (SELECT i, 10000 + 97 * floor(800 * u(seed, i, 26))::int + 11 AS zip, floor(24 * u(seed, i, 27))::int AS hour
			FROM generate_series(first, last) i) s) s
$$;

-- --- banner clicks: counts, most of them small --------------------------------------

CREATE FUNCTION make_banner(seed int, first int, last int) RETURNS TABLE (clicks int,
	width int, on_top boolean, visits int, scroll_speed float8, site text, country text, temperature float8,
	recency_days float8, bid numeric, words int, height_px smallint,
	postcode bigint, impression uuid, serial int, converted_at timestamptz, billed float8, format text,
	survey int, page_depth int, served_at timestamptz, campaign int, creative int, local_hour smallint)
LANGUAGE sql AS $$
	SELECT y,
		(ARRAY[300, 468, 728, 970])[1 + floor(4 * u(seed, i, 1) ^ (1 / (1 + 0.3 * y)))::int],
		u(seed, i, 2) < 0.5 + 0.05 * least(y, 6),
		floor(exp(1 + 1.2 * z(seed, i, 3) + 0.15 * y))::int,
		exp(z(seed, i, 4) + 0.1 * y),
		'site' || floor(250 * u(seed, i, 5) ^ (1 + 0.2 * y)),
		'c' || floor(12 * u(seed, i, 6) ^ (1 + 0.1 * y)),
		15 + 8 * z(seed, i, 7) + 0.3 * y,
		e(seed, i, 8) * 30 / (1 + 0.2 * y),
		round((0.2 + e(seed, i, 9) * (1 + 0.1 * y))::numeric, 2),
		5 + floor(60 * u(seed, i, 10) ^ (1 + 0.05 * y))::int,
		(50 + 10 * floor(20 * u(seed, i, 11) ^ (1 + 0.1 * y)))::smallint,
		postcode, md5(seed || 'banner' || i)::uuid, i,
		CASE WHEN y > 0 AND u(seed, i, 12) < 0.5 THEN timestamptz '2024-03-01 00:00Z' + i * interval '1 minute' + e(seed, i, 13) * interval '1 hour' END,
		0.25 * y + 1, 'image',
		CASE WHEN u(seed, i, 14) < 0.03 THEN 1 + floor(5 * u(seed, i, 15))::int END,
		CASE WHEN u(seed, i, 16) >= 0.2 THEN 1 + floor(e(seed, i, 17) * (2 + 0.2 * y))::int END,
		timestamptz '2024-03-01 00:00Z' + i * interval '1 minute',
		campaign, (y + 31 - campaign) % 31, hour
	FROM (SELECT i, postcode, hour, floor(31 * u(seed, i, 18))::int AS campaign,
			least(30, floor(e(seed, i, 0) * exp(0.5 + 0.5 * sin(i / 1000.0) + 0.5 * effect(seed, postcode) + 0.5 * cos(pi() * (hour - 20) / 12))))::int AS y
		FROM (SELECT i, 1067 + 131 * floor(700 * u(seed, i, 19))::bigint AS postcode, floor(24 * u(seed, i, 20))::smallint AS hour
			FROM generate_series(first, last) i) s) s
$$;

-- --- game churn: three classes, one of them rare ------------------------------------

CREATE FUNCTION make_game(seed int, first int, last int) RETURNS TABLE (fate int,
	level int, minutes_played float8, friends int, purchases numeric, platform text, class text, win_share float8,
	days_inactive float8, guild_size int, tutorial boolean, latency_ms int,
	realm int, player_id int, exit_score int, status text, build text, clan_bonus float8, ping real,
	joined date, shard int, party int, login_hour int, bearing float8)
LANGUAGE sql AS $$
	SELECT y,
		1 + floor(60 * u(seed, i, 1) ^ (1 + 0.4 * y))::int,
		e(seed, i, 2) * 300 / (1 + 0.5 * y),
		floor(e(seed, i, 3) * (8 - 2 * y))::int,
		CASE WHEN u(seed, i, 4) < 0.2 - 0.05 * y THEN round((e(seed, i, 5) * 20)::numeric, 2) ELSE 0 END,
		(ARRAY['pc', 'mac', 'ios', 'android'])[1 + floor(4 * u(seed, i, 6) ^ (1 + 0.3 * y))::int],
		'class' || floor(120 * u(seed, i, 7) ^ (1 + 0.5 * y)),
		least(1, greatest(0, 0.5 + 0.15 * z(seed, i, 8) - 0.03 * y)),
		e(seed, i, 9) * (3 + 6 * (y > 0)::int),
		floor(50 * u(seed, i, 10) ^ (1 + 0.2 * y))::int,
		u(seed, i, 11) < 0.8 - 0.1 * y,
		floor(30 + e(seed, i, 12) * (40 + 10 * y))::int,
		realm, 500000 + 7 * i,
		CASE WHEN y > 0 AND u(seed, i, 13) < 0.5 THEN floor(11 * u(seed, i, 14))::int END,
		(ARRAY['active', 'left', 'back'])[y + 1], '1.4.2',
		CASE WHEN u(seed, i, 15) < 0.03 THEN e(seed, i, 16) END,
		CASE WHEN u(seed, i, 17) >= 0.2 THEN (50 + 10 * z(seed, i, 18) + 4 * y)::real END,
		date '2020-01-01' + i / 8, shard, (y + 45 - shard) % 3 + 3 * floor(15 * u(seed, i, 19))::int, hour,
		360 * u(seed, i, 20)
	FROM (SELECT i, realm, hour, floor(45 * u(seed, i, 21))::int AS shard,
			(s > 0.9)::int + (s > 2.2)::int AS y
		FROM (SELECT *, z(seed, i, 0) + 0.5 * sin(i / 800.0) + 0.7 * effect(seed, realm) + 0.7 * cos(pi() * (hour - 3) / 12) AS s
			FROM (SELECT i, 2000 + 61 * floor(500 * u(seed, i, 22))::int AS realm, floor(24 * u(seed, i, 23))::int AS hour
				FROM generate_series(first, last) i) s) s) s
$$;

-- --- what was planted ----------------------------------------------------------------

CREATE TABLE planted (study text, bad text, at_least text, what text);
INSERT INTO planted VALUES
	('card', 'zip', 'look', 'a ZIP code stored as integer'),
	('card', 'tx_id', 'drop', 'a serial number'),
	('card', 'card_ref', 'drop', 'an identifier'),
	('card', 'chargeback_no', 'drop', 'filled only after the outcome'),
	('card', 'reviewed', 'drop', 'a copy of the label'),
	('card', 'review_score', 'drop', 'a near copy of the label'),
	('card', 'currency', 'drop', 'a constant'),
	('card', 'promo', 'drop', 'present in 3 %'),
	('card', 'device_age', 'look', 'missing in 20 %'),
	('card', 'created_at', 'drop', 'a timestamp that leaks order'),
	('card', 'terminal', 'look', 'one of two that identify the label'),
	('card', 'slot', 'look', 'the other of two that identify the label'),
	('card', 'hour', 'look', 'hour of day as a number'),
	('card', 'month_no', 'look', 'a month without any relation'),
	('card', '(rows)', 'look', 'the same rows in train and val'),
	('banner', 'postcode', 'look', 'a ZIP code stored as integer'),
	('banner', 'impression', 'drop', 'an identifier'),
	('banner', 'serial', 'drop', 'a serial number'),
	('banner', 'converted_at', 'drop', 'filled only after the outcome'),
	('banner', 'billed', 'drop', 'a function of the label'),
	('banner', 'format', 'drop', 'a constant'),
	('banner', 'survey', 'drop', 'present in 3 %'),
	('banner', 'page_depth', 'look', 'missing in 20 %'),
	('banner', 'served_at', 'drop', 'a timestamp that leaks order'),
	('banner', 'campaign', 'look', 'one of two that identify the label'),
	('banner', 'creative', 'look', 'the other of two that identify the label'),
	('banner', 'local_hour', 'look', 'hour of day as a number'),
	('banner', '(rows)', 'look', 'the same rows in train and val'),
	('game', 'realm', 'look', 'a code stored as integer'),
	('game', 'player_id', 'drop', 'an identifier'),
	('game', 'exit_score', 'drop', 'filled only after the outcome'),
	('game', 'status', 'drop', 'a copy of the label'),
	('game', 'build', 'drop', 'a constant'),
	('game', 'clan_bonus', 'drop', 'present in 3 %'),
	('game', 'ping', 'look', 'missing in 20 %'),
	('game', 'joined', 'drop', 'a date that leaks order'),
	('game', 'shard', 'look', 'one of two that identify the label'),
	('game', 'party', 'look', 'the other of two that identify the label'),
	('game', 'login_hour', 'look', 'hour of day as a number'),
	('game', 'bearing', 'look', 'an angle as a number'),
	('game', '(rows)', 'look', 'the same rows in train and val');

-- the reason that has to be among those given
CREATE TABLE reason (what text, pattern text);
INSERT INTO reason VALUES
	('a ZIP code stored as integer', 'name things'), ('a code stored as integer', 'name things'),
	('a serial number', 'an identifier'), ('an identifier', 'an identifier'),
	('filled only after the outcome', 'filled only where the label is above 0:|filled only where the label is 1:'),
	('a copy of the label', 'tells 100.0 % of the label by itself'), ('a function of the label', 'tells 100.0 % of the label by itself'),
	('a near copy of the label', 'of the label by itself'), ('a constant', '^constant$'),
	('present in 3 %', 'present in only [23]\.. % of rows'), ('missing in 20 %', 'missing in (19|20|21)\.. % of rows'),
	('a timestamp that leaks order', 'grows with the order of rows'), ('a date that leaks order', 'grows with the order of rows'),
	('one of two that identify the label', '100 % of the label together with'),
	('the other of two that identify the label', '100 % of the label together with'),
	('hour of day as a number', 'hour of day goes round'), ('an angle as a number', 'angle goes round'),
	('a month without any relation', 'month goes round.*no relation to the label'),
	('the same rows in train and val', '^(9|10|11)\.. % of the val rows are in train too; 0.0 %');

-- train on the first 8,000 rows; 200 of the 2,000 rows to validate on were trained on
CREATE TABLE found AS SELECT NULL::text AS study, NULL::int AS seed, r.*
	FROM osml_feature_report('SELECT 1 AS y, 2 AS x') r LIMIT 0;
CREATE FUNCTION study(study text, label text, seed int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %I AS SELECT * FROM make_%1$s(%s, 1, 8000)', study, seed);
	EXECUTE format('CREATE TABLE %I AS SELECT * FROM make_%s(%s, 8001, 9800)
		UNION ALL (SELECT * FROM %I LIMIT 200)', study || '_val', study, seed, study);
	PERFORM osml_create_dataset(study, study, label => label, val => study || '_val');
	INSERT INTO found SELECT study, seed, r.* FROM osml_feature_report(study) r;
	PERFORM osml_drop_dataset(study);
	EXECUTE format('DROP TABLE %I, %I', study, study || '_val');
END $$;
DO $$ BEGIN
	PERFORM study(s, l, seed) FROM (VALUES ('card', 'is_fraud'), ('banner', 'clicks'), ('game', 'fate')) v (s, l),
		generate_series(11, 14) seed;
END $$;

-- --- what is found -------------------------------------------------------------------

SELECT is(count(f.verdict), 4::bigint, format('%s: %s is reported on', p.study, p.bad))
	|| E'\n' || is(string_agg(DISTINCT f.verdict, ' ' ORDER BY f.verdict) FILTER (WHERE f.verdict <> 'drop'),
		CASE p.at_least WHEN 'look' THEN 'look' END, format('%s: %s, %s, gets %s', p.study, p.bad, p.what, p.at_least))
	|| E'\n' || is(count(*) FILTER (WHERE f.reason ~ r.pattern), 4::bigint, format('%s: the reason for %s', p.study, p.bad))
	FROM planted p JOIN reason r USING (what) LEFT JOIN found f ON f.study = p.study AND f.feature = p.bad
	GROUP BY p.study, p.bad, p.what, p.at_least, r.pattern ORDER BY p.study, p.bad;
-- good features: skewed, noisy, curved, weak, of many levels
SELECT is(count(*) FILTER (WHERE verdict = 'drop'), 0::bigint, format('%s: none of %s good features is dropped', study, count(DISTINCT feature)))
	|| E'\n' || is(string_agg(DISTINCT feature || ' ' || verdict, ', ') FILTER (WHERE verdict <> 'keep'), NULL,
		format('%s: and all are kept', study))
	FROM found f WHERE NOT EXISTS (SELECT FROM planted p WHERE p.study = f.study AND p.bad = f.feature) GROUP BY study;

-- --- figures against SQL's own aggregates ---------------------------------------------

CREATE TABLE plain AS SELECT is_fraud AS y, speed::float8 AS x, disputes, online FROM make_card(21, 1, 3000);
SELECT is(round(r.association::numeric, 9), greatest(abs(c.line), abs(c.rank)), 'association is the better of two correlations')
	FROM osml_feature_report('SELECT y, x FROM plain') r,
		(SELECT round(corr(y, x)::numeric, 9) AS line, round(corr(ry, rx)::numeric, 9) AS rank
			FROM (SELECT y, x, rank() OVER (ORDER BY y) AS ry, rank() OVER (ORDER BY x) AS rx FROM plain) s) c
	WHERE r.measure LIKE '%correlation';
SELECT is(r.min_rows, least(count(*) FILTER (WHERE online), count(*) FILTER (WHERE NOT online)), 'rows of the rarest value')
	|| E'\n' || is(r.min_class_rows, (SELECT min(n) FROM (SELECT count(*) AS n FROM plain GROUP BY y, online) s), 'rows of the rarest class at one value')
	FROM plain, osml_feature_report('SELECT y, online FROM plain') r GROUP BY r.min_rows, r.min_class_rows;
SELECT is(round(p.redundancy::numeric, 9), (SELECT greatest(round(abs(corr(x, disputes))::numeric, 9),
		CASE p.measure WHEN 'correlation' THEN 0 ELSE round(p.redundancy::numeric, 9) END) FROM plain), 'redundancy of two numbers is their correlation')
	FROM osml_feature_pairs('SELECT y, x, disputes FROM plain') p;
-- the sample is of rows, whatever the table's size
SELECT is(count(*), 0::bigint, 'a smaller sample finds the same kinds of trouble')
	FROM osml_feature_report('SELECT * FROM make_card(22, 1, 30000)', sample_rows => 8000) r JOIN planted p ON p.study = 'card' AND p.bad = r.feature
	WHERE r.verdict = 'keep';

-- a table in no order has the same good and bad features; but a time in no order may
-- be one of birth, and a number that every row has its own of, and the label follows, a rank
SELECT is(string_agg(format('%s %s, sorted %s', r.feature, r.verdict, f.verdict), '; ' ORDER BY r.feature), 'created_at look, sorted drop; tx_id look, sorted drop',
		'the order of rows changes no verdict on cards, but for a time and a serial number')
	FROM osml_feature_report('SELECT * FROM (SELECT * FROM make_card(11, 1, 8000)) c ORDER BY u(11, tx_id, 999)') r
	JOIN found f ON f.study = 'card' AND f.seed = 11 AND f.feature = r.feature WHERE f.verdict <> r.verdict;
SELECT is(string_agg(format('%s %s, sorted %s', r.feature, r.verdict, f.verdict), '; ' ORDER BY r.feature), 'joined look, sorted drop; player_id look, sorted drop',
		'nor on players')
	FROM osml_feature_report('SELECT * FROM (SELECT * FROM make_game(11, 1, 8000)) c ORDER BY u(11, player_id, 999)') r
	JOIN found f ON f.study = 'game' AND f.seed = 11 AND f.feature = r.feature WHERE f.verdict <> r.verdict;

-- --- one kind of trouble at a time -----------------------------------------------------

-- the verdicts and reasons on the features of a query, the different ones of all values
CREATE FUNCTION verdicts(query text, VARIADIC vals text[] DEFAULT '{0}') RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(DISTINCT format('%s %s %s', feature, verdict, regexp_replace(reason, '[0-9]+\.[0-9]+|alone [0-9]|[0-9]{4} rows', '#', 'g')), E'\n')
		FROM unnest(vals) v, LATERAL osml_feature_report(format(query, v, v, v, v)) r
$$;
SELECT is(verdicts('SELECT (u(1, i, 1) < %s)::int AS survived, CASE WHEN u(1, i, 1) < %s AND u(1, i, 2) < 0.5 THEN 1 + floor(20 * u(1, i, 3)) END AS boat,
		CASE WHEN u(1, i, 1) < %s AND u(1, i, 4) < 0.6 THEN u(1, i, 5) ELSE 0 END AS fee FROM generate_series(1, 5000) i', '0.6', '0.85', '0.97'),
	E'boat drop filled only where the label is 1: # % of such rows, # % of all; missing in # % of rows\n'
	'fee look other than its usual value only where the label is 1: # % of such rows, # % of all', 'boat numbers, however many survive');
SELECT is(verdicts('SELECT CASE WHEN u(1, i, 1) < 0.85 THEN ''stays'' ELSE ''goes'' END AS y, CASE WHEN u(1, i, 1) < 0.85 AND u(1, i, 2) < 0.5 THEN u(1, i, 3) END AS renewal FROM generate_series(1, 5000) i'),
	'renewal drop filled only where the label is of one class: # % of such rows, # % of all; missing in # % of rows', 'likewise of a label of texts');
SELECT is(verdicts('SELECT s AS survived, CASE WHEN u(1, i, 2) < 0.01 + 0.6 * s THEN ''b'' || floor(20 * u(1, i, 3)) ELSE '''' END AS boat, (CASE WHEN u(1, i, 2) < 0.5 * s THEN ''yes'' ELSE '''' END)::char(5) AS aboard
		FROM (SELECT i, (u(1, i, 1) < 0.35)::int AS s FROM generate_series(1, 5000) i) i'),
	E'aboard drop filled only where the label is 1: # % of such rows, # % of all; empty in # % of rows\n'
	'boat drop filled only where the label is 1: # % of such rows, # % of all; empty in # % of rows', 'boats as texts, of no character elsewhere');
SELECT is(verdicts('SELECT 10000 - i + 3000 * u(1, i, 1) AS sales, i AS sales_rank FROM generate_series(1, 5000) i ORDER BY u(1, i, 2)'),
	'sales_rank look nearly every row has a value of its own: a rank or a measure, or an identifier that drifts', 'a rank is no identifier');
SELECT is((SELECT string_agg(DISTINCT r.verdict, ' ' ORDER BY r.verdict) FROM unnest('{income,income DESC,"u(1, income, 3)"}'::text[]) o,
		LATERAL osml_feature_report(format('SELECT * FROM (SELECT ln(income) + 6 * u(1, income, 1) AS y, income
			FROM (SELECT exp(18 + 3 * u(1, i, 2) + 2 * u(1, i, 3))::bigint AS income FROM generate_series(1, 5000) i) i) s ORDER BY %s', o)) r),
	'keep look', 'a measure is no identifier, whatever the table is sorted by');
SELECT is((SELECT count(*) FROM generate_series(1, 8) seed, unnest('{500,2000}'::int[]) n, LATERAL osml_feature_report(format('SELECT (u(%s, i, 1) < 0.45 + 0.1 * u(%1$s, i, 2))::int AS y,
		48000000 + (u(%1$s, i, 2) * 7000000)::int AS latitude_e6 FROM generate_series(1, %2$s) i', seed, n)) r WHERE verdict = 'drop'), 0::bigint,
	'nor is one that is spread evenly, with an effect that hardly shows');
SELECT is(verdicts('SELECT 2.4 * km + 3.5 + 2 * u(1, i, 1) AS fare, km FROM (SELECT i, exp(2.5 * u(1, i, 2)) AS km FROM generate_series(1, 5000) i) i'),
	'km look tells # % of the label by itself: a copy of it, or known only after it', 'what nearly makes an amount is to be looked at');
SELECT is(verdicts('SELECT 50 - 4 * a + 10 * z(1, i, 1) AS score, timestamp ''2008-09-01'' - a * interval ''1 year'' AS born FROM (SELECT i, 10 * u(1, i, 2) AS a FROM generate_series(1, 5000) i) i'),
	'born look a point in time (timestamp) that tells # % of the label: rows to predict come later; use date parts or a duration', 'moments of birth');
SELECT is((SELECT string_agg(DISTINCT p.verdict, ' ') FROM unnest('{500,5000}'::int[]) n, unnest('{30,100,365,1000,100000}'::int[]) r,
		LATERAL osml_feature_pairs(format('SELECT (a >= b)::int AS y, a, b FROM (SELECT (%s * u(1, i, 1))::int AS a, (%1$s * u(1, i, 2))::int AS b FROM generate_series(1, %2$s) i) i', r, n)) p),
	'look', 'which of two is greater, of few values and of many');
SELECT is(verdicts('SELECT (d > p)::int AS late, d AS delivered, p AS promised FROM (SELECT p, p + (4 * z(1, i, 1))::int AS d FROM (SELECT i, (1000 * u(1, i, 2))::int AS p FROM generate_series(1, 5000) i) i) i'),
	E'delivered look no relation to the label found in #; tells 100 % of the label together with "promised", by their difference, # %\n'
	'promised look no relation to the label found in #; says the same as "delivered" (correlation #); tells 100 % of the label together with "delivered", by their difference, # %', 'days that tell by their difference');
SELECT is(verdicts('SELECT sin((%s) / 24.0 * 2 * pi()) / 2 + u(1, i, 1) AS y, %s AS hour FROM (SELECT i, i * 7 %% 24 AS h FROM generate_series(1, 5000) i) i', 'h', 'h + 1', '6 + h * 17 / 24', '8 + h * 12 / 24'),
	'hour look hour of day goes round: its ends are neighbours; use cyclic or bins', 'hours from 0 or 1, or while a shop is open');
SELECT is(verdicts('SELECT cos(s / 43200 * pi()) + u(1, i, 1) AS y, time ''00:00'' + s * interval ''1 second'' AS a, floor(s / 3600) * 100 + floor(s / 60)::int %% 60 AS b
		FROM (SELECT i, floor(86400 * u(1, i, 2)) AS s FROM generate_series(1, 5000) i) i'),
	E'a look time of day goes round: its ends are neighbours; use cyclic or bins\n'
	'b look time of day (hhmm) goes round: its ends are neighbours; use cyclic or bins', 'times of day');
SELECT is(verdicts('SELECT (u(1, i, 1) < i / 20000.0)::int AS y, i::numeric(10) AS ticket FROM generate_series(1, 20000) i ORDER BY u(1, i, 2)'),
	'ticket look nearly every row has a value of its own: a rank or a measure, or an identifier that drifts', 'a serial number of any type, whose label drifts');
SELECT is(verdicts('SELECT (u(1, i, 1) < d / 400.0)::int AS y, 45292 + d AS a, 2024001 + d AS b FROM (SELECT i, floor(366 * u(1, i, 2))::int AS d FROM generate_series(1, 5000) i) i'),
	E'a look may be a point in time (days since 1900), and tells # % of the label: rows to predict come later\n'
	'b look a point in time (a year and its day in digits) that tells # % of the label: rows to predict come later; use date parts or a duration; says the same as "a" (correlation #)', 'days as numbers');
SELECT is(verdicts('SELECT (u(1, i, 1) < 0.5)::int AS y, CASE WHEN u(1, i, 2) < 0.03 THEN u(1, i, 3) ELSE ''NaN'' END AS a,
		CASE WHEN u(1, i, 2) < 0.03 THEN ''v'' || floor(5 * u(1, i, 3)) ELSE '''' END AS b FROM generate_series(1, 5000) i'),
	E'a drop present in only # % of rows; NaN or infinite in #\nb drop filled in only # % of rows, empty in # %', 'NaN and the empty text');
SELECT is(verdicts('SELECT (u(1, i, 1) < 0.5)::int AS y, CASE WHEN u(1, i, 2) < 0.03 THEN ''v'' || floor(5 * u(1, i, 3)) WHEN i %% 2 = 0 THEN '''' END AS a,
		CASE WHEN u(1, i, 2) < 0.2 THEN ''v'' || floor(5 * u(1, i, 3)) ELSE '''' END AS b FROM generate_series(1, 5000) i'),
	E'a drop filled in only # % of rows, empty in # %\nb look empty in # % of rows; no relation to the label found in #', 'NULL and the empty text; a fifth of all rows is filled');
SELECT is((SELECT max(p.together_tell) FROM unnest('{0.5,0.6,0.7,0.82,0.87,0.9}'::text[]) q, LATERAL osml_feature_pairs(format('SELECT CASE y WHEN 1 THEN ''stays'' ELSE ''goes'' END AS y,
		CASE WHEN y = 1 AND u(1, i, 2) < 0.6 THEN date ''2024-01-01'' + (300 * u(1, i, 3))::int END AS renewed_at,
		CASE WHEN y = 1 AND u(1, i, 4) < 0.6 THEN 100 * u(1, i, 5) END AS renewal FROM (SELECT i, (u(1, i, 1) < %s)::int AS y FROM generate_series(1, 5000) i) i', q)) p),
	0::float8, 'two that are filled for one class tell nothing together');

-- --- what is set once the label passes a border ------------------------------------------

-- counts: arrivals of a process of rate 1 until the mean (Knuth)
CREATE FUNCTION arrivals(seed int, i bigint, mean float8) RETURNS int LANGUAGE sql IMMUTABLE
	RETURN (SELECT count(*) FROM (SELECT sum(e(seed, i, 600 + k)) OVER (ORDER BY k) AS t FROM generate_series(1, 40) k) t WHERE t < mean)::int;
-- the different verdicts on each feature, over seeds and numbers of rows, where the pattern is in the reason or not
CREATE FUNCTION over_seeds(query text, pattern text, seeds int, VARIADIC n int[]) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('%s %s', feature, found), '; ' ORDER BY found, feature) FROM (
		SELECT feature, string_agg(DISTINCT verdict || CASE WHEN reason ~ pattern THEN '' ELSE ' otherwise' END, ' ') AS found
			FROM generate_series(1, seeds) seed, unnest(n) rows, LATERAL osml_feature_report(replace(replace(query, '$seed', seed::text), '$n', rows::text))
			GROUP BY feature) s
$$;
SELECT is(over_seeds('SELECT y, tone, team, CASE WHEN y > 3 THEN ''closed'' WHEN u($seed, i, 3) < 0.5 THEN ''open'' ELSE ''active'' END AS b_status,
		CASE WHEN y > 3 THEN CASE WHEN u($seed, i, 3) < 0.5 THEN ''paid'' ELSE ''lost'' END ELSE ''open'' END AS ending,
		CASE WHEN y > 3 THEN ''p'' || floor(200 * u($seed, i, 3)) END AS person, CASE WHEN y <= 3 THEN floor(4 * u($seed, i, 3))::int END AS lane,
		CASE WHEN y > 3 THEN u($seed, i, 3) ELSE 0 END AS fee, y > 3 AS flag, 7 - (y > 3)::int AS code,
		CASE WHEN (y > 3) <> odd THEN ''closed'' ELSE ''open'' END AS noisy, CASE WHEN (y > 3) <> odd THEN u($seed, i, 3) END AS noisy_fee
		FROM (SELECT i, tone, team, arrivals($seed, i, exp(0.6 + 0.4 * tone + 0.3 * team)) AS y, (u($seed, i, 4) < 0.01) AS odd
			FROM (SELECT i, z($seed, i, 1) AS tone, floor(3 * u($seed, i, 2))::int AS team FROM generate_series(1, $n) i) i) i',
		'^tells whether the label is above 3, however near it is, right in (9[789]|100)\.. % of rows above and (9[789]|100)\.. % of the others: known only after it', 4, 3000),
	'b_status drop; code drop; ending drop; fee drop; flag drop; lane drop; noisy drop; noisy_fee drop; person drop; team keep otherwise; tone keep otherwise',
	'what is set once a count passes 3, by values, NULL or both, a few rows wrong');
SELECT is(over_seeds('SELECT y, y <= 1 AS a, CASE WHEN y <= 1 THEN ''waiting'' WHEN u($seed, i, 3) < 0.5 THEN ''a'' ELSE ''b'' END AS b, (y <= 1) <> (u($seed, i, 4) < 0.01) AS c
		FROM (SELECT i, arrivals($seed, i, 2.5) AS y FROM generate_series(1, $n) i) i', 'label is above 1, however near', 4, 3000, 20000),
	'a drop; b drop; c drop', 'or is set until it passes 1');
SELECT is(over_seeds('SELECT amount, CASE WHEN amount > 50 THEN ''flagged'' ELSE ''ok'' END AS a, (amount > 50) <> (u($seed, i, 4) < 0.01) AS b, CASE WHEN amount <= 50 THEN u($seed, i, 3) END AS c
		FROM (SELECT i, exp(3.5 + 0.8 * z($seed, i, 1)) AS amount FROM generate_series(1, $n) i) i', 'label is above (50|[45][0-9]\.?[0-9]*), however near', 4, 1000, 3000, 20000),
	'a drop; b drop; c drop', 'an amount that passes 50');
SELECT is(over_seeds('SELECT cents / 100.0 AS amount, cents > 5000 AS a FROM (SELECT i, floor(6000 * e($seed, i, 1)) AS cents FROM generate_series(1, $n) i) i', 'label is above 50, however near', 4, 3000),
	'a drop', 'likewise in cents');

-- good features divide the label too, but not to the row, or where it has few rows, or one value of it from the
-- others, or at several borders; and some rows show nothing
CREATE TABLE honest (what text, query text);
INSERT INTO honest VALUES
	('bins of what makes 95 to 99 % of the label', 'SELECT 3 * x + 0.2 * z($seed, i, 2) AS y, 3 * x + 0.087 * z($seed, i, 3) AS y2, width_bucket(x, 0, 1, 10) AS a, ''b'' || width_bucket(x, 0, 1, 10) AS b, x > 0.5 AS c, x > 0.9 AS d
		FROM (SELECT i, u($seed, i, 1) AS x FROM generate_series(1, $n) i) i'),
	('groups that overlap', 'SELECT 3 * a + z($seed, i, 2) AS y, a FROM (SELECT i, (u($seed, i, 1) < 0.4)::int AS a FROM generate_series(1, $n) i) i'),
	('groups that hardly overlap', 'SELECT CASE WHEN a THEN 6 ELSE 0 END + z($seed, i, 2) AS y, a FROM (SELECT i, u($seed, i, 1) < 0.4 AS a FROM generate_series(1, $n) i) i'),
	('counts of groups', 'SELECT arrivals($seed, i, CASE WHEN a THEN 14 ELSE 1 END) AS y, a FROM (SELECT i, u($seed, i, 1) < 0.4 AS a FROM generate_series(1, $n) i) i'),
	('zones of a tariff', 'SELECT 5 * a + 5 * u($seed, i, 2) AS y, a, ''z'' || a AS b FROM (SELECT i, floor(5 * u($seed, i, 1))::int AS a FROM generate_series(1, $n) i) i'),
	('zones and extras', 'SELECT round((CASE WHEN a THEN 30 ELSE 10 END + 4 * e($seed, i, 2))::numeric, 2) AS y, a FROM (SELECT i, u($seed, i, 1) < 0.3 AS a FROM generate_series(1, $n) i) i'),
	('two zones with room between', 'SELECT CASE WHEN a THEN 5 ELSE 0 END + 4 * u($seed, i, 2) AS y, a FROM (SELECT i, u($seed, i, 1) < 0.5 AS a FROM generate_series(1, $n) i) i'),
	('the way that makes a fare', 'SELECT 3.5 + 2.4 * km + 2 * z($seed, i, 2) AS y, km, km::int AS a, km > 5 AS b, CASE WHEN km < 2 THEN ''A'' WHEN km < 5 THEN ''B'' ELSE ''C'' END AS c
		FROM (SELECT i, 4 * e($seed, i, 1) AS km FROM generate_series(1, $n) i) i'),
	('a shop that is closed', 'SELECT CASE WHEN a THEN arrivals($seed, i, 6) ELSE 0 END AS y, a FROM (SELECT i, u($seed, i, 1) < 0.85 AS a FROM generate_series(1, $n) i) i'),
	('a shop that sells amounts', 'SELECT CASE WHEN a THEN 100 * e($seed, i, 2) ELSE 0 END AS y, a FROM (SELECT i, u($seed, i, 1) < 0.85 AS a FROM generate_series(1, $n) i) i');
SELECT is((SELECT count(*) FROM generate_series(1, 8) seed, unnest('{50,100,200,1000,3000}'::int[]) n,
		LATERAL osml_feature_report(replace(replace(query, '$seed', seed::text), '$n', n::text)) r WHERE verdict = 'drop'), 0::bigint, format('no verdict is drop: %s', what))
	FROM honest;
SELECT is(over_seeds('SELECT y, y > 0 AS a FROM (SELECT i, arrivals($seed, i, 2.5) AS y FROM generate_series(1, $n) i) i', '^tells whether the label is above 0, right in 100.0 % of rows above and 100.0 % of the others: a state of its own, or known only after it', 4, 3000),
	'a look', 'one value of a count may be a state of its own');

-- of three classes one is told from the others, by a number, an amount or a text, of which nothing is told
CREATE TABLE leavers AS SELECT outcome, level, CASE WHEN outcome = 'left' THEN 0 ELSE 1 + (hashint4(i + 77) & 31) END AS days_since, CASE WHEN outcome = 'left' THEN 0.0 ELSE 1 + (hashint4(i + 78) & 65535) / 100.0 END AS hours_since,
	CASE WHEN outcome = 'left' THEN 'none' WHEN hashint4(i + 79) & 1 = 0 THEN 'gold' ELSE 'silver' END AS renewal
	FROM (SELECT i, hashint4(i) & 63 AS level, (ARRAY['left', 'idle', 'stayed'])[1 + ((hashint4(i + 1) & 63) + (hashint4(i) & 63)) / 43] AS outcome FROM generate_series(1, 5000) i) s;
SELECT is(string_agg(concat_ws(' ', feature, verdict, leak_kind, leak), ', ' ORDER BY feature), 'days_since look class 1, hours_since look class 1, level keep, renewal look class 1', 'a value that is one class''s')
	FROM osml_feature_report('leavers');

-- codes of few values: by name and digits, or by the label alone; a count of few is none
CREATE TABLE districts AS SELECT (hashint4(k + 500) & 1023) / 256.0 + (hashint4(i) & 1023) / 1024.0 + (ARRAY[5, 1, 9, 2, 7, 3])[kind] + rooms + abs(stars - 3) AS rent, 10000 + 6151 * k AS zip_code, kind, rooms, stars
	FROM (SELECT i, (hashint4(i + 1) & 1023) % 15 AS k, 1 + (hashint4(i + 2) & 1023) % 6 AS kind, 1 + (hashint4(i + 3) & 1023) % 5 AS rooms, 1 + (hashint4(i + 4) & 1023) % 5 AS stars FROM generate_series(1, 6000) i) s;
SELECT is(string_agg(concat_ws(' ', feature, verdict), ', ' ORDER BY feature), 'kind look, rooms keep, stars keep, zip_code look', 'codes of few values, and ratings'),
	is(max(reason) FILTER (WHERE feature = 'zip_code'), 'numbers that name things, not sizes: make it a category', 'a ZIP code of fifteen') FROM osml_feature_report('districts');
-- a count that classes of a label follow is none, whatever their names
CREATE TABLE leaving AS SELECT (ARRAY['stay', 'lapse', 'churn'])[1 + c] AS outcome, greatest(0, c + (hashint4(i) & 1023) % 4 - 1) AS kids, (hashint4(i + 1) & 1023) / 1024.0 AS age
	FROM (SELECT i, (hashint4(i + 2) & 1023) % 3 AS c FROM generate_series(1, 5000) i) s;
SELECT is(concat(verdict, reason), 'keep', 'a count beside three classes'), cmp_ok(line_share, '>', 0.7::float8, 'which a line follows') FROM osml_feature_report('leaving') WHERE feature = 'kids';

SELECT * FROM finish();
