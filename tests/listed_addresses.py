"""Who gets what at each address: the tables that `test_who_may_do_what.py` tries."""

from rankings.analyses.record import analyses

PEOPLE = {
    "nobody": "",
    "annotator": "annotator",
    "owner": "researcher",
    "seer": "researcher",
    "stranger": "researcher",
    "admin": "admin",
}
"""Name -> role. The owner made all data. They are shared with the seer and hidden from the stranger, who has a run and
a campaign from the days when they were open. The annotator takes part in the campaigns of the owner."""

OK = "OK"
"""Done, or refused for what was sent, not for who sends it."""

READS = {
    (401, 404, OK, 404, 404, OK): """
        dataset-delete run-delete judge-delete api-run-deletion dataset-sharing run run-progress run-comparisons
        run-csv run-jsonl study-collect study-edit prompt-version campaign-preview
        campaign-preview-pair campaign-edit campaign-checks campaign-people campaign-people-csv
        campaign-people-upload campaign-links-csv invitation-new consent-text run-results run-report run-report-long
        run-methods run-table run-headline run-first-probabilities run-headline-link run-place run-answers
        run-answers-download run-robustness dataset-groups-long dataset-groups-download dataset-compare-long
        dataset-compare-download api-run api-run-download api-run-comparisons api-campaign-checks
        api-campaign-consent api-campaign-people api-campaign-invitations api-campaign-invitation api-run-methods
        api-run-report api-run-answers
    """,
    (401, 404, OK, OK, 404, OK): """
        dataset dataset-download dataset-publish run-new judgments-new context study-runs study-progress
        dataset-votes-download campaign-download dataset-human-judgments campaign-disputes campaign-decisions
        context-answers
        dataset-results dataset-quality dataset-juries dataset-report dataset-report-long dataset-table
        dataset-methods study study-table-file study-curves study-bias study-order study-coverage study-agreement
        study-calibration study-length study-score-gap study-systems study-matrix study-reports api-dataset
        api-dataset-contexts api-dataset-download api-dataset-package api-dataset-candidates api-study
        api-campaign api-campaign-progress api-dataset-vote-exclusions api-dataset-votes
        api-dataset-report api-dataset-quality api-dataset-juries api-dataset-methods api-campaign-disputes
        api-campaign-decisions
        api-study-table api-study-reports api-frozen-report run-explanations run-explanation
        run-explanations-long run-explanations-download
    """,
    (401, OK, OK, OK, OK, OK): """
        home account account_change_password account_reauthenticate account-data account-keys account-delete
        usersessions_list mfa_index mfa_reauthenticate mfa_activate_totp mfa_generate_recovery_codes mfa_add_webauthn
        mfa_reauthenticate_webauthn mfa_remove_webauthn
        campaign-list api-account api-account-tokens api-dataset-list api-run-list api-study-list
        api-judge-list
        api-prompt-list api-campaign-list api-vote-list api-own-list
    """,
    (401, OK, 404, 404, 404, 404): """
        consent guidelines training annotate vote-record pair-skip pair-reopen pair-differences break-dismiss
        visible-time vote-list vote-change api-own-consent api-own-completion api-own-training api-own-campaign
        api-own-answers
    """,
    (401, 404, OK, OK, OK, OK): """
        dataset-list dataset-upload run-list study-list study-new judge-list judge-new judge prompt-list
        prompt-new prompt campaign-new api-judge api-prompt worker-list api-workers
    """,
    (OK, OK, OK, OK, OK, OK): """
        favicon livez readyz healthz account_login mfa_authenticate account_reset_password account_reset_password_done
        frozen-report api-docs
    """,
    (401, 404, 404, 404, 404, OK): """
        activity-list api-activity account-list account-new account-detail account-erase api-accounts
        api-accounts-one api-accounts-deletion
    """,
    (401, 404, 404, 404, 404, 404): """
        dataset-preview dataset-mapping judgments-review training-feedback mfa_deactivate_totp
        mfa_view_recovery_codes
    """,
    (404, 404, 404, 404, 404, 404): """
        openid_connect_login openid_connect_callback github_login github_callback
    """,
    (410, 410, 410, 410, 410, 410): """
        account_reset_password_from_key
    """,
    (401, OK, OK, OK, 404, OK): """
        campaign
    """,
    (OK, OK, 410, 410, 410, 410): """
        join
    """,
    (401, 404, OK, 403, 404, OK): """
        api-dataset-deletion
    """,
    (401, 404, OK, 403, 403, OK): """
        api-judge-deletion
    """,
}
"""Statuses of PEOPLE in turn -> names of addresses that a link opens, but for those of analyses."""

OF_ANALYSES = {"run": (401, 404, OK, 404, 404, OK), "dataset": (401, 404, OK, OK, 404, OK)}
"""Kind of row in an address of an analysis -> its statuses, where READS has none."""

