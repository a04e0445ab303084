/*
 * exact_memory.c
 *	  Memory of exact least squares: see exact_memory.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compute/ols.h"
#include "compute/sums.h"
#include "train/exact_memory.h"

/* Count memory for so many columns, categories included, in, or raise an error. */
static void
take_memory(OsmlBudget *budget, int n_columns, Size bytes)
{
	/* the budget counts in signed numbers */
	if (bytes > MaxAllocHugeSize / 2 || !osml_budget_take(budget, (int64) bytes))
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("exact least squares over %d columns needs %zu kB, more than osml.max_memory allows",
						n_columns, bytes / 1024 + 1),
				 errhint("Raise osml.max_memory, name fewer features, or choose another optimizer.")));
}

void
osml_exact_take_sums(OsmlBudget *budget, const OsmlLayout *layout)
{
	int			d = layout->n_dense + (int) osml_layout_entries(layout);
	Size		bytes = osml_sums_bytes(layout);

	if (bytes < MaxAllocHugeSize)
		bytes += osml_sums_scratch(layout) + osml_ols_bytes(d);
	take_memory(budget, d, bytes);
}

/* Columns that no row has cost nothing here; LAPACK copies the matrix. */
void
osml_exact_take_solution(OsmlBudget *budget, int active)
{
	take_memory(budget, active, 3 * osml_ols_scratch(active));
}
