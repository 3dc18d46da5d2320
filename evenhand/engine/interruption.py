"""Ends what an engine of this process does, once it is of no use: from another thread, between two steps of a model."""

from threading import Event
from typing import Protocol
from weakref import WeakSet


class Interrupted(BaseException):
    """Raised by an engine whose answers are of no use any more. No Exception, because it says nothing of the model."""


class Interruptible(Protocol):
    """Something that waits for another process."""

    def interrupt(self) -> None:
        """End every wait at once, and those that begin until `allow`."""

    def allow(self) -> None: ...


_interrupted = Event()
_waiting: WeakSet[Interruptible] = WeakSet()


def wakes(waiting: Interruptible) -> None:
    """Let an interruption end the waits of this object, too, as long as it lives."""
    _waiting.add(waiting)


def interrupt_engines() -> None:
    """Have the engines of this process raise Interrupted, now and until `allow_engines`."""
    _interrupted.set()
    for one in tuple(_waiting):
        one.interrupt()


def allow_engines() -> None:
    """Let engines work again."""
    _interrupted.clear()
    for one in tuple(_waiting):
        one.allow()


def require_use() -> None:
    """Raises Interrupted after `interrupt_engines`."""
    if _interrupted.is_set():
        raise Interrupted("nobody needs the answers any more")
