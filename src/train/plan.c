/*
 * plan.c
 *	  Packing a plan, and the shards of a pass.
 *
 * One function walks a plan and either writes or reads each field, so that the
 * two directions cannot drift apart.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "compute/random.h"
#include "train/plan.h"

typedef struct Codec
{
	StringInfo	buf;
	bool		reading;
} Codec;

static void
codec_int64(Codec *codec, int64 *value)
{
	if (codec->reading)
		*value = pq_getmsgint64(codec->buf);
	else
		pq_sendint64(codec->buf, *value);
}

static void
codec_int(Codec *codec, int *value)
{
	int64		wide = *value;

	codec_int64(codec, &wide);
	*value = (int) wide;
}

static void
codec_oid(Codec *codec, Oid *value)
{
	int64		wide = *value;

	codec_int64(codec, &wide);
	*value = (Oid) wide;
}

static void
codec_bool(Codec *codec, bool *value)
{
	int64		wide = *value;

	codec_int64(codec, &wide);
	*value = wide != 0;
}

static void
codec_float8(Codec *codec, double *value)
{
	if (codec->reading)
		*value = pq_getmsgfloat8(codec->buf);
	else
		pq_sendfloat8(codec->buf, *value);
}

/* a string or NULL, by length: no byte is special */
static void
codec_string(Codec *codec, char **value)
{
	int			length = !codec->reading && *value ? (int) strlen(*value) : -1;

	codec_int(codec, &length);
	if (!codec->reading)
	{
		if (length > 0)
			pq_sendbytes(codec->buf, *value, length);
	}
	else
		*value = length < 0 ? NULL :
			pnstrdup(pq_getmsgbytes(codec->buf, length), length);
}

/* a set goes as the JSON it is stored as, and its program is built anew */
static void
codec_set(Codec *codec, OsmlFeatureSet *set)
{
	char	   *json = NULL;

	if (!codec->reading)
	{
		Jsonb	   *packed = osml_feature_set_to_jsonb(set);

		json = JsonbToCString(NULL, &packed->root, VARSIZE(packed));
	}
	codec_string(codec, &json);
	if (codec->reading)
		*set = *osml_feature_set_from_jsonb(DatumGetJsonbP(
														   DirectFunctionCall1(jsonb_in, CStringGetDatum(json))));
	for (int i = 0; i < set->n_columns; i++)
		codec_oid(codec, &set->columns[i].type);
	codec_string(codec, &set->label);
	codec_string(codec, &set->subject);
	codec_oid(codec, &set->label_type);
	codec_bool(codec, &set->label_folds);
	codec_bool(codec, &set->label_key);
	codec_string(codec, &set->weight);
	codec_oid(codec, &set->weight_type);
	codec_string(codec, &set->exposure);
	codec_oid(codec, &set->exposure_type);
	codec_bool(codec, &set->layout.has_weight);
	codec_bool(codec, &set->layout.has_row_number);
	if (codec->reading)
		osml_feature_set_build(set, NULL);
}

static void
codec_oids(Codec *codec, List **oids)
{
	int			n = list_length(*oids);

	codec_int(codec, &n);
	if (codec->reading)
		*oids = NIL;
	for (int i = 0; i < n; i++)
	{
		Oid			oid = codec->reading ? InvalidOid : list_nth_oid(*oids, i);

		codec_oid(codec, &oid);
		if (codec->reading)
			*oids = lappend_oid(*oids, oid);
	}
}

static void
codec_source(Codec *codec, OsmlSource *source)
{
	codec_string(codec, &source->text);
	codec_oid(codec, &source->relid);
	codec_oids(codec, &source->relations);
	codec_string(codec, &source->from);
	codec_string(codec, &source->label);
	codec_int(codec, &source->n_units);
	if (codec->reading)
		source->units = palloc0(sizeof(OsmlScanUnit) * Max(1, source->n_units));
	for (int i = 0; i < source->n_units; i++)
	{
		OsmlScanUnit *unit = &source->units[i];
		int64		n_blocks = unit->n_blocks;

		codec_string(codec, &unit->from);
		codec_string(codec, &unit->label);
		codec_int64(codec, &n_blocks);
		unit->n_blocks = (uint32) n_blocks;
	}
}

