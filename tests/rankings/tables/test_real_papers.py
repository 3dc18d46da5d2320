"""Six tables of real datasets, on their pages and in LaTeX."""

import itertools
import json
import math

import numpy as np
import pytest

from evenhand.formats import ComparisonRecord, ScoreRecord, SourceFile, read_dataset
from judging.models import Dataset, HumanScore, Run, Study
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.recorded.answer_rows import COMPARISONS, SCORES
from judging.services.datasets.recorded.recorded_runs import import_judgments
from judging.services.studies.study_changes import create_study
from tests.llmbar import PUBLISHED, comparisons_of, read_verdicts, subset_of
from tests.rankings.tables.latex_papers import compile_latex, in_paper, needs_latex, on_page, page_and_paper

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]
SETS, ARTICLES = ("Natural", "Neighbor"), 12


def dataset_of(name, *paths, lines=None):
    files = [(path.name, path.read_bytes()) for path in paths]
    files = [(file, b"\n".join(content.splitlines()[:lines]) if lines else content) for file, content in files]
    record = read_dataset([SourceFile(file, content) for file, content in files])
    return import_dataset(record, name=name, sha256="0" * 64, visibility="open")


@pytest.fixture(scope="module")
def real(rows_of_module, shared_data):
    """LLMBar with its recorded verdicts, SummEval with a synthetic judge, TopicalChat with the scores of UniEval."""
    data = shared_data / "data"
    llmbar = dataset_of("LLMBar", data / "llmbar" / "Natural.json", data / "llmbar" / "Adversarial" / "Neighbor.json")
    verdicts = [verdict for verdict in read_verdicts(shared_data) if subset_of(verdict) in SETS]
    for key in PUBLISHED:
        import_judgments(COMPARISONS, list(comparisons_of(verdicts, *key)), dataset=llmbar, judge_name="-".join(key))
    summeval = dataset_of("SummEval", data / "summeval" / "summeval_16sys.jsonl", lines=ARTICLES)
    for number, name in enumerate(("synthetic, careful", "synthetic, hasty")):
        import_judgments(COMPARISONS, list(synthetic(summeval, number)), dataset=summeval, judge_name=name)
    chat = dataset_of("TopicalChat", data / "topicalchat" / "topical_chat.json")
    import_judgments(SCORES, list(unieval(data / "topicalchat" / "recorded", chat)), dataset=chat, judge_name="UniEval")
    for dataset in (llmbar, summeval):
        create_study(dataset.name, runs=list(dataset.runs.order_by("pk")))


@pytest.fixture
def of_researcher(real, researcher):
    for model in (Run, Study):
        model.objects.update(owner=researcher)


def synthetic(dataset, seed):
    """Answers of a judge that prefers what people score higher, with noise."""
    rng = np.random.default_rng(seed)
    for attribute in ("coherence", "fluency"):
        scores = dict(HumanScore.objects.filter(attribute__name=attribute).values_list("candidate", "value"))
        for context in dataset.contexts.all():
            for first, second in itertools.islice(itertools.permutations(context.candidates.all(), 2), 0, None, 7):
                p = 1 / (1 + math.exp(scores[second.pk] - scores[first.pk] + rng.normal()))
                yield ComparisonRecord("", 0, context.key, attribute, first.key, second.key, p_first=p)


def unieval(folder, dataset):
    """Return UniEval's score of each response. Its file names contexts by their text."""
    [path] = folder.iterdir()
    key_of = dict(dataset.contexts.values_list("text", "key"))
    for row in json.loads(path.read_text()):
        for attribute, score in row["predict_scores"].items():
            yield ScoreRecord("", 0, key_of[row["source"]], attribute, row["system_id"], score)


RESULTS, STUDY = ("dataset-results", "dataset-report"), ("study", "study-table-file")
REAL = [
    (RESULTS, "LLMBar", {}),
    (RESULTS, "SummEval", {}),
    (RESULTS, "TopicalChat", {"sort": "-judge"}),
    (STUDY, "LLMBar", {}),
    (STUDY, "LLMBar", {"preset": "llmbar"}),
    (STUDY, "SummEval", {"preset": "comparative-1"}),
]


@pytest.mark.usefixtures("of_researcher")
@pytest.mark.parametrize(("addresses", "name", "query"), REAL)
def test_paper_of_real_data_has_the_table_of_its_page(client, addresses, name, query):
    key = (Study if addresses == STUDY else Dataset).objects.get(name=name).pk

    table, text = page_and_paper(client, *addresses, key, query)

    drawn = list(on_page(table))
    assert len(drawn) > 2
    assert [line[1:] for line in in_paper(text, table)] == [line[1:] for line in drawn]


@pytest.mark.slow
@needs_latex
@pytest.mark.usefixtures("of_researcher")
def test_papers_of_real_data_compile(client, tmp_path):
    keys = {name: (Dataset.objects.get(name=name).pk, Study.objects.filter(name=name).first()) for _, name, _ in REAL}

    papers = [
        page_and_paper(client, *where, keys[name][1].pk if where == STUDY else keys[name][0], query)[1]
        for where, name, query in REAL
    ]

    assert compile_latex("\n".join(papers), folder=tmp_path).stat().st_size > 20_000
