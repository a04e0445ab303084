/*
 * safetensors.c
 *	  Reading safetensors bytes that nobody vouches for; see safetensors.h.
 *
 * The header is small, so it is read again for each question instead of being
 * kept in memory; open reads it once from end to end and refuses whatever the
 * later readings would trip over.
 */
#include "model/safetensors.h"

#include <stdlib.h>

#include "model/json.h"

#define LENGTH_BYTES 8
#define MAX_TENSORS 4096
#define METADATA "__metadata__"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "safetensors data is little-endian; this machine needs byte swaps here"
#endif

static const char *const dtypes[] = {
	[OSML_FLOAT64] = "F64",
	[OSML_FLOAT32] = "F32"
};

/* "F64" or "F32" */
static bool
read_dtype(OsmlJson *json, OsmlSafetensor *tensor)
{
	char		name[8];
	size_t		length;

	if (!osml_json_string(json, name, sizeof(name), &length))
		return false;
	for (int i = 0; i < (int) (sizeof(dtypes) / sizeof(dtypes[0])); i++)
	{
		if (length < sizeof(name) && strcmp(name, dtypes[i]) == 0)
		{
			tensor->precision = (OsmlPrecision) i;
			return true;
		}
	}
	return false;
}

/* [a, b, ..]: at most max integers; their number, or -1 */
static int
read_integers(OsmlJson *json, int64_t *out, int max)
{
	int			n = 0;

	if (!osml_json_take(json, '['))
		return -1;
	if (osml_json_peek(json, ']'))
		return osml_json_take(json, ']') ? 0 : -1;
	do
	{
		if (n == max || !osml_json_integer(json, &out[n++]))
			return -1;
	} while (osml_json_peek(json, ',') && osml_json_take(json, ','));
	return osml_json_take(json, ']') ? n : -1;
}

/* data_offsets must be exactly what dtype and shape take */
static bool
place_data(const OsmlSafetensors *file, OsmlSafetensor *tensor,
		   const int64_t offsets[2])
{
	int64_t		bytes = (int64_t) osml_precision_size(tensor->precision);

	for (int i = 0; i < tensor->ndim; i++)
	{
		if (__builtin_mul_overflow(bytes, tensor->shape[i], &bytes))
			return false;
	}
	if (offsets[0] > offsets[1] || offsets[1] - offsets[0] != bytes ||
		(uint64_t) offsets[1] > file->data_bytes)
		return false;
	tensor->data = file->data + offsets[0];
	tensor->bytes = (size_t) bytes;
	return true;
}

/* {"dtype": .., "shape": .., "data_offsets": ..}, each once, in any order */
static bool
read_tensor(OsmlJson *json, const OsmlSafetensors *file, OsmlSafetensor *tensor)
{
	int64_t		offsets[2] = {0, 0};
	bool		dtype = false;
	bool		shape = false;
	bool		placed = false;

	if (!osml_json_take(json, '{'))
		return false;
	do
	{
		char		key[16];
		bool	   *seen;

		if (!osml_json_string(json, key, sizeof(key), NULL) ||
			!osml_json_take(json, ':'))
			return false;
		seen = strcmp(key, "dtype") == 0 ? &dtype :
			strcmp(key, "shape") == 0 ? &shape :
			strcmp(key, "data_offsets") == 0 ? &placed : NULL;
		if (seen == NULL || *seen)
			return false;
		*seen = true;
		if (seen == &dtype && !read_dtype(json, tensor))
			return false;
		if (seen == &shape &&
			(tensor->ndim = read_integers(json, tensor->shape,
										  OSML_SAFETENSORS_MAX_NDIM)) < 0)
			return false;
		if (seen == &placed && read_integers(json, offsets, 2) != 2)
			return false;
	} while (osml_json_peek(json, ',') && osml_json_take(json, ','));
	return dtype && shape && placed && osml_json_take(json, '}') &&
		place_data(file, tensor, offsets);
}

