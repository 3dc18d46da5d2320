"""Every import of a file, by the functions that its page, the API and its command share, and rows that it adds to."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

from evenhand.formats import DATASET_FORMATS, SourceFile
from evenhand.formats.people_files import read_people
from evenhand.formats.recorded.known_pairs import read_asked_pairs, read_known_pairs
from evenhand.prompting.prompt_files import read_prompt
from evenhand.prompting.templates import PromptText
from judging.models import RESEARCHER, Campaign, Dataset
from judging.services.backups.backups import opened_archive, write_archive
from judging.services.campaign_pairs.asked_pairs import AskedPair
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.campaign_changes import change_campaign
from judging.services.campaigns.campaign_setup import create_campaign
from judging.services.datasets.recorded.judgment_files import (
    JUDGMENT_KINDS,
    kind_of_files,
    read_judgments,
    store_judgments,
)
from judging.services.invitations.invitation_setup import invite_people
from judging.services.prompts.prompt_library import add_prompt
from judging.web.operations.new_datasets import import_files, try_files
from tests.factories import make_user

DATASET = "Articles"
LINES = (
    {"dataset": {"attributes": [{"name": "q", "minimum": 1, "maximum": 5}]}},
    {"context": "c", "text": "t", "candidates": [{"candidate": key, "text": key} for key in "abd"]},
)
PROMPT = {
    "name": "terse",
    "method": "comparative",
    "template": "<A> or <B>?",
    "label_first": " A",
    "label_second": " B",
}
STUDY = 'name = "Table 1"\ndatasets = ["Articles"]\n'


def store_rows() -> None:
    """Store a dataset with the context c and the candidates a, b and d, and a campaign on one of its pairs."""
    rita = make_user("rita", RESEARCHER)
    file = SourceFile("articles.jsonl", "".join(json.dumps(line) + "\n" for line in LINES).encode())
    dataset = import_files([file], {"name": DATASET}, owner=rita, user=rita).dataset
    first, _, last = dataset.contexts.get().candidates.order_by("position")
    pair = AskedPair(first.pk, last.pk, dataset.attributes.get().pk)
    create_campaign(dataset, rita, [pair], name="Which?", attributes=[*dataset.attributes.all()])


def backup_bytes() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder, file = Path(name) / "database", Path(name) / "file"
        folder.mkdir()
        (folder / "judging_user.copy").write_bytes(b"id\n1\n")
        write_archive(folder, file, facts={"version": "0.1.0"})
        return file.read_bytes()


def _dataset(file: SourceFile, format: str = "") -> object:
    rita = Dataset.objects.get(name=DATASET).owner
    return import_files([file], {"name": "New", "format": format}, owner=rita, user=rita)


def _dataset_of_some_format(file: SourceFile) -> object:
    return _dataset(file, sorted(DATASET_FORMATS)[crc32(file.read()) % len(DATASET_FORMATS)])


def _judgments(noun: str, pattern: str = "") -> Callable[[SourceFile], object]:
    def store(file: SourceFile) -> object:
        dataset = Dataset.objects.get(name=DATASET)
        read = read_judgments(kind_of_files(noun, pattern, dataset), [file], dataset=dataset)
        return store_judgments(read, dataset=dataset, judge_name="judge", owner=dataset.owner)

    return store


def _of_campaign(store: Callable[[Campaign, SourceFile], object]) -> Callable[[SourceFile], object]:
    return lambda file: store(Campaign.objects.get(), file)


def _on_disk(read: Callable[[Path], object]) -> Callable[[SourceFile], object]:
    def read_copy(file: SourceFile) -> object:
        with tempfile.NamedTemporaryFile() as copy:
            Path(copy.name).write_bytes(file.read())
            return read(Path(copy.name))

    return read_copy


def _open_backup(path: Path) -> object:
    with opened_archive(path) as opened:
        return opened


def _add_prompt(file: SourceFile) -> PromptText:
    return add_prompt(read_prompt(file.read(), file=file.name))


IMPORTS: dict[str, Callable[[SourceFile], object]] = {
    "dataset": _dataset,
    "dataset of some format": _dataset_of_some_format,
    "dataset of guessed columns": lambda file: try_files([file]),
    **{noun: _judgments(noun) for noun in JUDGMENT_KINDS},
    "replies": _judgments("comparisons", "brackets"),
    "people": _of_campaign(lambda campaign, file: invite_people(campaign, read_people(file))),
    "gold pairs": _of_campaign(lambda campaign, file: add_gold_pairs(campaign, read_known_pairs(file))),
    "training pairs": _of_campaign(lambda campaign, file: set_training_pairs(campaign, read_known_pairs(file))),
    "more pairs": _of_campaign(
        lambda campaign, file: change_campaign(campaign, {"pairs": read_asked_pairs(file)}, changed_by=None)
    ),
    "prompt": _add_prompt,
    "backup": _on_disk(_open_backup),
}
FURTHER_EXAMPLES = (
    b"name,email\nAnn,ann@example.org\nBen,ben@example.org\n",
    b"context,attribute,first,second,choice,rater\nc,q,a,b,first,h\nc,q,b,a,tie,i\n",
    b"context,attribute,candidate,score,rater\nc,q,a,4,h\nc,q,b,2.5,h\n",
    b"context,attribute,candidate,score\nc,q,a,4\nc,q,b,2.5\n",
    b"context,attribute,first,second,p_first,text\nc,q,a,b,0.25,I think so.\nc,q,b,a,,\n",
    b"context,attribute,first,second,choice\nc,q,a,b,tie\nc,q,b,a,second\n",
    b"context,first,second,answer,explanation\nc,a,b,first,Because.\nc,b,d,tie,\n",
    b"context,first,second\nc,a,b\nc,b,d\n",
    b"context,first,second,reply\nc,a,b,It is [[A]].\nc,b,a,[[C]]\n",
    json.dumps(PROMPT).encode(),
    STUDY.encode(),
)
