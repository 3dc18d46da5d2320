"""Links that Prolific signed: real RSA keys, and a server of keys as Prolific's."""

import json
from contextlib import contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client
from django.urls import reverse

from evenhand.refusals import Refused
from judging.models import Enrolment, User
from judging.services.invitations import signed_links
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import CannotJoin, PlatformArrival, enter_from_platform
from judging.services.invitations.signed_links import EXPIRED, FORGED, NO_KEYS, OTHER_PERSON, OTHER_SITE, UNSIGNED
from tests.campaigns import make_campaign

pytestmark = pytest.mark.django_db
PROLIFICS, ANOTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
PARTICIPANT = {"PROLIFIC_PID": "5f1", "STUDY_ID": "s1", "SESSION_ID": "t1"}


def key_set(**keys):
    """A JSON Web Key Set of private keys by their names."""
    public = {name: jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True) for name, key in keys.items()}
    return {"keys": [one | {"kid": name, "alg": "RS256", "use": "sig"} for name, one in public.items()]}


@contextmanager
def served(answer):
    """Serve an object as JSON, or a text as it is; yield its address."""

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write((answer if isinstance(answer, str) else json.dumps(answer)).encode())

        def log_message(self, *_):
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Keys) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/jwks.json"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def keys(settings):
    """Serve Prolific's key `one`; return what is served."""
    served_keys = key_set(one=PROLIFICS)
    with served(served_keys) as settings.PROLIFIC_KEYS:
        yield served_keys


def signed(claims=(), *, key=PROLIFICS, name="one", algorithm="RS256", **sent):
    """The parameters of a link that Prolific signed for this site. claims: others, None for none. sent: parameters."""
    told = {"prolific": PARTICIPANT | {"workspace_id": "w1"}, "aud": "http://testserver/join/", "exp": time() + 300}
    content = {name: value for name, value in (told | dict(claims)).items() if value is not None}
    token = jwt.encode(content, None if algorithm == "none" else key, algorithm=algorithm, headers={"kid": name})
    return PARTICIPANT | {"prolific_token": token} | sent


def link_to(campaign, **limits):
    return create_invitation(campaign, admission="platform", signed_only=True, **limits).get_absolute_url()


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"aud": "testserver"},
        {"aud": ["https://example.org", "https://TESTSERVER:8000/join/abc?x=1"]},
        {"prolific": {"url": {"ids": ["s1", "t1"]}, "person": "5f1"}},
    ],
)
def test_a_signed_link_admits_its_participant(client, keys, claims):
    campaign = make_campaign()
    sent, link = signed(claims), link_to(campaign)

    shown = client.get(link, sent).content.decode()
    page = client.post(link, sent)

    assert f'name="prolific_token" value="{sent["prolific_token"]}"' in shown
    assert page.headers["Location"] == reverse("annotate", args=[campaign.pk])
    assert Enrolment.objects.get().platform_person == "5f1"


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (lambda: PARTICIPANT, UNSIGNED),
        (lambda: {"workerId": "5f1", "prolific_token": signed()["prolific_token"]}, UNSIGNED),
        (lambda: signed({"exp": time() - 100}), EXPIRED),
        (lambda: signed({"aud": "https://elsewhere.example.org/join/"}), OTHER_SITE),
        (lambda: signed({"aud": "https://testserver.example.org"}), OTHER_SITE),
        (lambda: signed({"aud": ["//[", 7]}), OTHER_SITE),
        (lambda: signed(PROLIFIC_PID="6a2"), OTHER_PERSON),
        (lambda: signed(STUDY_ID="s2"), OTHER_PERSON),
        (lambda: signed(SESSION_ID="t2"), OTHER_PERSON),
        (lambda: signed({"prolific": "5f1"}), OTHER_PERSON),
        (lambda: signed({"prolific": None, "sub": "5f1"}), FORGED),
        (lambda: signed({"exp": None}), FORGED),
        (lambda: signed({"aud": None}), FORGED),
        (lambda: signed(key=ANOTHER), FORGED),
        (lambda: signed(name="two"), FORGED),
        (lambda: signed(algorithm="none"), FORGED),
        (lambda: signed(algorithm="HS256", key=f"the public key, {PROLIFICS.public_key().public_numbers().n}"), FORGED),
        (lambda: signed()["prolific_token"][:-9], FORGED),
        (lambda: "no token", FORGED),
    ],
)
def test_every_other_link_is_refused_with_its_reason_and_nothing_is_stored(client, keys, sent, reason):
    campaign = make_campaign()
    link, parameters = link_to(campaign), sent()
    parameters = parameters if isinstance(parameters, dict) else PARTICIPANT | {"prolific_token": parameters}

    answers = [client.get(link, parameters), client.post(link, parameters)]

    assert [answer.status_code for answer in answers] == [410, 410]
    assert all(reason in answer.content.decode() for answer in answers)
    assert not User.objects.exists()


