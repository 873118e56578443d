"""Secrets without a name or a known prefix, wherever they stand; and what only looks like one."""

import pytest

from milepost.text.secrets import ends_without_secrets, without_secrets
from support import processor_time_below

# Put together here, so that no file of the project looks as if it held a secret.
WORD = "q7Zp2XvK9mL4tR8w" + "Yb3NXk29fLpQz7vTnB4m"
HEX = "9f3ab27c51de8046" + "1b7fae92c3d05e68"
WALLET = "ripple scissors kick mammal hire column oak again sun offer wealth tomorrow"

ALONE = [
    f"the deployment printed {WORD} and stopped",
    f"new Client({{ auth: '{WORD}' }})",
    f"[api]\nkey = '{WORD}'",
    f"GET /callback?code=4/0AX{WORD}&state=1",
    f"Authorization: SSWS 00{WORD}",
    f"https://hooks.example.org/catch/12345/{WORD}",
    f"acme_live_{WORD}",
]
PLACED = r"""
sqlcmd -S db -U sa -P 'orange-kite-44' -Q 'select 1'
cqlsh -u cassandra -p orange-kite-44
zip -P orange-kite-44 out.zip x
ldapsearch -D cn=admin -w orange-kite-44 -b dc=x
ssh-keygen -t ed25519 -N 'orange-kite-44' -f id
smbclient //srv/share -U bob%orange-kite-44
sqlplus system/orange-kite-44@orcl
jdbc:oracle:thin:shop/orange-kite-44@db:1521:orcl
rabbitmqctl add_user shop orange-kite-44
htpasswd -b .htpasswd admin orange-kite-44
net use Z: \\srv\share /user:shop orange-kite-44
keytool -genkey -storepass orange-kite-44
redis.conf: requirepass orange-kite-44
gh secret set NPM_TOKEN --body orange-kite-44
fly secrets set NAME=orange-kite-44
vault kv put kv/shop pw2=orange-kite-44
docker secret create x - <<< orange-kite-44
requests.get(u, auth=('admin', 'orange-kite-44'))
db.auth('admin', 'orange-kite-44')
DriverManager.getConnection(url, "app", "orange-kite-44")
ALTER USER 'app' IDENTIFIED WITH native BY 'orange-kite-44';
Cookie: theme=dark; connect.sid=orange-kite-44
Authorization: Digest username="admin", response="orange-kite-44"
login admin/orange-kite-44 on the staging box
creds are deploy:orange-kite-44
use admin / orange-kite-44 to log in
the wifi pw is orange-kite-44
the admin pass is orange-kite-44
log in with username bob and password orangekite
my api key's orange-kite-44
the token for staging: orange-kite-44
Passphrase for key '/home/a/.ssh/id': orange-kite-44
psk="orange-kite-44"
"orange-kite-44" is the admin password
PRAGMA key = 'orange-kite-44'
""".strip().splitlines()
MANIFESTS = [
    "kind: Secret\ndata:\n  url: orange-kite-44\n",
    "data:\n  a: b3Jh\n  conf: |\n    orange-kite-44\n    orange-kite-44\nkind: Secret\n",
    "apiVersion: v1\nkind: Secret\nstringData:\n  admin: orange-kite-44",
    '{"kind": "Secret", "data": {"conf": "orange-kite-44"}}',
]
OTHERS = [
    (f"mnemonic: {WALLET}", "hire column"),
    ("recovery phrase:\n" + " ".join(f"{i}. {w}" for i, w in enumerate(WALLET.split(), 1)), "hire"),
    ("the OTP is 482913", "482913"),
    ('- name: SMTP_PASS\n  value: "mangoriver"', "mangoriver"),
    ("2FA backup codes: 8fk2-93js, 22kd-03kd", "93js"),
    (f"wallet key: 0x{HEX}{HEX}", HEX),
    (f"the token {HEX} is in use", HEX),
    ("spring:\n  datasource:\n    password: kite\n", "kite"),
    ("tls.key: LS0tLS1CRUdJTiBQUklWQVRF" + "IEtFWS0tLS0tMIIEvQ", "IEtFWS0tLS0tMIIE"),
    ("basic YWRtaW46b3JhbmdlLWtp" + "dGUtNDQ=", "b3JhbmdlLWtp"),
]
UNHARMED = r"""
"integrity": "sha512-V8k3uYl9p2nRz7mT4xQ1bC6dE5fG0hJ8iK2lM3nO4pQ5rS6tU7vW8xY9zA0bC1dE2fG3hI4jK=="
github.com/gin-gonic/gin v1.9.1 h1:4idEAncQnU5cB7BeOkPtxjfCSye0AAm1R0RVIqJ+Jmg=
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
fingerprint: SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8
public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGq8z0X1c2v3b4n5m6
msg_01XFDUDYJgAACzvnptvVoYEL finished
<path d="M3 18h18v-2H3v2zm0-5h18v-2H3v2zm0-7v2h18V6H3z"/>
XMLHttpRequestEventTargetListenerV3Impl
class _Float8E4m3fnMachArLike:
https://fonts.example.org/s/inter/v13/UcC73FwrK3iLTeHuS_fvQtMwCp50KnMa1ZL7W0Q5nw.woff2
kind: ConfigMap\ndata:\n  LOG_LEVEL: debug
seed phrase generation uses the word list that the wallet has and nothing else in the world
__all__ = ["get_token", "set_password", "login"]
self.next_token_ == "contourpoint"
credentials: init.credentials ?? 'same-origin'
Token:                     "#cccccc",
XToken = "x-token"
var cookies = cookie.parse('foo=bar; equation=x');
console.log('password:', password);
session_id="held"
sig='ii->i', casting='unsafe'
https://username:password@host.example.org:80/path
Copyright (c) 1999 by Secret Labs AB.
With pass through options, the --port is one
uses: actions/checkout@v4
login page / logout page
the admin/users page is slow
the --username and --password options
order number 4821-9931-2210
""".strip().splitlines()


