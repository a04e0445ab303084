/*
 * list.h
 *	  The metrics.  A new one is one header in this folder and one entry here.
 *
 * OSML_METRIC(symbol, function, name, tasks, ranked, higher_is_better, meaning)
 *
 *	tasks	what it judges: OSML_FOR_NUMBERS (amounts and counts), _AMOUNT, _COUNT,
 *			_EITHER (two or several classes), see task.h
 *	ranked	needs scores in order, see measure.h
 *
 * Read several times, as loss/list.h is.
 */
#include "rules/metric/mse.h"
OSML_METRIC(MSE, osml_metric_mse, "mse", OSML_FOR_NUMBERS, false, false,
			"mean squared error")

#include "rules/metric/rmse.h"
OSML_METRIC(RMSE, osml_metric_rmse, "rmse", OSML_FOR_NUMBERS, false, false,
			"root of the mean squared error")

#include "rules/metric/mae.h"
OSML_METRIC(MAE, osml_metric_mae, "mae", OSML_FOR_NUMBERS, false, false,
			"mean absolute error")

#include "rules/metric/median_ae.h"
OSML_METRIC(MEDIAN_AE, osml_metric_median_ae, "median_ae", OSML_FOR_NUMBERS, true, false,
			"median absolute error")

#include "rules/metric/mape.h"
OSML_METRIC(MAPE, osml_metric_mape, "mape", OSML_FOR_AMOUNT, false, false,
			"mean absolute error as a share of the label")

#include "rules/metric/r2.h"
OSML_METRIC(R2, osml_metric_r2, "r2", OSML_FOR_NUMBERS, false, true,
			"share of the label's variance explained")

#include "rules/metric/explained_variance.h"
OSML_METRIC(EXPLAINED_VARIANCE, osml_metric_explained_variance, "explained_variance", OSML_FOR_NUMBERS, false, true,
			"share of the label's variance that is not in the errors")

#include "rules/metric/poisson_deviance.h"
OSML_METRIC(POISSON_DEVIANCE, osml_metric_poisson_deviance, "poisson_deviance", OSML_FOR_COUNT, false, false,
			"mean Poisson deviance")

#include "rules/metric/d2_poisson.h"
OSML_METRIC(D2_POISSON, osml_metric_d2_poisson, "d2_poisson", OSML_FOR_COUNT, false, true,
			"share of the Poisson deviance explained")

#include "rules/metric/logloss.h"
OSML_METRIC(LOGLOSS, osml_metric_logloss, "logloss", OSML_FOR_EITHER, false, false,
			"mean negative logarithm of the true class's probability")

#include "rules/metric/brier_score.h"
OSML_METRIC(BRIER_SCORE, osml_metric_brier_score, "brier_score", OSML_FOR_EITHER, false, false,
			"mean squared distance between probabilities and what came")

#include "rules/metric/accuracy.h"
OSML_METRIC(ACCURACY, osml_metric_accuracy, "accuracy", OSML_FOR_EITHER, false, true,
			"share of the rows whose class is the predicted one")

#include "rules/metric/balanced_accuracy.h"
OSML_METRIC(BALANCED_ACCURACY, osml_metric_balanced_accuracy, "balanced_accuracy", OSML_FOR_EITHER, false, true,
			"mean of the classes' recalls")

#include "rules/metric/precision.h"
OSML_METRIC(PRECISION, osml_metric_precision, "precision", OSML_FOR_EITHER, false, true,
			"share right of the rows said to be of the second class; of several classes the mean")

#include "rules/metric/recall.h"
OSML_METRIC(RECALL, osml_metric_recall, "recall", OSML_FOR_EITHER, false, true,
			"share found of the rows of the second class; of several classes the mean")

#include "rules/metric/f1.h"
OSML_METRIC(F1, osml_metric_f1, "f1", OSML_FOR_EITHER, false, true,
			"harmonic mean of precision and recall; of several classes the mean")

#include "rules/metric/roc_auc.h"
OSML_METRIC(ROC_AUC, osml_metric_roc_auc, "roc_auc", OSML_FOR_EITHER, true, true,
			"area under the ROC curve; of several classes the mean of each against the rest")

#include "rules/metric/pr_auc.h"
OSML_METRIC(PR_AUC, osml_metric_pr_auc, "pr_auc", OSML_FOR_EITHER, true, true,
			"average precision over recall; of several classes the mean of each against the rest")

#include "rules/metric/calibration_error.h"
OSML_METRIC(CALIBRATION_ERROR, osml_metric_calibration_error, "calibration_error", OSML_FOR_EITHER, false, false,
			"expected calibration error, 15 bins of equal width")
