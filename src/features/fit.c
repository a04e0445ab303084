/*
 * fit.c
 *	  Passes over the training rows; see fit.h.
 *
 * A pass has a profile for each step that it fits.  Steps of one group join
 * their profiles, in the order of the steps, and then share what the first of
 * them learns: one grid for two columns.
 */
#include "features/fit.h"

#include <stdio.h>

/* a step that the pass fits */
typedef struct Learner
{
	int			step;
	OsmlProfile profile;		/* of its first input */
	bool		known;			/* from osml_fit_profile() */
	bool		done;
} Learner;

struct OsmlFitPass
{
	OsmlProgram *program;
	OsmlArena	arena;
	int			limit;			/* steps before it make what learners read */
	int			n_learners;
	Learner    *learners;
	void	   *scratch;		/* of a whole block */
	OsmlTallyRoom room;			/* of all tallies */
};

/* OSML_NEED_ bits of a step; 0: its parameters are all there */
static unsigned
needs_of(const OsmlProgram *program, int step)
{
	const OsmlStep *candidate = &program->steps[step].step;

	return candidate->transform->needs != NULL ?
		candidate->transform->needs(candidate) : 0;
}

/* can a step be fitted now, and is it to be? */
static bool
can_learn(const OsmlProgram *program, int step)
{
	return !program->steps[step].fitted && needs_of(program, step) != 0 &&
		osml_program_ready(program, step);
}

/* the same, and all steps of its group can be too */
static bool
is_learner(const OsmlProgram *program, int step)
{
	int			group = program->steps[step].step.group;

	for (int i = 0; group != 0 && i < program->n_steps; i++)
	{
		if (program->steps[i].step.group == group && !program->steps[i].fitted &&
			!can_learn(program, i))
			return false;
	}
	return can_learn(program, step);
}

/* start a step's profile, and see to it that its input is made */
static OsmlStatus
add_learner(OsmlFitPass *pass, int step)
{
	const OsmlProgramStep *fitted = &pass->program->steps[step];
	const OsmlTransform *transform = fitted->step.transform;
	Learner    *learner = &pass->learners[pass->n_learners++];
	bool		made = fitted->in[0].kind == OSML_VALUE_NUMBER &&
		fitted->in[0].index >= pass->program->input.n_dense;
	OsmlStatus	status;

	learner->step = step;
	if (made)
		pass->limit = step;
	status = osml_profile_init(&learner->profile, &pass->arena,
							   needs_of(pass->program, step),
							   transform->capacity != NULL ?
							   transform->capacity(&fitted->step) : 0);
	if (status == OSML_OK && learner->profile.tally != NULL)
		osml_tally_share_room(learner->profile.tally, &pass->room);
	return status;
}

/* the learners of a pass; none is no failure */
static OsmlStatus
find_learners(OsmlFitPass *pass)
{
	const OsmlProgram *program = pass->program;
	OsmlStatus	status = OSML_OK;

	for (int i = 0; i < program->n_steps && status == OSML_OK; i++)
	{
		if (is_learner(program, i))
			status = add_learner(pass, i);
	}
	return status;
}

/*
 * Without a learner in an incomplete program, steps of a group wait for one
 * another: they read what the group itself makes.
 */
OsmlFitPass *
osml_fit_begin(OsmlProgram *program, const OsmlArena *arena, int64_t room,
			   OsmlStatus *status)
{
	OsmlFitPass *pass;
	bool		complete;
	int			bad;
	char		message[256];

	*status = osml_program_prepare(program, &complete, &bad, message);
	if (*status != OSML_OK || complete)
		return NULL;
	*status = OSML_OUT_OF_MEMORY;
	pass = osml_arena_alloc(arena, sizeof(OsmlFitPass));
	if (pass == NULL)
		return NULL;
	pass->program = program;
	pass->arena = *arena;
	pass->room.left = room;
	pass->learners = osml_arena_alloc(arena, (size_t) program->n_steps * sizeof(Learner));
	pass->scratch = osml_arena_alloc(arena, osml_program_scratch(program, OSML_BLOCK_ROWS));
	if (pass->learners == NULL || pass->scratch == NULL)
		return NULL;
	*status = find_learners(pass);
	if (*status == OSML_OK && pass->n_learners == 0)
		*status = OSML_BAD_SHAPE;
	return *status == OSML_OK ? pass : NULL;
}

