/*
 * rights.c
 *	  Who may see and use what, and where nobody may write.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "catalog/rights.h"

/* The owner may do all; others what was granted to one of their roles. */
bool
osml_model_allowed(const OsmlModelRow *model, OsmlPrivilege privilege)
{
	if (osml_role_usable(model->owner) || osml_grant_exists(model, "manage"))
		return true;
	return privilege == OSML_PREDICT && osml_grant_exists(model, "predict");
}

/* Refuse, naming whom to ask and for what. */
void
osml_model_check(const OsmlModelRow *model, OsmlPrivilege privilege)
{
	const char *word = privilege == OSML_PREDICT ? "predict" : "manage";

	if (osml_model_allowed(model, privilege))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for model \"%s\" of role \"%s\"",
					model->name, model->owner),
			 errhint("Its owner can run osml_grant(%s, %s, '%s').",
					 quote_literal_cstr(model->name),
					 quote_literal_cstr(osml_current_role()), word)));
}

/*
 * Anybody may have a model of a table's name, and grant 'manage' to all: he would see
 * what is learned from whichever table is called so.  Who wants that says the name.
 */
void
osml_model_check_named(const OsmlModelRow *model, bool named)
{
	if (named || osml_role_own(model->owner))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("model \"%s\" belongs to role \"%s\"", model->name, model->owner),
			 errdetail("It has the name of what is trained on, which alone does not lead into "
					   "somebody else's model."),
			 errhint("Name the model with model => %s, if that is meant, or one of your own.",
					 quote_literal_cstr(model->name))));
}

void
osml_prevent_in_recovery(const char *command)
{
	if (!RecoveryInProgress())
		return;
	ereport(ERROR,
			(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
			 errmsg("cannot execute %s during recovery", command),
			 errdetail("This server is a standby: what it has comes from its primary server."),
			 errhint("Call %s on the primary server, or promote this one first.", command)));
}

/* Transactions of a standby are read-only, too, which alone would not say why. */
void
osml_prevent_write(const char *command)
{
	osml_prevent_in_recovery(command);
	PreventCommandIfReadOnly(command);
}
