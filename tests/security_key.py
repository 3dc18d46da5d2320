"""A security key in software, which signs challenges as WebAuthn asks it to."""

import hashlib
import json
import secrets

from allauth.mfa.webauthn.internal.auth import WebAuthn
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticationResponse,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorData,
    CollectedClientData,
    RegistrationResponse,
)

HOST = "testserver"
SITE = hashlib.sha256(HOST.encode()).digest()
TOUCHED = AuthenticatorData.FLAG.UP


class SecurityKey:
    """A key that is registered for an account."""

    def __init__(self, owner):
        self.secret, self.id = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16)
        public = ES256.from_cryptography_key(self.secret.public_key())
        data = AuthenticatorData.create(
            SITE, TOUCHED | AuthenticatorData.FLAG.AT, 0, AttestedCredentialData.create(bytes(16), self.id, public)
        )
        made = AuthenticatorAttestationResponse(
            client_data=seen_by_browser("webauthn.create", secrets.token_bytes(32)),
            attestation_object=AttestationObject.create("none", data, {}),
        )
        WebAuthn.add(owner, "Blue key", dict(RegistrationResponse(raw_id=self.id, response=made)))

    def answer(self, challenge):
        """Return what a browser sends as `credential`, once the key has signed a challenge."""
        seen, data = seen_by_browser("webauthn.get", challenge), AuthenticatorData.create(SITE, TOUCHED, 1)
        signature = self.secret.sign(data + seen.hash, ec.ECDSA(hashes.SHA256()))
        signed = AuthenticatorAssertionResponse(client_data=seen, authenticator_data=data, signature=signature)
        return json.dumps(dict(AuthenticationResponse(raw_id=self.id, response=signed)))


def seen_by_browser(action, challenge):
    return CollectedClientData.create(action, challenge, f"https://{HOST}")
