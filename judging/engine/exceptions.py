"""What can go wrong with an engine."""


class EngineError(Exception):
    """A judge cannot be used; the message says why and what to do."""


class LoadFailed(EngineError):
    """The model is unknown, unreachable, incomplete, of a kind that cannot judge, or its device is absent."""


class Unavailable(LoadFailed):
    """The judge may be all right, but it cannot be had now: an endpoint that is down, too busy or out of quota."""


class QuestionRefused(EngineError):
    """This model cannot be asked this question; the message says why. `p_first` makes it the error of an Answer."""
