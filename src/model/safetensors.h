/*
 * safetensors.h
 *	  Weights and checkpoints as safetensors bytes, in memory.
 *
 * The format (huggingface/safetensors): eight bytes with the length of a JSON
 * header, little-endian; the header, padded with blanks so that the data start
 * at a multiple of eight; the data, each tensor row-major.  Any framework
 * reads it.
 *
 * Reading trusts nothing: every length, offset and character is checked, and
 * bytes that are not exactly a safetensors file give OSML_BAD_FORMAT.
 *
 * Next: json.h (the reader of the header), safetensors_write.c.
 */
#ifndef OSML_SAFETENSORS_H
#define OSML_SAFETENSORS_H

#include "compute/block.h"
#include "compute/status.h"

#define OSML_SAFETENSORS_MAX_NDIM 4
#define OSML_SAFETENSORS_MAX_NAME 64	/* with its zero byte */

typedef struct OsmlSafetensor
{
	char		name[OSML_SAFETENSORS_MAX_NAME];
	OsmlPrecision precision;	/* dtype F64 or F32 */
	int			ndim;
	int64_t		shape[OSML_SAFETENSORS_MAX_NDIM];
	const void *data;			/* may be unaligned when read; see _copy */
	size_t		bytes;			/* of data; filled by open, ignored by write */
} OsmlSafetensor;

/* one entry of __metadata__; both UTF-8 */
typedef struct OsmlSafetensorsMeta
{
	const char *key;
	const char *value;
} OsmlSafetensorsMeta;

/* bytes that osml_safetensors_write fills */
extern size_t osml_safetensors_size(const OsmlSafetensor *tensors, int n_tensors,
									const OsmlSafetensorsMeta *meta, int n_meta);
extern void osml_safetensors_write(const OsmlSafetensor *tensors, int n_tensors,
								   const OsmlSafetensorsMeta *meta, int n_meta,
								   void *out);

/* bytes that were checked by osml_safetensors_open; not owned */
typedef struct OsmlSafetensors
{
	const char *header;			/* the JSON text */
	size_t		header_bytes;
	const char *data;
	size_t		data_bytes;
	int			n_tensors;
} OsmlSafetensors;

/* check everything; on success the calls below cannot meet a bad byte */
extern OsmlStatus osml_safetensors_open(const void *bytes, size_t size,
										OsmlSafetensors *file);

/* tensor i in the order of the header, or by name; false when absent */
extern bool osml_safetensors_at(const OsmlSafetensors *file, int i,
								OsmlSafetensor *tensor);
extern bool osml_safetensors_find(const OsmlSafetensors *file, const char *name,
								  OsmlSafetensor *tensor);

/*
 * Copy a tensor of exactly n values into out, in the given precision (values
 * are converted when the file's differs).  OSML_BAD_SHAPE: other size.
 */
extern OsmlStatus osml_safetensors_copy(const OsmlSafetensor *tensor,
										OsmlPrecision precision, size_t n,
										void *out);

/*
 * The value of a __metadata__ key into out (at most size bytes, zero byte
 * included).  Returns the length of the value, as snprintf does, or -1 when
 * the key is absent.
 */
extern int64_t osml_safetensors_metadata(const OsmlSafetensors *file,
										 const char *key, char *out,
										 size_t size);

#endif							/* OSML_SAFETENSORS_H */
