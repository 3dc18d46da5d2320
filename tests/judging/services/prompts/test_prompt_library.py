"""Prompts: found by name, and added by people."""

import dataclasses

import pytest

from evenhand.prompting.templates import PromptText
from evenhand.refusals import Refused
from judging.models import Prompt
from judging.services.prompts.prompt_library import add_prompt, may_add_version, prompts_of
from tests.factories import make_dataset, make_run, make_user, shipped_prompt

pytestmark = pytest.mark.django_db

TERSE = PromptText(name="terse", method="comparative", template="<A>\nor\n<B>?", label_first=" A", label_second=" B")


def changed(**changes):
    return dataclasses.replace(TERSE, **changes)


def problems(prompt, **options):
    with pytest.raises(Refused) as refused:
        add_prompt(prompt, **options)
    return list(refused.value.problems)


def test_prompts_of_refuses_every_name_it_does_not_know():
    with pytest.raises(Refused) as refused:
        prompts_of("prepair", ["comparative-1", "best"])

    assert refused.value.problems == (
        'prompt: "comparative-1" is no prompt of method prepair; there are: prepair-1, prepair-tie-1',
        'prompt: "best" is no prompt of method prepair; there are: prepair-1, prepair-tie-1',
    )


def test_prompts_of_refuses_a_method_without_prompts():
    with pytest.raises(Refused, match='method: "guessing" has no prompt; choose one of: comparative, pairwise'):
        prompts_of("guessing")


def test_added_prompt_is_not_the_default_of_its_method():
    add_prompt(changed(name="a-first-one"))

    assert [prompt.name for prompt in prompts_of("comparative")] == ["comparative-1"]


def test_add_prompt_stores_the_text_unchanged():
    rita = make_user("rita", "researcher")

    prompt = add_prompt(changed(template=" <A>\n\n<B> ", system="Be fair."), user=rita)

    prompt.refresh_from_db()
    assert (prompt.template, prompt.system, prompt.owner) == (" <A>\n\n<B> ", "Be fair.", rita)


def test_add_prompt_reports_every_problem_by_field():
    faulty = changed(name="two words", template="<A>\n  <b>", label_second=" A", answer_prefix="x" * 201)

    assert [problem.partition("; known are")[0] for problem in problems(faulty)] == [
        "answer_prefix: 201 characters — give at most 200",
        "name: 'two words' — give letters, digits, dots, hyphens and underscores, at most 100, the first a letter or a "
        "digit",
        "template: line 2, column 3: <b> is unknown here",
        "template: <B> is missing; the judge would not see it",
        'label_first, label_second: both are " A"; the answers could not be distinguished',
    ]
    assert not Prompt.objects.filter(template=faulty.template).exists()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"label_second": " B "}, 'label_second: " B " — leave out the space after it'),
        ({"answer_prefix": "Answer: "}, 'answer_prefix: "Answer: " — leave out the spaces around it'),
        ({"name": "prepair-7"}, 'name: "prepair-7" — such names are reserved for prompts that come with Evenhand'),
        ({"method": "guessing"}, 'method: "guessing" is unknown; choose one of: comparative'),
        ({"version": 2}, "version: 2 — a new name begins with version 1"),
        ({"source": "a\0b"}, "source: U+0000 in it — leave it out"),
        ({"source": "a\ud83db"}, "source: half of a surrogate pair in it — leave it out"),
    ],
)
def test_add_prompt_refuses(changes, problem):
    (found,) = problems(changed(**changes))

    assert found.startswith(problem)


def test_a_new_version_is_the_next_one_and_keeps_the_method():
    add_prompt(TERSE)

    assert problems(TERSE) == ['name: "terse" is taken up to version 1; choose another name, or add it as version 2']
    assert problems(changed(version=2, method="pairwise")) == [
        'method: pairwise — "terse" has method comparative in all versions; choose another name'
    ]


def test_a_version_is_added_by_the_owner_and_by_admins_alone():
    rita, rob, ada = make_user("rita", "researcher"), make_user("rob", "researcher"), make_user("ada", "admin")
    first = add_prompt(TERSE, user=rita)

    assert problems(changed(version=2), user=rob) == [
        'name: "terse" is the name of another person’s prompt; choose another name'
    ]
    assert add_prompt(changed(version=2), user=ada).owner == rita
    assert [may_add_version(first, person) for person in (rita, rob, ada)] == [True, False, True]


def test_add_prompt_refuses_a_version_of_a_shipped_prompt():
    assert not may_add_version(shipped_prompt(), make_user("ada", "admin"))


def test_runs_name_their_prompt_version():
    dataset = make_dataset()
    add_prompt(TERSE)
    add_prompt(changed(version=2, template="<A>, <B>?"))

    runs = [make_run(dataset, prompt=prompt) for prompt in prompts_of("comparative", ["terse@1", "terse"])]

    assert [run.prompt_name for run in runs] == ["terse", "terse@2"]


def test_newest_has_each_name_once():
    add_prompt(TERSE)
    second = add_prompt(changed(version=2))

    assert list(Prompt.objects.newest().filter(name="terse")) == [second]
    assert len(Prompt.objects.newest()) == len({prompt.name for prompt in Prompt.objects.all()})