/* does a learner count the texts of a key column? */
static bool
counts(const OsmlFitPass *pass, const Learner *learner, int key_column)
{
	OsmlRegister in = pass->program->steps[learner->step].in[0];

	return !learner->known && learner->profile.tally != NULL &&
		in.kind == OSML_VALUE_KEY && in.index == key_column;
}

bool
osml_fit_wants_texts(const OsmlFitPass *pass, int key_column)
{
	for (int i = 0; i < pass->n_learners; i++)
	{
		if (counts(pass, &pass->learners[i], key_column))
			return true;
	}
	return false;
}

OsmlStatus
osml_fit_text(OsmlFitPass *pass, int key_column, uint64_t key, const char *text,
			  size_t length)
{
	OsmlStatus	status = OSML_OK;

	for (int i = 0; i < pass->n_learners && status == OSML_OK; i++)
	{
		if (counts(pass, &pass->learners[i], key_column))
			status = osml_tally_text(pass->learners[i].profile.tally, key, text, length);
	}
	return status;
}

OsmlStatus
osml_fit_block(OsmlFitPass *pass, const OsmlBlock *raw, const bool *use)
{
	const OsmlProgram *program = pass->program;
	const OsmlLayout *layout = &program->input;
	int			n = raw->nrows;
	OsmlStatus	status = OSML_OK;

	osml_program_run_steps(program, pass->limit, n, OSML_BLOCK_STRIDE, raw->data,
						   osml_block_keys(raw, layout, 0), pass->scratch);
	for (int i = 0; i < pass->n_learners && status == OSML_OK; i++)
	{
		Learner    *learner = &pass->learners[i];
		OsmlRegister in = program->steps[learner->step].in[0];

		if (learner->known)
			continue;
		if (in.kind == OSML_VALUE_KEY)
			status = osml_profile_keys(&learner->profile,
									   osml_block_keys(raw, layout, in.index), use, n);
		else
			status = osml_profile_numbers(&learner->profile,
										  osml_program_number(program, in.index, n,
															  OSML_BLOCK_STRIDE, raw->data,
															  pass->scratch), use, n);
	}
	return status;
}

/* does a learner read this input?  A number beyond the inputs is what steps make */
static bool
reads(const OsmlFitPass *pass, const Learner *learner, OsmlRegister input)
{
	OsmlRegister in = pass->program->steps[learner->step].in[0];

	return in.kind == input.kind && in.index == input.index &&
		(in.kind != OSML_VALUE_NUMBER || in.index < pass->program->input.n_dense);
}

int
osml_fit_capacity(const OsmlFitPass *pass, OsmlRegister input)
{
	int			most = 0;

	for (int i = 0; i < pass->n_learners; i++)
	{
		const Learner *learner = &pass->learners[i];

		if (reads(pass, learner, input) && learner->profile.tally != NULL &&
			osml_tally_capacity(learner->profile.tally) > most)
			most = osml_tally_capacity(learner->profile.tally);
	}
	return most;
}

/* a tally that has lost something does not: the pass has more room */
static bool
tells_enough(const OsmlProfile *profile, const OsmlProfile *wanted)
{
	return (wanted->needs & ~profile->needs) == 0 &&
		(wanted->tally == NULL || osml_tally_error(profile->tally) == 0);
}

OsmlStatus
osml_fit_profile(OsmlFitPass *pass, OsmlRegister input, const OsmlProfile *profile)
{
	OsmlStatus	status = OSML_OK;

	for (int i = 0; i < pass->n_learners && status == OSML_OK; i++)
	{
		Learner    *learner = &pass->learners[i];
		OsmlProfile part = *profile;

		if (learner->known || !reads(pass, learner, input) ||
			!tells_enough(profile, &learner->profile))
			continue;
		part.needs = learner->profile.needs;
		status = osml_profile_merge(&learner->profile, &part);
		learner->known = true;
	}
	return status;
}

bool
osml_fit_wants_rows(const OsmlFitPass *pass)
{
	for (int i = 0; i < pass->n_learners; i++)
	{
		if (!pass->learners[i].known)
			return true;
	}
	return false;
}

