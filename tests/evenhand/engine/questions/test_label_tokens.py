import pytest

from evenhand.engine import QuestionRefused
from evenhand.engine.questions.label_tokens import TokenRow, common_prefix, labelled_prompt


@pytest.mark.parametrize("kind", [tuple, list])
@pytest.mark.parametrize("shared", [0, 1, 63, 64, 65, 128, 200])
def test_common_prefix_ends_at_the_first_difference(shared, kind):
    beginning = range(shared)

    assert common_prefix(kind([*beginning, -1, 5]), kind([*beginning, -2, 5])) == shared
    assert common_prefix(kind(beginning), kind([*beginning, 7])) == shared
    assert common_prefix(tuple(beginning), list(beginning)) == shared


def test_labelled_prompt_scores_the_tokens_after_the_common_prefix_also_merged_ones():
    prompt = labelled_prompt([[1, 2, 3, 7], [1, 2, 3, 8]])

    assert (prompt.given_ids, prompt.first_ids, prompt.second_ids) == ((1, 2, 3), (7,), (8,))

    prompt = labelled_prompt([[1, 2, 30], [1, 2, 3, 8]])

    assert (prompt.given_ids, prompt.first_ids, prompt.second_ids) == ((1, 2), (30,), (3, 8))


@pytest.mark.parametrize(("first", "second"), [([1, 2], [1, 2]), ([1, 2], [1, 2, 3]), ([1, 2, 3], [1, 2])])
def test_labelled_prompt_refuses_labels_that_cannot_be_told_apart(first, second):
    with pytest.raises(QuestionRefused, match="cannot be distinguished"):
        labelled_prompt([first, second])


def test_labelled_prompt_refuses_labels_without_a_common_prefix():
    with pytest.raises(QuestionRefused, match="nothing comes before the label words"):
        labelled_prompt([[1], [2]])


def test_rows_is_one_row_for_labels_of_one_token():
    prompt = labelled_prompt([[1, 2, 7], [1, 2, 8]])

    assert prompt.rows() == (TokenRow(ids=(1, 2), labels=((7,), (8,)), given=2),)


def test_rows_is_one_row_for_each_label_of_several_tokens():
    assert labelled_prompt([[1, 2, 7, 9], [1, 2, 8, 9]]).rows() == (
        TokenRow(ids=(1, 2, 7), labels=((7, 9),), given=2),
        TokenRow(ids=(1, 2, 8), labels=((8, 9),), given=2),
    )
