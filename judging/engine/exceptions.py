"""What can go wrong with an engine as a whole. What goes wrong with one question is in its Answer."""


class EngineError(Exception):
    """A judge cannot be used; the message says why and what to do."""


class LoadFailed(EngineError):
    """The model is unknown, unreachable, incomplete, of a kind that cannot judge, or its device is absent."""