/*
 * {"key": "value", ..}.  With a key to look for: its value into out, its length
 * into *length, which stays -1 when the key is absent.
 */
static bool
read_metadata(OsmlJson *json, const char *wanted, char *out, size_t size,
			  int64_t *length)
{
	if (!osml_json_take(json, '{'))
		return false;
	if (osml_json_peek(json, '}'))
		return osml_json_take(json, '}');
	do
	{
		char		key[OSML_SAFETENSORS_MAX_NAME];
		size_t		key_length;
		size_t		value_length;
		bool		found;

		if (!osml_json_string(json, key, sizeof(key), &key_length) ||
			key_length >= sizeof(key) || !osml_json_take(json, ':'))
			return false;
		found = wanted != NULL && *length < 0 && strcmp(key, wanted) == 0;
		if (!osml_json_string(json, out, found ? size : 0, &value_length))
			return false;
		if (found)
			*length = (int64_t) value_length;
	} while (osml_json_peek(json, ',') && osml_json_take(json, ','));
	return osml_json_take(json, '}');
}

/*
 * The next entry of the header that is a tensor; *more is false at the end.
 * json stands behind the opening brace, or behind the last entry.
 */
static bool
next_tensor(OsmlJson *json, const OsmlSafetensors *file, bool first,
			OsmlSafetensor *tensor, bool *more)
{
	for (;; first = false)
	{
		size_t		length;
		int64_t		unused = -1;

		*more = !osml_json_peek(json, '}');
		if (!*more)
			return osml_json_take(json, '}');
		memset(tensor, 0, sizeof(*tensor));
		if ((!first && !osml_json_take(json, ',')) ||
			!osml_json_string(json, tensor->name, sizeof(tensor->name), &length) ||
			length >= sizeof(tensor->name) || !osml_json_take(json, ':'))
			return false;
		if (strcmp(tensor->name, METADATA) != 0)
			return read_tensor(json, file, tensor);
		if (!read_metadata(json, NULL, NULL, 0, &unused))
			return false;
	}
}

/* order by place in the data; empty tensors before what starts there too */
static int
compare_places(const void *a, const void *b)
{
	const OsmlSafetensor *x = a;
	const OsmlSafetensor *y = b;

	if (x->data != y->data)
		return (const char *) x->data < (const char *) y->data ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* order by name */
static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const OsmlSafetensor *) a)->name,
				  ((const OsmlSafetensor *) b)->name);
}

/* the tensors must cover the data without hole or overlap, names but once */
static bool
check_cover(const OsmlSafetensors *file, OsmlSafetensor *tensors, int n)
{
	const char *at = file->data;

	qsort(tensors, (size_t) n, sizeof(*tensors), compare_places);
	for (int i = 0; i < n; i++)
	{
		if (tensors[i].data != at)
			return false;
		at += tensors[i].bytes;
	}
	if (at != file->data + file->data_bytes)
		return false;
	qsort(tensors, (size_t) n, sizeof(*tensors), compare_names);
	for (int i = 1; i < n; i++)
	{
		if (strcmp(tensors[i - 1].name, tensors[i].name) == 0)
			return false;
	}
	return true;
}

/* read the whole header into tensors, at most max; their number, or -1 */
static int
read_all(const OsmlSafetensors *file, OsmlSafetensor *tensors, int max)
{
	OsmlSafetensor tensor;
	OsmlJson	json;
	bool		more;
	int			n = 0;

	osml_json_init(&json, file->header, file->header_bytes);
	if (!osml_json_take(&json, '{'))
		return -1;
	for (bool first = true;; first = false)
	{
		if (!next_tensor(&json, file, first, &tensor, &more))
			return -1;
		if (!more)
			return osml_json_end(&json) ? n : -1;
		if (n == max)
			return -1;
		tensors[n++] = tensor;
	}
}

