/*
 * choices.h
 *	  The names behind each CHOICE in list.h.
 *
 * Choices that belong to a room below come from that room's list (losses,
 * optimisers, schedules, models) or name that room's enum; those only the
 * trainer compares have their enum here.  Each function returns the i-th name,
 * or NULL past the end, so parser, hint and documentation walk one array.
 */
#ifndef OSML_CHOICES_H
#define OSML_CHOICES_H

typedef enum OsmlShuffle
{
	OSML_SHUFFLE_NONE,
	OSML_SHUFFLE_ONCE,			/* composition of batches drawn once and kept */
	OSML_SHUFFLE_EPOCH			/* drawn anew each epoch */
} OsmlShuffle;

typedef enum OsmlScaleKind
{
	OSML_SCALE_NONE,
	OSML_SCALE_STANDARDIZE,
	OSML_SCALE_AUTO				/* label only */
} OsmlScaleKind;

typedef enum OsmlClip
{
	OSML_CLIP_NORM,
	OSML_CLIP_VALUE
} OsmlClip;

typedef enum OsmlOnDisconnect
{
	OSML_DISCONNECT_CANCEL,
	OSML_DISCONNECT_CONTINUE
} OsmlOnDisconnect;

typedef enum OsmlIfRunning
{
	OSML_IF_RUNNING_START,
	OSML_IF_RUNNING_ERROR,
	OSML_IF_RUNNING_SKIP,
	OSML_IF_RUNNING_QUEUE
} OsmlIfRunning;

extern const char *osml_on_null_name(int i);
extern const char *osml_on_nonfinite_name(int i);
extern const char *osml_model_type_name(int i); /* 0 is auto */
extern const char *osml_loss_choice(int i);
extern const char *osml_class_weight_name(int i);
extern const char *osml_activation_choice(int i);
extern const char *osml_lr_interval_name(int i);
extern const char *osml_monitor_mode_name(int i);
extern const char *osml_on_changed_data_name(int i);

typedef enum OsmlLrInterval
{
	OSML_INTERVAL_STEP,
	OSML_INTERVAL_EPOCH
} OsmlLrInterval;

typedef enum OsmlOnChangedData
{
	OSML_CHANGED_DATA_ERROR,
	OSML_CHANGED_DATA_CONTINUE
} OsmlOnChangedData;

typedef enum OsmlGramUse
{
	OSML_GRAM_AUTO,
	OSML_GRAM_ON,
	OSML_GRAM_OFF
} OsmlGramUse;

typedef enum OsmlMonitorMode
{
	OSML_MONITOR_AUTO,
	OSML_MONITOR_MIN,
	OSML_MONITOR_MAX
} OsmlMonitorMode;
extern const char *osml_init_name(int i);	/* 0 is auto */
extern const char *osml_precision_name(int i);
extern const char *osml_optimizer_name(int i);	/* the rules', then exact */
extern const char *osml_schedule_choice(int i);	/* 0 is auto */
extern const char *osml_weight_averaging_name(int i);	/* 0 is none */
extern const char *osml_annealing_name(int i);
extern const char *osml_clip_name(int i);
extern const char *osml_shuffle_name(int i);
extern const char *osml_scale_name(int i);
extern const char *osml_scale_label_name(int i);
extern const char *osml_gram_name(int i);
extern const char *osml_device_name(int i);
extern const char *osml_on_disconnect_name(int i);
extern const char *osml_if_running_name(int i);

/* true when optimizer is the closed form and not a rule of rules/optim */
extern bool osml_optimizer_is_exact(int optimizer);

#endif							/* OSML_CHOICES_H */
