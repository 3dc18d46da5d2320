"""The refusals that every address of the HTTP API may answer, for its OpenAPI document."""

from typing import Any

WRITING = frozenset({"post", "put", "patch", "delete"})
DETAIL = {"type": "object", "properties": {"detail": {"type": "string"}}, "required": ["detail"]}
REFUSALS = {
    "400": "The request has problems, one line each.",
    "401": "The request has no valid token or session.",
    "403": "Not for this account, or not for this token.",
    "404": "No such row, or not visible to this account.",
    "406": "The address does not send the accepted type.",
    "413": "The body is too large.",
    "415": "The address does not read this type of body.",
    "429": "Too many requests.",
    "507": "The server has too little free space for the body.",
}
OF_WRITING = ("413", "415", "507")


def document_refusals(result: dict[str, Any], generator: object, request: object, public: bool) -> dict[str, Any]:
    """Add the refusals to each operation of an OpenAPI document. drf-spectacular calls it at its end."""
    result["components"]["schemas"]["Detail"] = DETAIL
    for operations in result["paths"].values():
        for method, operation in operations.items():
            for status in REFUSALS:
                if method in WRITING or status not in OF_WRITING:
                    operation["responses"].setdefault(status, _response(status))
    return result


def _response(status: str) -> dict[str, Any]:
    name = "Problems" if status == "400" else "Detail"
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"description": REFUSALS[status], "content": {"application/json": {"schema": schema}}}