@pytest.mark.parametrize("answer", [None, "<html>Not now</html>", {"keys": []}])
def test_nobody_comes_in_while_the_keys_cannot_be_read_and_who_is_in_stays(client, settings, answer):
    campaign = make_campaign()
    invitation = create_invitation(campaign, admission="platform")
    person = enter_from_platform(invitation, arrival=PlatformArrival("7b3"))
    nowhere = nullcontext("http://127.0.0.1:1/jwks.json")

    with served(answer) if answer else nowhere as settings.PROLIFIC_KEYS:
        page = client.post(link_to(campaign), signed())

    assert NO_KEYS in page.content.decode()
    assert list(campaign.annotators.all()) == [person]


def test_keys_are_kept_while_their_server_is_away(client, settings):
    link = link_to(make_campaign())
    with served(key_set(one=PROLIFICS)) as settings.PROLIFIC_KEYS:
        client.post(link, signed())

    assert client.post(link, signed()).status_code == 302


def test_an_unknown_key_is_sought_anew(client, keys, monkeypatch):
    monkeypatch.setattr(signed_links, "SECONDS_BETWEEN", 0)
    link = link_to(make_campaign())
    before = client.post(link, signed(key=ANOTHER, name="two"))
    keys["keys"] += key_set(two=ANOTHER)["keys"]

    after = client.post(link, signed(key=ANOTHER, name="two"))

    assert (before.status_code, after.status_code) == (410, 302)


def test_a_site_without_internet_reads_the_keys_from_a_file(client, settings, tmp_path):
    file = tmp_path / "jwks.json"
    settings.PROLIFIC_KEYS, link = str(file), link_to(make_campaign())
    missing = client.post(link, signed())
    file.write_text(json.dumps(key_set(one=PROLIFICS)))

    pages = client.post(link, signed(name="two")), client.post(link, signed())

    assert NO_KEYS in missing.content.decode()
    assert FORGED in pages[0].content.decode()
    assert pages[1].status_code == 302


def test_a_signed_link_opens_the_votes_of_its_participant_in_any_browser(client, keys):
    link = link_to(make_campaign())
    client.post(link, signed())
    again = PARTICIPANT | {"SESSION_ID": "t2"}

    assert Client().post(link, signed({"prolific": again}, **again)).status_code == 302
    assert Enrolment.objects.count() == 1


def test_no_unsigned_link_opens_the_account_of_a_signed_one(client, keys):
    """Not even with the identifier and the session of the participant, and where their browser came unsigned too."""
    signed_one, unsigned, third = (make_campaign(name=name) for name in ("One", "Two", "Three"))
    links = [create_invitation(one, admission="platform").get_absolute_url() for one in (signed_one, unsigned, third)]
    client.post(link_to(signed_one), signed())
    client.post(links[1], PARTICIPANT)

    pages = [Client().post(link, PARTICIPANT) for link in links]

    assert [page.status_code for page in pages] == [410, 410, 302]
    assert signed_one.annotators.get() == unsigned.annotators.get() != third.annotators.get()


def test_a_service_admits_no_arrival_that_nobody_checked():
    campaign = make_campaign()
    invitation = create_invitation(campaign, admission="platform", signed_only=True)

    with pytest.raises(CannotJoin, match="needs the signature"):
        enter_from_platform(invitation, arrival=PlatformArrival("5f1", token="anything"))


@pytest.mark.parametrize("admission", ["account", "registration"])
def test_only_links_for_platforms_can_be_signed(admission):
    campaign = make_campaign()

    with pytest.raises(Refused, match="signed_only: only links for participants"):
        create_invitation(campaign, admission=admission, signed_only=True)

    assert not campaign.invitations.exists()
