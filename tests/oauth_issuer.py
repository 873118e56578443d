"""A real OAuth issuer on loopback, as a program: codes with PKCE, registration, introspection.

Authlib does what an issuer does; here is only what it keeps, and a user who always agrees. The
first argument is a folder with `key.json`, the private key that tokens are signed with: its public
part is published, and another file there is another key. The second is `signed` or `opaque`.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # on loopback alone

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Flask, Response, jsonify, request
from joserfc.jwk import RSAKey

FOLDER, KIND = Path(sys.argv[1]), sys.argv[2]
USER, SPACES = "ann", ["team-a"]
# By what name and secret the resource server asks about tokens.
RESOURCE_SERVER = ("milepost", "what-only-the-two-know")

app = Flask("issuer")
server = make_server(
    "127.0.0.1",
    0,
    app,
    handler_class=type("Quiet", (WSGIRequestHandler,), {"log_message": lambda *_: None}),
)
URL = f"http://127.0.0.1:{server.server_port}"


class Client(ClientMixin):  # type: ignore[misc]
    def __init__(self, about: dict[str, Any]) -> None:
        self.about = about

    def get_client_id(self) -> str:
        return str(self.about["client_id"])

    def get_default_redirect_uri(self) -> str:
        return str(self.about["redirect_uris"][0])

    def get_allowed_scope(self, scope: str) -> str:
        return scope or ""

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri in self.about["redirect_uris"]

    def check_client_secret(self, client_secret: str) -> bool:
        return secrets.compare_digest(self.about.get("client_secret", ""), client_secret)

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == self.about.get("token_endpoint_auth_method", "client_secret_basic")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


class Code(dict, AuthorizationCodeMixin):  # type: ignore[type-arg, misc]
    def get_redirect_uri(self) -> str:
        return str(self["redirect_uri"])

    def get_scope(self) -> str:
        return str(self["scope"])

    code_challenge = property(lambda self: self["code_challenge"])
    code_challenge_method = property(lambda self: self["code_challenge_method"])


class Token(dict, TokenMixin):  # type: ignore[type-arg, misc]
    def is_expired(self) -> bool:
        return bool(time.time() > self["ends"])

    def is_revoked(self) -> bool:
        return False


class User:
    def get_user_id(self) -> str:
        return USER


clients = {
    RESOURCE_SERVER[0]: Client(
        {"client_id": RESOURCE_SERVER[0], "client_secret": RESOURCE_SERVER[1]}
    )
}
codes: dict[str, Code] = {}
tokens: dict[str, Token] = {}


class CodeGrant(grants.AuthorizationCodeGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = ("none", "client_secret_basic", "client_secret_post")

    def save_authorization_code(self, code: str, request: Any) -> None:
        asked = request.payload.data
        codes[code] = Code(
            client_id=request.client.get_client_id(),
            redirect_uri=request.payload.redirect_uri,
            scope=request.payload.scope,
            code_challenge=asked.get("code_challenge"),
            code_challenge_method=asked.get("code_challenge_method"),
            resource=asked.get("resource"),
        )

    def query_authorization_code(self, code: str, client: Any) -> Code | None:
        found = codes.get(code)
        return found if found and found["client_id"] == client.get_client_id() else None

    def delete_authorization_code(self, authorization_code: Code) -> None:
        codes.popitem()

    def authenticate_user(self, authorization_code: Code) -> User:
        return User()


class SignedTokens(JWTBearerTokenGenerator):  # type: ignore[misc]
    def get_jwks(self) -> Any:
        return private_key()

    def get_audiences(self, client: Any, user: Any, scope: str) -> Any:
        return request.form.get("resource") or client.get_client_id()

    def get_extra_claims(self, client: Any, grant_type: str, user: Any, scope: str) -> Any:
        return {"milepost_spaces": SPACES}


class Registration(ClientRegistrationEndpoint):  # type: ignore[misc]
    def authenticate_token(self, request: Any) -> bool:
        return True

    def get_server_metadata(self) -> dict[str, Any]:
        return metadata()

    def save_client(self, client_info: Any, client_metadata: Any, request: Any) -> Client:
        client = Client({**client_metadata, **client_info})
        clients[client.get_client_id()] = client
        return client


class Introspection(IntrospectionEndpoint):  # type: ignore[misc]
    def query_token(self, token_string: str, token_type_hint: str) -> Token | None:
        return tokens.get(token_string)

    def check_permission(self, token: Token, client: Client, request: Any) -> bool:
        return client.get_client_id() == RESOURCE_SERVER[0]

    def introspect_token(self, token: Token) -> dict[str, Any]:
        return dict(token["about"])


def private_key() -> RSAKey:
    return RSAKey.import_key(json.loads((FOLDER / "key.json").read_text()))


def metadata() -> dict[str, Any]:
    return {
        "issuer": URL,
        "authorization_endpoint": f"{URL}/authorize",
        "token_endpoint": f"{URL}/token",
        "registration_endpoint": f"{URL}/register",
        "introspection_endpoint": f"{URL}/introspect",
        "jwks_uri": f"{URL}/keys",
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
        "authorization_response_iss_parameter_supported": True,
    }


def save_token(token: dict[str, Any], asked: Any) -> None:
    ends = int(time.time()) + token["expires_in"]
    about = {
        "sub": USER,
        "scope": token["scope"],
        "iss": URL,
        "aud": request.form.get("resource"),
        "exp": ends,
        "milepost_spaces": SPACES,
    }
    tokens[token["access_token"]] = Token(ends=ends, about=about)


issuer = AuthorizationServer(app, query_client=clients.get, save_token=save_token)
if KIND == "signed":
    issuer.register_token_generator("default", SignedTokens(issuer=URL))
else:
    random = BearerTokenGenerator(lambda **_: secrets.token_urlsafe(32))
    issuer.register_token_generator("default", random)
issuer.register_grant(CodeGrant, [CodeChallenge(required=True)])
issuer.register_endpoint(Registration)
issuer.register_endpoint(Introspection)
issuer.register_extension(type("Parameter", (IssuerParameter,), {"get_issuer": lambda _: URL})())


@app.get("/.well-known/oauth-authorization-server")
def published() -> Response:
    return jsonify(metadata())


@app.get("/keys")
def keys() -> Response:
    return jsonify({"keys": [{**private_key().as_dict(private=False), "use": "sig"}]})


@app.get("/authorize")
def authorize() -> Any:
    return issuer.create_authorization_response(grant_user=User())


@app.post("/token")
def token() -> Any:
    return issuer.create_token_response()


@app.post("/register")
def register() -> Any:
    return issuer.create_endpoint_response(Registration.ENDPOINT_NAME)


@app.post("/introspect")
def introspect() -> Any:
    return issuer.create_endpoint_response(Introspection.ENDPOINT_NAME)


print(URL, flush=True)
server.serve_forever()
