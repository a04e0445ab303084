/*
 * fuzz_hparams.c
 *	  Any bytes as hyperparameters: parsed, judged, written and read again.
 *
 * An error has to be one for a user: of an invalid value, or of a text that is no
 * JSON.  A set that was accepted travels to the trainer as JSON, so reading that
 * must be accepted too and give the same set.
 */
#include "server.h"

#include "hparams/hparams.h"

extern int	LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *const keys[] = {
#define HP(kind, name, dflt, low, high, names, meaning) #name,
#include "hparams/list.h"
#undef HP
	"limit_train_batches", "swa_start"
};

static void
fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Write a set and read it back. */
static OsmlHparams *
travel(const OsmlHparams *hparams)
{
	Jsonb	   *written = osml_hparams_to_jsonb(hparams);
	char	   *text = fuzz_last_text;
	OsmlHparams *read;

	if (sigsetjmp(fuzz_error_jump, 0) != 0)
		fail("a set that was accepted is refused when it is read again");
	read = osml_hparams_parse(NULL, written);
	(void) osml_hparams_to_jsonb(read);
	if (strcmp(fuzz_last_text, text) != 0)
	{
		fprintf(stderr, "%s\n%s\n", text, fuzz_last_text);
		fail("a set changes when it is written and read again");
	}
	return read;
}

/* What becomes of a set once the label is known; any of it may be refused. */
static void
settle(const OsmlHparams *hparams, OsmlLabelType label, int n_classes)
{
	OsmlHparams copy = *hparams;

	if (sigsetjmp(fuzz_error_jump, 0) == 0)
		(void) osml_hparams_kind(&copy, label, n_classes);
}

/* travels: the set is written and read again, which takes most of the time */
static void
try_set(Jsonb *given, bool travels)
{
	OsmlHparams *hparams;

	if (sigsetjmp(fuzz_error_jump, 0) != 0)
		return;
	hparams = osml_hparams_parse(given, NULL);
	osml_hparams_check(hparams);
	(void) osml_hparams_network(hparams);
	(void) osml_hparams_endless(hparams);
	if (travels)
		hparams = travel(hparams);
	for (int label = OSML_LABEL_TYPE_NUMBER; label <= OSML_LABEL_TYPE_TEXT; label++)
	{
		settle(hparams, (OsmlLabelType) label, 0);
		settle(hparams, (OsmlLabelType) label, 2);
		settle(hparams, (OsmlLabelType) label, 3);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_error_code = 0;
	try_set(fuzz_read_object((const char *) bytes, size, keys, lengthof(keys)),
			size % 8 == 0);
	if (fuzz_error_code != 0 && fuzz_error_code != ERRCODE_INVALID_PARAMETER_VALUE &&
		fuzz_error_code != ERRCODE_INVALID_TEXT_REPRESENTATION &&
		fuzz_error_code != ERRCODE_STATEMENT_TOO_COMPLEX)
		fail("an error with a SQLSTATE that is not a user's fault");
	fuzz_forget();
	return 0;
}