WRITES = {
    (401, 404, OK, 404, 404, OK): """
        POST /datasets/{dataset}/sharing/
        POST /datasets/{dataset}/split/
        POST /datasets/{dataset}/delete/
        POST /runs/{run}/delete/
        POST /judges/{judge}/delete/
        POST /runs/{run}/cancel/
        POST /runs/{run}/with-sentence/
        POST /runs/{run}/resume/
        POST /studies/{study}/runs/collect/
        POST /studies/{study}/runs/{run}/remove/
        POST /studies/{study}/cancel/
        POST /studies/{study}/resume/
        POST /studies/{study}/edit/
        POST /studies/{study}/delete/
        POST /judges/{judge}/change/
        POST /prompts/{prompt}/new-version/
        POST /campaigns/{campaign}/preview/
        POST /campaigns/{campaign}/preview/pair/
        POST /campaigns/{campaign}/edit/
        POST /campaigns/{campaign}/state/
        POST /campaigns/{campaign}/wanted-width/
        POST /campaigns/{campaign}/discard/
        POST /campaigns/{campaign}/checks/shares/
        POST /campaigns/{campaign}/checks/gold/upload/
        POST /campaigns/{campaign}/checks/training/
        POST /campaigns/{campaign}/checks/gold/draw/
        POST /campaigns/{campaign}/people/upload/
        POST /campaigns/{campaign}/people/{enrolment}/
        POST /campaigns/{campaign}/people/identify/
        POST /campaigns/{campaign}/people/stop/
        POST /campaigns/{campaign}/disputed/decide/
        POST /campaigns/{campaign}/people/message/
        POST /campaigns/{campaign}/people/pay.csv
        POST /campaigns/{campaign}/invitations/new/
        POST /campaigns/{campaign}/invitations/{invitation}/withdraw/
        POST /campaigns/{campaign}/consent-text/
        POST /datasets/{dataset}/exclude-votes/
        POST /vote-exclusions/{exclusion}/restore/
        POST /runs/{run}/abstaining/campaign/
        POST /reports/{key}/link/
        POST /api/datasets/{dataset}/split/
        POST /api/runs/{run}/cancel/
        POST /api/runs/{run}/with-sentence/
        POST /api/runs/{run}/deletion/
        POST /api/runs/{run}/resume/
        PATCH /api/campaigns/{campaign}/checks/
        POST /api/campaigns/{campaign}/gold-pairs/
        PUT /api/campaigns/{campaign}/training-pairs/
        POST /api/campaigns/{campaign}/consent/
        PATCH /api/campaigns/{campaign}/people/{enrolment}/
        POST /api/campaigns/{campaign}/people/identify/
        POST /api/campaigns/{campaign}/people/stop/
        POST /api/campaigns/{campaign}/decisions/
        POST /api/campaigns/{campaign}/people/message/
        POST /api/campaigns/{campaign}/people/pay/
        POST /api/campaigns/{campaign}/people/upload/
        POST /api/campaigns/{campaign}/invitations/
        PATCH /api/campaigns/{campaign}/invitations/{invitation}/
        POST /api/datasets/{dataset}/vote-exclusions/
        DELETE /api/vote-exclusions/{exclusion}/
        POST /api/runs/{run}/abstaining/
        PATCH /api/reports/{key}/
    """,
    (401, OK, 404, 404, 404, 404): """
        POST /campaigns/{campaign}/consent/
        POST /campaigns/{campaign}/guidelines/
        POST /campaigns/{trained}/training/
        POST /campaigns/{campaign}/annotate/vote/
        POST /campaigns/{campaign}/annotate/skip/
        POST /campaigns/{campaign}/annotate/reopen/
        POST /campaigns/{campaign}/annotate/differences/
        POST /campaigns/{campaign}/annotate/break/
        POST /campaigns/{campaign}/annotate/time/
        POST /campaigns/{campaign}/votes/{shown}/
        POST /api/own-campaigns/{campaign}/consent/
        POST DELETE /api/own-campaigns/{campaign}/training/
        POST /api/own-campaigns/{campaign}/guidelines-read/
        POST /api/own-campaigns/{campaign}/next-pair/
        POST PATCH DELETE /api/own-campaigns/{campaign}/pairs/{shown}/vote/
        POST PATCH /api/own-campaigns/{campaign}/pairs/{shown}/rating/
        POST /api/own-campaigns/{campaign}/pairs/{shown}/skip/
    """,
    (401, 404, OK, OK, 404, OK): """
        POST /datasets/{dataset}/new-run/
        POST /datasets/{dataset}/judgments/
        POST /datasets/{dataset}/campaign-effort/
        POST /campaigns/{campaign}/copy/
        POST /campaigns/{campaign}/disputed/again/
        POST /datasets/{dataset}/juries/
        POST /studies/{study}/reports/
        POST /api/datasets/{dataset}/judgments/
        POST /api/datasets/{dataset}/juries/
        POST /api/studies/{study}/reports/
        POST /runs/{explained}/explanations/1/
        POST /runs/{explained}/cancel/
        POST /runs/{explained}/resume/
        POST /api/runs/{explained}/cancel/
        POST /api/runs/{explained}/resume/
    """,
    (401, 404, 404, 404, 404, OK): """
        POST /accounts/new/
        POST /accounts/{account}/delete/
        POST /api/accounts/{account}/deletion/
        POST /runs/{explained}/delete/
        POST /accounts/{account}/roles/
        POST /accounts/{account}/link/
        POST /accounts/{account}/unlock/
        POST /accounts/{account}/second-factor/
        POST /accounts/{account}/deactivate/
        POST /judges/install/
        POST /accounts/{account}/restore/
        POST /api/accounts/
        PATCH /api/accounts/{account}/
        POST /api/accounts/{account}/link/
        POST /api/accounts/{account}/unlock/
    """,
    (401, 404, OK, OK, OK, OK): """
        POST /datasets/upload/
        POST /studies/new/
        POST /judges/new/
        POST /prompts/new/
        POST /campaigns/new/
    """,
    (401, 403, OK, OK, OK, OK): """
        POST /api/datasets/
        POST /api/runs/
        POST /api/studies/
        POST /api/judges/
        POST /api/prompts/
        POST /api/campaigns/
    """,
    (401, 404, 403, 403, 404, OK): """
        POST /api/runs/{explained}/deletion/
    """,
    (401, 404, OK, 403, 403, OK): """
        POST /api/judges/{judge}/deletion/
    """,
    (401, 404, OK, 403, 404, OK): """
        POST /api/datasets/{dataset}/deletion/
        PATCH DELETE /api/studies/{study}/
        POST /api/studies/{study}/runs/
        DELETE /api/studies/{study}/runs/{run}/
    """,
    (401, 403, OK, 403, 404, OK): """
        PATCH /api/datasets/{dataset}/
        PATCH DELETE /api/campaigns/{campaign}/
    """,
    (401, 403, OK, OK, 404, OK): """
        POST /api/campaigns/{campaign}/copy/
        POST /api/campaigns/{campaign}/disputes/
    """,
    (401, 403, OK, 403, 403, OK): """
        PATCH /api/judges/{judge}/
    """,
    (OK, OK, 410, 410, 410, 410): """
        POST /join/{code}/
    """,
    (401, OK, OK, OK, OK, OK): """
        POST /api/join/{code}/
    """,
}

