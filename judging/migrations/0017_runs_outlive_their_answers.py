"""In PostgreSQL, the foreign keys from answers to their runs, without a look for every row that is written.

A foreign key does two things: it looks the run up for every answer (which the writer does once for all, and then keeps
the run from going), and it refuses to let a run go while answers are there, which a trigger does from here on.
"""

from django.db import migrations

ANSWERS = ("Comparison", "Score")

TRIGGER = """
    CREATE FUNCTION judging_run_outlives_its_answers() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM judging_comparison WHERE run_id = OLD.id)
            OR EXISTS (SELECT FROM judging_score WHERE run_id = OLD.id)
        THEN
            RAISE foreign_key_violation USING MESSAGE = 'run ' || OLD.id || ' still has answers';
        END IF;
        RETURN NULL;
    END $$;

    CREATE CONSTRAINT TRIGGER run_outlives_its_answers AFTER DELETE ON judging_run DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION judging_run_outlives_its_answers();
"""

NO_TRIGGER = """
    DROP TRIGGER run_outlives_its_answers ON judging_run;
    DROP FUNCTION judging_run_outlives_its_answers();
"""


def replace_keys(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    for name in ANSWERS:
        model = apps.get_model("judging", name)
        for constraint in schema_editor._constraint_names(model, ["run_id"], foreign_key=True):
            schema_editor.execute(schema_editor._delete_fk_sql(model, constraint))
    schema_editor.execute(TRIGGER)


def put_keys_back(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    schema_editor.execute(NO_TRIGGER)
    for name in ANSWERS:
        model = apps.get_model("judging", name)
        run = model._meta.get_field("run")
        schema_editor.execute(schema_editor._create_fk_sql(model, run, "_fk_%(to_table)s_%(to_column)s"))


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0016_first_steps_by_their_question'),
    ]

    operations = [
        migrations.RunPython(replace_keys, put_keys_back),
    ]
