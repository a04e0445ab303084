-- warm_start.sql: going on from a version of the model.
--
-- SGD without momentum has no state, so rows in order give the same bits in one run of
-- six epochs as in two of three, if all that weights mean is taken over.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(59);

-- 'SQLSTATE message | hint', or that there was none
CREATE FUNCTION error_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; hint text; detail text;
BEGIN
	EXECUTE sql;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' | ', SQLSTATE || ' ' || regexp_replace(message, 'run \d+', 'run N'), nullif(detail, ''), nullif(hint, ''));
END $$;
CREATE FUNCTION weights_of(model text, version int DEFAULT NULL) RETURNS text LANGUAGE sql
	RETURN (SELECT md5(v.weights) FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = $1 AND v.version = coalesce($2, m.last_version));
CREATE FUNCTION stored(model text, key text) RETURNS text LANGUAGE sql
	RETURN (SELECT v.hparams ->> $2 FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = $1 AND v.version = m.last_version);
CREATE FUNCTION sgd(more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql RETURN '{"optimizer": "SGD", "lr": 0.02, "batch_size": 50, "shuffle": "none", "max_epochs": 3}'::jsonb || $1;

CREATE TABLE rows AS
	SELECT i, 3 + 2 * a - b + (hashint4(i) & 255) / 512.0 AS y, a, b, 'k' || i % 4 AS k, CASE WHEN a > b THEN 'over' WHEN a > 0 THEN 'middle' ELSE 'under' END AS c
	FROM (SELECT i, (i * 7 % 11) / 4.0::float8 - 1 AS a, (i * i % 13) / 6.0::float8 AS b FROM generate_series(1, 200) i) s;

-- --- the same as one run --------------------------------------------------------------

CREATE FUNCTION predictions(model text, source text) RETURNS text LANGUAGE sql RETURN (SELECT md5(string_agg(p::text, ' ')) FROM osml_predict_batch(model, source) p);
CREATE FUNCTION both_ways(name text, source text, hparams jsonb DEFAULT '{}') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM osml_train(source, sgd(hparams || '{"max_epochs": 6}'), name || '_whole');
	PERFORM osml_train(source, sgd(hparams), name);
	PERFORM osml_train(source, sgd('{"warm_start": true}'), name);
	RETURN NEXT isnt(weights_of(name), weights_of(name, 1), name || ': goes on');
	RETURN NEXT is(predictions(name, source), predictions(name || '_whole', source), name || ': predicts as if it had never stopped');
	-- categories without a row are settled once more where it had not
	IF source !~ ', k' THEN
		RETURN NEXT is(weights_of(name), weights_of(name || '_whole'), name || ': as if it had never stopped');
	END IF;
END $$;
SELECT both_ways('line', 'SELECT y, a, b FROM rows ORDER BY i');
SELECT both_ways('raw', 'SELECT y, a, b FROM rows ORDER BY i', '{"scale": "none", "bias": false}');
SELECT both_ways('float32', 'SELECT y, a, b FROM rows ORDER BY i', '{"precision": "float32"}');
SELECT both_ways('categories', 'SELECT y, a, b, k FROM rows ORDER BY i');
SELECT both_ways('network', 'SELECT y, a, b, k FROM rows ORDER BY i', '{"model_type": "mlp", "num_hidden_neurons": [6, 5], "activation": "tanh", "embedding_dim": 3, "loss": "huber", "huber_delta": 0.5}');
SELECT both_ways('norm', 'SELECT y, a, b FROM rows ORDER BY i', '{"model_type": "mlp", "num_hidden_neurons": [6], "batch_norm_linear_layers": true}');
SELECT both_ways('classes', 'SELECT c, a, b, k FROM rows ORDER BY i', '{"label": "c"}');
SELECT both_ways('count', 'SELECT i % 4 AS n, a, b FROM rows ORDER BY i', '{"model_type": "poisson"}');
SELECT is(stored('network', 'num_hidden_neurons'), '[6, 5]', 'what shapes the model is the version''s'), is(stored('network', 'model_type'), 'mlp', 'its kind too'),
	is(stored('network', 'warm_start'), '1', 'the stored set has the number'), is(stored('raw', 'scale'), 'none', 'and how it is scaled');
-- a version by number, and a network in another precision
SELECT osml_train('SELECT y, a, b FROM rows ORDER BY i', sgd('{"warm_start": 1}'), 'line') > 0 AS ran \gset
SELECT osml_train('SELECT y, a, b, k FROM rows ORDER BY i', sgd('{"warm_start": 1, "precision": "float32", "lr": 0}'), 'network') > 0 AS ran \gset
SELECT is(weights_of('line', 3), weights_of('line', 2), 'a version by its number');
CREATE TEMP TABLE narrow AS SELECT i, osml_predict('network', r) AS p FROM rows r;
SELECT osml_deploy('network', 1) AS deployed \gset
SELECT cmp_ok(max(abs(osml_predict('network', r) - p)), '<', 1e-4::float8, 'another precision'), cmp_ok(max(abs(osml_predict('network', r) - p)), '>', 0::float8, 'is another precision')
	FROM rows r JOIN narrow USING (i);
SELECT is(message, 'goes on from version 1, made by run ' || (SELECT min(run_id) FROM osml.runs WHERE model = 'network'), 'an event says so')
	FROM osml.events JOIN osml.runs USING (run_id) WHERE model = 'network' AND kind = 'warm_start' ORDER BY event_id LIMIT 1;
-- without a version true begins anew
SELECT osml_train('SELECT y, a, b FROM rows ORDER BY i', sgd('{"warm_start": true}'), 'fresh') > 0 AS ran \gset
SELECT is(weights_of('fresh'), weights_of('line', 1), 'without a version true begins anew'), is(stored('fresh', 'warm_start'), 'false', 'as the stored set says');

-- --- what is taken over ----------------------------------------------------------------

-- other rows: constants, means, edges and vocabularies stay the version's
CREATE TABLE later AS SELECT y * 3 AS y, a + 100 AS a, b * 7 AS b, CASE WHEN i % 2 = 0 THEN 'new' ELSE k END AS k, c FROM rows WHERE c <> 'under';
SELECT osml_create_dataset('made', 'SELECT y, a, b, k FROM rows ORDER BY i', options => '{"scale_label": "standardize"}') > 0 AS made \gset
SELECT osml_transform('made', 'a', 'impute', '{"method": "median"}'), osml_bin('made', 'b', 4, method => 'quantile'), osml_transform('made', 'z', 'sql', '{"expression": "a * b"}');
SELECT osml_train('made', sgd()) > 0 AS ran \gset
SELECT osml_drop_dataset('made');
SELECT osml_create_dataset('made', 'later', features => '{a,b,k}', options => '{}') > 0 AS made \gset
SELECT osml_transform('made', 'a', 'impute', '{"method": "median"}'), osml_bin('made', 'b', 4, method => 'quantile'), osml_transform('made', 'z', 'sql', '{"expression": "a * b"}');
SELECT osml_train('made', sgd('{"warm_start": true, "lr": 0}')) > 0 AS ran \gset
SELECT is(weights_of('made', 2), weights_of('made', 1), 'lr 0: the weights are the version''s');
SELECT is(count(DISTINCT (feature, center, scale, mean)), count(DISTINCT feature), 'scaling constants stay the same') FROM osml.features WHERE model = 'made' AND categories IS NULL;
SELECT is(count(DISTINCT (feature, step, params)), count(DISTINCT (feature, step)), 'as do edges, medians and vocabularies'), is(count(DISTINCT version), 2::bigint, 'of both versions')
	FROM osml.model_definitions WHERE model = 'made';
-- a class that has no row now stays, one that is new is an error
SELECT osml_train('SELECT c, a, b, k FROM later', sgd('{"warm_start": true, "class_weight": "balanced"}'), 'classes') > 0 AS ran \gset
SELECT is(classes, '{middle,over,under}', 'classes are the version''s') FROM osml.models WHERE model = 'classes' ORDER BY version DESC LIMIT 1;
SELECT matches(error_of($$SELECT osml_train('SELECT upper(c) AS c, a, b, k FROM rows', '{"warm_start": true}', 'classes')$$), '^22000 .*label "c" of the query has a class "MIDDLE", which version 3 of model "classes" does not know \| Filter', 'a class that the version does not know');

SELECT osml_train('SELECT y, a, b FROM rows', '{"precision": "float32", "max_epochs": 1}', 'narrow') > 0 AS ran \gset
-- --- refused --------------------------------------------------------------------------

SELECT matches(error_of($$SELECT osml_train('SELECT y, a FROM rows', '{"warm_start": true}', 'line')$$), '^22023 feature "b" is missing here, but is one of version 3 of model "line" \| Train without', 'a feature that is missing'),
	matches(error_of($$SELECT osml_train('SELECT y, a, b, i FROM rows', '{"warm_start": true}', 'line')$$), '^22023 feature "i" is none of the features of version 3', 'a feature too many'),
	matches(error_of($$SELECT osml_train('SELECT y, b, a FROM rows', '{"warm_start": true}', 'line')$$), '^22023 feature "b" has another place than in version 3', 'another order'),
	matches(error_of($$SELECT osml_train('SELECT y, a, b::text AS b FROM rows', '{"warm_start": true}', 'line')$$), '^22023 feature "b" has type text here, and double precision in version 3', 'another type'),
	matches(error_of($$SELECT osml_train('SELECT i, a, b FROM rows', '{"warm_start": true}', 'line')$$), '^22023 the label is "i", but that of version 3 of model "line" is "y"', 'another label'),
	matches(error_of($$SELECT osml_train('SELECT y, a, b, k FROM rows', '{"warm_start": true, "num_hidden_neurons": [7]}', 'network')$$), '^22023 hyperparameter "num_hidden_neurons" is \[7\], but version 1 of model "network" has \[6, 5\] \| Leave it out', 'another shape'),
	matches(error_of($$SELECT osml_train('SELECT y, a, b FROM rows', '{"warm_start": true, "scale": "none"}', 'line')$$), '^22023 hyperparameter "scale" is "none", but version 3', 'another scaling'),
	matches(error_of($$SELECT osml_train('SELECT y, a, b FROM rows', '{"warm_start": 9}', 'line')$$), '^42704 model "line" has no version 9 \| osml.models lists', 'no such version'),
	matches(error_of($$SELECT osml_train('SELECT y, a, b FROM rows', '{"warm_start": 1}', 'nobody')$$), '^42704 hyperparameter "warm_start" is 1, but there is no model "nobody"', 'no such model'),
	matches(error_of($$SELECT osml_train('SELECT y, a, b FROM rows', '{"warm_start": true, "optimizer": "exact"}', 'line')$$), '^22023 optimizer "exact" starts from no weights', 'exact'),
	matches(error_of($$SELECT osml_train('SELECT y, a, b FROM rows', '{"warm_start": true, "optimizer": "exact"}', 'narrow')$$), '^22023 optimizer "exact" starts from no weights', 'exact, whatever is inherited'),
	matches(error_of($$SELECT osml_train('SELECT y, a, b FROM rows', '{"warm_start": true, "initial_weights": [1, 2, 3]}', 'line')$$), 'both give weights to start from \| Leave one', 'initial_weights');
SELECT osml_drop_feature('made', 'z'), osml_transform('made', 'z', 'sql', '{"expression": "a + b"}');
SELECT matches(error_of($$SELECT osml_train('made', '{"warm_start": true}')$$), '^22023 feature "z" of dataset "made" is defined otherwise than in version', 'another expression');
SELECT osml_drop_feature('made', 'z'), osml_transform('made', 'z', 'sql', '{"expression": "a * b"}'), osml_drop_feature('made', 'b_bin'), osml_bin('made', 'b', 5, method => 'quantile');
SELECT matches(error_of($$SELECT osml_train('made', '{"warm_start": true}')$$), 'is defined otherwise than in version|is none of the features|has another place', 'another number of bins');
SELECT matches(string_agg(message, ' '), 'is defined otherwise than in version|has another place', 'osml_check says so') FROM osml_check('made', '{"warm_start": true}') WHERE verdict = 'error';
-- of the model that is named
SELECT matches((SELECT string_agg(message, ' ') FROM osml_check('SELECT y, a, b, a * b AS ab FROM rows', '{"warm_start": true}', 'line') WHERE verdict = 'error'), 'feature', 'osml_check takes the version of the model that is named'),
	is((SELECT string_agg(message, ' ') FROM osml_check('SELECT y, a, b FROM rows', '{"warm_start": true}', 'line') WHERE verdict = 'error'), NULL, 'whose features are these'),
	matches((SELECT string_agg(message, ' ') FROM osml_check('SELECT y, a, b FROM rows', '{"warm_start": 1}', 'nobody') WHERE verdict = 'error'), 'there is no model "nobody"', 'or of none'),
	is((SELECT string_agg(message, ' ') FROM osml_check('rows', '{}', '') WHERE verdict = 'error'), 'model name must have 1 to 200 bytes', 'and looks at the name'),
	matches(error_of($$SELECT osml_check('SELECT y, a, b FROM rows', '{}', 'line')$$), '^no error$', 'one that is there may be trained');
CREATE ROLE warm_user;
GRANT ALL ON rows TO warm_user;
SET ROLE warm_user;
SELECT matches(public.error_of($$SELECT public.osml_train('SELECT y, a, b FROM public.rows', '{"warm_start": 1}', 'line')$$), '^42501 permission denied for model "line"', 'somebody else''s model'),
	matches(public.error_of($$SELECT public.osml_check('SELECT y, a, b FROM public.rows', '{}', 'line')$$), '^42501 permission denied for model "line"', 'osml_check refuses it too');
RESET ROLE;
DROP OWNED BY warm_user;
DROP ROLE warm_user;

SELECT osml_drop_dataset('made');
SELECT finish();
