"""Attributes that a person names for a dataset whose files have none."""

import pytest

from evenhand.formats import AttributeRecord, DatasetRecord
from evenhand.refusals import Refused
from judging.services.datasets.table_mappings import with_attributes

RECORD = DatasetRecord(attributes=(AttributeRecord("fluency", minimum=1, maximum=5),))


def test_named_attributes_follow_those_of_the_files():
    found = with_attributes(RECORD, ["coherence", "overall"]).attributes

    assert found == (*RECORD.attributes, AttributeRecord("coherence"), AttributeRecord("overall"))


def test_invalid_names_are_refused_together():
    with pytest.raises(Refused) as refused:
        with_attributes(RECORD, ["fluency", "good", "good", " bad", "", "a\tb", "x" * 201])

    assert [problem.split(" — ")[1] for problem in refused.value.problems] == [
        "expected an attribute that the dataset does not have yet",
        "expected an attribute that the dataset does not have yet",
        "expected a name that neither begins nor ends with a space",
        "expected a name that neither begins nor ends with a space",
        "expected printable characters",
        "expected at most 200 characters",
    ]
