-- osml_predict_interval: how far predictions of held-out rows were off is how far those of new rows are.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET osml.progress_interval = 0;

-- noise of one seed: a label with a long tail to the right, categories that are rare, gaps
CREATE FUNCTION iv_noise(seed int, i int) RETURNS float8 IMMUTABLE LANGUAGE sql AS
	'SELECT (hashint4extended(i, seed) & 1048575) / 1048576.0::float8';
CREATE FUNCTION iv_make(first int, last int) RETURNS TABLE (id int, y float8, a float8, b int, c text, gap float8, count int, w float8)
LANGUAGE sql AS $$
	SELECT i, 3 * u - v - 2 * ln(1 - e), u, v, CASE WHEN i % 97 = 0 THEN 'rare' || i % 5 ELSE 'k' || i % 3 END, CASE WHEN i % 10 > 0 THEN u END,
		floor(-ln(1 - e) * exp(u / 4))::int, i % 3
	FROM (SELECT i, iv_noise(1, i) * 10 AS u, (iv_noise(2, i) * 4)::int AS v, iv_noise(3, i) AS e FROM generate_series(first, last) i) s
$$;
CREATE TABLE iv_train AS SELECT * FROM iv_make(1, 3000);
CREATE TABLE iv_held AS SELECT * FROM iv_make(3001, 3400);
CREATE TABLE iv_new AS SELECT * FROM iv_make(10001, 30000);
SELECT osml_create_dataset('iv_data', 'iv_train', 'y', '{a,b,c}', val => 'iv_held', options => '{"max_epochs": 6}') > 0 AS created;

-- --- Exactly the held-out rows' order statistics --------------------------------------
-- the deployed version's ends at several levels, less prediction, are the j-th lowest and highest
-- residual of the rows with predictions; returns how far off the worst is in units of the label
CREATE FUNCTION iv_off(model text, held regclass, label text DEFAULT 'y', unit text DEFAULT '1') RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	worst float8;
BEGIN
	EXECUTE format($q$
		WITH score AS (SELECT array_agg((%2$s - p) / %3$s ORDER BY (%2$s - p) / %3$s) AS s, count(*) AS n
				FROM (SELECT h.*, osml_predict(%1$L, h) AS p FROM %4$s h) h WHERE p IS NOT NULL),
			row AS (SELECT h FROM %4$s h WHERE osml_predict(%1$L, h) IS NOT NULL ORDER BY id DESC LIMIT 1),
			ends AS (SELECT floor(round((n + 1) * (1 - level) / 2, 9))::int AS j, n, s, level, prediction AS p, lower, upper
				FROM score, row, unnest(ARRAY[0.2, 0.5, 0.8, 0.9, 0.95, 0.99]) level, osml_predict_interval(%1$L, h, level))
		SELECT max(greatest(abs(lower - (p + %3$s * s[j])), abs(upper - (p + %3$s * s[n + 1 - j])))) FROM ends WHERE j > 0
		$q$, model, label, unit, held) INTO worst;
	RETURN worst;
END
$$;
CREATE TABLE iv_hparams (model text, hparams jsonb, tolerance float8);
INSERT INTO iv_hparams VALUES
	('iv_line', '{}', 1e-12),
	('iv_narrow', '{"precision": "float32"}', 1e-4),
	('iv_exact', '{"optimizer": "exact"}', 1e-12),
	('iv_mae', '{"loss": "mae"}', 1e-12),
	('iv_net', '{"model_type": "mlp", "num_hidden_neurons": [8], "batch_norm_linear_layers": true, "dropout": 0.2}', 1e-12),
	('iv_ema', '{"weight_averaging": "ema", "ema_decay": 0.9}', 1e-12),
	('iv_swa', '{"model_type": "mlp", "num_hidden_neurons": [8], "batch_norm_linear_layers": true, "weight_averaging": "swa", "swa_epoch_start": 2}', 1e-12),
	('iv_stopped', '{"early_stopping": true, "patience": 1, "lr": 1, "max_epochs": 30, "val_check_interval": 2}', 1e-12),
	('iv_limited', '{"limit_val_batches": 1, "batch_size": 50}', 1e-12),
	('iv_best', '{"save_top_k": 2, "save_last": true, "batch_size": 20, "lr": 0.3, "val_check_interval": 40}', 1e-12),
	('iv_streamed', '{"max_epochs": 1, "shuffle": "none", "scale": "none", "lr": 0.001}', 1e-12),
	('iv_workers', '{"num_workers": 2}', 1e-12);