CHECKED_ELSEWHERE = {"metrics", "api-schema", "docs", "docs-page"}
"""Addresses that have no data of people, and answer everybody alike."""

OF_ONESELF = {
    *("account_login", "account_logout", "account_change_password", "account_reset_password"),
    *("account_reset_password_from_key", "account_reauthenticate", "mfa_authenticate"),
    *("mfa_reauthenticate", "mfa_activate_totp", "mfa_deactivate_totp", "mfa_generate_recovery_codes"),
    *("mfa_add_webauthn", "mfa_reauthenticate_webauthn", "mfa_remove_webauthn", "usersessions_list"),
    *("session-end", "token-create", "token-revoke", "single-keys", "account-keys", "account-delete"),
    *("api-token", "api-account", "api-account-token"),
    *("api-account-tokens-one", "dataset-preview", "dataset-mapping", "upload-discard", "judgments-review"),
}
"""Writes on one's own account, and on files that one has just uploaded: nobody else can name them."""


def listed(table):
    """Yield each line of a table, and its statuses."""
    for statuses, lines in table.items():
        yield from ((line, statuses) for line in filter(None, map(str.strip, lines.splitlines())))


def listed_writes():
    """Yield the method, the address with braces, and the statuses."""
    for line, statuses in listed(WRITES):
        *methods, address = line.split()
        yield from ((method, address, statuses) for method in methods)


def listed_reads():
    """Yield the name of an address, and the statuses."""
    named = {name: statuses for line, statuses in listed(READS) for name in line.split()}
    names = [name for one in analyses().values() for name in addresses_of(one)]
    of_analyses = {name: OF_ANALYSES[name.removeprefix("api-").partition("-")[0]] for name in names}
    yield from (of_analyses | named).items()


def addresses_of(analysis):
    """Yield the names of the addresses of an analysis: in the API, of its page and of its files."""
    yield f"api-{'dataset' if analysis.of == 'dataset' else 'run'}-{analysis.name}"
    page = f"{analysis.row}-{analysis.name}"
    files = {"-long": analysis.long_form, "-download": analysis.file}
    yield from (page, *(f"{page}{end}" for end, has in files.items() if has))
