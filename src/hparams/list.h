/*
 * list.h
 *	  Every hyperparameter, one line each.
 *
 * Included several times with HP defined differently; it makes the struct
 * (hparams.h), the parser, the hint with the nearest name, the stored set and
 * the rows of osml_hparams().  There is no second place to edit.
 *
 *	  HP(kind, name, default, low, high, names, meaning)
 *
 * kind: BOOL, INT, SWITCH (true, false or a number), REAL, CHOICE, TEXT, COLUMN, TEXTS,
 * REALS, TIME.  default: as a user would write it; "auto" leaves the value unset, to be resolved by
 * osml_hparams_resolve() or by the trainer.  low, high: inclusive range of
 * numbers.  names: for CHOICE, a function that returns the i-th name.
 *
 * No include guard: this file is meant to be included again.
 */

/* data */
HP(COLUMN, label, "auto", 0, 0, NULL, "column to predict; auto: the first column")
HP(TEXTS, features, "auto", 0, 0, NULL, "columns to learn from; auto: all but the label")
HP(INT, num_features, "auto", 1, 1e9, NULL, "number of dense feature values; checked if given")
HP(COLUMN, sample_weight, "auto", 0, 0, NULL, "column of weights of rows in loss and metrics; auto: all rows weigh the same")
HP(COLUMN, exposure, "auto", 0, 0, NULL, "column that a count is per unit of, such as hours; predictions are per unit")
HP(COLUMN, since, "auto", 0, 0, NULL, "read only training rows whose value in this column, such as a time, is above the greatest that the model's last run with it read; NULLs are never new; auto: all rows")
HP(MAP, class_weight, "auto", 0, 1e300, osml_class_weight_name, "weights of classes: balanced, or an object with a number for some classes; auto: none")
HP(CHOICE, on_null, "skip", 0, 0, osml_on_null_name, "a row with a NULL: skip it, stop with an error, or take the column's mean")
HP(CHOICE, on_nonfinite, "stop", 0, 0, osml_on_nonfinite_name, "NaN or infinity in a row, or in the loss or gradient of a step: stop the run, skip the row or step, or skip the row and for a step that explodes roll back to weights before it and halve lr")
HP(REAL, val_fraction, "0", 0, 0.95, NULL, "share of the training rows held out for validation, by a hash of each row's values")

/* model */
HP(CHOICE, model_type, "auto", 0, 0, osml_model_type_name, "kind of model; auto: mlp if num_hidden_neurons is given, else by the loss if that is given, else by the label: linear for numbers, logistic for two classes, softmax for more")
HP(INT, classes, "auto", 2, 1000, NULL, "number of classes of the label; checked if given")
HP(CHOICE, loss, "auto", 0, 0, osml_loss_choice, "loss to minimise; auto: the model's own")
HP(REAL, huber_delta, "1", 1e-300, 1e300, NULL, "where the huber loss turns linear, in the label's units")
HP(REALS, num_hidden_neurons, "auto", 1, 1e6, NULL, "mlp: neurons of each hidden layer, of which there are 16 at most; auto: [64, 32]")
HP(CHOICE, activation, "relu", 0, 0, osml_activation_choice, "mlp: what hidden layers do with their sums")
HP(BOOL, batch_norm_linear_layers, "false", 0, 0, NULL, "mlp: BatchNorm1d before every linear layer")
HP(REAL, dropout, "0", 0, 0.99, NULL, "mlp: share of the hidden neurons left out of each step")
HP(INT, embedding_dim, "auto", 1, 10000, NULL, "mlp: numbers that stand for a category; auto: half as many as there are categories, at most 50")
HP(BOOL, bias, "true", 0, 0, NULL, "learn an intercept; false: none, and columns are scaled without being centred")
HP(CHOICE, init, "auto", 0, 0, osml_init_name, "how parameters start; torch_linear: as in PyTorch; auto: so, but the intercept of counts at the logarithm of their mean, unless scale is none")
HP(REALS, initial_weights, "auto", -1e300, 1e300, NULL, "starting weights in the scaled columns' units, the intercept last")
HP(SWITCH, warm_start, "false", 0, 2147483647, NULL, "go on from the weights of this version of the model (true: of the deployed one, if there is one), with what it learned of features, scaling and classes; what shapes the model is the version's unless given")
HP(INT, seed, "0", 0, 9007199254740991.0, NULL, "seed of initial parameters, shuffling and splits")
HP(CHOICE, precision, "float64", 0, 0, osml_precision_name, "compute type")

