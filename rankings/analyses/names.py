"""The names of all analyses. Their modules are named as text, so that a command imports no analysis but its own."""

from __future__ import annotations

from collections.abc import Mapping

ANALYSES_OF_RUNS: Mapping[str, str] = {
    "abstaining": "rankings.abstaining.abstaining_page:ABSTAINING",
    "anchors": "rankings.anchors.anchor_page:ANCHORS",
    "stopping": "rankings.stopping.stopping_page:STOPPING",
    "style": "rankings.style.style_page:STYLE",
}
"""name of an analysis of a run -> its record, for pkgutil.resolve_name."""
COMMANDS_OF_ANALYSES: Mapping[str, str] = {name: name for name in ANALYSES_OF_RUNS if name != "abstaining"}
"""command -> the name of its analysis. `abstain` has a file, because it makes campaigns too."""
