"""Forecasts of new runs: the part of their page that changes while workers count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judging import tasks
from judging.models import ForecastRequest
from judging.services.forecasts.forecast_text import MEMORY, ForecastFact, forecast_facts, forecast_warnings
from judging.services.forecasts.judge_estimates import estimate_of_forecasts
from judging.services.forecasts.time_and_cost import ForecastRow
from judging.services.judges.local_models import Installation, installation_for
from judging.views.estimate_table import EstimateTable, estimate_table
from judging.web.role_checks import SignedInRequest, researchers_only


@dataclass(frozen=True, slots=True)
class RunForecast:
    """The forecast of one run. example: its first prompt, exactly as the tokenizer gets it."""

    prompt: str
    attribute: str
    facts: Sequence[ForecastFact]
    example: str


@dataclass(frozen=True, slots=True)
class JudgeForecast:
    """The forecast of one judge's runs.

    facts: of all runs together; empty before their tokens are counted. runs: each run; empty before the end.
    is_busy: the forecast waits because all workers are busy. installation: what the judge waits for, or None.
    """

    request: ForecastRequest
    facts: Sequence[ForecastFact]
    warnings: Sequence[str]
    runs: Sequence[RunForecast]
    is_busy: bool
    installation: Installation | None


@dataclass(frozen=True, slots=True)
class ForecastPanel:
    """Forecasts on the page, one for each judge. table: their sums, which compare the judges or prompts."""

    judges: Sequence[JudgeForecast]
    table: EstimateTable

    @property
    def address(self) -> str:
        """Address of this part of the page."""
        return reverse("forecast", args=[[one.request.pk for one in self.judges]])

    @property
    def has_several_judges(self) -> bool:
        return len(self.judges) > 1

    @property
    def compares(self) -> bool:
        """True if the table has several judges or prompts."""
        return len(self.table.rows) > 1

    @property
    def requested_at(self) -> datetime:
        """Time of the oldest request."""
        return min(one.request.requested_at for one in self.judges)

    @property
    def is_over(self) -> bool:
        return all(one.request.is_over for one in self.judges)

    @property
    def is_stale(self) -> bool:
        """True if every unfinished forecast has waited long for a worker."""
        return all(one.request.is_stale or one.request.is_over for one in self.judges)


@require_safe
@never_cache
@researchers_only
def forecast_progress(request: SignedInRequest, request_ids: list[int]) -> HttpResponse:
    """Render the part of a new run's page that changes while workers count."""
    own = ForecastRequest.objects.visible_to(request.user).select_related("judge").in_bulk(request_ids)
    if missing := [pk for pk in request_ids if pk not in own]:
        raise Http404(f"there is no forecast {missing[0]}")
    panel = forecast_panel([own[pk] for pk in dict.fromkeys(request_ids)])
    return render(request, "judging/runs/_forecast.html", {"forecast": panel})


def forecast_panel(requests: Sequence[ForecastRequest]) -> ForecastPanel:
    return ForecastPanel(list(map(judge_forecast, requests)), estimate_table(estimate_of_forecasts(requests)))


def judge_forecast(request: ForecastRequest) -> JudgeForecast:
    rows: list[ForecastRow] = request.rows
    return JudgeForecast(
        request,
        facts=sorted(forecast_facts(rows), key=_is_detail) if rows else (),
        warnings=forecast_warnings(rows) if rows else (),
        runs=[run_forecast(row) for row in rows] if request.is_over else (),
        is_busy=request.is_stale and tasks.has_busy_worker(request.judge),
        installation=installation_for(request.judge, data=settings.DATA_DIR),
    )


def _is_detail(fact: ForecastFact) -> bool:
    """Sort time and cost before the facts that explain them."""
    return fact.name not in ("time", "cost")


def run_forecast(row: ForecastRow) -> RunForecast:
    example = row["example"]
    text = example["prompt_text"] + example["answer_prefix"]
    facts = [fact for fact in forecast_facts([row]) if fact.name != MEMORY]  # the same for every run of one judge
    return RunForecast(row["prompt"], row["attribute"], facts, text)
