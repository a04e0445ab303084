/*
 * fuzz_safetensors.c
 *	  Any bytes as a safetensors file: what opens is read from end to end, and
 *	  must say the same when it is written anew.
 *
 * Weights of versions and states of checkpoints are read by these calls.  The
 * bytes are copied to a block of exactly their size, so that a read beyond them
 * is seen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/safetensors.h"

extern int	LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *const keys[] = {"features", "fingerprint", "format", "steps", ""};

static void
need(bool holds, const char *what)
{
	if (!holds)
	{
		fprintf(stderr, "%s\n", what);
		abort();
	}
}

/* One tensor by its place and by its name, in both precisions. */
static void
read_tensor(const OsmlSafetensors *file, int i, OsmlSafetensor *tensor)
{
	OsmlSafetensor named;
	size_t		n;
	void	   *values;

	need(osml_safetensors_at(file, i, tensor), "a tensor that was counted is not there");
	need(osml_safetensors_find(file, tensor->name, &named) && named.data == tensor->data &&
		 named.bytes == tensor->bytes, "a tensor is another one by its name");
	n = tensor->bytes / osml_precision_size(tensor->precision);
	values = malloc(n * sizeof(double) + 1);
	for (int p = OSML_FLOAT64; p <= OSML_FLOAT32; p++)
	{
		need(osml_safetensors_copy(tensor, (OsmlPrecision) p, n, values) == OSML_OK,
			 "a tensor cannot be copied");
		need(osml_safetensors_copy(tensor, (OsmlPrecision) p, n + 1, values) == OSML_BAD_SHAPE,
			 "a tensor gives more values than it has");
	}
	free(values);
}

/* Metadata in a block that is as long as the text, and in one that is too short. */
static void
read_metadata(const OsmlSafetensors *file)
{
	for (int i = 0; i < (int) (sizeof(keys) / sizeof(keys[0])); i++)
	{
		int64_t		length = osml_safetensors_metadata(file, keys[i], NULL, 0);
		char	   *text;

		if (length < 0)
			continue;
		text = malloc((size_t) length + 1);
		need(osml_safetensors_metadata(file, keys[i], text, (size_t) length + 1) == length &&
			 strlen(text) == (size_t) length, "a text of the metadata has another length");
		need(osml_safetensors_metadata(file, keys[i], text, 1) == length && text[0] == '\0',
			 "a text that does not fit is not cut");
		free(text);
	}
}

/* Write the tensors again: the same ones must be read from that. */
static void
write_again(const OsmlSafetensor *tensors, int n)
{
	size_t		size = osml_safetensors_size(tensors, n, NULL, 0);
	char	   *bytes = malloc(size);
	OsmlSafetensors file;

	osml_safetensors_write(tensors, n, NULL, 0, bytes);
	need(osml_safetensors_open(bytes, size, &file) == OSML_OK && file.n_tensors == n,
		 "what was written does not open");
	for (int i = 0; i < n; i++)
	{
		OsmlSafetensor tensor;

		need(osml_safetensors_find(&file, tensors[i].name, &tensor) &&
			 tensor.bytes == tensors[i].bytes && tensor.ndim == tensors[i].ndim &&
			 memcmp(tensor.data, tensors[i].data, tensor.bytes) == 0,
			 "a tensor is another one when it is written and read again");
	}
	free(bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char	   *copy = malloc(size + (size == 0));
	OsmlSafetensors file;
	OsmlSafetensor *tensors;

	if (size > 0)
		memcpy(copy, bytes, size);
	if (osml_safetensors_open(copy, size, &file) == OSML_OK)
	{
		tensors = malloc((size_t) file.n_tensors * sizeof(*tensors) + 1);
		for (int i = 0; i < file.n_tensors; i++)
			read_tensor(&file, i, &tensors[i]);
		read_metadata(&file);
		write_again(tensors, file.n_tensors);
		free(tensors);
	}
	free(copy);
	return 0;
}