/* check everything; see safetensors.h */
OsmlStatus
osml_safetensors_open(const void *bytes, size_t size, OsmlSafetensors *file)
{
	OsmlSafetensor *tensors;
	uint64_t	length;
	size_t		max;
	bool		good;

	memset(file, 0, sizeof(*file));
	if (size < LENGTH_BYTES)
		return OSML_BAD_FORMAT;
	memcpy(&length, bytes, LENGTH_BYTES);
	if (length > size - LENGTH_BYTES)
		return OSML_BAD_FORMAT;
	file->header = (const char *) bytes + LENGTH_BYTES;
	file->header_bytes = (size_t) length;
	file->data = file->header + length;
	file->data_bytes = size - LENGTH_BYTES - (size_t) length;

	/* an entry takes more than 32 bytes of header, so this is bounded by it */
	max = file->header_bytes / 32 + 1;
	max = max < MAX_TENSORS ? max : MAX_TENSORS;
	tensors = malloc(max * sizeof(*tensors));
	if (tensors == NULL)
		return OSML_OUT_OF_MEMORY;
	file->n_tensors = read_all(file, tensors, (int) max);
	good = file->n_tensors >= 0 && file->header_bytes > 0 &&
		file->header[0] == '{' && check_cover(file, tensors, file->n_tensors);
	free(tensors);
	if (!good)
		memset(file, 0, sizeof(*file));
	return good ? OSML_OK : OSML_BAD_FORMAT;
}

/* tensor i when name is NULL, else the one of that name */
static bool
look_up(const OsmlSafetensors *file, int i, const char *name,
		OsmlSafetensor *tensor)
{
	OsmlJson	json;
	bool		more;

	osml_json_init(&json, file->header, file->header_bytes);
	if (!osml_json_take(&json, '{'))
		return false;
	for (int at = 0;; at++)
	{
		if (!next_tensor(&json, file, at == 0, tensor, &more) || !more)
			return false;
		if (name == NULL ? at == i : strcmp(tensor->name, name) == 0)
			return true;
	}
}

/* tensor i in the order of the header */
bool
osml_safetensors_at(const OsmlSafetensors *file, int i, OsmlSafetensor *tensor)
{
	return look_up(file, i, NULL, tensor);
}

/* the tensor of that name */
bool
osml_safetensors_find(const OsmlSafetensors *file, const char *name,
					  OsmlSafetensor *tensor)
{
	return look_up(file, -1, name, tensor);
}

/* copy, converting; the source may start at any byte */
OsmlStatus
osml_safetensors_copy(const OsmlSafetensor *tensor, OsmlPrecision precision,
					  size_t n, void *out)
{
	size_t		width = osml_precision_size(tensor->precision);
	const char *from = tensor->data;

	if (tensor->bytes / width != n)
		return OSML_BAD_SHAPE;
	if (precision == tensor->precision)
	{
		if (n > 0)
			memcpy(out, from, n * width);
		return OSML_OK;
	}
	for (size_t i = 0; i < n; i++)
	{
		double		wide;
		float		narrow;

		if (precision == OSML_FLOAT32)
		{
			memcpy(&wide, from + i * width, width);
			((float *) out)[i] = (float) wide;
		}
		else
		{
			memcpy(&narrow, from + i * width, width);
			((double *) out)[i] = narrow;
		}
	}
	return OSML_OK;
}

/* the value of a metadata key; see safetensors.h */
int64_t
osml_safetensors_metadata(const OsmlSafetensors *file, const char *key,
						  char *out, size_t size)
{
	OsmlSafetensor tensor;
	OsmlJson	json;
	int64_t		length = -1;
	char		name[OSML_SAFETENSORS_MAX_NAME];

	osml_json_init(&json, file->header, file->header_bytes);
	osml_json_take(&json, '{');
	while (osml_json_peek(&json, '"') &&
		   osml_json_string(&json, name, sizeof(name), NULL) &&
		   osml_json_take(&json, ':'))
	{
		if (strcmp(name, METADATA) == 0)
		{
			read_metadata(&json, key, out, size, &length);
			break;
		}
		if (!read_tensor(&json, file, &tensor) || !osml_json_take(&json, ','))
			break;
	}
	return length;
}
