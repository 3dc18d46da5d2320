"""Errors of engines."""


class EngineError(Exception):
    """A judge cannot be used; the message says why and what to do."""


class LoadFailed(EngineError):
    """The model cannot be loaded: it is unknown, unreachable, incomplete, cannot judge, or lacks its device."""


class Unavailable(LoadFailed):
    """The endpoint cannot answer now: it is down, too busy or out of quota. The run can be resumed later."""


class BatchPending(EngineError):
    """The answers are being made in a batch at the endpoint. The same questions are to be asked again later."""


class AlwaysThinks(LoadFailed):
    """The model thinks although it should not, and no parameter switches that off."""


class QuestionRefused(EngineError):
    """This model cannot answer this question; the message says why. `p_first` stores it as the error of an Answer."""
