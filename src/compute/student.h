/*
 * student.h
 *	  Two-sided p-values of Student's t.
 */
#ifndef OSML_STUDENT_H
#define OSML_STUDENT_H

/* P(|T| >= |t|) with dof degrees of freedom; NaN when dof <= 0 or t is NaN */
extern double osml_student_p(double t, double dof);

/* the regularised incomplete beta function I_x(a, b), with y = 1 - x */
extern double osml_beta_inc(double a, double b, double x, double y);

#endif							/* OSML_STUDENT_H */
