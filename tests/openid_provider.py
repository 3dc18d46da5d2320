"""A small OpenID Connect provider and GitHub, in a process of its own. They let everybody in, as they were told last.

They check what real ones check: the client and its secret, where to go back to, PKCE, and that a code works once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "evenhand", "a secret of the client"


@contextmanager
def running_provider() -> Iterator[str]:
    """Yield the address of a provider that runs."""
    process = subprocess.Popen([sys.executable, "-m", "tests.openid_provider"], stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def tell(provider: str, **claims: object) -> None:
    """Set the claims of the next person."""
    urlopen(Request(f"{provider}/claims", json.dumps(claims).encode())).close()


class Provider(BaseHTTPRequestHandler):
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    claims: dict[str, object] = {}
    asked: dict[str, dict[str, str]] = {}  # code -> the question that it answers
    tokens: dict[str, dict[str, object]] = {}  # access token -> claims

    @property
    def issuer(self) -> str:
        return f"http://localhost:{self.server.server_port}"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        sent = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            ends = {f"{name}_endpoint": f"{self.issuer}/{name}" for name in ("authorization", "token", "userinfo")}
            methods = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
            self.answer({"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **ends, **methods})
        elif parts.path == "/authorization":
            self.go_back(sent, scope="openid")
        elif parts.path == "/login/oauth/authorize":
            self.go_back(sent, scope="user:email")
        elif parts.path in ("/userinfo", "/api/v3/user", "/api/v3/user/emails"):
            told = self.tokens.get(self.headers.get("Authorization", "").partition(" ")[2])
            part = told if parts.path == "/userinfo" else (told or {}).get(parts.path.rpartition("/")[2])
            self.answer(part, 401 if told is None else 200 if part else 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/claims":
            type(self).claims = json.loads(body)
            self.answer({})
        else:
            self.give_token({name: values[-1] for name, values in parse_qs(body).items()})

    def go_back(self, sent: dict[str, str], *, scope: str) -> None:
        wanted = {"client_id": CLIENT, "response_type": "code", "code_challenge_method": "S256"}
        if any(sent.get(name) != value for name, value in wanted.items()) or scope not in sent["scope"].split():
            return self.answer({"error": "invalid_request"}, 400)
        code = secrets.token_hex(8)
        self.asked[code] = sent
        denied = {"error": "access_denied"} if self.claims.get("denies") else {"code": code}
        self.send_response(302)
        self.send_header("Location", f"{sent['redirect_uri']}?{urlencode(denied | {'state': sent['state']})}")
        return self.end_headers()

    def give_token(self, sent: dict[str, str]) -> None:
        asked = self.asked.pop(sent.get("code", ""), None)
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        right = asked and (asked["redirect_uri"], asked["code_challenge"]) == (sent.get("redirect_uri"), challenge)
        right = right and (sent.get("client_id"), sent.get("client_secret")) == (CLIENT, SECRET)
        token, is_github = secrets.token_hex(8), self.path == "/login/oauth/access_token"
        self.tokens[token] = dict(self.claims)
        if is_github:  # whose errors have the status 200
            return self.answer({"access_token": token} if right else {"error": "bad_verification_code"}, form=True)
        if not right:
            return self.answer({"error": "invalid_grant"}, 400)
        told = {"iss": self.issuer, "aud": CLIENT, "iat": int(time.time()), "exp": int(time.time()) + 60}
        signed = jwt.encode(self.claims | told, self.key, algorithm="RS256", headers={"kid": "one"})
        return self.answer({"access_token": token, "token_type": "Bearer", "expires_in": 60, "id_token": signed})

    def answer(self, content: object, status: int = 200, *, form: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/x-www-form-urlencoded" if form else "application/json")
        self.end_headers()
        self.wfile.write((urlencode(content) if form else json.dumps(content)).encode())

    def log_message(self, *_: object) -> None:
        """Stay silent."""


if __name__ == "__main__":
    with HTTPServer(("localhost", 0), Provider) as server:
        sys.stdout.write(f"http://localhost:{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()
