/*
 * feature_note.h
 *	  osml.feature_note: what people know of a feature and no pass can find.
 */
#ifndef OSML_CATALOG_FEATURE_NOTE_H
#define OSML_CATALOG_FEATURE_NOTE_H

#include "nodes/pg_list.h"

typedef struct OsmlFeatureNoteRow
{
	char	   *feature;
	bool		has_available;
	bool		available;		/* if somebody said */
	char	   *reason;			/* or NULL */
	char	   *rationale;		/* or NULL */
} OsmlFeatureNoteRow;

/* all notes of a dataset, of OsmlFeatureNoteRow * */
extern List *osml_feature_notes_find(int64 dataset_id);

/* write a note; what it does not say stays as it was */
extern void osml_feature_note_put(int64 dataset_id, const OsmlFeatureNoteRow *row);

/* false when there was none */
extern bool osml_feature_note_delete(int64 dataset_id, const char *feature);

#endif							/* OSML_CATALOG_FEATURE_NOTE_H */
