/*
 * choices.c
 *	  Names of choices, each array indexed by the enum it names.
 */
#include "postgres.h"

#include "hparams/choices.h"
#include "model/model.h"
#include "rules/average/anneal.h"
#include "rules/average/average.h"
#include "rules/loss/loss.h"
#include "rules/optim/optim.h"
#include "rules/schedule/schedule.h"
#include "source/source.h"

/* a function that hands out names[i], NULL past the end */
#define OSML_NAMES(function, names) \
	const char * \
	function(int i) \
	{ \
		return i >= 0 && i < (int) lengthof(names) ? names[i] : NULL; \
	}

static const char *const on_null_names[] = {
	[OSML_ON_NULL_SKIP] = "skip",
	[OSML_ON_NULL_ERROR] = "error",
	[OSML_ON_NULL_MEAN] = "mean",
};

/* OSML_ON_NONFINITE_KEEP is for prediction and has no name */
static const char *const on_nonfinite_names[] = {
	[OSML_ON_NONFINITE_STOP] = "stop",
	[OSML_ON_NONFINITE_SKIP] = "skip",
	[OSML_ON_NONFINITE_ROLLBACK] = "rollback",
};

static const char *const init_names[] = {
	[0] = "auto",
	[1 + OSML_INIT_TORCH_LINEAR] = "torch_linear",
	[1 + OSML_INIT_KAIMING_UNIFORM] = "kaiming_uniform",
	[1 + OSML_INIT_NORMAL] = "normal",
	[1 + OSML_INIT_ZEROS] = "zeros",
};

static const char *const precision_names[] = {
	[OSML_FLOAT64] = "float64",
	[OSML_FLOAT32] = "float32",
};

static const char *const clip_names[] = {
	[OSML_CLIP_NORM] = "norm",
	[OSML_CLIP_VALUE] = "value",
};

static const char *const shuffle_names[] = {
	[OSML_SHUFFLE_NONE] = "none",
	[OSML_SHUFFLE_ONCE] = "once",
	[OSML_SHUFFLE_EPOCH] = "epoch",
};

static const char *const scale_names[] = {
	[OSML_SCALE_NONE] = "none",
	[OSML_SCALE_STANDARDIZE] = "standardize",
};

static const char *const scale_label_names[] = {
	[OSML_SCALE_NONE] = "none",
	[OSML_SCALE_STANDARDIZE] = "standardize",
	[OSML_SCALE_AUTO] = "auto",
};

static const char *const lr_interval_names[] = {
	[OSML_INTERVAL_STEP] = "step",
	[OSML_INTERVAL_EPOCH] = "epoch",
};
static const char *const monitor_mode_names[] = {
	[OSML_MONITOR_AUTO] = "auto",
	[OSML_MONITOR_MIN] = "min",
	[OSML_MONITOR_MAX] = "max",
};
static const char *const on_changed_data_names[] = {
	[OSML_CHANGED_DATA_ERROR] = "error",
	[OSML_CHANGED_DATA_CONTINUE] = "continue",
};
static const char *const gram_names[] = {
	[OSML_GRAM_AUTO] = "auto",
	[OSML_GRAM_ON] = "on",
	[OSML_GRAM_OFF] = "off",
};
static const char *const annealing_names[] = {
	[OSML_ANNEAL_COS] = "cos",
	[OSML_ANNEAL_LINEAR] = "linear",
};
static const char *const class_weight_names[] = {"balanced"};
static const char *const device_names[] = {"auto", "cpu"};

static const char *const on_disconnect_names[] = {
	[OSML_DISCONNECT_CANCEL] = "cancel",
	[OSML_DISCONNECT_CONTINUE] = "continue",
};

static const char *const if_running_names[] = {
	[OSML_IF_RUNNING_START] = "start",
	[OSML_IF_RUNNING_ERROR] = "error",
	[OSML_IF_RUNNING_SKIP] = "skip",
	[OSML_IF_RUNNING_QUEUE] = "queue",
};

OSML_NAMES(osml_on_null_name, on_null_names)
OSML_NAMES(osml_on_nonfinite_name, on_nonfinite_names)
OSML_NAMES(osml_init_name, init_names)
OSML_NAMES(osml_precision_name, precision_names)
OSML_NAMES(osml_clip_name, clip_names)
OSML_NAMES(osml_shuffle_name, shuffle_names)
OSML_NAMES(osml_scale_name, scale_names)
OSML_NAMES(osml_scale_label_name, scale_label_names)
OSML_NAMES(osml_class_weight_name, class_weight_names)
OSML_NAMES(osml_lr_interval_name, lr_interval_names)
OSML_NAMES(osml_annealing_name, annealing_names)
OSML_NAMES(osml_monitor_mode_name, monitor_mode_names)
OSML_NAMES(osml_on_changed_data_name, on_changed_data_names)
OSML_NAMES(osml_gram_name, gram_names)
OSML_NAMES(osml_device_name, device_names)
OSML_NAMES(osml_on_disconnect_name, on_disconnect_names)
OSML_NAMES(osml_if_running_name, if_running_names)

/* "auto", then the models of src/model */
const char *
osml_model_type_name(int i)
{
	if (i == 0)
		return "auto";
	for (int k = 0; osml_models[k].name != NULL; k++)
	{
		if (k == i - 1)
			return osml_models[k].name;
	}
	return NULL;
}

/* the activations of rules/activation/list.h */
const char *
osml_activation_choice(int i)
{
	return i >= 0 && i < OSML_ACTIVATION_COUNT ? osml_activation_name((OsmlActivation) i) : NULL;
}

/* "auto", then the losses of rules/loss/list.h */
const char *
osml_loss_choice(int i)
{
	if (i == 0)
		return "auto";
	return i > 0 && i <= OSML_LOSS_COUNT ? osml_loss_name((OsmlLoss) (i - 1)) : NULL;
}

/* the optimisers of rules/optim/list.h, then the closed form */
const char *
osml_optimizer_name(int i)
{
	if (i == OSML_OPTIM_COUNT)
		return "exact";
	return i >= 0 && i < OSML_OPTIM_COUNT ? osml_optim_name((OsmlOptim) i) : NULL;
}

/* "auto", then the schedules of rules/schedule/list.h */
const char *
osml_schedule_choice(int i)
{
	if (i == 0)
		return "auto";
	return i > 0 && i <= OSML_SCHEDULE_COUNT ?
		osml_schedule_name((OsmlSchedule) (i - 1)) : NULL;
}

/* "none", then the averages of rules/average/list.h */
const char *
osml_weight_averaging_name(int i)
{
	if (i == 0)
		return "none";
	return i > 0 && i <= OSML_AVERAGE_COUNT ? osml_averages[i - 1].name : NULL;
}

bool
osml_optimizer_is_exact(int optimizer)
{
	return optimizer == OSML_OPTIM_COUNT;
}
