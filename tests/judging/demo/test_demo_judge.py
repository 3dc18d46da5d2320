import itertools
import json
from statistics import mean

import pytest

from evenhand.engine import DEMO_MODEL, EngineSettings, Request, load_engine
from evenhand.engine.settings import DEMO_FOLDER
from evenhand.prompting.prompt_files import load_shipped_prompts
from evenhand.prompting.wording import Wording
from judging.demo import SAMPLE_DATASET

PROMPTS = {prompt.name: prompt for prompt in load_shipped_prompts()}
WORDING = Wording("coherence", context_noun="notes", candidate_noun="summary")


@pytest.fixture(scope="module")
def judge():
    return load_engine(EngineSettings("transformers", DEMO_MODEL))


@pytest.fixture(scope="module")
def familiar():
    contexts = [json.loads(line) for line in SAMPLE_DATASET.read_text(encoding="utf-8").splitlines()[1:]]
    return [context for context in contexts if context["subset"] == "familiar"]


def coherence(candidate):
    return mean(candidate["ratings"]["coherence"].values())


def test_demo_judge_is_small_and_readable_by_everybody():
    files = list(DEMO_FOLDER.iterdir())

    assert sum(file.stat().st_size for file in files) < 5_000_000
    assert [oct(file.stat().st_mode)[-3:] for file in files] == ["644"] * len(files)


@pytest.mark.slow
def test_demo_judge_is_often_right_and_prefers_the_first(judge, familiar):
    worded = PROMPTS["comparative-1"].worded(WORDING)
    pairs = [
        (context["text"], first, second)
        for context in familiar[::2]
        for first, second in itertools.permutations(context["candidates"], 2)
    ]

    answers = judge.p_first(
        [worded.question(context=text, first=a["text"], second=b["text"]) for text, a, b in pairs]
    ).answers

    decided = [
        (answer.p_first > 0.5, coherence(a), coherence(b)) for answer, (_, a, b) in zip(answers, pairs, strict=True)
    ]
    right = [says_first == (a > b) for says_first, a, b in decided if a != b]
    assert 0.75 < mean(right) < 0.98
    assert mean(says_first for says_first, _, _ in decided) > 0.53


def test_demo_judge_writes_a_short_analysis_and_stops(judge, familiar):
    worded = PROMPTS["prepair-1"].worded(WORDING)
    context = familiar[0]
    requests = [
        Request(worded.reasoning([candidate["text"]], context=context["text"]), worded.system, max_new_tokens=64)
        for candidate in context["candidates"]
    ]

    generations = judge.generate(requests)

    assert all(generation.complete for generation in generations)
    assert len({generation.text for generation in generations}) > 1
