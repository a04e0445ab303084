/*
 * weights.c
 *	  The parameters of a run as safetensors bytes: see weights.h.
 */
#include "postgres.h"

#include "train/weights.h"

int
osml_weights_tensors(const OsmlRun *run, OsmlSafetensor *out)
{
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	int			n = run->spec.ops->tensors(&run->spec, tensors);
	size_t		value_size = osml_precision_size(run->spec.precision);

	memset(out, 0, sizeof(OsmlSafetensor) * n);
	for (int i = 0; i < n; i++)
	{
		strlcpy(out[i].name, tensors[i].name, sizeof(out[i].name));
		out[i].precision = run->spec.precision;
		out[i].ndim = tensors[i].ndim;
		for (int k = 0; k < tensors[i].ndim; k++)
			out[i].shape[k] = tensors[i].shape[k];
		out[i].data = (const char *) run->params + tensors[i].offset * value_size;
	}
	return n;
}

bytea *
osml_weights_pack(const OsmlSafetensor *tensors, int n_tensors,
				  const OsmlSafetensorsMeta *meta, int n_meta)
{
	size_t		size = osml_safetensors_size(tensors, n_tensors, meta, n_meta);
	bytea	   *bytes = palloc(VARHDRSZ + size);

	SET_VARSIZE(bytes, VARHDRSZ + size);
	osml_safetensors_write(tensors, n_tensors, meta, n_meta, VARDATA(bytes));
	return bytes;
}

void
osml_weights_open(const bytea *bytes, OsmlSafetensors *file)
{
	if (osml_safetensors_open(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), file) != OSML_OK)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored weights cannot be read"),
				 errdetail("They are not in safetensors format.")));
}

bool
osml_weights_copy(const OsmlSafetensors *file, const char *name, OsmlPrecision precision,
				  size_t n, void *out)
{
	OsmlSafetensor tensor;

	return osml_safetensors_find(file, name, &tensor) && tensor.precision == precision &&
		osml_safetensors_copy(&tensor, precision, n, out) == OSML_OK;
}

void
osml_weights_load(OsmlRun *run, const OsmlSafetensors *file)
{
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	int			n = run->spec.ops->tensors(&run->spec, tensors);
	size_t		value_size = osml_precision_size(run->spec.precision);

	for (int i = 0; i < n; i++)
	{
		if (!osml_weights_copy(file, tensors[i].name, run->spec.precision, tensors[i].size,
							   (char *) run->params + tensors[i].offset * value_size))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the checkpoint of run " INT64_FORMAT " does not fit its data",
							run->row.run_id),
					 errdetail("The model has now another tensor \"%s\": the data, or the definitions "
							   "of features, have changed.", tensors[i].name),
					 errhint("Train anew with osml_train.")));
	}
}