/* is a learner to join another one's group? */
static bool
same_group(const OsmlFitPass *pass, const Learner *a, const Learner *b)
{
	const OsmlStep *first = &pass->program->steps[a->step].step;
	const OsmlStep *second = &pass->program->steps[b->step].step;

	return first->group != 0 && first->group == second->group &&
		first->transform == second->transform;
}

/* is there no value in a profile, only NULL, NaN and infinity? */
static bool
has_no_values(const OsmlProfile *profile)
{
	return profile->rows == profile->missing + profile->nan + profile->infinite;
}

/* is every number that a step has one? */
static bool
is_finite(const OsmlStep *step)
{
	double		sum = 0;

	for (int i = 0; i < step->transform->n_params; i++)
	{
		const OsmlParam *param = &step->params[i];

		if (!param->given)
			continue;
		sum += param->number * 0.0;
		for (int k = 0; k < param->n && param->numbers != NULL; k++)
			sum += param->numbers[k] * 0.0;
	}
	return sum == 0;
}

/*
 * Fit a step.  Of values near the largest there are, the mean, say, is none; what
 * is not a number can neither be stored nor used, so it is learned from nothing.
 */
static OsmlStatus
fit_step(OsmlFitPass *pass, OsmlProgramStep *fitted, const OsmlProfile *profile)
{
	OsmlStep	before = fitted->step;
	const OsmlTransform *transform = before.transform;
	OsmlProfile empty;
	OsmlStatus	status;

	fitted->beyond = transform->beyond != NULL && transform->beyond(&before, profile);
	fitted->least = profile->stats.min;
	fitted->greatest = profile->stats.max;
	status = transform->fit(&fitted->step, &pass->program->arena, profile);
	fitted->overflows = status == OSML_OK && !is_finite(&fitted->step);
	if (!fitted->overflows)
		return status;
	status = osml_profile_init(&empty, &pass->arena, profile->needs,
							   transform->capacity != NULL ? transform->capacity(&before) : 0);
	if (status != OSML_OK)
		return status;
	fitted->step = before;
	status = transform->fit(&fitted->step, &pass->program->arena, &empty);
	osml_profile_free(&empty);
	return status;
}

/* a step learns what the first one of its group has */
static void
share_fit(OsmlProgramStep *step, const OsmlProgramStep *first)
{
	memcpy(step->step.params, first->step.params, sizeof(first->step.params));
	step->no_values = first->no_values;
	step->overflows = first->overflows;
	step->beyond = first->beyond;
	step->least = first->least;
	step->greatest = first->greatest;
}

/* fit a learner's step from its own profile and those of its group */
static OsmlStatus
fit_group(OsmlFitPass *pass, int first)
{
	Learner    *leader = &pass->learners[first];
	OsmlProgramStep *step = &pass->program->steps[leader->step];
	OsmlStatus	status = OSML_OK;

	for (int i = first + 1; i < pass->n_learners && status == OSML_OK; i++)
	{
		if (same_group(pass, leader, &pass->learners[i]))
			status = osml_profile_merge(&leader->profile, &pass->learners[i].profile);
	}
	if (status == OSML_OK)
		status = fit_step(pass, step, &leader->profile);
	step->no_values = has_no_values(&leader->profile);
	leader->done = true;
	for (int i = first + 1; i < pass->n_learners && status == OSML_OK; i++)
	{
		Learner    *member = &pass->learners[i];

		if (!same_group(pass, leader, member))
			continue;
		share_fit(&pass->program->steps[member->step], step);
		member->done = true;
	}
	return status;
}

OsmlStatus
osml_fit_end(OsmlFitPass *pass, int *bad, char *message)
{
	bool		complete;

	for (int i = 0; i < pass->n_learners; i++)
	{
		OsmlStatus	status;

		if (pass->learners[i].done)
			continue;
		status = fit_group(pass, i);
		if (status == OSML_OK)
			continue;
		*bad = pass->learners[i].step;
		snprintf(message, 256, status == OSML_OUT_OF_MEMORY ? "out of memory" :
				 "nothing can be learned from these rows");
		return status;
	}
	return osml_program_prepare(pass->program, &complete, bad, message);
}
