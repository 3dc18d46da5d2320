import itertools
import json

import pytest

from evenhand.engine import EngineSettings, load_engine
from evenhand.prompting.prompt_files import load_shipped_prompts
from evenhand.prompting.wording import Wording
from tests.evenhand.engine.reference import Reference
from tests.evenhand.engine.tiny_models import save_model

CONTEXTS = 3


@pytest.fixture(scope="module")
def summeval(shared_data):
    """The contexts with the shortest articles: one prompt at a time takes a while."""
    lines = (shared_data / "data" / "summeval" / "summeval_16sys.jsonl").read_text().splitlines()
    return sorted((json.loads(line) for line in lines), key=lambda context: len(context["source"]))[:CONTEXTS]


def comparisons(contexts):
    """Every ordered pair of every context, asked about coherence."""
    (prompt,) = (prompt for prompt in load_shipped_prompts() if prompt.name == "comparative-1")
    worded = prompt.worded(Wording("coherence", context_noun="article", candidate_noun="summary"))
    return [
        worded.question(context=context["source"], first=first["text"], second=second["text"])
        for context in contexts
        for first, second in itertools.permutations(context["candidates"], 2)
    ]


@pytest.mark.realdata
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "options"), [("llama", {"opening": "<s>"}), ("t5", {"closing": "</s>"})])
def test_all_comparisons_of_real_contexts_equal_one_prompt_at_a_time(tmp_path, summeval, kind, options):
    corpus = [context["source"] for context in summeval]
    save_model(tmp_path, kind, window=4096, corpus=corpus, size=4000, **options)
    engine, reference = load_engine(EngineSettings("transformers", str(tmp_path))), Reference(tmp_path)
    questions = comparisons(summeval)

    answers = engine.p_first(questions).answers

    expected = [reference.p_first(engine.render(question)) for question in questions]
    assert len(answers) == CONTEXTS * 16 * 15
    assert [answer.p_first for answer in answers] == pytest.approx(expected, abs=1e-4)
    assert max(expected) - min(expected) > 0.01