/* optimiser */
HP(CHOICE, optimizer, "AdamW", 0, 0, osml_optimizer_name, "update rule; exact: least squares in one pass")
HP(REAL, lr, "auto", 0, 1e300, NULL, "learning rate; auto: 0.03 falling to 0, or 0.01 where lr_schedule is constant")
HP(REAL, momentum, "0", 0, 1e300, NULL, "SGD momentum")
HP(REAL, dampening, "0", -1e300, 1e300, NULL, "SGD dampening of the momentum")
HP(BOOL, nesterov, "false", 0, 0, NULL, "SGD with Nesterov momentum")
HP(REAL, weight_decay, "auto", 0, 1e300, NULL, "weight decay; auto: 0.01 for AdamW, else 0")
HP(REAL, l1, "0", 0, 1e300, NULL, "weight of the sum of absolute weights in what is minimised, biases aside; small weights become 0")
HP(REALS, betas, "[0.9,0.999]", 0, 0.9999999999999999, NULL, "Adam and AdamW: decay of the two running averages")
HP(REAL, eps, "1e-08", 0, 1, NULL, "Adam and AdamW: added to the denominator")
HP(CHOICE, lr_schedule, "auto", 0, 0, osml_schedule_choice, "how the learning rate changes over the steps; auto: linear, but constant where lr is given or only max_time ends the run")
HP(INT, warmup_steps, "0", 0, 9007199254740991.0, NULL, "steps in which lr rises in a line, before the schedule begins")
HP(CHOICE, lr_interval, "step", 0, 0, osml_lr_interval_name, "what the schedules step and exponential count: steps or epochs")
HP(INT, step_size, "auto", 1, 9007199254740991.0, NULL, "schedule step: intervals from one drop to the next")
HP(REAL, gamma, "0.1", 1e-300, 1, NULL, "schedules step and exponential: factor on lr at each drop")
HP(REAL, eta_min, "0", 0, 1e300, NULL, "schedule cosine: learning rate at the end")
HP(REAL, pct_start, "0.3", 0, 1, NULL, "schedule one_cycle: share of the steps in which lr rises")
HP(REAL, div_factor, "25", 1, 1e300, NULL, "schedule one_cycle: starts at lr divided by this")
HP(REAL, final_div_factor, "10000", 1, 1e300, NULL, "schedule one_cycle: ends at its start divided by this")
HP(REAL, plateau_factor, "0.1", 0, 0.9999999999999999, NULL, "schedule reduce_on_plateau: factor on lr when monitor stops improving")
HP(INT, plateau_patience, "10", 0, 9007199254740991.0, NULL, "schedule reduce_on_plateau: values of monitor without improvement before lr is reduced")
HP(REAL, plateau_threshold, "0.0001", 0, 1e300, NULL, "schedule reduce_on_plateau: relative improvement that counts")
HP(INT, plateau_cooldown, "0", 0, 9007199254740991.0, NULL, "schedule reduce_on_plateau: values of monitor to wait after a reduction")
HP(REAL, min_lr, "0", 0, 1e300, NULL, "schedule reduce_on_plateau: least learning rate")
HP(CHOICE, weight_averaging, "none", 0, 0, osml_weight_averaging_name, "average of the weights that is validated, kept and predicted with while training goes on with the weights themselves: none, ema of every step's, or swa of those at the ends of epochs")
HP(REAL, ema_decay, "0.999", 0, 1, NULL, "weight_averaging ema: share of the average that a step leaves in it")
HP(REAL, swa_epoch_start, "0.8", 0, 2147483647, NULL, "weight_averaging swa: first epoch whose weights are averaged, or where it is, as a share of the epochs, if below 1 (alias swa_start)")
HP(REAL, swa_lrs, "auto", 0, 1e300, NULL, "weight_averaging swa: learning rate to go to when averaging begins, in the place of lr_schedule; auto: none, lr_schedule goes on")
HP(INT, annealing_epochs, "10", 0, 2147483647, NULL, "weight_averaging swa: epochs in which lr goes to swa_lrs")
HP(CHOICE, annealing_strategy, "cos", 0, 0, osml_annealing_name, "weight_averaging swa: lr goes to swa_lrs along half a cosine or in a line")
HP(REAL, gradient_clip_val, "0", 0, 1e300, NULL, "clip the gradient to this norm or value; 0: no clipping")
HP(CHOICE, gradient_clip_algorithm, "norm", 0, 0, osml_clip_name, "what gradient_clip_val bounds: the norm of the gradient, or each value")

/* batches */
HP(INT, batch_size, "512", 1, 2147483647, NULL, "rows a batch")
HP(BOOL, drop_last, "false", 0, 0, NULL, "leave out the short last batch of an epoch")
HP(INT, accumulate_grad_batches, "1", 1, 2147483647, NULL, "batches a step")
HP(INT, max_batches, "auto", 1, 9007199254740991.0, NULL, "stop after this many batches; alone, of an endless stream (alias limit_train_batches)")
HP(INT, max_steps, "auto", 1, 9007199254740991.0, NULL, "stop after this many steps")
HP(INT, max_epochs, "auto", 1, 2147483647, NULL, "stop after this many epochs; auto: enough for 2,000 steps, unless max_steps, max_batches or max_time is given")
HP(TIME, max_time, "auto", 0, 1e12, NULL, "stop after this many seconds, or DD:HH:MM:SS, looked at after each batch; alone, of an endless stream")
HP(INT, min_epochs, "0", 0, 2147483647, NULL, "neither max_time nor a value of monitor ends the run before so many epochs are over")
HP(INT, min_steps, "0", 0, 9007199254740991.0, NULL, "neither max_time nor a value of monitor ends the run before so many steps are taken")
HP(CHOICE, shuffle, "once", 0, 0, osml_shuffle_name, "draw the composition of batches never, once, or anew each epoch")
HP(CHOICE, scale, "standardize", 0, 0, osml_scale_name, "bring feature columns to mean 0 and deviation 1")
HP(CHOICE, scale_label, "auto", 0, 0, osml_scale_label_name, "the same for the label; auto: for a squared loss, unless scale is none")
HP(INT, lanes, "1", 1, 4096, NULL, "sub-streams a batch is dealt from; divides batch_size")