SELECT model FROM iv_hparams, osml_train('iv_data', hparams, model) ORDER BY model;
SELECT h.model, calibration_rows AS rows, iv_off(h.model, 'iv_held') <= tolerance AS exact
	FROM iv_hparams h JOIN osml.models m USING (model) WHERE deployed ORDER BY 1;
-- whoever reads the rows
SELECT count(*), count(DISTINCT (residuals_below, residuals_above)) FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE name IN ('iv_line', 'iv_workers');
-- each of the versions that a run made has its own
SELECT version, d IS NOT NULL AS deployed, iv_off('iv_best', 'iv_held') <= 1e-12 AS exact
	FROM generate_series(1, 3) version, osml_deploy('iv_best', version) d;
SELECT count(*), count(DISTINCT residuals_below) FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE name = 'iv_best';
-- and so has one that goes on from another
SELECT osml_train('iv_data', '{"warm_start": true, "max_epochs": 1}', 'iv_line') > 0 AS warm;
SELECT version, iv_off('iv_line', 'iv_held') <= 1e-12 AS exact FROM osml.models WHERE model = 'iv_line' AND deployed;
-- more held-out rows than scores are kept, read again since they fit neither memory nor temporary files
CREATE TABLE iv_many AS SELECT * FROM iv_make(3001, 203000);
SELECT osml_create_dataset('iv_large', 'iv_train', 'y', '{a,b,c}', val => 'iv_many', options => '{"max_epochs": 2}') > 0 AS created;
SELECT osml_train('iv_large', '{}', 'iv_kept') > 0 AS trained;
SET osml.max_memory = '4MB';
SET osml.max_spill = 0;
SELECT osml_train('iv_large', '{"save_top_k": 2}', 'iv_read_again') > 0 AS trained;
RESET osml.max_memory;
RESET osml.max_spill;
SELECT count(*), count(DISTINCT (calibration_rows, residuals_below, residuals_above)), max(calibration_rows), max(array_length(residuals_above, 1)) AS kept
	FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE name IN ('iv_kept', 'iv_read_again') AND version = deployed;
SELECT level, avg((y BETWEEN lower AND upper)::int) >= level AS holds, avg((y BETWEEN lower AND upper)::int) < level + (1 - level) / 16 AS closely
	FROM unnest(ARRAY[0.5, 0.9, 0.99, 0.999]) level, iv_many t, osml_predict_interval('iv_kept', t, level) GROUP BY 1 ORDER BY 1;

-- --- What is held out -------------------------------------------------------------------
-- a share of the training rows: those that a split by the run's own hash says
SELECT osml_train('iv_train', '{"label": "y", "features": ["a", "b", "c"], "val_fraction": 0.25, "seed": 3}', 'iv_share') > 0 AS trained;
SELECT calibration_rows = val_rows AS all_of_them, val_rows BETWEEN 650 AND 850 AS a_quarter FROM osml.models WHERE model = 'iv_share';
-- the part that osml_split makes
SELECT osml_create_dataset('iv_parts', 'iv_train', 'y', '{a,b,c}') > 0 AS created;
SELECT count(DISTINCT part) FROM osml_split('iv_parts', '{"train": 0.8, "val": 0.2}', seed => 1);
SELECT osml_train('iv_parts', '{"max_epochs": 3}', 'iv_split') > 0 AS trained;
DO $$ BEGIN EXECUTE 'CREATE VIEW iv_val AS ' || (SELECT val FROM osml.datasets WHERE dataset = 'iv_parts'); END $$;
SELECT calibration_rows = count(*) AS all_of_them FROM osml.models, iv_val WHERE model = 'iv_split' GROUP BY calibration_rows;
SELECT iv_off('iv_split', 'iv_val') <= 1e-12 AS exact;
-- rows with a NULL are left out of both, or count with the mean
SELECT osml_create_dataset('iv_gaps', 'iv_train', 'y', '{gap,b}', val => 'iv_held') > 0 AS created;
SELECT osml_train('iv_gaps', '{"max_epochs": 3}', 'iv_skips') > 0 AS skips, osml_train('iv_gaps', '{"max_epochs": 3, "on_null": "mean"}', 'iv_fills') > 0 AS fills;
SELECT model, calibration_rows, iv_off(model, 'iv_held') <= 1e-12 AS exact FROM osml.models WHERE model IN ('iv_skips', 'iv_fills') ORDER BY 1;
SELECT i.prediction IS NULL AND lower IS NULL AND upper IS NULL AS nothing FROM (SELECT NULL::float8 AS gap, 1 AS b) r, osml_predict_interval('iv_skips', r) i;
SELECT lower < i.prediction AND i.prediction < upper AS something FROM (SELECT NULL::float8 AS gap, 1 AS b) r, osml_predict_interval('iv_fills', r) i;
-- rows count the same whatever they weigh, but for those that weigh nothing
SELECT osml_train('iv_data', '{"max_epochs": 3, "sample_weight": "w"}', 'iv_weighted') > 0 AS trained;
CREATE VIEW iv_weighing AS SELECT * FROM iv_held WHERE w > 0;
SELECT calibration_rows, iv_off(model, 'iv_weighing') <= 1e-12 AS exact FROM osml.models WHERE model = 'iv_weighted';