@pytest.mark.parametrize("text", ALONE)
def test_a_key_without_a_name_is_hidden(text: str) -> None:
    assert WORD not in without_secrets(text)


@pytest.mark.parametrize("text", [*PLACED, *MANIFESTS])
def test_what_stands_where_a_secret_stands_is_hidden(text: str) -> None:
    hidden = without_secrets(text)
    assert "orange" not in hidden
    assert "[secret]" in hidden


@pytest.mark.parametrize(("text", "secret"), OTHERS)
def test_a_secret_of_another_make_is_hidden(text: str, secret: str) -> None:
    assert secret not in without_secrets(text)


@pytest.mark.parametrize("text", UNHARMED)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_lines_of_a_file_in_base64_stay() -> None:
    lines = "\n".join(f"{WORD}{HEX}{c}" for c in "abc")
    assert without_secrets(lines) == lines


def test_of_a_long_text_the_ends_are_kept_without_secrets_and_private_words() -> None:
    text = f"<private>mine {'x ' * 50_000}</private> first password=hunter2 {'y ' * 50_000} last"
    kept = ends_without_secrets(text, 4_000)
    assert "mine" not in kept
    assert "x x" not in kept
    assert "hunter2" not in kept
    assert kept.strip().startswith("first")
    assert kept.endswith("last")
    assert len(kept) < 9_000


PIECES = [
    "aB3dE6gH", "aB3dE6gH/", "kind: Secret\ndata:\n  a: b\n", '{"kind":"Secret","data":{"a":"',
    "mnemonic ", "seed phrase abc ", "authorization: x ", "cookie: a=", "login a/", "login('a',",
    "secret set ", "secret --body ", "vault kv put a b=", "a/b@", "backup codes 1", "1,", "[1,",
    "LS0tLS1CRUdJTi", "Private-Lines: 1\n", "password for a ", "username a and password ",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    # A megabyte takes half a second; what grew with the square would take minutes.
    text = piece * (1_000_000 // len(piece))
    with processor_time_below(5.0):
        without_secrets(text)