/* validation and records */
HP(REAL, val_check_interval, "0", 0, 9007199254740991.0, NULL, "validate every so many batches, or this share of an epoch if below 1; 0: at each epoch's end")
HP(INT, check_val_every_n_epoch, "1", 1, 2147483647, NULL, "validate in every such epoch only; the end of the run is always validated")
HP(INT, limit_val_batches, "auto", 1, 9007199254740991.0, NULL, "validate on this many full batches of the wrapped stream; auto: on each row once")
HP(INT, num_sanity_val_steps, "0", 0, 2147483647, NULL, "validation batches to run before the first step")
HP(INT, limit_test_batches, "auto", 1, 9007199254740991.0, NULL, "test on this many full batches of the wrapped stream; auto: on each row once")
HP(TEXT, monitor, "auto", 0, 0, NULL, "metric that early_stopping and reduce_on_plateau watch, such as val_rmse; auto: val_loss, without validation rows train_loss")
HP(CHOICE, monitor_mode, "auto", 0, 0, osml_monitor_mode_name, "whether monitor should fall or rise; auto: as the metric says")
HP(BOOL, early_stopping, "false", 0, 0, NULL, "end the run when monitor has not improved for patience values of it")
HP(INT, patience, "3", 0, 9007199254740991.0, NULL, "early_stopping: values of monitor without improvement")
HP(REAL, min_delta, "0", 0, 1e300, NULL, "early_stopping: less is no improvement")
HP(REAL, stopping_threshold, "auto", -1e300, 1e300, NULL, "end the run once monitor is better than this")
HP(REAL, divergence_threshold, "auto", -1e300, 1e300, NULL, "end the run once monitor is worse than this")
HP(INT, every_n_train_steps, "auto", 1, 9007199254740991.0, NULL, "steps from one checkpoint to the next, from which osml_resume goes on; auto: by time")
HP(TIME, train_time_interval, "auto", 0, 1e12, NULL, "seconds, or DD:HH:MM:SS, from one checkpoint to the next; 0: none; auto: 300, or none with every_n_train_steps")
HP(INT, save_top_k, "0", 0, 100, NULL, "keep the weights at the best values of monitor, so many of them, as versions, and deploy the best; 0: only the last weights")
HP(BOOL, save_last, "false", 0, 0, NULL, "save_top_k: keep the last weights as a version too")
HP(CHOICE, on_changed_data, "error", 0, 0, osml_on_changed_data_name, "osml_resume where training or validation rows are others than before: stop with an error or continue")
HP(INT, log_every_n_steps, "50", 1, 2147483647, NULL, "steps between rows in osml.metrics")
HP(REAL, divergence_factor, "1e+08", 0, 1e300, NULL, "give up when the loss exceeds this many times the first; 0: only when it is not finite")

/* trying out */
HP(SWITCH, fast_dev_run, "false", 0, 1000000, NULL, "try everything out on so many batches of training, validation and test rows (true: one): one epoch, and neither metrics nor a version are kept")
HP(REAL, overfit_batches, "0", 0, 2147483647, NULL, "train each epoch on the same so many first batches, or this share of them if below 1, and validate on their rows; shuffle, val_fraction and limit_val_batches then count for nothing; 0: no")
HP(BOOL, detect_anomaly, "false", 0, 0, NULL, "look in each batch for the first value that is not finite, and end the run naming its row, layer and kind; takes up to twice the time")

/* machinery */
HP(CHOICE, device, "auto", 0, 0, osml_device_name, "where to compute")
HP(INT, threads, "auto", 1, 64, NULL, "threads that compute, at most osml.threads; results are the same with any number; auto: osml.threads")
HP(CHOICE, gram, "auto", 0, 0, osml_gram_name, "loss mse: take steps from sums of products of each batch, made in one pass, instead of rows: the same steps, at a cost that does not grow with the rows; auto: where that is faster")
HP(INT, num_workers, "0", 0, 64, NULL, "reader workers; 0: the calling session reads")
HP(BOOL, deploy, "true", 0, 0, NULL, "make a finished run the model's deployed version")
HP(BOOL, restart, "false", 0, 0, NULL, "once the server is back after it died or was stopped, go on by itself from the last checkpoint; needs osml in shared_preload_libraries")
HP(CHOICE, if_running, "start", 0, 0, osml_if_running_name, "what a run does while another run of its model is going on: start beside it, end with an error, be skipped, or wait for its turn")
HP(CHOICE, on_disconnect, "cancel", 0, 0, osml_on_disconnect_name, "what a run does when its waiting client is gone")
