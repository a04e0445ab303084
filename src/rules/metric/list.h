/*
 * list.h
 *	  The metrics of a regression.  A new one is one header in this folder and
 *	  one entry here.
 *
 * OSML_METRIC(symbol, function, name, higher_is_better, meaning)
 *
 * Read several times, as loss/list.h is.
 */
#include "rules/metric/mse.h"
OSML_METRIC(MSE, osml_metric_mse, "mse", false, "mean squared error")

#include "rules/metric/rmse.h"
OSML_METRIC(RMSE, osml_metric_rmse, "rmse", false, "root of the mean squared error")

#include "rules/metric/mae.h"
OSML_METRIC(MAE, osml_metric_mae, "mae", false, "mean absolute error")

#include "rules/metric/r2.h"
OSML_METRIC(R2, osml_metric_r2, "r2", true, "share of the label's variance explained")
