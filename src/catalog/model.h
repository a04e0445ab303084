/*
 * model.h
 *	  osml.model, osml.model_version, osml.feature, osml.weight, osml.model_grant.
 *
 * A model is a name in this database with an owner and a deployed version; a
 * version is immutable once written: weights as safetensors bytes, features
 * with types and scaling constants, resolved hparams, row counts, fingerprint.
 */
#ifndef OSML_CATALOG_MODEL_H
#define OSML_CATALOG_MODEL_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

typedef struct OsmlModelRow
{
	int64		model_id;
	char	   *name;
	char	   *owner;
	int			deployed;		/* version, 0 = none */
	int			previous;		/* deployed before that, 0 = none */
} OsmlModelRow;

/* one column that the model sees: number columns first (an array of n is n
 * rows), then code columns */
typedef struct OsmlVersionFeature
{
	char	   *column;			/* the feature, or one of its number columns */
	int			element;		/* 0 scalar, else 1.. within the array */
	int			n_elements;		/* 0 scalar, else the array's length */
	char	   *type;			/* format_type of the column at training */
	int64		n;				/* non-missing rows */
	double		mean;
	double		std;			/* population */
	double		min;
	double		max;
	double		center;			/* scaling constants: (x - center) / scale */
	double		scale;
	int			codes;			/* 0: numbers; else how many codes it has, and the
								 * statistics are NaN */
	int			n_average;		/* of codes: the training rows' mean of what the model */
	double	   *average;		/* looks up for them (model/explain.h) */
} OsmlVersionFeature;

/* a weight of a linear model, for people; NaN where there is none */
typedef struct OsmlVersionWeight
{
	char	   *feature;		/* or "(intercept)" */
	const char *class;			/* of a label of classes; else NULL */
	char	   *category;		/* of a code column; else NULL */
	double		weight;			/* in the column's own units */
	double		scaled_weight;
	double		std_error;
	double		t_stat;
	double		p_value;
	bool		collinear;
} OsmlVersionWeight;

typedef struct OsmlVersionRow
{
	int64		version_id;
	int64		model_id;
	int			version;		/* assigned by osml_version_insert */
	int64		run_id;
	char	   *author;			/* as whom its expressions run */
	char	   *model_type;		/* "linear" */
	char	   *loss;
	char	   *label;
	char	   *label_type;
	List	   *classes;		/* texts in order; NIL: the label is a number */
	double		label_center;
	double		label_scale;
	Jsonb	   *hparams;		/* resolved */
	bytea	   *weights;		/* safetensors */
	int64		train_rows;
	int64		skipped_rows;
	int64		val_rows;
	int64		test_rows;
	uint64		fingerprint;
	int64		steps;			/* optimiser updates that made the weights */
	double		train_loss;		/* last values; NaN = none */
	double		val_loss;
	double		test_loss;
	Jsonb	   *summary;		/* r2, condition number, ... or NULL */
	int64		calibration_rows;	/* held-out rows of the residuals; 0: there are none */
	int			n_residuals;	/* of each tail: OsmlTails of model/interval.h */
	double	   *residuals_below;
	double	   *residuals_above;
	Jsonb	   *program;		/* from columns to features: source/feature.h */
	int			n_features;
	OsmlVersionFeature *features;
	int			n_weights;		/* written, never read back */
	OsmlVersionWeight *weights_report;	/* the intercept first */
	/* identity for caches: oid of the table and xmin of the row */
	Oid			table_oid;
	TransactionId row_xmin;
} OsmlVersionRow;

/* a grantee in osml.model_grant that means everybody */
#define OSML_PUBLIC "public"

/* "column", or "column[k]" for an element of an array column; palloc'd */
extern char *osml_version_feature_name(const OsmlVersionFeature *feature);

/* NULL when there is no such model */
extern OsmlModelRow *osml_model_find(const char *name);

/* the same, and locks the row until the transaction ends */
extern OsmlModelRow *osml_model_lock(const char *name);

/* names of the models that the current user may see (char *), for hints */
extern List *osml_model_names(void);

/*
 * Find or create under the current role; an existing model of somebody else is
 * an error that names the owner (hint: choose another name, or ask for
 * 'manage').  named: as for osml_model_check_named().  Locks the row against a
 * concurrent deploy or drop.
 */
extern OsmlModelRow *osml_model_ensure(const char *name, bool named);

/* insert with the next version number (row->version); deploy sets deployed */
extern void osml_version_insert(OsmlModelRow *model, OsmlVersionRow *row, bool deploy);

/* version 0: the deployed one; NULL when there is none.  features filled. */
extern OsmlVersionRow *osml_version_find(const OsmlModelRow *model, int version);

/* how new the rows of the newest version are that was trained since a value of this
 * column: that value, or NULL without such a version */
extern char *osml_version_since(const OsmlModelRow *model, const char *column);

/* which version, without its contents */
typedef struct OsmlVersionKey
{
	Oid			table_oid;
	int64		version_id;
	TransactionId row_xmin;
	int			version;
} OsmlVersionKey;
/* version 0: the deployed one; false when there is none */
extern bool osml_version_key(const OsmlModelRow *model, int version,
							 OsmlVersionKey *key);

extern void osml_model_deploy(OsmlModelRow *model, int version);
/* 'best': val, else test, else train loss; 0 when no version has one */
extern int	osml_version_best(const OsmlModelRow *model);
extern int	osml_version_drop(const OsmlModelRow *model, int version);	/* 0 = all and the model */
/* false when nothing changed */
extern bool osml_grant_set(const OsmlModelRow *model, const char *role,
						   const char *privilege, bool granted);
/* to the current user, to one of its roles, or to everybody */
extern bool osml_grant_exists(const OsmlModelRow *model, const char *privilege);
extern bool osml_grantee_matches(List *grantees);	/* of char * */

#endif							/* OSML_CATALOG_MODEL_H */
