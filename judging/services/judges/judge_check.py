"""Checks of a judge before its first run: its device, its files, its label words, or its endpoint."""

from evenhand.engine import AlwaysThinks, LoadFailed, Question, Thinking, find_problems, probe_endpoint
from evenhand.prompting.methods import COMPARATIVE
from evenhand.prompting.prompt_files import load_shipped_prompts
from evenhand.prompting.wording import Wording
from judging.models import Judge
from judging.services.judges.judge_setup import engine_settings, remember_probe
from judging.services.judges.package_installation import missing_packages, needs_local_packages


def check_judge(judge: Judge) -> list[str]:
    """Return what keeps a judge from answering. Loads no weights; an endpoint is asked one small question."""
    try:
        settings = engine_settings(judge)
    except LoadFailed as failure:
        return [str(failure)]
    if judge.is_endpoint:
        return _endpoint_problems(judge)
    return find_problems(settings, _sample_question())


def _endpoint_problems(judge: Judge) -> list[str]:
    """Ask an endpoint one small question; of a model that always thinks, one with thinking. Remember the probe."""
    for thinking in (None, Thinking()):
        try:
            description = probe_endpoint(engine_settings(judge, thinking))
        except AlwaysThinks as failure:
            if thinking is not None:
                return [str(failure)]
        except LoadFailed as failure:
            return [] if _decides(judge) else [str(failure)]
        else:
            remember_probe(judge, description, thinks=thinking is not None)
            return []
    return []


def _decides(judge: Judge) -> bool:
    """Return True for a decision model, which answers typed questions and takes no chat."""
    try:
        probe_endpoint(engine_settings(judge, decides=True))
    except LoadFailed:
        return False
    return True


def why_unchecked(judge: Judge) -> str:
    """Return why a judge cannot be checked here; empty if it can."""
    missing = missing_packages() if needs_local_packages(judge) else []
    return f"not checked: {', '.join(missing)} not installed here" if missing else ""


def _sample_question() -> Question:
    """Return a question with the label words of the default prompt."""
    (prompt,) = (one for one in load_shipped_prompts() if one.name == COMPARATIVE.default_prompt)
    return prompt.worded(Wording("coherence")).question(context="A context.", first="One text.", second="Another text.")
