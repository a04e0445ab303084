/*
 * feature_rows.h
 *	  osml.feature and osml.weight, written and read with their version.
 *
 * Private to src/catalog.
 */
#ifndef OSML_CATALOG_FEATURE_ROWS_H
#define OSML_CATALOG_FEATURE_ROWS_H

#include "catalog/scope.h"
#include "catalog/model.h"

/* both inside a scope */
extern void osml_features_insert(const OsmlVersionRow *row);
extern void osml_features_find(const OsmlCatalogScope *scope,
							   OsmlVersionRow *row);

#endif							/* OSML_CATALOG_FEATURE_ROWS_H */
