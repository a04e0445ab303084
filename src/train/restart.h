/*
 * restart.h
 *	  Interrupted runs that go on by themselves once the server is back.
 */
#ifndef OSML_RESTART_H
#define OSML_RESTART_H

/* in the postmaster, while it preloads libraries: register the restarter, but for pg_upgrade */
extern void osml_restart_register(void);

/* has this server a restarter? */
extern bool osml_restart_available(void);

#endif							/* OSML_RESTART_H */
