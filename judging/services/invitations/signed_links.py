"""Links that Prolific signed: they have the parameter `prolific_token`, a JSON Web Token."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jwt
from jwt.exceptions import ExpiredSignatureError, PyJWKClientConnectionError, PyJWKClientError, PyJWKSetError
from jwt.types import Options

from judging.services.invitations.joining import UNSIGNED, CannotJoin, PlatformArrival

logger = logging.getLogger(__name__)
SECONDS_KEPT, SECONDS_TO_ANSWER, SECONDS_BETWEEN = 24 * 3600, 5, 30
"""How long keys are kept, how long their server may take, and the least between two searches for an unknown key."""
CLOCKS_DIFFER = 60  # seconds
EXPIRED = "This link has expired. Open the study from Prolific again."
FORGED = "The signature of this link is not valid. Open the study from Prolific again."
OTHER_SITE = "Prolific signed this link for another site. Write to the researcher."
OTHER_PERSON = "Prolific signed this link for somebody else. Open the study from Prolific again."
NO_KEYS = "The signature of this link cannot be checked now. Please try again in some minutes."


def signed_arrival(arrival: PlatformArrival, *, site: str, keys: str) -> PlatformArrival:
    """Return the arrival as signed. Raises CannotJoin if its token is not of Prolific, this site and this participant.

    site: the host by which the participant came. keys: the address, or a file, of Prolific's JSON Web Key Set.
    Source: https://docs.prolific.com/api-reference/well-known-endpoints/get-study-jwks. It does not name the values in
    the claim `prolific`, so each value of the link must be somewhere among them.
    """
    if arrival.platform != "prolific" or not arrival.token:
        raise CannotJoin(UNSIGNED)
    claims = _claims_of(arrival.token, keys)
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if _host(site) not in map(_host, audiences):
        raise CannotJoin(OTHER_SITE)
    if not {arrival.person, arrival.study, arrival.session} - {""} <= {*_texts_in(claims["prolific"])}:
        raise CannotJoin(OTHER_PERSON)
    return replace(arrival, is_signed=True)


def _claims_of(token: str, keys: str) -> dict[str, Any]:
    needed: Options = {"require": ["exp", "aud", "prolific"], "verify_aud": False}
    try:
        key = _key_of(token, keys)
        return jwt.decode(token, key, algorithms=["RS256"], leeway=CLOCKS_DIFFER, options=needed)
    except ExpiredSignatureError as error:
        raise CannotJoin(EXPIRED) from error
    except (PyJWKClientConnectionError, PyJWKSetError, OSError, ValueError) as error:
        logger.warning("PROLIFIC_KEYS cannot be read: %s", type(error).__name__)
        raise CannotJoin(NO_KEYS) from error
    except jwt.PyJWTError as error:
        raise CannotJoin(FORGED) from error


def _key_of(token: str, keys: str) -> jwt.PyJWK:
    if "://" in keys:
        return _keys_at(keys).get_signing_key_from_jwt(token)
    known = jwt.PyJWKSet.from_json(Path(keys).read_text())
    key = jwt.PyJWKClient.match_kid(known.keys, jwt.get_unverified_header(token).get("kid", ""))
    if key is None:
        raise PyJWKClientError("unknown key")
    return key


@cache
def _keys_at(address: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(address, lifespan=SECONDS_KEPT, timeout=SECONDS_TO_ANSWER, cooldown_duration=SECONDS_BETWEEN)


def _host(audience: object) -> str:
    """Return the host of `example.org`, `example.org:8000` or `https://example.org/join/`."""
    try:
        return urlsplit(f"//{str(audience).partition('//')[2] or audience}").hostname or ""
    except ValueError:
        return ""


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts_in(part)