-- --- Coverage ----------------------------------------------------------------------------
-- of 20,000 new rows, with n = 400 held out: the share held is beta distributed with variance
-- level (1 - level) / (n + 2) by the held-out rows, and binomial by the new ones; four deviations
SELECT model, level, abs(avg((y BETWEEN lower AND upper)::int) - level) < 4 * sqrt(level * (1 - level) * (1 / 402.0 + 1 / 20000.0)) AS covers,
		-- each tail by itself
		abs(avg((y < lower)::int) - (1 - level) / 2) < 4 * sqrt((1 - level) / 2 * (1 + level) / 2 * (1 / 402.0 + 1 / 20000.0)) AS below,
		abs(avg((y > upper)::int) - (1 - level) / 2) < 4 * sqrt((1 - level) / 2 * (1 + level) / 2 * (1 / 402.0 + 1 / 20000.0)) AS above
	FROM unnest(ARRAY['iv_line', 'iv_net']) model, unnest(ARRAY[0.5, 0.8, 0.9, 0.95]) level, iv_new t, osml_predict_interval(model, t, level) i
	GROUP BY 1, 2 ORDER BY 1, 2;
-- as skewed as the labels are
SELECT bool_and(upper - i.prediction > 1.5 * (i.prediction - lower)) AS skewed FROM iv_new t, osml_predict_interval('iv_exact', t) i;
-- too few rows for a level: no end
SELECT level, bool_and(lower > '-Infinity') AS lower, bool_and(upper < 'Infinity') AS upper
	FROM unnest(ARRAY[0.995, 0.996]) level, iv_held t, osml_predict_interval('iv_line', t, level) GROUP BY 1 ORDER BY 1;

-- --- Counts ------------------------------------------------------------------------------
SELECT osml_create_dataset('iv_counts', 'iv_train', 'count', '{a,b}', val => 'iv_held') > 0 AS created;
SELECT osml_train('iv_counts', '{"max_epochs": 20, "model_type": "poisson"}', 'iv_count') > 0 AS trained;
-- residuals in units of the root of the mean; no end is below 0
SELECT bool_and(abs(upper - (i.prediction + sqrt(i.prediction) * s[n + 1 - j])) < 1e-9) AS upper,
		bool_and(abs(lower - greatest(0, i.prediction + sqrt(i.prediction) * s[j])) < 1e-9) AS lower, bool_or(lower > 0) AS some, bool_or(lower = 0) AS others
	FROM (SELECT array_agg((count - p) / sqrt(p) ORDER BY (count - p) / sqrt(p)) AS s, count(*)::int AS n
			FROM (SELECT h.count, osml_predict('iv_count', h) AS p FROM iv_held h) h) score,
		(VALUES (0.5, 100), (0.9, 20), (0.95, 10)) l (level, j), iv_held t, osml_predict_interval('iv_count', t, level) i;
SELECT level, avg((count BETWEEN lower AND upper)::int) > level - 4 * sqrt(level * (1 - level) * (1 / 402.0 + 1 / 20000.0)) AS covers,
		corr(upper - i.prediction, sqrt(i.prediction)) > 0.999999 AS wider_with_the_root
	FROM unnest(ARRAY[0.8, 0.9]) level, iv_new t, osml_predict_interval('iv_count', t, level) i GROUP BY 1 ORDER BY 1;

-- --- Ways to ask -------------------------------------------------------------------------
SELECT bool_and(i = d AND i = n) AS default_is_90 FROM iv_held t, osml_predict_interval('iv_line', t) i, osml_predict_interval('iv_line', t, 0.9) d,
	osml_predict_interval(level => 0.9, features => t, model => 'iv_line') n;
SELECT bool_and(i.prediction = osml_predict('iv_fills', t)) AS same_prediction, bool_and(i = v) AS as_array
	FROM iv_held t, osml_predict_interval('iv_fills', t, 0.7) i, osml_predict_interval('iv_fills', ARRAY[gap, b], 0.7) v;
