"""The file of a backup: a compressed tar whose last member, the manifest, has the checksums of all others.

With a password it is a tar of two files of the program age: a key, which the password opens, and the backup, which the
key opens.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyrage import DecryptError, decrypt_io, encrypt_io, passphrase, x25519

from evenhand.refusals import Refused

MANIFEST, KEY, LOCKED = "manifest.json", "key.age", "backup.tar.gz.age"
_FAST = 1  # of gzip: higher levels take three times as long for a fifth less


def write_archive(folder: Path, file: Path, *, facts: Mapping[str, Any], password: str = "") -> None:
    """Write the files of a folder, and a manifest with facts, into a backup."""
    members = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = {str(path.relative_to(folder)): _sum_of(path) for path in members}
    manifest = folder / MANIFEST
    manifest.write_text(json.dumps({**facts, "sums": sums}, indent=1))
    with TemporaryDirectory(dir=file.parent) as place:
        plain = Path(place) / "backup.tar.gz" if password else file
        with tarfile.open(plain, "w:gz", compresslevel=_FAST) as archive:
            for path in (*members, manifest):
                archive.add(path, str(path.relative_to(folder)))
        if password:
            _lock(plain, file, password)


@contextmanager
def opened_archive(file: Path, *, password: str = "") -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a folder with the files of a backup, and its manifest.

    Raises Refused for a file that is no backup, is cut or changed, or that the password does not open.
    """
    with TemporaryDirectory() as place:
        folder = Path(place) / "files"
        try:
            plain = _unlocked(file, Path(place), password)
            with tarfile.open(plain, "r:gz") as archive:
                archive.extractall(folder, filter="data")
            manifest = json.loads((folder / MANIFEST).read_text())
        except (tarfile.TarError, OSError, EOFError, ValueError, KeyError) as error:
            raise Refused(f"{file}: no whole backup of Evenhand ({error or type(error).__name__})") from error
        sums = manifest["sums"]
        if wrong := [name for name in sums if not (folder / name).is_file() or _sum_of(folder / name) != sums[name]]:
            raise Refused(f"{file}: changed since it was made: {', '.join(wrong)}")
        yield folder, manifest


def _sum_of(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _lock(plain: Path, file: Path, password: str) -> None:
    identity, folder = x25519.Identity.generate(), plain.parent
    (folder / KEY).write_bytes(passphrase.encrypt(str(identity).encode(), password))
    with plain.open("rb") as readable, (folder / LOCKED).open("wb") as written:
        encrypt_io(readable, written, [identity.to_public()])
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in (KEY, LOCKED):
            archive.add(folder / name, name)


def _unlocked(file: Path, place: Path, password: str) -> Path:
    """Return the path of the plain archive. Raises Refused for a missing, needless or wrong password."""
    with file.open("rb") as opened:
        is_locked = opened.read(len(KEY)) == KEY.encode()  # the name of the first member
    if is_locked != bool(password):
        advice = "give the file of its password" if is_locked else "it needs none"
        raise Refused(f"password-file: {file} is {'' if is_locked else 'not '}encrypted; {advice}")
    if not is_locked:
        return file
    with tarfile.open(file, "r:") as archive:
        archive.extractall(place, filter="data")
    try:
        identity = x25519.Identity.from_str(passphrase.decrypt((place / KEY).read_bytes(), password).decode())
        with (place / LOCKED).open("rb") as readable, (place / "backup.tar.gz").open("wb") as written:
            decrypt_io(readable, written, [identity])
    except DecryptError as error:
        raise Refused(f"password-file: the password does not open {file}, or the file was changed") from error
    return place / "backup.tar.gz"
