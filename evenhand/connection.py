"""A connection to the HTTP API: requests, lists page by page, and refusals. It needs httpx; frames need pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import httpx

if TYPE_CHECKING:
    from pandas import DataFrame

Row = dict[str, Any]
ROWS_PER_PAGE = 1_000


class Refused(Exception):
    """Raised when the server refuses a request. status: of the response. problems: one line each."""

    def __init__(self, status: int, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.status = status
        self.problems = list(problems)


class Rows(list[Row]):
    """Rows of a list or a table."""

    def frame(self) -> DataFrame:
        """Return the rows as a pandas frame. Raises ImportError without pandas."""
        try:
            from pandas import DataFrame  # noqa: PLC0415 - optional
        except ImportError as missing:
            raise ImportError("frames need pandas: pip install pandas") from missing
        return DataFrame(list(self))


class Connection:
    """A connection to a server, with the token of one account. Close it, or use it in a `with` block."""

    def __init__(
        self, url: str, *, token: str, timeout: float = 60.0, transport: httpx.BaseTransport | None = None
    ) -> None:
        """url: of the server, without `/api/`. token: from the account page. timeout: seconds for each request."""
        self._http = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/",
            headers={"Authorization": f"Token {token}"},
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def request(self, method: str, address: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - httpx's options
        """Send a request to an address under `/api/`. Raises Refused for every status of 400 or more."""
        response = self._http.request(method, address, **options)
        if response.is_error:
            raise Refused(response.status_code, _problems_of(response))
        return response

    def rows(self, address: str, **filters: object) -> Rows:
        """Return all rows of a list, page by page."""
        rows = Rows()
        while True:
            query = {**filters, "limit": ROWS_PER_PAGE, "offset": len(rows)}
            page = self.request("GET", address, params=query).json()
            rows += page["results"]
            if page["next"] is None:
                return rows

    def row(self, method: str, address: str, **options: Any) -> Row:  # noqa: ANN401 - httpx's options
        """Send a request and return the object that it answers. Raises Refused."""
        row: Row = self.request(method, address, **options).json()
        return row

    def named(self, address: str, name: str) -> Row:
        """Return the row of a name, or of NAME#ID; of several, your own. Raises LookupError with the names there."""
        rows = self.rows(address)
        found = [row for row in rows if name in (row["name"], f"{row['name']}#{row['id']}")]
        if len(found) > 1:
            you = self.row("GET", "account/")["username"]
            found = [row for row in found if you in (row.get("owner"), row.get("created_by"))] or found
        if len(found) == 1:
            return found[0]
        if found:
            each = ", ".join(f"{row['name']}#{row['id']}" for row in found)
            raise LookupError(f'{len(found)} are called "{name}"; write one of: {each}')
        raise LookupError(f'there is no "{name}"; there are: {", ".join(row["name"] for row in rows)}')


def _problems_of(response: httpx.Response) -> list[str]:
    """Return the problems of a refused request; without a list, its one reason."""
    try:
        answer = response.json()
    except ValueError:
        return [f"status {response.status_code}"]
    return answer.get("problems") or [answer.get("detail", f"status {response.status_code}")]
