"""Memory for the large arrays of a calculation that is repeated."""

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Workspace:
    """Arrays that are written over again and again.

    The system hands out new memory page by page, which for arrays of megabytes takes about as long as the arithmetic.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[np.uint8]] = {}

    def empty(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array with anything in it, in the memory of the one that was last given this name."""
        n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
        if name not in self._buffers or self._buffers[name].nbytes < n_bytes:
            self._buffers[name] = np.empty(n_bytes, dtype=np.uint8)
        return self._buffers[name][:n_bytes].view(dtype).reshape(shape)
