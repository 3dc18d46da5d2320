"""The commands without a file. Records are named as text, so that a command imports no operation but its own."""

OPERATIONS = {
    "accounts": "judging.management.operations.accounts:ACCOUNTS",
    "activity": "judging.management.operations.lists_of_campaigns_runs_activity:ACTIVITY",
    "add_account": "judging.management.operations.accounts:ADD_ACCOUNT",
    "add_prompt": "judging.management.operations.prompts:ADD_PROMPT",
    "backup": "judging.management.operations.backups:BACKUP",
    "campaigns": "judging.management.operations.lists_of_campaigns_runs_activity:CAMPAIGNS",
    "cancel": "judging.management.operations.runs:CANCEL",
    "change_account": "judging.management.operations.accounts:CHANGE_ACCOUNT",
    "exclude_votes": "judging.management.operations.exclusions:EXCLUDE_VOTES",
    "export_comparisons": "judging.management.operations.exports:EXPORT_COMPARISONS",
    "export_dataset": "judging.management.operations.exports:EXPORT_DATASET",
    "export_ratings": "judging.management.operations.exports:EXPORT_RATINGS",
    "export_votes": "judging.management.operations.exports:EXPORT_VOTES",
    "judges": "judging.management.operations.judges:JUDGES",
    "prompts": "judging.management.operations.prompts:PROMPTS",
    "restore": "judging.management.operations.backups:RESTORE",
    "runs": "judging.management.operations.lists_of_campaigns_runs_activity:RUNS",
    "split_dataset": "judging.management.operations.datasets:SPLIT_DATASET",
}
"""name of a command -> its record, for pkgutil.resolve_name."""