static void
codec_range(Codec *codec, OsmlRange *range)
{
	codec_bool(codec, &range->on);
	codec_bool(codec, &range->linear);
	codec_float8(codec, &range->min);
	codec_float8(codec, &range->max);
	codec_int64(codec, &range->steps);
	codec_float8(codec, &range->threshold);
}

static void
codec_plan(Codec *codec, OsmlPlan *plan)
{
	codec_int64(codec, &plan->run_id);
	codec_bool(codec, &plan->resume);
	codec_bool(codec, &plan->waited);
	codec_string(codec, &plan->dataset);
	codec_string(codec, &plan->model);
	codec_bool(codec, &plan->model_named);
	codec_string(codec, &plan->hparams);
	for (int p = 0; p < OSML_N_PARTS; p++)
	{
		OsmlPart   *part = &plan->parts[p];

		codec_bool(codec, &part->present);
		if (!part->present)
			continue;
		codec_source(codec, &part->source);
		codec_set(codec, &part->set);
	}
	codec_string(codec, &plan->since.column);
	codec_string(codec, &plan->since.type);
	codec_string(codec, &plan->since.above);
	codec_string(codec, &plan->since.value);
	codec_range(codec, &plan->range);
	codec_oid(codec, &plan->extension);
	codec_oid(codec, &plan->database);
	codec_oid(codec, &plan->authenticated_user);
	codec_oid(codec, &plan->session_user);
	codec_oid(codec, &plan->current_user);
	codec_string(codec, &plan->role);
	codec_int(codec, &plan->n_settings);
	if (codec->reading)
		plan->settings = palloc0(sizeof(OsmlSetting) * Max(1, plan->n_settings));
	for (int i = 0; i < plan->n_settings; i++)
	{
		codec_string(codec, &plan->settings[i].name);
		codec_string(codec, &plan->settings[i].value);
	}
	codec_bool(codec, &plan->wait);
	codec_int(codec, &plan->n_readers);
}

StringInfo
osml_plan_pack(OsmlPlan *plan)
{
	Codec		codec = {makeStringInfo(), false};

	codec_plan(&codec, plan);
	return codec.buf;
}

OsmlPlan *
osml_plan_unpack(const char *bytes, size_t size)
{
	OsmlPlan   *plan = palloc0(sizeof(OsmlPlan));
	StringInfoData buf;
	Codec		codec = {&buf, true};

	buf.data = unconstify(char *, bytes);
	buf.len = buf.maxlen = (int) size;
	buf.cursor = 0;
	codec_plan(&codec, plan);
	return plan;
}

OsmlHparams *
osml_plan_hparams(const OsmlPlan *plan)
{
	Datum		json = DirectFunctionCall1(jsonb_in, CStringGetDatum(plan->hparams));

	return osml_hparams_parse(NULL, DatumGetJsonbP(json));
}

bool
osml_part_sampleable(const OsmlPart *part)
{
	for (int u = 0; u < part->source.n_units; u++)
	{
		if (part->source.units[u].n_blocks == 0)
			return false;
	}
	return true;
}

OsmlShard *
osml_plan_shards(const OsmlPlan *plan, OsmlPartKind part, uint32 sample_pages,
				 uint64 key, int *n_shards)
{
	const OsmlSource *source = &plan->parts[part].source;
	OsmlShard  *shards;
	OsmlShard  *ordered;
	uint32	   *order;
	OsmlRandomKey random = {key, OSML_STREAM_SAMPLE, 0};

	if (sample_pages == 0 && osml_plan_queues(plan) == 1)
	{
		/* unit -1: the whole source */
		shards = palloc0(sizeof(OsmlShard));
		shards->unit = -1;
		*n_shards = 1;
		return shards;
	}
	shards = osml_source_shards(source, sample_pages > 0 ? sample_pages : OSML_PASS_PAGES,
								n_shards);
	if (sample_pages == 0)
		return shards;
	ordered = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(OsmlShard) * *n_shards);
	order = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * *n_shards);
	osml_random_spread(random, order, (uint32) *n_shards);
	for (int i = 0; i < *n_shards; i++)
		ordered[i] = shards[order[i]];
	return ordered;
}
