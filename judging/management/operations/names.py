"""The commands without a file. Records are named as text, so that a command imports no operation but its own."""

from __future__ import annotations

OPERATIONS = {
    "accounts": "judging.management.operations.accounts:ACCOUNTS",
    "activity": "judging.management.operations.lists:ACTIVITY",
    "add_account": "judging.management.operations.accounts:ADD_ACCOUNT",
    "add_prompt": "judging.management.operations.prompts:ADD_PROMPT",
    "add_token": "judging.management.operations.tokens:ADD_TOKEN",
    "campaign_progress": "judging.management.operations.campaigns:CAMPAIGN_PROGRESS",
    "campaigns": "judging.management.operations.lists:CAMPAIGNS",
    "cancel": "judging.management.operations.runs:CANCEL",
    "change_account": "judging.management.operations.accounts:CHANGE_ACCOUNT",
    "check_people": "judging.management.operations.checks:CHECK_PEOPLE",
    "consent": "judging.management.operations.invitations:CONSENT",
    "copy_campaign": "judging.management.operations.campaigns:COPY_CAMPAIGN",
    "delete_account": "judging.management.operations.deletions:DELETE_ACCOUNT",
    "delete_dataset": "judging.management.operations.deletions:DELETE_DATASET",
    "delete_judge": "judging.management.operations.deletions:DELETE_JUDGE",
    "delete_run": "judging.management.operations.deletions:DELETE_RUN",
    "exclude_votes": "judging.management.operations.checks:EXCLUDE_VOTES",
    "export_comparisons": "judging.management.operations.exports:EXPORT_COMPARISONS",
    "export_dataset": "judging.management.operations.exports:EXPORT_DATASET",
    "export_ratings": "judging.management.operations.exports:EXPORT_RATINGS",
    "export_votes": "judging.management.operations.exports:EXPORT_VOTES",
    "invitations": "judging.management.operations.invitations:INVITATIONS",
    "invite": "judging.management.operations.invitations:INVITE",
    "judges": "judging.management.operations.judges:JUDGES",
    "prompts": "judging.management.operations.prompts:PROMPTS",
    "rename_judge": "judging.management.operations.judges:RENAME_JUDGE",
    "retire_judge": "judging.management.operations.judges:RETIRE_JUDGE",
    "runs": "judging.management.operations.lists:RUNS",
    "split_dataset": "judging.management.operations.datasets:SPLIT_DATASET",
    "tokens": "judging.management.operations.tokens:TOKENS",
    "workers": "judging.management.operations.workers:WORKERS",
}
"""name of a command -> its record, for pkgutil.resolve_name."""
