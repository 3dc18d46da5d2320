"""The methods paragraph: what it says of the runs, and the same from command, page and HTTP API."""

import re

import pytest
from django.urls import reverse

from evalsite import __version__
from judging.models import Campaign, Judge, Run
from judging.services.campaigns.campaign_changes import grow_campaign
from judging.services.campaigns.campaign_history import campaign_history
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes
from rankings.citations.methods_text import MethodsText, methods_text
from rankings.report.report_rows import report_rows
from tests.campaigns import make_annotator, make_ready_campaign, vote
from tests.commands import printed, printed_json, refused
from tests.factories import answer_run, make_dataset, make_judge, make_run
from tests.rankings import studies
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.studies import compared, scored

pytestmark = pytest.mark.django_db


def text_of(*runs, ranking="bradley-terry"):
    dataset = runs[0].dataset
    return methods_text(dataset, runs, report_rows(dataset, runs=runs), ranking=ranking)


def keys_of(bibtex):
    return re.findall(r"^@\w+\{(\w+),", bibtex, re.MULTILINE)


def test_paragraph_of_recorded_judgments_cites_only_what_they_used():
    run = compared(studies.make_dataset(), judge="gpt-4")

    text = text_of(run)

    assert text.markdown == (
        "We use all 2 contexts of Study, with 6 candidates, judged on overall. The judgments of gpt-4 were recorded "
        "elsewhere and imported. The method is recorded as comparative, with the prompt recorded. "
        "There are 7 answers; unparsed answers (1) and errors (1) are excluded. Accuracy is the share of comparisons "
        "with a human preference that the judge decides in the same way. Debiased figures take the run’s median "
        "probability p as the threshold [@Liusie2024]. "
        "Candidates are ranked by Bradley-Terry [@Liusie2024b; @Bradley1952]; "
        "correlations are means over contexts. "
        f"All figures are computed with Evenhand {__version__} [@Evenhand]."
    )
    assert keys_of(text.bibtex) == ["Liusie2024", "Liusie2024b", "Bradley1952", "Evenhand"]


def test_paragraph_says_how_intervals_were_made_where_there_are_some():
    assert (
        "95 % intervals are over contexts: Wilson's for shares [@Wilson1927], Student's for means [@Cochran1977], and "
        "a bootstrap for all others [@Efron1993]."
    ) in text_of(judged(voted_dataset(contexts=8), "careful")).markdown


def test_paragraph_says_when_a_campaign_on_its_attributes_changed():
    run = answer_run(make_run(dataset := make_dataset(attributes=("coherence", "fluency"))))
    for attribute in dataset.attributes.all():
        ann = make_annotator(f"ann-{attribute.name}")
        campaign = make_ready_campaign(ann, dataset=dataset, name=attribute.name, attributes=[attribute])
        vote(campaign, ann)
        grow_campaign(campaign, {"votes_per_pair": 4 if attribute == run.attribute else 5})
    changed = Campaign.objects.get(name=run.attribute.name)
    exclusion = exclude_rater(dataset, changed, rater=changed.annotators.get().rater_name, reason="guessed")
    restore_votes(exclusion)

    said = text_of(run).markdown

    grown, excluded, restored = [one.said for one in campaign_history(changed)]
    assert "4 votes per pair, before " in grown
    assert f": 1 vote of {exclusion.rater} left out" in excluded
    assert f": 1 vote of {exclusion.rater} taken back in" in restored
    changes = [
        f"A campaign of people’s votes changed on {grown}.",
        *(f"It changed on {one}." for one in (excluded, restored)),
    ]
    assert (" ".join(changes) in said, said.count("A campaign")) == (True, 1)


def test_paragraph_of_a_model_names_its_revision_precision_and_tools(researcher):
    judge = make_judge("flan", model="google/flan-t5-xl")
    run = answer_run(make_run(make_dataset(), judge=judge, owner=researcher))
    environment = {"revision": "7d6315df2c2fb742f0f5b556879d730926ca9001", "dtype": "bfloat16"}
    Run.objects.filter(pk=run.pk).update(environment=environment | {"torch": "2.13.0", "transformers": "5.23.0"})
    run.refresh_from_db()

    text = text_of(run)

    assert (
        "flan is the model google/flan-t5-xl, revision 7d6315df2c2fb742f0f in bfloat16, run with Transformers 5.23.0 "
        "[@Wolf2020] and PyTorch 2.13.0 [@Paszke2019]."
    ) in text.markdown
    assert (
        f"The method is Comparative [@Liusie2024] (which of two texts is better) with the prompt {run.prompt_name}; "
        "answers are the probabilities of the label words."
    ) in text.markdown
    assert "The judge compares all ordered pairs of each context." in text.markdown


def test_paragraph_of_an_endpoint_says_in_what_its_requests_differ():
    judge = make_judge("gpt", model="gpt-5", backend="openai", base_url="http://127.0.0.1:9/v1")
    run = answer_run(make_run(make_dataset(), judge=judge))
    refused = {"temperature": "only the default is supported"}
    Run.objects.filter(pk=run.pk).update(environment={"forced_choice": '{"grammar": ""}', "refused": refused})
    run.refresh_from_db()

    assert (
        "gpt is the model gpt-5, behind an OpenAI-compatible endpoint, which allowed label words only as answers, "
        "at its own sampling temperature."
    ) in text_of(run).markdown


def test_paragraph_of_a_metric_cites_the_metric():
    dataset = studies.make_dataset()
    run = scored(dataset, "context,attribute,candidate,score\nc0,overall,a,5\n", judge="bleu")
    Judge.objects.filter(pk=run.judge_id).update(backend="metric", model="bleu")
    run.refresh_from_db()

    assert "bleu is the metric bleu [@Papineni2002; @Post2018]." in text_of(run).markdown


def test_paragraph_counts_the_contexts_that_were_judged():
    run = compared(studies.make_dataset(), "context,attribute,first,second,p_first\nc0,overall,a,b,0.9\n")

    assert text_of(run).markdown.startswith(
        "We use 1 of the 2 contexts of Study, with 3 candidates, judged on overall."
    )


def test_paragraph_names_every_judge_once():
    dataset = studies.make_dataset()
    runs = [compared(dataset, judge=name) for name in ("one", "two", "three")]

    assert "The judgments of one, two and three were recorded elsewhere and imported." in text_of(*runs).markdown


def test_latex_cites_and_escapes():
    text = MethodsText.of("50 % of a_b [@Liusie2024; @Efron1993].")

    assert text.latex == "50 \\% of a\\_b \\cite{Liusie2024,Efron1993}."


@pytest.mark.usefixtures("forget_reports", "researcher")
def test_methods_are_the_same_from_command_page_and_api(client, capsys):
    run = compared(studies.make_dataset())
    compared(run.dataset, judge="other")

    command = printed_json(capsys, "methods", "--dataset", "Study", "--run", run.pk)
    page = client.get(reverse("run-methods", args=[run.pk])).context["text"]
    api = client.get(f"/api/runs/{run.pk}/methods/").json()
    dataset_api = client.get(f"/api/datasets/{run.dataset_id}/methods/", {"run": run.pk}).json()
    dataset_page = client.get(reverse("dataset-methods", args=[run.dataset_id]))

    assert command == api == dataset_api == vars(page)
    assert "judge and other" in dataset_page.context["text"].markdown
    assert printed(capsys, "methods", "--dataset", "Study", "--run", run.pk, "--latex").startswith(page.latex)


def test_methods_of_no_answers_are_refused(capsys):
    studies.make_dataset()

    assert refused(capsys, "methods", "--dataset", "Study") == ['run: "Study" has no run with an answer yet']
