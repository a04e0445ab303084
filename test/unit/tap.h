/*
 * tap.h
 *		Test Anything Protocol for C tests of the pure rooms.
 *
 *	int
 *	main(void)
 *	{
 *		ok(1 + 1 == 2, "addition in base %d", 10);
 *		is_close(sqrt(2.0), 1.41421356, 1e-8, 0.0, "square root");
 *		return done();
 *	}
 *
 * Include it in one source file a program: its counters are static.  A failed
 * check is printed with its place and the test goes on.
 */
#ifndef OSML_TAP_H
#define OSML_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int	tap_ran = 0;
static int	tap_failed = 0;

#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, #cond, __VA_ARGS__)
#define is_close(got, want, reltol, abstol, name) \
	tap_is_close((got), (want), (reltol), (abstol), __FILE__, __LINE__, (name))

/* One check; the name is a printf format.  Returns the condition. */
__attribute__((format(printf, 5, 6))) static inline bool
tap_ok(bool cond, const char *file, int line, const char *expr,
	   const char *fmt, ...)
{
	va_list		args;

	printf("%sok %d - ", cond ? "" : "not ", ++tap_ran);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	if (!cond)
	{
		tap_failed++;
		printf("# at %s:%d: %s\n", file, line, expr);
	}
	fflush(stdout);				/* the next check may crash */
	return cond;
}

/* |got - want| <= max(abstol, reltol |want|); not-a-number equals itself. */
static inline bool
tap_is_close(double got, double want, double reltol, double abstol,
			 const char *file, int line, const char *name)
{
	bool		close = got == want || (isnan(got) && isnan(want)) ||
		fabs(got - want) <= fmax(abstol, reltol * fabs(want));

	tap_ok(close, file, line, "is_close", "%s", name);
	if (!close)
		printf("# got %.17g, want %.17g, off by %.3g\n", got, want,
			   got - want);
	return close;
}

/* Count n checks as skipped, with the reason. */
static inline void
skip(int n, const char *why)
{
	while (n-- > 0)
		printf("ok %d # SKIP %s\n", ++tap_ran, why);
}

/* Print the plan; returns the program's exit status. */
static inline int
done(void)
{
	printf("1..%d\n", tap_ran);
	return tap_failed > 0;
}

#endif							/* OSML_TAP_H */
