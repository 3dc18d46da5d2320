"""Foreign keys of the tables, as the database has them."""

import pytest
from django.apps import apps
from django.db import connection, models

KEYS = [
    pytest.param(field, id=f"{model._meta.db_table}.{field.column}")
    for model in apps.get_app_config("judging").get_models(include_auto_created=True)
    for field in model._meta.local_fields
    if isinstance(field, models.ForeignKey)
]


def constraints_of(field: models.ForeignKey) -> list[dict]:
    """Constraints and indexes of the database that begin with the column of this field."""
    with connection.cursor() as cursor:
        every = connection.introspection.get_constraints(cursor, field.model._meta.db_table)
    return [one for one in every.values() if one["columns"][:1] == [field.column]]


@pytest.mark.django_db
@pytest.mark.parametrize("field", KEYS)
def test_foreign_key_is_a_constraint_of_the_database(field):
    target = (field.related_model._meta.db_table, field.target_field.column)

    assert target in [one["foreign_key"] for one in constraints_of(field)]


@pytest.mark.django_db
@pytest.mark.parametrize("field", KEYS)
def test_foreign_key_has_an_index_by_which_deletes_find_its_rows(field):
    assert any(one["index"] or one["unique"] for one in constraints_of(field))
