"""A client of the HTTP API: upload datasets and judgments, start runs, look after campaigns, read results.

    with Client("https://evenhand.example.org", token="…") as evenhand:
        evenhand.upload(["answers.csv"], name="Answers")
        runs = evenhand.start_runs(dataset="Answers", attribute="overall", judge="demo")
        evenhand.wait(runs)
        table = evenhand.figures("Answers").frame()

Rows are dicts with the fields of docs/reference/api.md. Voting is in `evenhand.annotator`.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from evenhand.connection import Connection, Refused, Row, Rows

__all__ = ["Client", "Refused", "Row", "Rows"]

ENDED = frozenset({"done", "failed", "cancelled"})
UPLOAD_SECONDS = 600.0  # to send, read and store a file of 1 GB
OpenedFiles = list[tuple[str, IO[bytes]]]


class Client(Connection):
    """A researcher's connection to a server."""

    # Datasets

    def datasets(self) -> Rows:
        return self.rows("datasets/")

    def dataset(self, name: str) -> Row:
        """Return the dataset of this name or of NAME#ID; of several, your own. Raises LookupError without one."""
        return self.named("datasets/", name)

    def upload(self, files: Iterable[Path | str], *, name: str, **options: object) -> Row:
        """Upload the files of one dataset. options: fields of POST datasets/, such as `visibility` and `map`."""
        with open_all(files) as opened:
            return self.row("POST", "datasets/", data={"name": name, **options}, files=opened, timeout=UPLOAD_SECONDS)

    def upload_judgments(
        self, files: Iterable[Path | str], *, dataset: str, judgments: str, judge: str = "", **options: object
    ) -> Row:
        """Upload recorded judgments. judgments: comparisons, scores, votes or ratings.

        judge: name in reports; none for votes and ratings. options: `map`, `choice`, `mapping_of` and `dry_run`.
        """
        body = {"judgments": judgments, **({"judge": judge} if judge else {}), **options}
        with open_all(files) as opened:
            return self.row(
                "POST", f"datasets/{self._id(dataset)}/judgments/", data=body, files=opened, timeout=UPLOAD_SECONDS
            )

    def package(self, dataset: str, path: Path | str, **options: object) -> None:
        """Write the package of a dataset to publish. path: of a new ZIP file. options: `run`, `creator`, `url`."""
        response = self.request("GET", f"datasets/{self._id(dataset)}/package/", params=options)
        Path(path).write_bytes(response.content)

    def share(self, dataset: str, *, visibility: str, shared_with: Sequence[str] = ()) -> Row:
        """Change who may see a dataset: private, shared (with usernames) or open."""
        body = {"visibility": visibility, "shared_with": list(shared_with)}
        return self.row("PATCH", f"datasets/{self._id(dataset)}/", json=body)

    def delete_dataset(self, dataset: str) -> None:
        """Delete a dataset with everything that rests on it: runs, votes and campaigns."""
        row = self.dataset(dataset)
        self.request("POST", f"datasets/{row['id']}/deletion/", json={"name": row["name"]})

    def contexts(self, dataset: str, **filters: object) -> Rows:
        return self.rows(f"datasets/{self._id(dataset)}/contexts/", **filters)

    def candidates(self, dataset: str, **filters: object) -> Rows:
        return self.rows(f"datasets/{self._id(dataset)}/candidates/", **filters)

    # Judges, prompts, campaigns, votes

    def judges(self) -> Rows:
        return self.rows("judges/")

    def add_judge(self, **fields: object) -> Row:
        """Add a judge. fields: the options of the command `add_judge`."""
        return self.row("POST", "judges/", json=fields)

    def rename_judge(self, name: str, new_name: str) -> Row:
        return self._change_judge(name, {"name": new_name})

    def retire_judge(self, name: str, *, retired: bool = True) -> Row:
        """Retire a judge, so that it takes no new runs, or bring it back into use."""
        return self._change_judge(name, {"retired": retired})

    def _change_judge(self, name: str, body: Row) -> Row:
        judge = self.named("judges/", name)
        return self.row("PATCH", f"judges/{judge['id']}/", json=body)

    def prompts(self, **filters: object) -> Rows:
        return self.rows("prompts/", **filters)

    def add_prompt(self, **fields: object) -> Row:
        """Add a prompt or a version of an own one. fields: those of POST prompts/."""
        return self.row("POST", "prompts/", json=fields)

    def campaigns(self) -> Rows:
        return self.rows("campaigns/")

    def create_campaign(self, **settings: object) -> Row:
        """Create a campaign. settings: fields of POST campaigns/."""
        return self.row("POST", "campaigns/", json=settings)

    def change_campaign(self, name: str, **changes: object) -> Row:
        """Change a campaign. changes: fields of PATCH campaigns/ID/, for example `state`."""
        return self.row("PATCH", f"campaigns/{self._campaign_id(name)}/", json=changes)

    def delete_campaign(self, name: str) -> None:
        """Delete a campaign without votes."""
        self.request("DELETE", f"campaigns/{self._campaign_id(name)}/")

    def campaign_progress(self, name: str) -> Row:
        """Return votes and skips of a campaign, of each annotator, and how far the votes agree."""
        return self.row("GET", f"campaigns/{self._campaign_id(name)}/progress/")

    def _campaign_id(self, name: str) -> int:
        key: int = self.named("campaigns/", name)["id"]
        return key

    def votes(self, **filters: object) -> Rows:
        return self.rows("votes/", **filters)

    # Runs

    def runs(self, **filters: object) -> Rows:
        return self.rows("runs/", **filters)

    def run(self, run: int) -> Row:
        return self.row("GET", f"runs/{run}/")

    def start_runs(self, **settings: object) -> Rows:
        """Start a run, or one for each of `attributes` and `prompts`. settings: fields of POST runs/."""
        started = self.row("POST", "runs/", json=settings)
        return Rows(started.get("runs", [started]))

    def cancel(self, run: int) -> Row:
        return self.row("POST", f"runs/{run}/cancel/")

    def resume(self, run: int, *, errors: bool = False) -> Row:
        """Ask the unanswered questions of a run; with `errors`, also its errors again."""
        return self.row("POST", f"runs/{run}/resume/", json={"errors": errors})

    def wait(self, runs: Iterable[Mapping[str, Any]], *, poll_seconds: float = 2.0) -> Rows:
        """Wait until all runs have ended, and return them. They may have failed: see their `status` and `error`."""
        ended = Rows()
        for run in runs:
            latest = self.run(run["id"])
            while latest["status"] not in ENDED:
                time.sleep(poll_seconds)
                latest = self.run(run["id"])
            ended.append(latest)
        return ended

    def comparisons(self, run: int, **filters: object) -> Rows:
        return self.rows(f"runs/{run}/comparisons/", **filters)

    # Studies

    def studies(self) -> Rows:
        return self.rows("studies/")

    def create_study(self, name: str, **settings: object) -> Row:
        """Create a study. settings: fields of POST studies/, such as `runs`."""
        return self.row("POST", "studies/", json={"name": name, **settings})

    def change_study(self, study: str, /, **changes: object) -> Row:
        """Change a study. changes: fields of PATCH studies/ID/, for another name `name`."""
        return self.row("PATCH", f"studies/{self._study_id(study)}/", json=changes)

    def rename_study(self, name: str, new_name: str) -> Row:
        return self.change_study(name, name=new_name)

    def delete_study(self, name: str) -> None:
        """Delete a study. Its runs stay."""
        self.request("DELETE", f"studies/{self._study_id(name)}/")

    def study_table(self, study: str, **options: object) -> Row:
        """Return one figure of a study's runs: `rows`, `columns` and `cells`.

        options: `rows`, `columns`, `figure`, `ranking`, `level`, `debias`, `only`, `group`, `preset` and the choices of
        answers, as of the command `study`.
        """
        return self.row("GET", f"studies/{self._study_id(study)}/table/", params=options)

    def reports(self, study: str) -> Rows:
        """Return the frozen reports of a study."""
        return Rows(self.request("GET", f"studies/{self._study_id(study)}/reports/").json())

    def freeze(self, study: str, *, tables: Sequence[str] = ("",), name: str = "") -> Row:
        """Freeze tables of a study. tables: parameters of each table's page, such as `rows=judge&columns=subset`."""
        body = {"tables": list(tables), **({"name": name} if name else {})}
        return self.row("POST", f"studies/{self._study_id(study)}/reports/", json=body)

    def frozen_report(self, key: str) -> Row:
        """Return the data of a frozen report."""
        return self.row("GET", f"reports/{key}/")

    def withdraw_report(self, key: str, *, withdrawn: bool = True) -> Row:
        return self.row("PATCH", f"reports/{key}/", json={"withdrawn": withdrawn})

    def add_to_study(self, name: str, runs: Iterable[int]) -> Row:
        return self.row("POST", f"studies/{self._study_id(name)}/runs/", json={"runs": list(runs)})

    def remove_from_study(self, name: str, run: int) -> Row:
        return self.row("DELETE", f"studies/{self._study_id(name)}/runs/{run}/")

    def _study_id(self, name: str) -> int:
        return int(self.named("studies/", name)["id"])

    # Results

    def report(self, dataset: str, *, runs: Sequence[int] = (), **options: object) -> Rows:
        """Return the rows of the report: of all runs that you may see, or of some.

        options: the choices of answers, such as `order`, `unparsed` and `without_system`.
        """
        query = {"run": list(runs), **options}
        response = self.request("GET", f"datasets/{self._id(dataset)}/report/", params=query)
        return Rows(response.json()["rows"])

    def figures(self, dataset: str, *, runs: Sequence[int] = (), **options: object) -> Rows:
        """Return every figure of the report in long form, one per row. options: those of `report`."""
        query = {"run": list(runs), "long": "jsonl", **options}
        response = self.request("GET", f"datasets/{self._id(dataset)}/report/", params=query)
        return Rows(json.loads(line) for line in response.text.splitlines())

    def answers(self, run: int, **filters: object) -> Row:
        """Return the answers of pairs, both orders after each other, with people's preference.

        filters: `kind` (wrong, right, flipped, uncertain, longer, unanswered), gaps, `sort`, `limit` and `offset`.
        """
        return self.row("GET", f"runs/{run}/answers/", params=filters)

    def scores(self, run: int, *, ranking: str, **options: object) -> Rows:
        """Return the scores of candidates by a ranking.

        options: `debias`, `average_orders`, `without_system`, `without_context`.
        """
        response = self.request("GET", f"runs/{run}/scores/", params={"ranking": ranking, **options})
        return Rows(response.json()["scores"])

    def curve(self, run: int, **options: object) -> Row:
        return self.row("GET", f"runs/{run}/curve/", params=options)

    def compare(self, run: int, other: int, **options: object) -> Row:
        return self.row("GET", f"runs/{run}/compare/{other}/", params=options)

    def diagnostics(self, run: int, **options: object) -> Row:
        return self.row("GET", f"runs/{run}/diagnostics/", params=options)

    def agreement(self, dataset: str, **options: object) -> Row:
        return self.row("GET", f"datasets/{self._id(dataset)}/agreement/", params=options)

    def methods(self, dataset: str, *, runs: Sequence[int] = (), **options: object) -> Row:
        """Return the methods paragraph of a paper (`markdown`, `latex`) and its sources (`bibtex`).

        options: those of `report`.
        """
        return self.row("GET", f"datasets/{self._id(dataset)}/methods/", params={"run": list(runs), **options})

    def _id(self, dataset: str) -> int:
        key: int = self.dataset(dataset)["id"]
        return key


@contextmanager
def open_all(files: Iterable[Path | str]) -> Iterator[OpenedFiles]:
    """Open files to send, and close them afterwards."""
    with ExitStack() as stack:
        yield [("files", stack.enter_context(Path(file).open("rb"))) for file in files]
