"""A study of two judges, for frozen reports."""

from judging.models import Judge, Study, Vote
from judging.services.studies.study_changes import create_study
from tests.factories import answer_run, make_dataset, make_judge, make_run


def two_judges(researcher, *, contexts: int, name: str = "Two judges", on: str = "Summaries") -> Study:
    """Two judges on one dataset. People prefer the first of each two texts. name, on: of the study and the dataset."""
    dataset = make_dataset(on, candidates=(3,) * contexts, owner=researcher)
    judges = [Judge.objects.filter(name=name).first() or make_judge(name) for name in ("alpha", "beta")]
    runs = [
        answer_run(make_run(dataset, judge=judge, owner=researcher), p_first=p_first)
        for judge, p_first in zip(judges, (0.8, 0.3), strict=True)
    ]
    for context in dataset.contexts.all():
        first, second, _ = context.candidates.order_by("position")
        Vote.objects.create(
            context=context, attribute=runs[0].attribute, first=first, second=second, choice="first", rater="ann"
        )
    return create_study(name, runs=runs, owner=researcher)
