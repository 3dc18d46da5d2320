"""Download all votes of a dataset, with other answers on request."""

from django.http import StreamingHttpResponse
from django.views.decorators.http import require_safe

from judging.web.downloads import vote_file
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs


@require_safe
@researchers_only
def dataset_votes_download(request: SignedInRequest, dataset_id: int, ending: str) -> StreamingHttpResponse:
    """Download the votes. `?judges=on` adds the answers of judges, `?skips=on` the skipped pairs, `?checks=on` training
    answers.
    """
    rows = {name: name in request.GET for name in ("judges", "skips", "checks")}
    return vote_file(visible_dataset(request, dataset_id), visible_runs(request), ending=ending, **rows)
