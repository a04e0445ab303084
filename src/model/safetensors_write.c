/*
 * safetensors_write.c
 *	  Writing safetensors bytes; see safetensors.h.
 *
 * One pass does both jobs: without a buffer it only counts, so the size and
 * the bytes cannot disagree.
 */
#include <inttypes.h>
#include <stdio.h>

#include "model/safetensors.h"

#define LENGTH_BYTES 8

typedef struct Writer
{
	char	   *out;			/* NULL: only count */
	size_t		length;
} Writer;

/* append bytes */
static void
put_bytes(Writer *writer, const void *bytes, size_t n)
{
	if (writer->out != NULL && n > 0)
		memcpy(writer->out + writer->length, bytes, n);
	writer->length += n;
}

/* append text as it is */
static void
put_text(Writer *writer, const char *text)
{
	put_bytes(writer, text, strlen(text));
}

/* append an integer */
static void
put_integer(Writer *writer, int64_t value)
{
	char		text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put_text(writer, text);
}

/* append a JSON string; UTF-8 passes as it is */
static void
put_string(Writer *writer, const char *text)
{
	put_text(writer, "\"");
	for (; *text != '\0'; text++)
	{
		unsigned	c = (unsigned char) *text;
		char		escape[8];

		if (c == '"' || c == '\\')
			snprintf(escape, sizeof(escape), "\\%c", c);
		else if (c < 0x20)
			snprintf(escape, sizeof(escape), "\\u%04x", c);
		else
			snprintf(escape, sizeof(escape), "%c", c);
		put_text(writer, escape);
	}
	put_text(writer, "\"");
}

/* number of values of a tensor */
static size_t
tensor_values(const OsmlSafetensor *tensor)
{
	size_t		n = 1;

	for (int i = 0; i < tensor->ndim; i++)
		n *= (size_t) tensor->shape[i];
	return n;
}

/* "name":{"dtype":"F64","shape":[1,8],"data_offsets":[0,64]}; returns the end */
static size_t
put_tensor(Writer *writer, const OsmlSafetensor *tensor, size_t offset)
{
	size_t		end = offset +
		tensor_values(tensor) * osml_precision_size(tensor->precision);

	put_string(writer, tensor->name);
	put_text(writer, tensor->precision == OSML_FLOAT32 ?
			 ":{\"dtype\":\"F32\",\"shape\":[" : ":{\"dtype\":\"F64\",\"shape\":[");
	for (int i = 0; i < tensor->ndim; i++)
	{
		put_text(writer, i > 0 ? "," : "");
		put_integer(writer, tensor->shape[i]);
	}
	put_text(writer, "],\"data_offsets\":[");
	put_integer(writer, (int64_t) offset);
	put_text(writer, ",");
	put_integer(writer, (int64_t) end);
	put_text(writer, "]}");
	return end;
}

/* the JSON header, padded with blanks to a multiple of eight bytes */
static void
put_header(Writer *writer, const OsmlSafetensor *tensors, int n_tensors,
		   const OsmlSafetensorsMeta *meta, int n_meta)
{
	size_t		offset = 0;

	put_text(writer, "{");
	if (n_meta > 0)
	{
		put_text(writer, "\"__metadata__\":{");
		for (int i = 0; i < n_meta; i++)
		{
			put_text(writer, i > 0 ? "," : "");
			put_string(writer, meta[i].key);
			put_text(writer, ":");
			put_string(writer, meta[i].value);
		}
		put_text(writer, n_tensors > 0 ? "}," : "}");
	}
	for (int i = 0; i < n_tensors; i++)
	{
		put_text(writer, i > 0 ? "," : "");
		offset = put_tensor(writer, &tensors[i], offset);
	}
	put_text(writer, "}");
	while (writer->length % 8 != 0)
		put_text(writer, " ");
}

/* everything; returns the number of bytes */
static size_t
put_file(char *out, const OsmlSafetensor *tensors, int n_tensors,
		 const OsmlSafetensorsMeta *meta, int n_meta)
{
	Writer		header = {.out = out == NULL ? NULL : out + LENGTH_BYTES};
	Writer		data;
	uint64_t	length;

	put_header(&header, tensors, n_tensors, meta, n_meta);
	length = header.length;
	if (out != NULL)
		memcpy(out, &length, LENGTH_BYTES);
	data = (Writer)
	{
		.out = out,
		.length = LENGTH_BYTES + header.length
	};
	for (int i = 0; i < n_tensors; i++)
		put_bytes(&data, tensors[i].data, tensor_values(&tensors[i]) *
				  osml_precision_size(tensors[i].precision));
	return data.length;
}

/* bytes that osml_safetensors_write fills */
size_t
osml_safetensors_size(const OsmlSafetensor *tensors, int n_tensors,
					  const OsmlSafetensorsMeta *meta, int n_meta)
{
	return put_file(NULL, tensors, n_tensors, meta, n_meta);
}

/* fill them */
void
osml_safetensors_write(const OsmlSafetensor *tensors, int n_tensors,
					   const OsmlSafetensorsMeta *meta, int n_meta, void *out)
{
	put_file(out, tensors, n_tensors, meta, n_meta);
}
