"""The cache that all processes share: the same in Redis and in files, bounded, and without code."""

import pickle
from pathlib import Path

import pytest
import redis
from django.core.cache import CacheHandler

from evalsite.environment import env_cache
from evalsite.file_cache import CULL_EVERY
from tests.servers import running_redis


def opened(url="", *, folder=Path("unused")):
    """The cache as another process opens it."""
    return CacheHandler({"default": env_cache(url, folder=folder)})["default"]


@pytest.fixture(params=["files", "Redis"])
def open_cache(request, tmp_path):
    if request.param == "files":
        yield lambda: opened(folder=tmp_path)
        return
    with running_redis() as url:
        yield lambda: opened(url)


def test_another_process_reads_what_one_stored(open_cache):
    open_cache().set_many({"figures": b"\x00\xff", "attempts": [1.5, 2.5]}, 60)

    assert open_cache().get_many(["figures", "attempts", "none"]) == {"figures": b"\x00\xff", "attempts": [1.5, 2.5]}


def test_an_expired_value_is_gone(open_cache):
    open_cache().set("figures", b"old", -1)

    assert open_cache().get("figures") is None


def test_a_value_gets_a_new_end(open_cache):
    open_cache().set("figures", b"kept", 60)

    assert (open_cache().touch("figures", 120), open_cache().touch("others", 120)) == (True, False)
    assert open_cache().get("figures") == b"kept"
    open_cache().touch("figures", -1)
    assert open_cache().get("figures") is None


def test_objects_are_not_stored(open_cache):
    with pytest.raises(TypeError, match="serialize"):
        open_cache().set("figures", object())


def test_pickles_in_files_are_not_run(tmp_path):
    class Harm:
        def __reduce__(self):
            return (tmp_path.joinpath("harm").write_text, ("",))

    cache = opened(folder=tmp_path)
    cache.set("figures", b"good")
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:8] + pickle.dumps(Harm()))

    assert cache.get("figures", "none") == "none"
    assert not (tmp_path / "harm").exists()


def test_files_are_bounded(tmp_path):
    cache = opened(folder=tmp_path)
    cache._max_entries = 200

    for number in range(500):
        cache.set(str(number), b"")

    assert len([*tmp_path.iterdir()]) < 200 + CULL_EVERY


def test_all_keys_in_redis_begin_with_our_name_and_end_by_themselves():
    with running_redis() as url, redis.from_url(url) as server:
        opened(url).set("figures", b"good", 60)

        [key] = server.keys()
        assert key.startswith(b"evenhand:cache:")
        assert 0 < server.ttl(key) <= 60


def test_a_lost_redis_is_an_empty_cache():
    with running_redis() as url:
        cache = opened(url)
        cache.set("figures", b"good")
    cache.set("figures", b"again")

    assert (cache.get("figures"), cache.get_many(["figures"])) == (None, {})
