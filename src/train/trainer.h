/*
 * trainer.h
 *	  Entry point of the trainer worker.
 */
#ifndef OSML_TRAINER_H
#define OSML_TRAINER_H

extern PGDLLEXPORT void osml_trainer_main(Datum main_arg);

#endif							/* OSML_TRAINER_H */
