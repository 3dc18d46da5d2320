"""The file of a backup: a ZIP whose manifest has the checksums of all other members.

With a password it is a ZIP of two files of the program age: a key, which the password opens, and the backup, which the
key opens.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile
from zlib import error as DeflateError

from pyrage import DecryptError, decrypt_io, encrypt_io, passphrase, x25519

from evenhand.refusals import Refused

MANIFEST, KEY, LOCKED, PLAIN = "manifest.json", "key.age", "backup.zip.age", "backup.zip"
_FAST = 1  # of 9 levels: higher ones take three times as long for a fifth less


def write_archive(folder: Path, file: Path, *, facts: Mapping[str, Any], password: str = "") -> None:
    """Write the files of a folder, and a manifest with facts, into a backup."""
    members = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = {str(path.relative_to(folder)): _sum_of(path) for path in members}
    with TemporaryDirectory(dir=file.parent) as place:
        plain = Path(place) / PLAIN if password else file
        with ZipFile(plain, "w", ZIP_DEFLATED, compresslevel=_FAST) as archive:
            for name in sums:
                archive.write(folder / name, name)
            archive.writestr(MANIFEST, json.dumps({**facts, "sums": sums}, indent=1))
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
            with ZipFile(_unlocked(file, Path(place), password)) as archive:
                archive.extractall(folder)
            manifest = json.loads((folder / MANIFEST).read_text())
            sums = manifest["sums"]
        except (BadZipFile, DeflateError, OSError, EOFError, ValueError, KeyError) as error:
            raise Refused(f"{file}: no whole backup of Evenhand ({error or type(error).__name__})") from error
        if wrong := [name for name in sums if not (folder / name).is_file() or _sum_of(folder / name) != sums[name]]:
            raise Refused(f"{file}: changed since it was made: {', '.join(wrong)}")
        yield folder, manifest


def _sum_of(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _lock(plain: Path, file: Path, password: str) -> None:
    identity, locked = x25519.Identity.generate(), plain.with_name(LOCKED)
    with plain.open("rb") as readable, locked.open("wb") as written:
        encrypt_io(readable, written, [identity.to_public()])
    with ZipFile(file, "w") as archive:
        archive.writestr(KEY, passphrase.encrypt(str(identity).encode(), password))
        archive.write(locked, LOCKED)


def _unlocked(file: Path, place: Path, password: str) -> Path:
    """Return the path of the plain archive. Raises Refused for a missing, needless or wrong password."""
    with ZipFile(file) as archive:
        is_locked = KEY in archive.namelist()
        if is_locked != bool(password):
            advice = "give the file of its password" if is_locked else "it needs none"
            raise Refused(f"password-file: {file} is {'' if is_locked else 'not '}encrypted; {advice}")
        if not is_locked:
            return file
        archive.extractall(place)
    try:
        identity = x25519.Identity.from_str(passphrase.decrypt((place / KEY).read_bytes(), password).decode())
        with (place / LOCKED).open("rb") as readable, (place / PLAIN).open("wb") as written:
            decrypt_io(readable, written, [identity])
    except DecryptError as error:
        raise Refused(f"password-file: the password does not open {file}, or the file was changed") from error
    return place / PLAIN