SELECT bool_and(b.prediction IS NOT DISTINCT FROM i.prediction) AS predictions, max(abs(b.lower - i.lower)) < 1e-12 AS lower, max(abs(b.upper - i.upper)) < 1e-12 AS upper,
		count(*), count(b.lower) AS intervals
	FROM osml_predict_batch('iv_skips', 'iv_held', 'id', 0.8) b JOIN iv_held t ON key = id::text, osml_predict_interval('iv_skips', t, 0.8) i;
SELECT count(prediction), count(lower), count(upper) FROM osml_predict_batch('iv_skips', 'iv_held');
SELECT osml_predict_interval(NULL, t), osml_predict_interval('iv_line', NULL::iv_held), osml_predict_interval('iv_line', t, NULL) FROM iv_held t LIMIT 1;
SELECT provolatile, proparallel, proisstrict, pronargs FROM pg_proc WHERE proname = 'osml_predict_interval' ORDER BY oid;
-- several models in one place of a query
SELECT count(DISTINCT upper - i.prediction) FROM iv_hparams h, (SELECT t FROM iv_held t LIMIT 3) t, osml_predict_interval(h.model, t) i WHERE model IN ('iv_line', 'iv_mae', 'iv_net') AND upper IS NOT NULL;

-- --- Errors ------------------------------------------------------------------------------
SELECT osml_predict_interval('iv_line', t, 1) FROM iv_held t LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict_interval('iv_line', t, 0) FROM iv_held t LIMIT 1;
SELECT osml_predict_interval('iv_line', t, 'NaN') FROM iv_held t LIMIT 1;
SELECT osml_predict_batch('iv_line', 'iv_held', level => 90);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict_interval('iv_lin', t) FROM iv_held t LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
-- without validation rows, or with those that it trained on
SELECT osml_train('SELECT y, a, b FROM iv_train', '{"max_epochs": 1}', 'iv_none') > 0 AS "none",
	osml_train('SELECT y, a, b FROM iv_train', '{"overfit_batches": 2, "max_epochs": 1}', 'iv_over') > 0 AS over,
	osml_train('SELECT c, a, b FROM iv_train', '{"val_fraction": 0.2, "max_epochs": 1}', 'iv_classes') > 0 AS classes,
	osml_train('SELECT a > 5 AS large, b FROM iv_train', '{"val_fraction": 0.2, "max_epochs": 1}', 'iv_odds') > 0 AS odds;
SELECT model, val_rows > 0 AS validated, calibration_rows FROM osml.models WHERE model IN ('iv_none', 'iv_over', 'iv_classes', 'iv_odds') ORDER BY 1;
SELECT osml_predict_interval('iv_none', t) FROM iv_held t LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict_interval('iv_over', t) FROM iv_held t LIMIT 1;
SELECT count(*) FROM osml_predict_batch('iv_none', 'iv_held', level => 0.5);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict_interval('iv_classes', t) FROM iv_held t LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict_interval('iv_odds', t) FROM iv_held t LIMIT 1;
SELECT count(*) FROM osml_predict_batch('iv_odds', 'iv_held', level => 0.5);
CREATE ROLE regress_iv_stranger;
GRANT SELECT ON iv_held TO regress_iv_stranger;
SET ROLE regress_iv_stranger;
SELECT osml_predict_interval('iv_line', t) FROM iv_held t LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
SELECT osml_grant('iv_line', 'regress_iv_stranger', 'predict');
SET ROLE regress_iv_stranger;
SELECT upper > lower AS allowed FROM iv_held t, osml_predict_interval('iv_line', t) LIMIT 1;
SELECT version, calibration_rows FROM osml.models WHERE model = 'iv_line' ORDER BY 1;
RESET ROLE;
-- stored residuals that do not fit
UPDATE osml.model_version SET residuals_above = residuals_above[2:] WHERE model_id = (SELECT model_id FROM osml.model WHERE name = 'iv_mae');
SELECT osml_predict_interval('iv_mae', t) FROM iv_held t LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
UPDATE osml.model_version SET residuals_above = residuals_below, residuals_below[3] = NULL WHERE model_id = (SELECT model_id FROM osml.model WHERE name = 'iv_mae');
SELECT osml_predict_interval('iv_mae', t) FROM iv_held t LIMIT 1;

SELECT count(osml_drop_model(m)) FROM (SELECT DISTINCT model FROM osml.models WHERE model LIKE 'iv\_%') s (m);
SELECT osml_drop_dataset(d) FROM unnest(ARRAY['iv_data', 'iv_large', 'iv_parts', 'iv_gaps', 'iv_counts']) d;
DROP VIEW iv_val, iv_weighing;
DROP TABLE iv_train, iv_held, iv_new, iv_many, iv_hparams;
DROP FUNCTION iv_noise, iv_make, iv_off;
DROP ROLE regress_iv_stranger;
