"""The JSON parser of API requests. It stands alone because REST framework imports it before its views."""

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class WellFormedJSONParser(JSONParser):
    """JSON without half surrogate pairs, which no database stores, and without too deep nesting."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:  # noqa: ANN401 - whatever was sent
        try:
            values = super().parse(stream, media_type, parser_context)
            json.dumps(values, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError("JSON parse error - objects or lists are nested too deeply") from error
        except UnicodeEncodeError as error:
            raise ParseError("JSON parse error - a text holds half of a surrogate pair; leave it out") from error
        return values
