/* osml--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION osml" to load this file. \quit

-- The extension is trusted, so this script may run as the bootstrap superuser
-- in a schema that somebody else controls: functions are named with
-- pg_catalog, operators meet exactly their own types, nothing is replaced.

-- --- The catalog: base tables, singular, private -----------------------------
--
-- Plain CREATE SCHEMA: a schema osml that is already there belongs to somebody
-- else, and the extension must not move in with him.

CREATE SCHEMA osml;
COMMENT ON SCHEMA osml IS 'osml: datasets, runs, models; read the views, whose names are plural';

CREATE SEQUENCE osml.dataset_id_seq;
CREATE SEQUENCE osml.run_id_seq MAXVALUE 4294967295;	-- a run's lock has 32 bits for it
CREATE SEQUENCE osml.event_id_seq;
CREATE SEQUENCE osml.model_id_seq;
CREATE SEQUENCE osml.version_id_seq;

CREATE TABLE osml.dataset (
	dataset_id	bigint PRIMARY KEY DEFAULT pg_catalog.nextval('osml.dataset_id_seq'),
	name		text NOT NULL UNIQUE CHECK (name <> ''),
	owner		text NOT NULL,
	train		text NOT NULL,
	val			text,
	test		text,
	label		text,
	features	text[],
	options		jsonb CHECK (pg_catalog.jsonb_typeof(options) = 'object'),
	split		jsonb CHECK (pg_catalog.jsonb_typeof(split) = 'object'),
	created_at	timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE osml.dataset IS 'named data: train, val and test source, label and features';

-- Rows of one feature have one position.
CREATE TABLE osml.definition (
	dataset_id	bigint NOT NULL REFERENCES osml.dataset ON DELETE CASCADE,
	position	integer NOT NULL CHECK (position > 0),
	feature		text NOT NULL CHECK (feature <> ''),
	step		integer NOT NULL CHECK (step > 0),
	transform	text NOT NULL,
	inputs		text[],
	shared		text,
	params		jsonb NOT NULL CHECK (pg_catalog.jsonb_typeof(params) = 'object'),
	fitted		jsonb,
	PRIMARY KEY (dataset_id, feature, step)
);
COMMENT ON TABLE osml.definition IS 'how features of a dataset are made, a row a step';

CREATE TABLE osml.run (
	run_id		bigint PRIMARY KEY DEFAULT pg_catalog.nextval('osml.run_id_seq'),
	owner		text NOT NULL,
	dataset		text NOT NULL,
	model		text NOT NULL,
	version		integer CHECK (version > 0),
	status		text NOT NULL CHECK (status IN ('queued', 'running', 'finished',
					'diverged', 'failed', 'cancelled', 'interrupted')),
	error		text,
	hparams		jsonb NOT NULL,
	device		text,
	steps		bigint NOT NULL DEFAULT 0 CHECK (steps >= 0),
	epoch		bigint NOT NULL DEFAULT 0 CHECK (epoch >= 0),
	rows_read	bigint NOT NULL DEFAULT 0 CHECK (rows_read >= 0),
	rows_seen	bigint NOT NULL DEFAULT 0 CHECK (rows_seen >= 0),
	rows_skipped bigint NOT NULL DEFAULT 0 CHECK (rows_skipped >= 0),
	trainer_pid	integer,
	segment		bigint,
	summary		jsonb,
	model_named	boolean NOT NULL DEFAULT false,	-- by the call, not after what it trains on
	started_at	timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	ended_at	timestamptz
) WITH (fillfactor = 70);
COMMENT ON TABLE osml.run IS 'one row a training run, written by its trainer';
CREATE INDEX run_going_on ON osml.run (owner) WHERE status = 'running';

-- The key serves the usual question, a metric's curve over the steps.
CREATE TABLE osml.metric (
	run_id		bigint NOT NULL REFERENCES osml.run ON DELETE CASCADE,
	step		bigint NOT NULL CHECK (step >= 0),
	epoch		bigint NOT NULL,
	value		double precision NOT NULL,
	at			timestamptz NOT NULL,
	phase		text NOT NULL,
	name		text NOT NULL,
	PRIMARY KEY (run_id, name, step, phase)
);
COMMENT ON TABLE osml.metric IS 'what a run measured, step by step';

CREATE TABLE osml.event (
	event_id	bigint PRIMARY KEY DEFAULT pg_catalog.nextval('osml.event_id_seq'),
	run_id		bigint NOT NULL REFERENCES osml.run ON DELETE CASCADE,
	at			timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	severity	text NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
	kind		text NOT NULL,
	step		bigint,
	message		text NOT NULL
);
CREATE INDEX ON osml.event (run_id);
COMMENT ON TABLE osml.event IS 'what happened in a run that its user should know';

CREATE TABLE osml.checkpoint (
	run_id		bigint NOT NULL REFERENCES osml.run ON DELETE CASCADE,
	kind		text NOT NULL CHECK (kind IN ('last', 'best')),
	step		bigint NOT NULL CHECK (step >= 0),
	epoch		bigint NOT NULL CHECK (epoch >= 0),
	monitor		text,
	value		double precision,
	train_loss	double precision,
	val_loss	double precision,
	state		bytea NOT NULL,
	at			timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
	PRIMARY KEY (run_id, kind, step)
);
ALTER TABLE osml.checkpoint ALTER state SET STORAGE EXTERNAL;	-- it does not compress
COMMENT ON TABLE osml.checkpoint IS 'where a run that has not finished can go on (last), and its best weights so far (best), as safetensors';

-- deployed and previous are no foreign keys: they would make a circle, which
-- pg_dump cannot restore without disabling triggers.
CREATE TABLE osml.model (
	model_id	bigint PRIMARY KEY DEFAULT pg_catalog.nextval('osml.model_id_seq'),
	name		text NOT NULL UNIQUE CHECK (name <> ''),
	owner		text NOT NULL,
	deployed	integer,
	previous	integer,
	last_version integer NOT NULL DEFAULT 0,
	created_at	timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE osml.model IS 'a model: a name, its owner, the version in use';

-- run_id is no foreign key: old runs may be deleted, and their models stay.
CREATE TABLE osml.model_version (
	version_id	bigint PRIMARY KEY DEFAULT pg_catalog.nextval('osml.version_id_seq'),
	model_id	bigint NOT NULL REFERENCES osml.model ON DELETE CASCADE,
	version		integer NOT NULL CHECK (version > 0),
	run_id		bigint NOT NULL,
	author		text NOT NULL,
	model_type	text NOT NULL,
	loss		text NOT NULL,
	label		text NOT NULL,
	label_type	text NOT NULL,
	classes		text[],
	label_center double precision NOT NULL,
	label_scale	double precision NOT NULL,
	hparams		jsonb NOT NULL,
	weights		bytea NOT NULL,
	train_rows	bigint NOT NULL CHECK (train_rows >= 0),
	skipped_rows bigint NOT NULL CHECK (skipped_rows >= 0),
	val_rows	bigint NOT NULL CHECK (val_rows >= 0),
	test_rows	bigint NOT NULL CHECK (test_rows >= 0),
	fingerprint	bigint NOT NULL,
	steps		bigint NOT NULL CHECK (steps >= 0),
	train_loss	double precision,
	val_loss	double precision,
	test_loss	double precision,
	summary		jsonb,
	program		jsonb NOT NULL,
	calibration_rows bigint CHECK (calibration_rows > 0),
	residuals_below double precision[],
	residuals_above double precision[],
	created_at	timestamptz NOT NULL DEFAULT pg_catalog.now(),
	UNIQUE (model_id, version)
);
ALTER TABLE osml.model_version ALTER weights SET STORAGE EXTERNAL;	-- they do not compress
COMMENT ON TABLE osml.model_version IS 'a trained model: weights as safetensors, and all that prediction needs; never updated';
COMMENT ON COLUMN osml.model_version.calibration_rows IS 'held-out rows that the residuals are of';
COMMENT ON COLUMN osml.model_version.residuals_below IS 'how far labels are below their predictions, from the farthest on: residuals, or of counts residuals divided by the square root of the prediction, with ranks of seven binary digits';
COMMENT ON COLUMN osml.model_version.residuals_above IS 'the same above the predictions';

CREATE TABLE osml.feature (
	version_id	bigint NOT NULL REFERENCES osml.model_version ON DELETE CASCADE,
	position	integer NOT NULL CHECK (position > 0),
	column_name	text NOT NULL,
	element		integer NOT NULL CHECK (element >= 0),
	n_elements	integer NOT NULL CHECK (n_elements >= element),
	type		text NOT NULL,
	n			bigint NOT NULL,
	mean		double precision,
	std			double precision,
	min			double precision,
	max			double precision,
	center		double precision NOT NULL,
	scale		double precision NOT NULL CHECK (scale <> '0'),
	codes		integer CHECK (codes > 0),
	average		double precision[],
	PRIMARY KEY (version_id, position)
);
COMMENT ON COLUMN osml.feature.average IS 'of codes: the mean over the training rows of what the model looks up for them, a weight an output or an embedding';
COMMENT ON TABLE osml.feature IS 'one row a column that a version sees, numbers before codes, in the order of its weights: statistics and scaling constants';

CREATE TABLE osml.weight (
	version_id	bigint NOT NULL REFERENCES osml.model_version ON DELETE CASCADE,
	position	integer NOT NULL CHECK (position >= 0),
	feature		text NOT NULL,
	class		text,
	category	text,
	weight		double precision,
	scaled_weight double precision,
	std_error	double precision,
	t_stat		double precision,
	p_value		double precision,
	collinear	boolean NOT NULL,
	PRIMARY KEY (version_id, position)
);
COMMENT ON TABLE osml.weight IS 'a report of a linear model''s weights for people; prediction uses model_version.weights';

CREATE TABLE osml.model_grant (
	model_id	bigint NOT NULL REFERENCES osml.model ON DELETE CASCADE,
	grantee		text NOT NULL,
	privilege	text NOT NULL CHECK (privilege IN ('predict', 'manage')),
	PRIMARY KEY (model_id, grantee, privilege)
);
COMMENT ON TABLE osml.model_grant IS 'who else may use a model; grantee public is everybody';

CREATE TABLE osml.bin (
	dataset_id	bigint REFERENCES osml.dataset ON DELETE CASCADE,
	version_id	bigint REFERENCES osml.model_version ON DELETE CASCADE,
	feature		text NOT NULL,
	bin			bigint NOT NULL CHECK (bin >= 0),
	low			double precision,
	high		double precision,
	category	text,
	count		bigint CHECK (count >= 0),
	mean_label	double precision,
	UNIQUE (dataset_id, feature, bin),
	UNIQUE (version_id, feature, bin),
	CHECK ((dataset_id IS NULL) <> (version_id IS NULL))
);
-- without a key: where all tables are published nobody could delete from it
ALTER TABLE osml.bin REPLICA IDENTITY FULL;
COMMENT ON TABLE osml.bin IS 'bins and categories of a dataset''s or a version''s features, for people; training and prediction do not read it';

CREATE TABLE osml.feature_note (
	dataset_id	bigint NOT NULL REFERENCES osml.dataset ON DELETE CASCADE,
	feature		text NOT NULL CHECK (feature <> ''),
	available	boolean,
	reason		text,
	rationale	text,
	noted_at	timestamptz NOT NULL DEFAULT pg_catalog.now(),
	PRIMARY KEY (dataset_id, feature)
);
COMMENT ON TABLE osml.feature_note IS 'what people know of a dataset''s features: availability, reasons, rationales';

CREATE TABLE osml.statistic (
	dataset_id	bigint NOT NULL REFERENCES osml.dataset ON DELETE CASCADE,
	position	integer NOT NULL CHECK (position > 0),
	column_name	text NOT NULL,
	type		text NOT NULL,
	is_label	boolean NOT NULL,
	rows		bigint NOT NULL CHECK (rows >= 0),
	nulls		bigint NOT NULL CHECK (nulls >= 0),
	nans		bigint CHECK (nans >= 0),
	infinities	bigint CHECK (infinities >= 0),
	mean		double precision,
	std			double precision,
	skewness	double precision,
	min			double precision,
	max			double precision,
	zero_share	double precision,
	correlation	double precision,
	p01			double precision,
	p05			double precision,
	p25			double precision,
	p50			double precision,
	p75			double precision,
	p95			double precision,
	p99			double precision,
	histogram	bigint[],
	distinct_values bigint NOT NULL CHECK (distinct_values >= 0),
	distinct_exact boolean NOT NULL,
	top_values	text[] NOT NULL,
	top_counts	bigint[] NOT NULL,
	top_error	bigint NOT NULL CHECK (top_error >= 0),
	analyzed_at	timestamptz NOT NULL DEFAULT pg_catalog.now(),
	PRIMARY KEY (dataset_id, position)
);
COMMENT ON TABLE osml.statistic IS 'what osml_analyze found out about the columns of datasets';

-- one a statement: each call updates the extension's row
SELECT pg_catalog.pg_extension_config_dump('osml.dataset', '');
SELECT pg_catalog.pg_extension_config_dump('osml.definition', '');
SELECT pg_catalog.pg_extension_config_dump('osml.run', '');
SELECT pg_catalog.pg_extension_config_dump('osml.metric', '');
SELECT pg_catalog.pg_extension_config_dump('osml.event', '');
SELECT pg_catalog.pg_extension_config_dump('osml.checkpoint', '');
SELECT pg_catalog.pg_extension_config_dump('osml.model', '');
SELECT pg_catalog.pg_extension_config_dump('osml.model_version', '');
SELECT pg_catalog.pg_extension_config_dump('osml.feature', '');
SELECT pg_catalog.pg_extension_config_dump('osml.weight', '');
SELECT pg_catalog.pg_extension_config_dump('osml.model_grant', '');
SELECT pg_catalog.pg_extension_config_dump('osml.bin', '');
SELECT pg_catalog.pg_extension_config_dump('osml.feature_note', '');
SELECT pg_catalog.pg_extension_config_dump('osml.statistic', '');
SELECT pg_catalog.pg_extension_config_dump('osml.dataset_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('osml.run_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('osml.event_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('osml.model_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('osml.version_id_seq', '');

-- --- What the views ask ------------------------------------------------------

CREATE FUNCTION osml.role_usable(role text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'osml_view_role_usable'
	LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION osml.role_usable(text) IS 'whether the current user has the privileges of a role; false where there is no such role';

CREATE FUNCTION osml.run_status(run_id bigint, status text) RETURNS text
	AS 'MODULE_PATHNAME', 'osml_view_run_status'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;	-- takes a new snapshot
COMMENT ON FUNCTION osml.run_status(bigint, text) IS 'the stored status, or interrupted where a run says running or queued and its process is gone';

-- --- What split datasets ask ---------------------------------------------------
--
-- Part of the queries that osml_split stores, and IMMUTABLE in earnest: dumped
-- and restored, a row stays in its part.

CREATE FUNCTION osml.split_unit(seed bigint, features record) RETURNS double precision
	AS 'MODULE_PATHNAME', 'osml_split_unit'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION osml.split_unit(bigint, record) IS 'a number in [0, 1) that depends on the row''s values and the seed alone';

-- --- Views: plural, for people -----------------------------------------------
--
-- They read the base tables with their owner's rights and let through only
-- what the reader may see; security_barrier keeps a reader's own functions from
-- being called with rows that the filter drops.

CREATE VIEW osml.usable_model WITH (security_barrier) AS
	SELECT * FROM osml.model m
	WHERE osml.role_usable(m.owner)
		OR EXISTS (SELECT FROM osml.model_grant g
			WHERE g.model_id = m.model_id
			AND (g.grantee = 'public' OR osml.role_usable(g.grantee)));
COMMENT ON VIEW osml.usable_model IS 'building block of other views: models that the reader owns or was granted';

CREATE VIEW osml.usable_run WITH (security_barrier) AS
	SELECT * FROM osml.run r
	WHERE osml.role_usable(r.owner) OR pg_catalog.pg_has_role('pg_monitor', 'USAGE');
COMMENT ON VIEW osml.usable_run IS 'building block of other views: runs that the reader may see';

CREATE VIEW osml.datasets WITH (security_barrier) AS
	SELECT d.name AS dataset, d.owner, d.train, d.val, d.test, d.label,
		d.features, d.options, d.split, d.created_at
	FROM osml.dataset d
	WHERE osml.role_usable(d.owner);
COMMENT ON VIEW osml.datasets IS 'datasets registered with osml_create_dataset';
COMMENT ON COLUMN osml.datasets.train IS 'relation or SELECT to learn from';
COMMENT ON COLUMN osml.datasets.val IS 'relation or SELECT to validate on, if any';
COMMENT ON COLUMN osml.datasets.test IS 'relation or SELECT to test on, if any';
COMMENT ON COLUMN osml.datasets.label IS 'column to predict; NULL: the first column';
COMMENT ON COLUMN osml.datasets.features IS 'columns to learn from; NULL: all but the label';
COMMENT ON COLUMN osml.datasets.options IS 'hyperparameters that runs on this dataset start from';
COMMENT ON COLUMN osml.datasets.split IS 'how osml_split made train, val and test out of "source"; NULL: it did not';

CREATE VIEW osml.feature_notes WITH (security_barrier) AS
	SELECT d.name AS dataset, n.feature, n.available, n.reason, n.rationale, n.noted_at
	FROM osml.feature_note n JOIN osml.dataset d ON d.dataset_id = n.dataset_id
	WHERE osml.role_usable(d.owner);
COMMENT ON VIEW osml.feature_notes IS 'what osml_declare_feature was told';
COMMENT ON COLUMN osml.feature_notes.feature IS 'column, or the text of a candidate expression';
COMMENT ON COLUMN osml.feature_notes.available IS 'whether it is known when a prediction is wanted; NULL: nobody said';
COMMENT ON COLUMN osml.feature_notes.reason IS 'why it is available, or why not, legal reasons included';
COMMENT ON COLUMN osml.feature_notes.rationale IS 'why an expert thinks that it should matter';

CREATE VIEW osml.statistics WITH (security_barrier) AS
	SELECT d.name AS dataset, s.column_name, s.type, s.is_label, s.rows, s.nulls,
		s.nans, s.infinities, s.mean, s.std, s.skewness, s.min, s.max,
		s.zero_share, s.correlation, s.p01, s.p05, s.p25, s.p50, s.p75, s.p95,
		s.p99, s.histogram, s.distinct_values, s.distinct_exact, s.top_values,
		s.top_counts, s.top_error, s.position, s.analyzed_at, d.owner
	FROM osml.statistic s JOIN osml.dataset d ON d.dataset_id = s.dataset_id
	WHERE osml.role_usable(d.owner);
COMMENT ON VIEW osml.statistics IS 'columns of datasets, as the latest osml_analyze found them; moments, quantiles and histogram are of finite values';
COMMENT ON COLUMN osml.statistics.column_name IS 'column of the train source, one element of an array column, or a feature that is an expression';
COMMENT ON COLUMN osml.statistics.rows IS 'all rows, NULLs included';
COMMENT ON COLUMN osml.statistics.nulls IS 'rows without a value; an array with a NULL in it has none';
COMMENT ON COLUMN osml.statistics.nans IS 'rows with NaN; NULL for texts, as are all that follow up to the histogram';
COMMENT ON COLUMN osml.statistics.infinities IS 'rows with an infinity';
COMMENT ON COLUMN osml.statistics.mean IS 'of a date: days since 1970; of a timestamp: seconds';
COMMENT ON COLUMN osml.statistics.std IS 'population standard deviation; NULL where squares of deviations are beyond a double, as with values of 1e-200 or 1e200';
COMMENT ON COLUMN osml.statistics.skewness IS 'population skewness, 0 for a constant; NULL where cubes of deviations are beyond a double';
COMMENT ON COLUMN osml.statistics.zero_share IS 'share of zeros among finite values';
COMMENT ON COLUMN osml.statistics.correlation IS 'Pearson''s r with the label, over rows that have both; NULL where one of them does not vary, or squares of its deviations are beyond a double';
COMMENT ON COLUMN osml.statistics.p50 IS 'median, a value that occurs; quantiles are exact up to 2048 values, beyond that their rank is off by at most 0.25 % of the rows (with 99 % confidence)';
COMMENT ON COLUMN osml.statistics.histogram IS 'values in each of 20 equally wide bins from min to max, the last with its upper edge; exact up to 2048 values, beyond that off by at most 0.5 % of the rows';
COMMENT ON COLUMN osml.statistics.distinct_values IS 'different values; where distinct_exact is false an estimate, whose standard error is 0.8 %: within 1.6 % in 19 of 20 columns, within 2.5 % in nearly all';
COMMENT ON COLUMN osml.statistics.distinct_exact IS 'whether distinct_values has been counted';
COMMENT ON COLUMN osml.statistics.top_values IS 'the ten most frequent values; NULL stands for a text of more than 1024 bytes';
COMMENT ON COLUMN osml.statistics.top_counts IS 'rows of each of them, at least';
COMMENT ON COLUMN osml.statistics.top_error IS 'what each count may be too low by; 0: they are exact';
COMMENT ON COLUMN osml.statistics.position IS 'order of the columns, the label last';
COMMENT ON COLUMN osml.statistics.owner IS 'owner of the dataset';

CREATE VIEW osml.definitions WITH (security_barrier) AS
	SELECT d.name AS dataset, f.feature, f.step, f.transform, f.inputs, f.shared,
		f.params, f.fitted, f.position, d.owner
	FROM osml.dataset d JOIN osml.definition f ON f.dataset_id = d.dataset_id
	WHERE osml.role_usable(d.owner);
COMMENT ON VIEW osml.definitions IS 'how features of datasets are made, a row a step; a dataset''s owner may INSERT, UPDATE (transform, inputs, shared, params) and DELETE, which is checked as osml_transform and its like are';
COMMENT ON COLUMN osml.definitions.dataset IS 'dataset whose runs have the feature';
COMMENT ON COLUMN osml.definitions.feature IS 'name of the feature; that of a column takes the column''s place';
COMMENT ON COLUMN osml.definitions.step IS 'from 1; a later step reads the step before it';
COMMENT ON COLUMN osml.definitions.transform IS 'what the step does: osml_transforms() lists what there is';
COMMENT ON COLUMN osml.definitions.inputs IS 'columns or features that the first step reads';
COMMENT ON COLUMN osml.definitions.shared IS 'steps of one name are fitted together and have one set of parameters: one grid for several columns';
COMMENT ON COLUMN osml.definitions.params IS 'parameters that were given; each run learns the others from its training rows';
COMMENT ON COLUMN osml.definitions.fitted IS 'parameters with those that osml_fit_features learned; NULL: not fitted since the last change, or nothing to fit';
COMMENT ON COLUMN osml.definitions.position IS 'order of the features within the dataset';
COMMENT ON COLUMN osml.definitions.owner IS 'owner of the dataset';

CREATE FUNCTION osml.definitions_change() RETURNS trigger
	AS 'MODULE_PATHNAME', 'osml_definitions_change'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml.definitions_change() IS 'triggers of osml.definitions: take changes row by row, check and store them together';
REVOKE EXECUTE ON FUNCTION osml.definitions_change() FROM PUBLIC;

CREATE TRIGGER definitions_begin BEFORE INSERT OR UPDATE OR DELETE ON osml.definitions
	FOR EACH STATEMENT EXECUTE FUNCTION osml.definitions_change();
CREATE TRIGGER definitions_change INSTEAD OF INSERT OR UPDATE OR DELETE ON osml.definitions
	FOR EACH ROW EXECUTE FUNCTION osml.definitions_change();
CREATE TRIGGER definitions_end AFTER INSERT OR UPDATE OR DELETE ON osml.definitions
	FOR EACH STATEMENT EXECUTE FUNCTION osml.definitions_change();
COMMENT ON TRIGGER definitions_begin ON osml.definitions IS 'a statement begins';
COMMENT ON TRIGGER definitions_change ON osml.definitions IS 'a row of it changes a definition in memory';
COMMENT ON TRIGGER definitions_end ON osml.definitions IS 'all changes of the statement are checked as a whole and stored';

CREATE VIEW osml.runs WITH (security_barrier) AS
	SELECT r.run_id, r.dataset, r.model, r.version, now.status,
		CASE WHEN now.status = 'interrupted'
			THEN COALESCE(r.error, 'the trainer or the server died') ELSE r.error END AS error,
		r.hparams,
		r.device, r.steps, r.rows_seen, r.rows_skipped, r.started_at,
		r.ended_at, r.owner, r.epoch, r.rows_read, r.summary, r.trainer_pid
	FROM osml.usable_run r
		CROSS JOIN LATERAL osml.run_status(r.run_id, r.status) AS now(status);
COMMENT ON VIEW osml.runs IS 'training runs';
COMMENT ON COLUMN osml.runs.dataset IS 'what osml_train was given: a dataset, a relation or a SELECT';
COMMENT ON COLUMN osml.runs.version IS 'version of the model that the run made';
COMMENT ON COLUMN osml.runs.status IS 'queued, running, finished, diverged, failed, cancelled, or interrupted: the server or the trainer died';
COMMENT ON COLUMN osml.runs.error IS 'why the run did not finish';
COMMENT ON COLUMN osml.runs.hparams IS 'all hyperparameters as resolved, defaults included';
COMMENT ON COLUMN osml.runs.steps IS 'optimizer updates done';
COMMENT ON COLUMN osml.runs.rows_read IS 'usable rows taken from the sources so far: what a load pass counts up';
COMMENT ON COLUMN osml.runs.rows_seen IS 'rows in completed steps, counted again in each epoch';
COMMENT ON COLUMN osml.runs.rows_skipped IS 'rows left out for a NULL or a value that is not finite';
COMMENT ON COLUMN osml.runs.summary IS 'figures of the whole run, such as r2, condition_number, phase_seconds, waited_for_rows_seconds, peak_rss_kb, reader_peak_rss_kb';
COMMENT ON COLUMN osml.runs.trainer_pid IS 'process that trained, as in pg_stat_activity.pid';

CREATE VIEW osml.progress WITH (security_barrier) AS
	SELECT r.run_id, r.model, r.epoch, r.steps AS step, r.rows_read, r.rows_seen,
		COALESCE(speed.value, r.rows_seen::double precision
			/ NULLIF(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - r.started_at)::double precision, '0')) AS rows_per_s,
		loss.name AS metric, loss.value,
		pg_catalog.clock_timestamp() - r.started_at AS elapsed, r.owner
	FROM osml.usable_run r
		LEFT JOIN LATERAL (SELECT m.value FROM osml.metric m
			WHERE m.run_id = r.run_id AND m.name = 'rows_per_s'
			ORDER BY m.step DESC LIMIT 1) speed ON true
		LEFT JOIN LATERAL (SELECT m.name, m.value FROM osml.metric m
			WHERE m.run_id = r.run_id
			AND m.name = pg_catalog.concat('train_', r.hparams ->> 'loss'::text)
			ORDER BY m.step DESC LIMIT 1) loss ON true
	WHERE r.status = 'running' AND osml.run_status(r.run_id, r.status) = 'running';
COMMENT ON VIEW osml.progress IS 'runs that are going on now';
COMMENT ON COLUMN osml.progress.rows_per_s IS 'rows a second, lately; over the whole run where no metric says';
COMMENT ON COLUMN osml.progress.metric IS 'name of the training loss';
COMMENT ON COLUMN osml.progress.value IS 'latest training loss';

CREATE VIEW osml.metrics WITH (security_barrier) AS
	SELECT m.run_id, m.step, m.epoch, m.phase, m.name, m.value, m.at
	FROM osml.metric m JOIN osml.usable_run r ON r.run_id = m.run_id;
COMMENT ON VIEW osml.metrics IS 'what runs measured, step by step';
COMMENT ON COLUMN osml.metrics.step IS 'optimizer update, from 1; a train metric is of the batch before that update';
COMMENT ON COLUMN osml.metrics.phase IS 'train, sanity, val or test';

CREATE VIEW osml.events WITH (security_barrier) AS
	SELECT e.event_id, e.run_id, e.at, e.severity, e.kind, e.step, e.message
	FROM osml.event e JOIN osml.usable_run r ON r.run_id = e.run_id;
COMMENT ON VIEW osml.events IS 'what happened in runs: skipped rows, divergence, collinear columns, ...';
COMMENT ON COLUMN osml.events.severity IS 'info, warning or error';

CREATE VIEW osml.checkpoints WITH (security_barrier) AS
	SELECT c.run_id, r.model, c.kind, c.step, c.epoch, c.monitor, c.value,
		c.train_loss, c.val_loss, pg_catalog.octet_length(c.state) AS bytes, c.at
	FROM osml.checkpoint c JOIN osml.usable_run r ON r.run_id = c.run_id;
COMMENT ON VIEW osml.checkpoints IS 'checkpoints of runs that have not finished: osml_resume goes on from the last, and the best become versions';
COMMENT ON COLUMN osml.checkpoints.kind IS 'last: all that the run needs to go on; best: weights at a value of the monitored metric that is among the best';
COMMENT ON COLUMN osml.checkpoints.step IS 'optimizer updates done by then';
COMMENT ON COLUMN osml.checkpoints.monitor IS 'metric whose value it is among the best for; NULL for the last';
COMMENT ON COLUMN osml.checkpoints.value IS 'value of that metric';
COMMENT ON COLUMN osml.checkpoints.bytes IS 'size of what is stored';

CREATE VIEW osml.models WITH (security_barrier) AS
	SELECT m.name AS model, v.version, v.run_id, m.owner, v.author,
		COALESCE(v.version = m.deployed, false) AS deployed, v.model_type,
		v.loss, v.label, v.label_type, v.classes,
		(SELECT pg_catalog.count(*)::integer FROM osml.feature f
			WHERE f.version_id = v.version_id) AS features,
		v.train_rows, v.val_rows, v.test_rows, v.skipped_rows,
		v.train_loss, v.val_loss, v.test_loss,
		pg_catalog.lpad(pg_catalog.to_hex(v.fingerprint), 16, '0') AS fingerprint,
		v.hparams, v.summary, v.created_at, v.steps, v.calibration_rows
	FROM osml.usable_model m
		LEFT JOIN osml.model_version v ON v.model_id = m.model_id;
COMMENT ON VIEW osml.models IS 'models and their versions';
COMMENT ON COLUMN osml.models.version IS 'NULL: no run has made one yet';
COMMENT ON COLUMN osml.models.run_id IS 'run that made the version';
COMMENT ON COLUMN osml.models.author IS 'who trained the version; its SQL expressions run as this role';
COMMENT ON COLUMN osml.models.deployed IS 'the version that osml_predict uses';
COMMENT ON COLUMN osml.models.classes IS 'classes of the label, in the order of osml_predict_proba(); NULL: it is a number';
COMMENT ON COLUMN osml.models.features IS 'number of columns that the version sees; osml.features lists them';
COMMENT ON COLUMN osml.models.steps IS 'optimizer updates that made the weights: fewer than the run''s where "save_top_k" kept earlier ones';
COMMENT ON COLUMN osml.models.skipped_rows IS 'training rows left out for a NULL or a value that is not finite';
COMMENT ON COLUMN osml.models.train_loss IS 'last training loss, in the label''s own units';
COMMENT ON COLUMN osml.models.val_loss IS 'last validation loss; NULL: there was none';
COMMENT ON COLUMN osml.models.test_loss IS 'test loss; NULL: there was none';
COMMENT ON COLUMN osml.models.calibration_rows IS 'held-out rows whose residuals osml_predict_interval() goes by; NULL: there are none';
COMMENT ON COLUMN osml.models.fingerprint IS 'hash of the training data, hexadecimal; equal data gives equal fingerprints';

CREATE VIEW osml.features WITH (security_barrier) AS
	SELECT m.name AS model, v.version, f.position,
		CASE WHEN f.element = 0 THEN f.column_name
			ELSE pg_catalog.format('%s[%s]', f.column_name, f.element) END AS feature,
		f.type, f.n AS rows, f.mean, f.std, f.min, f.max, f.center, f.scale,
		f.codes AS categories
	FROM osml.usable_model m
		JOIN osml.model_version v ON v.model_id = m.model_id
		JOIN osml.feature f ON f.version_id = v.version_id;
COMMENT ON VIEW osml.features IS 'what each model version learned from, numbers before categories';
COMMENT ON COLUMN osml.features.feature IS 'column or defined feature, one element of an array column, one of several numbers that a transform makes';
COMMENT ON COLUMN osml.features.type IS 'type of the column when the version was trained';
COMMENT ON COLUMN osml.features.rows IS 'training rows with a value';
COMMENT ON COLUMN osml.features.std IS 'population standard deviation';
COMMENT ON COLUMN osml.features.center IS 'the model sees (value - center) / scale';
COMMENT ON COLUMN osml.features.scale IS 'the model sees (value - center) / scale';
COMMENT ON COLUMN osml.features.categories IS 'number of categories, bins or buckets, those for other and for NULL included; NULL: a number';

CREATE VIEW osml.weights WITH (security_barrier) AS
	SELECT m.name AS model, v.version, w.feature, w.weight, w.scaled_weight,
		w.std_error, w.t_stat, w.p_value, w.collinear, w.position, w.category, w.class
	FROM osml.usable_model m
		JOIN osml.model_version v ON v.model_id = m.model_id
		JOIN osml.weight w ON w.version_id = v.version_id;
COMMENT ON VIEW osml.weights IS 'weights of linear models, with their errors where the run gave them; those of the categories that osml.bins lists for the version';
COMMENT ON COLUMN osml.weights.feature IS 'column, element of an array column, or (intercept)';
COMMENT ON COLUMN osml.weights.weight IS 'change of the prediction when the feature grows by one of its own units';
COMMENT ON COLUMN osml.weights.scaled_weight IS 'the weight as trained, on scaled features';
COMMENT ON COLUMN osml.weights.std_error IS 'standard error of weight (optimizer exact)';
COMMENT ON COLUMN osml.weights.t_stat IS 'weight / std_error';
COMMENT ON COLUMN osml.weights.p_value IS 'two-sided, of the hypothesis that the weight is 0';
COMMENT ON COLUMN osml.weights.collinear IS 'the feature is a combination of others, so its weight is not unique';
COMMENT ON COLUMN osml.weights.position IS '0 for the intercept, then as in osml.features, a category a row';
COMMENT ON COLUMN osml.weights.class IS 'class whose logarithm of odds, or score, the weight changes; NULL: a model of amounts or counts';
COMMENT ON COLUMN osml.weights.category IS 'category or bin; weight is what a row of it gets added to its prediction';

CREATE VIEW osml.model_definitions WITH (security_barrier) AS
	SELECT m.name AS model, v.version, d.feature, d.step, d.transform, d.inputs,
		d.shared, d.params, d.implied, d.position
	FROM osml.usable_model m
		JOIN osml.model_version v ON v.model_id = m.model_id
		CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_to_recordset(v.program -> 'definitions'::text)
			AS (feature text, step integer, transform text, inputs text[], shared text,
				params jsonb, implied boolean)) WITH ORDINALITY
			AS d(feature, step, transform, inputs, shared, params, implied, position);
COMMENT ON VIEW osml.model_definitions IS 'how the features of each model version are made, with all that its run learned';
COMMENT ON COLUMN osml.model_definitions.model IS 'name of the model';
COMMENT ON COLUMN osml.model_definitions.version IS 'version of the model';
COMMENT ON COLUMN osml.model_definitions.feature IS 'name of the feature';
COMMENT ON COLUMN osml.model_definitions.step IS 'from 1; a later step reads the step before it';
COMMENT ON COLUMN osml.model_definitions.transform IS 'what the step does: osml_transforms() lists what there is';
COMMENT ON COLUMN osml.model_definitions.inputs IS 'columns or features that the first step reads';
COMMENT ON COLUMN osml.model_definitions.shared IS 'steps of one name were fitted together';
COMMENT ON COLUMN osml.model_definitions.params IS 'parameters, learned ones included';
COMMENT ON COLUMN osml.model_definitions.implied IS 'nobody wrote the definition: it is the category that a text column is';
COMMENT ON COLUMN osml.model_definitions.position IS 'order in which the version makes them';

CREATE VIEW osml.bins WITH (security_barrier) AS
	SELECT d.name AS dataset, NULL::text AS model, NULL::integer AS version, b.feature,
		b.bin, b.low, b.high, b.category, b.count, b.mean_label
	FROM osml.dataset d JOIN osml.bin b ON b.dataset_id = d.dataset_id
	WHERE osml.role_usable(d.owner)
	UNION ALL
	SELECT NULL::text, m.name, v.version, b.feature,
		b.bin, b.low, b.high, b.category, b.count, b.mean_label
	FROM osml.usable_model m
		JOIN osml.model_version v ON v.model_id = m.model_id
		JOIN osml.bin b ON b.version_id = v.version_id;
COMMENT ON VIEW osml.bins IS 'bins and categories of the features of datasets and of model versions: all of a feature that has up to 20000; of more the 20000 most frequent of those that occur, or the first ones while they are not counted; a model version has 40000 rows at most, which its larger features share';
COMMENT ON COLUMN osml.bins.dataset IS 'dataset whose feature it is; NULL: a model version''s';
COMMENT ON COLUMN osml.bins.model IS 'model whose feature it is; NULL: a dataset''s';
COMMENT ON COLUMN osml.bins.version IS 'version of the model';
COMMENT ON COLUMN osml.bins.feature IS 'name of the feature';
COMMENT ON COLUMN osml.bins.bin IS 'code that the model sees; the last two are those of everything else and of NULL';
COMMENT ON COLUMN osml.bins.low IS 'lowest value of a bin';
COMMENT ON COLUMN osml.bins.high IS 'upper end of a bin, which belongs to the next one; that of the last bin is its own';
COMMENT ON COLUMN osml.bins.category IS 'the category, or a name of the bin';
COMMENT ON COLUMN osml.bins.count IS 'rows that have it; NULL: not counted since the definition changed';
COMMENT ON COLUMN osml.bins.mean_label IS 'mean label of those rows';

GRANT USAGE ON SCHEMA osml TO PUBLIC;
GRANT SELECT ON osml.datasets, osml.feature_notes, osml.statistics, osml.runs, osml.progress,
	osml.metrics, osml.events, osml.checkpoints, osml.models, osml.features, osml.weights,
	osml.model_definitions, osml.bins TO PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON osml.definitions TO PUBLIC;	-- triggers ask who owns the dataset

-- A database's owner who installs this trusted extension does not own what the
-- script makes, but has to be able to dump and restore the database.  SQL of a row
-- runs as the role that the row names, so the rows that he inserts are his own.

CREATE FUNCTION osml.refuse_clock_words(value anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'osml_refuse_clock_words_of'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION osml.refuse_clock_words(anyelement) IS 'the value; an error where its text has a word such as now or today: expressions of features call it before a text becomes a date or a time';

-- An aggregate's steps are called by its owner's right, not its user's.

CREATE FUNCTION osml.count_each_step(counts bigint[], numbers integer[], size integer)
	RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'osml_count_each_step'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION osml.count_each_step(bigint[], integer[], integer) IS 'step of osml.count_each()';
REVOKE ALL ON FUNCTION osml.count_each_step(bigint[], integer[], integer) FROM PUBLIC;

CREATE FUNCTION osml.count_each_merge(counts bigint[], more bigint[]) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'osml_count_each_merge'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION osml.count_each_merge(bigint[], bigint[]) IS 'adds two states of osml.count_each()';
REVOKE ALL ON FUNCTION osml.count_each_merge(bigint[], bigint[]) FROM PUBLIC;

CREATE AGGREGATE osml.count_each(numbers integer[], size integer) (
	SFUNC = osml.count_each_step,
	STYPE = bigint[],
	COMBINEFUNC = osml.count_each_merge,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE osml.count_each(integer[], integer) IS 'how many times each of the numbers 1 to size is in the arrays; osml_split counts values with it';

CREATE FUNCTION osml.guard_row() RETURNS trigger
	AS 'MODULE_PATHNAME', 'osml_guard_row'
	LANGUAGE C;
COMMENT ON FUNCTION osml.guard_row() IS 'makes rows that others than the extension write the writer''s own, and refuses those that hang on somebody else''s';

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.dataset FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('role', 'owner');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.definition FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('dataset', 'dataset_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.feature_note FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('dataset', 'dataset_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.statistic FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('dataset', 'dataset_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.bin FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('dataset', 'dataset_id', 'version', 'version_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.run FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('role', 'owner', 'nothing', 'trainer_pid', 'nothing', 'segment');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.metric FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('run', 'run_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.event FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('run', 'run_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.checkpoint FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('run', 'run_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.model FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('role', 'owner');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.model_version FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('role', 'author', 'model', 'model_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.feature FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('version', 'version_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.weight FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('version', 'version_id');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON osml.model_grant FOR EACH ROW
	EXECUTE FUNCTION osml.guard_row('model', 'model_id');

DO $$
DECLARE
	installer name := pg_catalog.pg_get_userbyid(
		(SELECT extowner FROM pg_catalog.pg_extension WHERE extname = 'osml'));
	t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['dataset', 'run', 'metric', 'event', 'checkpoint', 'model',
		'model_version', 'feature', 'weight', 'model_grant', 'definition', 'bin',
		'feature_note', 'statistic'] LOOP
		EXECUTE pg_catalog.format('GRANT SELECT, INSERT ON osml.%I TO %I', t, installer);
	END LOOP;
	FOREACH t IN ARRAY ARRAY['dataset', 'run', 'event', 'model', 'version'] LOOP
		EXECUTE pg_catalog.format('GRANT SELECT, UPDATE ON SEQUENCE osml.%I TO %I',
			pg_catalog.concat(t, '_id_seq'), installer);
	END LOOP;
	EXECUTE pg_catalog.format('GRANT USAGE ON SCHEMA osml TO %I', installer);
END
$$;

-- --- Data sets ---------------------------------------------------------------
--
-- From here on: functions for people, in the schema the extension goes to.
-- PUBLIC may call them all; each checks what its caller may do.

CREATE FUNCTION osml_create_dataset(name text, train text,
	label text DEFAULT NULL, features text[] DEFAULT NULL,
	val text DEFAULT NULL, test text DEFAULT NULL, options jsonb DEFAULT NULL)
	RETURNS bigint
	AS 'MODULE_PATHNAME', 'osml_create_dataset'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_create_dataset(text, text, text, text[], text, text, jsonb)
	IS 'name training, validation and test data; returns the dataset''s id';

CREATE FUNCTION osml_drop_dataset(name text) RETURNS void
	AS 'MODULE_PATHNAME', 'osml_drop_dataset'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_drop_dataset(text) IS 'forget a dataset; its tables, runs and models stay';

CREATE FUNCTION osml_split(dataset text, fractions jsonb DEFAULT NULL,
	method text DEFAULT 'hash', "by" text DEFAULT NULL,
	group_by text[] DEFAULT NULL, seed bigint DEFAULT NULL,
	gap text DEFAULT NULL, tries integer DEFAULT NULL,
	OUT part text, OUT rows bigint, OUT share double precision,
	OUT "column" text, OUT part_mean double precision,
	OUT whole_mean double precision, OUT z double precision,
	OUT p_value double precision, OUT seed bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_split'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 30 COST 100000;
COMMENT ON FUNCTION osml_split(text, jsonb, text, text, text[], bigint, text, integer)
	IS 'cut a dataset into train, val and test by a ''hash'' of its values, by ''time'' (the order of a column; texts in that of COLLATE "C") or by a ''column''; returns how fair the parts are';

CREATE FUNCTION osml_unsplit(dataset text) RETURNS void
	AS 'MODULE_PATHNAME', 'osml_unsplit'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_unsplit(text) IS 'undo osml_split: train on the dataset''s whole source again';

-- --- Before training: what the data is worth ------------------------------------

CREATE FUNCTION osml_declare_feature(dataset text, feature text,
	available boolean DEFAULT NULL, reason text DEFAULT NULL,
	rationale text DEFAULT NULL)
	RETURNS void
	AS 'MODULE_PATHNAME', 'osml_declare_feature'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_declare_feature(text, text, boolean, text, text)
	IS 'say whether a feature is known at prediction time, why, and why it should matter; all NULL: forget it';

CREATE FUNCTION osml_analyze(dataset text, num_workers integer DEFAULT 0,
	OUT column_name text, OUT type text, OUT is_label boolean, OUT rows bigint,
	OUT nulls bigint, OUT nans bigint, OUT infinities bigint,
	OUT mean double precision, OUT std double precision,
	OUT skewness double precision, OUT min double precision,
	OUT max double precision, OUT zero_share double precision,
	OUT correlation double precision, OUT p01 double precision,
	OUT p05 double precision, OUT p25 double precision, OUT p50 double precision,
	OUT p75 double precision, OUT p95 double precision, OUT p99 double precision,
	OUT histogram bigint[], OUT distinct_values bigint,
	OUT distinct_exact boolean, OUT top_values text[], OUT top_counts bigint[],
	OUT top_error bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_analyze'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20 COST 100000;
COMMENT ON FUNCTION osml_analyze(text, integer)
	IS 'statistics of the columns of a dataset, a relation or a SELECT, in one pass; osml.statistics keeps a dataset''s; num_workers: parallel workers that read heap tables, 0: the session itself, which alone reads queries, views and foreign and temporary tables';

CREATE FUNCTION osml_feature_report(dataset text, candidates text[] DEFAULT NULL,
	sample_rows integer DEFAULT 20000,
	OUT feature text, OUT verdict text, OUT reason text, OUT type text,
	OUT association double precision, OUT measure text, OUT p_value double precision,
	OUT available boolean, OUT available_reason text,
	OUT leak double precision, OUT leak_kind text,
	OUT rows bigint, OUT present double precision, OUT distinct_values bigint,
	OUT min_rows bigint, OUT min_class_rows bigint,
	OUT meaning text, OUT line_share double precision,
	OUT rationale text, OUT partner text, OUT redundancy double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_feature_report'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20 COST 100000;
COMMENT ON FUNCTION osml_feature_report(text, text[], integer)
	IS 'judge the features of a dataset, plain or made by definitions, and candidate SQL expressions: keep, look or drop, with figures and the reason';

CREATE FUNCTION osml_feature_pairs(dataset text, candidates text[] DEFAULT NULL,
	sample_rows integer DEFAULT 20000,
	OUT feature text, OUT other text, OUT verdict text, OUT reason text,
	OUT measure text, OUT redundancy double precision,
	OUT tells double precision, OUT other_tells double precision,
	OUT together_tell double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_feature_pairs'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 200 COST 100000;
COMMENT ON FUNCTION osml_feature_pairs(text, text[], integer)
	IS 'judge each pair of features: how much they say the same, and what of the label they tell together';

CREATE FUNCTION osml_check(dataset text, hparams jsonb DEFAULT '{}',
	model text DEFAULT NULL,
	OUT "check" text, OUT verdict text, OUT subject text, OUT figure double precision,
	OUT message text, OUT hint text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_check'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20 COST 100000;
COMMENT ON FUNCTION osml_check(text, jsonb, text)
	IS 'look at data and hyperparameters before a run: ok, warn or error, with figures; starts nothing; model: that the run would train, for "warm_start" and "since"';

-- --- Features of a dataset -----------------------------------------------------

CREATE FUNCTION osml_bin(dataset text, features text[], bins integer DEFAULT NULL,
	method text DEFAULT 'width', lo double precision DEFAULT NULL,
	hi double precision DEFAULT NULL, edges double precision[] DEFAULT NULL,
	outside text DEFAULT 'clamp', name text DEFAULT NULL)
	RETURNS void
	AS 'MODULE_PATHNAME', 'osml_bin'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_bin(text, text[], integer, text, double precision,
	double precision, double precision[], text, text)
	IS 'cut columns into bins; several are cut on one grid';

CREATE FUNCTION osml_bin(dataset text, feature text, bins integer DEFAULT NULL,
	method text DEFAULT 'width', lo double precision DEFAULT NULL,
	hi double precision DEFAULT NULL, edges double precision[] DEFAULT NULL,
	outside text DEFAULT 'clamp', name text DEFAULT NULL)
	RETURNS void
	AS 'MODULE_PATHNAME', 'osml_bin_one'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_bin(text, text, integer, text, double precision,
	double precision, double precision[], text, text)
	IS 'cut a column into bins';

CREATE FUNCTION osml_cross(dataset text, name text, features text[],
	buckets integer DEFAULT NULL)
	RETURNS void
	AS 'MODULE_PATHNAME', 'osml_cross'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_cross(text, text, text[], integer)
	IS 'make a feature of each combination of bins and categories';

CREATE FUNCTION osml_transform(dataset text, feature text, transform text,
	params jsonb DEFAULT '{}')
	RETURNS void
	AS 'MODULE_PATHNAME', 'osml_transform'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_transform(text, text, text, jsonb)
	IS 'define a feature, or a further step of one, or change the step that is this transform; osml_transforms() lists what there is';

CREATE FUNCTION osml_drop_feature(dataset text, feature text, step integer DEFAULT NULL)
	RETURNS void
	AS 'MODULE_PATHNAME', 'osml_drop_feature'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_drop_feature(text, text, integer)
	IS 'forget how a feature is made, or one step of it; a column is then used as it is';

CREATE FUNCTION osml_copy_features(from_dataset text, to_dataset text,
	features text[] DEFAULT NULL)
	RETURNS void
	AS 'MODULE_PATHNAME', 'osml_copy_features'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_copy_features(text, text, text[])
	IS 'define features of one dataset, and what they are made of, for another as well';

CREATE FUNCTION osml_transforms(OUT name text, OUT parameter text, OUT type text,
	OUT "default" text, OUT range text, OUT meaning text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_list_transforms'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 50;
COMMENT ON FUNCTION osml_transforms() IS 'the transforms of features, and the parameters of each';

CREATE FUNCTION osml_fit_features(dataset text) RETURNS void
	AS 'MODULE_PATHNAME', 'osml_fit_features'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_fit_features(text)
	IS 'learn what the definitions of a dataset leave open, and count the rows of each bin, for people; each run learns for itself';

CREATE FUNCTION osml_apply_bins(dataset text, feature text, value double precision)
	RETURNS integer
	AS 'MODULE_PATHNAME', 'osml_apply_bins'
	LANGUAGE C STABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION osml_apply_bins(text, text, double precision)
	IS 'the bin that a value, or NULL, falls in; feature: the bins, or the column that they cut';

CREATE FUNCTION osml_transform_row(dataset_or_model text, "row" record,
	OUT feature text, OUT "column" text, OUT value double precision, OUT code bigint,
	OUT category text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_transform_row'
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 20 COST 1000;
COMMENT ON FUNCTION osml_transform_row(text, record)
	IS 'what a model sees of a row, before scaling: numbers, and codes of categories';

-- --- Training ----------------------------------------------------------------

CREATE FUNCTION osml_train(dataset text, hparams jsonb DEFAULT '{}',
	model text DEFAULT NULL, wait boolean DEFAULT true)
	RETURNS bigint
	AS 'MODULE_PATHNAME', 'osml_train'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_train(text, jsonb, text, boolean)
	IS 'train a model on a dataset, a relation or a SELECT; returns the run''s id, or NULL where "since" finds no new row';

CREATE FUNCTION osml_find_lr(dataset text, hparams jsonb DEFAULT '{}',
	min_lr double precision DEFAULT 1e-8, max_lr double precision DEFAULT 1,
	num_training integer DEFAULT 100, mode text DEFAULT 'exponential',
	early_stop_threshold double precision DEFAULT 4,
	OUT step bigint, OUT lr double precision, OUT loss double precision,
	OUT raw_loss double precision, OUT suggestion boolean)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_find_lr'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 100 COST 100000;
COMMENT ON FUNCTION osml_find_lr(text, jsonb, double precision, double precision, integer, text,
	double precision)
	IS 'learning-rate range test: train num_training steps while lr rises from min_lr to max_lr; the smoothed loss of each step, and the rate to start from; makes no model. mode: exponential or linear; early_stop_threshold: end when the loss is so many times its best, NULL: never';

CREATE FUNCTION osml_wait(run bigint, timeout interval DEFAULT NULL) RETURNS text
	AS 'MODULE_PATHNAME', 'osml_wait'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_wait(bigint, interval) IS 'wait until a run ends or the time is over; returns its status';

CREATE FUNCTION osml_cancel(run bigint) RETURNS text
	AS 'MODULE_PATHNAME', 'osml_cancel'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_cancel(bigint) IS 'ask a run to stop; returns its status';

CREATE FUNCTION osml_resume(run bigint, hparams jsonb DEFAULT NULL, wait boolean DEFAULT true)
	RETURNS text
	AS 'MODULE_PATHNAME', 'osml_resume'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_resume(bigint, jsonb, boolean)
	IS 'go on with a run that did not finish, from its last checkpoint; returns its status';

CREATE FUNCTION osml_drop_checkpoints(run bigint) RETURNS integer
	AS 'MODULE_PATHNAME', 'osml_drop_checkpoints'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_drop_checkpoints(bigint) IS 'forget the checkpoints of a run that did not finish; returns how many there were';

CREATE FUNCTION osml_hparams(OUT name text, OUT type text, OUT "default" text,
	OUT range text, OUT meaning text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_hparams'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 50;
COMMENT ON FUNCTION osml_hparams() IS 'the hyperparameters that osml_train takes';

-- --- Prediction --------------------------------------------------------------
--
-- STABLE: the deployed version is the one that the query's snapshot sees.

CREATE FUNCTION osml.predict_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'osml_predict_support'
	LANGUAGE C STRICT;
COMMENT ON FUNCTION osml.predict_support(internal) IS 'what the planner asks about predictions: their cost, and whether columns need not become a row';

CREATE FUNCTION osml.predict_columns(model text, columns text[], VARIADIC "values" "any")
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'osml_predict_columns'
	LANGUAGE C STABLE PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml.predict_columns(text, text[], "any") IS 'what the planner makes of osml_predict where it sees the columns of the row (columns: their names) or the elements of the array (NULL)';

CREATE FUNCTION osml.predict_proba_columns(model text, columns text[], VARIADIC "values" "any")
	RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'osml_predict_proba_columns'
	LANGUAGE C STABLE PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml.predict_proba_columns(text, text[], "any") IS 'what the planner makes of osml_predict_proba where it sees the columns of the row (columns: their names) or the elements of the array (NULL)';

CREATE FUNCTION osml.predict_class_columns(model text, columns text[], VARIADIC "values" "any")
	RETURNS text
	AS 'MODULE_PATHNAME', 'osml_predict_class_columns'
	LANGUAGE C STABLE PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml.predict_class_columns(text, text[], "any") IS 'what the planner makes of osml_predict_class where it sees the columns of the row (columns: their names) or the elements of the array (NULL)';

CREATE FUNCTION osml_predict(model text, features record) RETURNS double precision
	AS 'MODULE_PATHNAME', 'osml_predict_record'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict(text, record) IS 'predict for a row; its columns are found by name';

CREATE FUNCTION osml_predict(model text, VARIADIC features double precision[])
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'osml_predict_array'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict(text, double precision[]) IS 'predict for values in the order of osml.features';

CREATE FUNCTION osml_predict(model text, features anyarray) RETURNS double precision
	AS 'MODULE_PATHNAME', 'osml_predict_array'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict(text, anyarray) IS 'predict for an array of values in the order of osml.features';

CREATE FUNCTION osml_predict_proba(model text, features record) RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'osml_predict_proba_record'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict_proba(text, record) IS 'probability of each class for a row, in the order of osml.models.classes';

CREATE FUNCTION osml_predict_proba(model text, VARIADIC features double precision[])
	RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'osml_predict_proba_array'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict_proba(text, double precision[]) IS 'probability of each class for values in the order of osml.features';

CREATE FUNCTION osml_predict_proba(model text, features anyarray) RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'osml_predict_proba_array'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict_proba(text, anyarray) IS 'probability of each class for an array of values in the order of osml.features';

CREATE FUNCTION osml_predict_class(model text, features record) RETURNS text
	AS 'MODULE_PATHNAME', 'osml_predict_class_record'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict_class(text, record) IS 'most probable class for a row';

CREATE FUNCTION osml_predict_class(model text, VARIADIC features double precision[])
	RETURNS text
	AS 'MODULE_PATHNAME', 'osml_predict_class_array'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict_class(text, double precision[]) IS 'most probable class for values in the order of osml.features';

CREATE FUNCTION osml_predict_class(model text, features anyarray) RETURNS text
	AS 'MODULE_PATHNAME', 'osml_predict_class_array'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict_class(text, anyarray) IS 'most probable class for an array of values in the order of osml.features';

CREATE FUNCTION osml_predict_interval(model text, features record,
	level double precision DEFAULT 0.9, OUT prediction double precision,
	OUT lower double precision, OUT upper double precision)
	RETURNS record
	AS 'MODULE_PATHNAME', 'osml_predict_interval_record'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict_interval(text, record, double precision)
	IS 'predict for a row, with an interval that holds the label of at least a share level of such rows, by the residuals of held-out rows (split conformal prediction)';

CREATE FUNCTION osml_predict_interval(model text, features anyarray,
	level double precision DEFAULT 0.9, OUT prediction double precision,
	OUT lower double precision, OUT upper double precision)
	RETURNS record
	AS 'MODULE_PATHNAME', 'osml_predict_interval_array'
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT osml.predict_support;
COMMENT ON FUNCTION osml_predict_interval(text, anyarray, double precision)
	IS 'the same for an array of values in the order of osml.features';

CREATE FUNCTION osml_predict_batch(model text, source text, key text DEFAULT NULL,
	level double precision DEFAULT NULL, OUT row_number bigint, OUT key text,
	OUT prediction double precision, OUT class text, OUT proba double precision[],
	OUT lower double precision, OUT upper double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_predict_batch'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10000 COST 100000;
COMMENT ON FUNCTION osml_predict_batch(text, text, text, double precision)
	IS 'predict for each row of a relation or a SELECT; key: a column to return beside, else the primary key; level: of the intervals in lower and upper, as by osml_predict_interval()';

CREATE FUNCTION osml_explain(model text, features record, class text DEFAULT NULL,
	OUT feature text, OUT value double precision, OUT category text,
	OUT attribution double precision, OUT baseline_prediction_value double precision,
	OUT prediction_value double precision, OUT approximation_error double precision,
	OUT class text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_explain_record'
	LANGUAGE C STABLE PARALLEL SAFE ROWS 20 COST 1000;
COMMENT ON FUNCTION osml_explain(text, record, text)
	IS 'what each feature of a row adds to its prediction, compared with the average training row, before the link: amounts, log odds, scores of classes, logarithms of counts; class: default the second of two, else the most probable';

CREATE FUNCTION osml_evaluate(model text, source text, OUT metric text,
	OUT value double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_evaluate'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10 COST 100000;
COMMENT ON FUNCTION osml_evaluate(text, text)
	IS 'measure a model on a relation, a SELECT or a dataset; rows_used and rows_skipped count the rows';

CREATE FUNCTION osml_permutation_importance(model text, source text,
	metric text DEFAULT NULL, n_repeats integer DEFAULT 5, seed bigint DEFAULT 0,
	OUT feature text, OUT importance_mean double precision,
	OUT importance_std double precision, OUT baseline double precision, OUT metric text,
	OUT rows_used bigint, OUT rows_skipped bigint, OUT rows_lost bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_permutation_importance'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10 COST 1000000;
COMMENT ON FUNCTION osml_permutation_importance(text, text, text, integer, bigint)
	IS 'how much worse a metric of osml_evaluate is when the values of a column are permuted among the rows, for each column that the model reads; metric: default rmse, poisson_deviance or logloss; rows_lost: permuted rows without a prediction, of all repeats';

CREATE FUNCTION osml_confusion_matrix(model text, source text, OUT actual text,
	OUT predicted text, OUT rows bigint, OUT weight double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_confusion_matrix'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10 COST 100000;
COMMENT ON FUNCTION osml_confusion_matrix(text, text)
	IS 'how many rows of each class are said to be of each class, and what they weigh: their number unless the model has a sample_weight';

CREATE FUNCTION osml_curve(model text, source text, class text DEFAULT NULL,
	points integer DEFAULT 200, OUT class text, OUT threshold double precision,
	OUT true_positives double precision, OUT false_positives double precision,
	OUT tpr double precision, OUT fpr double precision, OUT "precision" double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_curve'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 200 COST 100000;
COMMENT ON FUNCTION osml_curve(text, text, text, integer)
	IS 'points of the ROC curve (fpr, tpr) and the precision-recall curve (tpr, precision) of a class against the rest; class: default the second of two, else all; points: about how many, 0 for all';

CREATE FUNCTION osml_calibration(model text, source text, OUT low double precision,
	OUT high double precision, OUT rows bigint, OUT weight double precision,
	OUT mean_probability double precision, OUT share_true double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_calibration'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 15 COST 100000;
COMMENT ON FUNCTION osml_calibration(text, text)
	IS 'how often what was predicted with such a probability came true: of two classes the second, of more the most probable';

CREATE FUNCTION osml_model_summary(model text, OUT layer text, OUT type text, OUT feature text,
	OUT input_shape text, OUT output_shape text, OUT parameters bigint, OUT trained bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'osml_model_summary'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION osml_model_summary(text)
	IS 'the layers of a model''s deployed version in order, named as in PyTorch''s nn.Sequential: shapes, parameters, and how many of these are trained; the last row adds them up';

-- --- Registry ----------------------------------------------------------------

CREATE FUNCTION osml_deploy(model text, version text) RETURNS integer
	AS 'MODULE_PATHNAME', 'osml_deploy_named'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_deploy(text, text)
	IS 'predict with the ''best'' or ''previous'' version, or a number from now on; returns its number';

CREATE FUNCTION osml_deploy(model text, version integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'osml_deploy'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_deploy(text, integer) IS 'predict with this version from now on; returns its number';

CREATE FUNCTION osml_drop_model(model text, version integer DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'osml_drop_model'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_drop_model(text, integer) IS 'drop one version, or the whole model; its runs stay';

CREATE FUNCTION osml_grant(model text, role text, privilege text) RETURNS void
	AS 'MODULE_PATHNAME', 'osml_grant'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_grant(text, text, text) IS 'let a role, or public, ''predict'' with a model or ''manage'' it';

CREATE FUNCTION osml_revoke(model text, role text, privilege text) RETURNS void
	AS 'MODULE_PATHNAME', 'osml_revoke'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION osml_revoke(text, text, text) IS 'take back what osml_grant gave';
