"""Secrets and private spans are taken out of a text, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.text.secrets import without_secrets
from support import processor_time_below

# Put together here, so that no file of the project looks as if it held a secret.
LOWER = "a1b2c3d4e5f6g7h8i9j0"
MIXED = "aB3dE6gH9jK2mN5pQ8sT"
HEX = "0123456789abcdef"
UPPER = "ABCD2EFG3HIJ4KLM"
JWT = f"eyJhbGciOiJIUzI1NiJ9.eyJ{MIXED}.{MIXED}-_x"
AWS = "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzzzzzzzzzz"
KEY_LINES = f"MII{MIXED}{MIXED}\n{MIXED}{MIXED}{MIXED}\nQ=="


def key(kind: str, begins: str = "BEGIN", ends: str = "END") -> str:
    return f"-----{begins} {kind}-----\n{KEY_LINES}\n-----{ends} {kind}-----"


# A text, and what must not be left of it.
SHAPES = [
    ("AK" + "IA" + UPPER, UPPER),
    (f"key AS{'IA'}{UPPER} in use", UPPER),
    *((f"{kind}_{MIXED}{MIXED}", MIXED) for kind in ("ghp", "gho", "ghu", "ghs", "ghr")),
    (f"github_{'pat'}_{MIXED}_{MIXED}{MIXED}", MIXED),
    (f"gl{'pat'}-{MIXED}", MIXED),
    (f"xox{'b'}-123456789012-1234567890123-{MIXED}", MIXED),
    (f"xap{'p'}-1-A012-123-{LOWER}", LOWER),
    (f"https://hooks.slack.com/services/T000/B000/{MIXED}", MIXED),
    (f"sk_{'live'}_{MIXED}", MIXED),
    (f"rk_{'test'}_{MIXED}", MIXED),
    (f"wh{'sec'}_{MIXED}", MIXED),
    (f"sk-{MIXED}{MIXED}", MIXED),
    (f"sk-{'proj'}-{MIXED}_{MIXED}", MIXED),
    (f"sk-{'ant'}-api03-{MIXED}-{MIXED}", MIXED),
    (f"AI{'za'}Sy{MIXED}{MIXED[:13]}", MIXED),
    (f"GOC{'SPX'}-{MIXED}", MIXED),
    (f"ya{'29'}.{MIXED}", MIXED),
    (f"h{'f'}_{MIXED}{MIXED}", MIXED),
    (f"np{'m'}_{MIXED}{MIXED}", MIXED),
    (f"py{'pi'}-AgEIcHlwaS5vcmc{MIXED}{MIXED}", MIXED),
    (f"dck{'r'}_pat_{MIXED}", MIXED),
    (f"S{'G'}.{MIXED}.{MIXED}", MIXED),
    (f"do{'p'}_v1_{HEX * 4}", HEX),
    (f"hv{'s'}.{MIXED}{MIXED}", MIXED),
    (f"1234567890:A{'A'}{MIXED}{MIXED}", MIXED),
    (JWT, "eyJ"),
    (f"cookie jwt={JWT}; path=/", "eyJ"),
    (key("RSA PRIVATE KEY"), MIXED),
    (key("OPENSSH PRIVATE KEY"), MIXED),
    (key("PGP PRIVATE KEY BLOCK"), MIXED),
    (key("PRIVATE KEY").replace("\n", "\\n"), MIXED),
    (f"-----BEGIN PRIVATE KEY-----\n{KEY_LINES}", MIXED),
    (f"{KEY_LINES}\n-----END PRIVATE KEY-----", MIXED),
    ("root:$6$saltsalt$" + MIXED * 3 + ":19000::", MIXED),
]
ASSIGNED = [
    "password=hunter2",
    "password = 'hunter2'",
    'PASSWORD="hunter2"',
    "passwd: hunter2",
    "pwd=hunter2;",
    "DB_PASSWORD=hunter2 # for now",
    "export DB_PASS=hunter2",
    "PGPASSWORD=hunter2 psql -h localhost",
    "set API_KEY=hunter2",
    "setx API_KEY hunter2",
    "ENV SECRET_KEY hunter2",
    "$env:API_TOKEN = 'hunter2'",
    '{"password": "hunter2"}',
    '{"dbPassword":"hunter2","user":"x"}',
    r"{\"api_key\": \"hunter2\"}",
    r'"{\\\"token\\\": \\\"hunter2x\\\"}"',
    "api-key: hunter2",
    "client_secret: 'hunter2'",
    "  secretKey: hunter2",
    "password: >-\n  hunter2\n  hunter2\nnext: 1",
    "password: |\n    hunter2\n",
    "- name: API_TOKEN\n  value: hunter2",
    '{"name": "API_TOKEN", "value": "hunter2"}',
    '<add key="Password" value="hunter2"/>',
    "<password>hunter2</password>",
    "<ns:apiKey>hunter2</ns:apiKey>",
    'os.environ["API_KEY"] = "hunter2"',
    "os.environ.setdefault('API_KEY', 'hunter2')",
    "process.env.SECRET || 'hunter2'",
    'client.set_password("hunter2")',
    "define('DB_PASSWORD', 'hunter2');",
    ":password => 'hunter2',",
    'Password: "hunter2",',
    'password := "hunter2"',
    "const apiKey: string = 'hunter2'",
    'password: str = "hunter2"',
    'secret = b"hunter2"',
    'secret = r"""hunter2"""',
    'token = "hunter2-" + "hunter2"',
    'token = ("hunter2-"\n         + "hunter2")',
    'PASSWORD="hunter2\nhunter2"\nNEXT=1',
    "TOKEN=hunter2\\\nhunter2",
    "tool --password hunter2",
    "tool --password=hunter2 --verbose",
    "tool --password \\\n  hunter2",
    "tool --api-key 'hunter2'",
    'tool "--token" "hunter2"',
    "tool -password hunter2",
    "mysql -u root -phunter2 shop",
    "mysqldump -p'hunter2' shop > x.sql",
    "sshpass -p hunter2 ssh host",
    "docker login -u me -p hunter2",
    "echo hunter2 | docker login --password-stdin",
    "redis-cli -h x -a hunter2 ping",
    "curl -u admin:hunter2 http://x",
    "curl --user 'admin:hunter2' http://x",
    "curl -H 'Authorization: Bearer hunter2' http://x",
    "Authorization: Basic hunter2hunter2==",
    "Proxy-Authorization: Basic hunter2==",
    "authorization: token hunter2",
    "X-Api-Key: hunter2",
    "Cookie: sessionid=hunter2hunter2hunter2",
    'headers.set("Authorization", "Bearer hunter2")',
    "openssl rsa -passin pass:hunter2",
    "postgres://app:hunter2@db:5432/shop",
    "postgres://app:hunter2@hunter2/x@db/shop",
    r"redis:\/\/:hunter2@cache:6379\/0",
    "https%3A%2F%2Fme%3Ahunter2%40host",
    "mongodb+srv://app:hunter2@cluster.example.net",
    "Server=db;User Id=sa;Password=hunter2;",
    "host=db user=app password=hunter2 dbname=shop",
    "jdbc:mysql://db/shop?user=app&password=hunter2&useSSL=true",
    "DefaultEndpointsProtocol=https;AccountKey=hunter2hunter2==;",
    "https://x.org/cb?access_token=hunter2&state=1",
    "redirect=%2Fcb%3Ftoken%3Dhunter2%26a",
    "db.internal:5432:shop:app:hunter2",
    "machine x.org login me password hunter2",
    "CREATE USER app WITH PASSWORD 'hunter2';",
    "CREATE USER 'app'@'%' IDENTIFIED WITH x BY 'a'; SET PASSWORD = 'hunter2';",
    "cat > .env <<EOF\nAPI_TOKEN=hunter2\nEOF",
    "my password is hunter2, do not tell",
    "the token is: hunter2",
    "AWS Secret Access Key [None]: hunter2/hunter2",
    "Enter passphrase: hunter2",
    "//registry.example.org/:_authToken=hunter2",
    "_password = hunter2",
    "pass" + "\u200b" + "word=hunter2",
    "password=hun" + "\u200b" + "ter2",
    "password=“hunter2”",
    "PASSWORD=a1b2c3'hunter2'x",
    "PASSWORD='a1b2c3'hunter2",
    "the token was api_key='hunter2' there",
    "signing_key: hunter2" + HEX,
    "ENCRYPTION_KEY=hunter2" + HEX * 2,
    "secret_access_key = hunter2/" + AWS,
]
# The same secret in the files and commands of many tools.
TOOLS = r"""
spring.datasource.password=S3cr3tV4lue!x
DATABASE_URL=postgresql://u:S3cr3tV4lue!x@h/d
"Authorization": "Bearer S3cr3tV4lue!x"
-e MYSQL_ROOT_PASSWORD=S3cr3tV4lue!x
docker run -e "API_KEY=S3cr3tV4lue!x" img
kubectl create secret generic x --from-literal=password=S3cr3tV4lue!x
aws configure set aws_secret_access_key S3cr3tV4lue!x
gcloud auth login --access-token=S3cr3tV4lue!x
git clone https://oauth2:S3cr3tV4lue!x@gitlab.com/x/y.git
helm install --set auth.password=S3cr3tV4lue!x
terraform apply -var="db_password=S3cr3tV4lue!x"
db_password = "S3cr3tV4lue!x"
variable "token" { default = "S3cr3tV4lue!x" }
ALTER USER app PASSWORD 'S3cr3tV4lue!x'
IDENTIFIED BY 'S3cr3tV4lue!x'
GRANT ALL ON x TO u@h IDENTIFIED BY "S3cr3tV4lue!x"
ftp://u:S3cr3tV4lue!x@h
smtp_pass: S3cr3tV4lue!x
SMTP_PASSWORD: "S3cr3tV4lue!x"
amqp://guest:S3cr3tV4lue!x@mq:5672//
ssh_pass=S3cr3tV4lue!x
ansible_become_pass: S3cr3tV4lue!x
"connectionString": "Server=x;Pwd=S3cr3tV4lue!x;"
Pwd=S3cr3tV4lue!x
-H "PRIVATE-TOKEN: S3cr3tV4lue!x"
-H "X-Auth-Token: S3cr3tV4lue!x"
x-amz-security-token: S3cr3tV4lue!x
NPM_TOKEN=S3cr3tV4lue!x npm publish
TWINE_PASSWORD=S3cr3tV4lue!x
"client_secret" : "S3cr3tV4lue!x"
'secret': 'S3cr3tV4lue!x'
secret => "S3cr3tV4lue!x"
token:S3cr3tV4lue!x
apikey=S3cr3tV4lue!x
api key: S3cr3tV4lue!x
API Key is S3cr3tV4lue!x
?api_key=S3cr3tV4lue!x&q=1
&sig=S3cr3tV4lue!x
sasToken=?sv=2020&sig=S3cr3tV4lue!x
wifi password "S3cr3tV4lue!x"
the password was S3cr3tV4lue!x until may
Passwort: S3cr3tV4lue!x
mot de passe : S3cr3tV4lue!x
contraseña: S3cr3tV4lue!x
password for admin is S3cr3tV4lue!x
admin password: S3cr3tV4lue!x
credentials: admin:S3cr3tV4lue!x
user=admin pass=S3cr3tV4lue!x
pass: S3cr3tV4lue!x
ENV["SECRET_TOKEN"] = "S3cr3tV4lue!x"
config.secret_key_base = "S3cr3tV4lue!x"
SECRET_KEY_BASE=S3cr3tV4lue!x
app.config["SECRET_KEY"] = "S3cr3tV4lue!x"
setenv SECRET_TOKEN S3cr3tV4lue!x
ConvertTo-SecureString "S3cr3tV4lue!x" -AsPlainText
$password = "S3cr3tV4lue!x"
PASSWORD=$'S3cr3tV4lue!x'
export TOKEN="S3cr3tV4lue!x" && run
{"auth": {"token": "S3cr3tV4lue!x"}}
{\n  \"password\": \"S3cr3tV4lue!x\"\n}
password%3A%20S3cr3tV4lue!x
password&quot;:&quot;S3cr3tV4lue!x&quot;
<input type="password" value="S3cr3tV4lue!x">
<Password xsi:type="x">S3cr3tV4lue!x</Password>
JWT_SECRET=S3cr3tV4lue!x
WEBHOOK_SECRET: S3cr3tV4lue!x
otpauth://totp/x?secret=S3cr3tV4lue!x
--client-secret S3cr3tV4lue!x
--secret="S3cr3tV4lue!x"
plink -pw S3cr3tV4lue!x h
psql "host=h password=S3cr3tV4lue!x"
oc login --token=S3cr3tV4lue!x
hub login -p S3cr3tV4lue!x
PASS=S3cr3tV4lue!x
password: !vault S3cr3tV4lue!x
- password: S3cr3tV4lue!x
* Password: `S3cr3tV4lue!x`
| password | S3cr3tV4lue!x |
password → S3cr3tV4lue!x
password - S3cr3tV4lue!x
Set-Cookie: session=S3cr3tV4lue!xabcdefgh; Path=/
curl -b "sessionid=S3cr3tV4lue!xabcdefg"
PASSWORD = S3cr3tV4lue!x
pwd: "S3cr3tV4lue!x"
""".strip().splitlines()
PRIVATE = [
    "a <private>hunter2</private> b",
    "a <PRIVATE>hunter2</Private> b",
    "a <private>hunter2\nhunter2</private> b",
    "a <private> hunter2",
    "a <private>x<private>y</private>hunter2</private> b",
    "a <private>x</private> c <private>hunter2</private>",
    "a < private >hunter2</ private > b",
    'a <private reason="x">hunter2</private> b',
    "a <pri\u200bvate>hunter2</pri\u200bvate> b",
    "a <\u2060private\ufeff>hunter2</private> b",
    "a &lt;private&gt;hunter2&lt;/private&gt; b",
    "a &#60;private&#62;hunter2&#60;/private&#62; b",
    r"a \u003cprivate\u003ehunter2\u003c/private\u003e b",
    r"a <private>hunter2<\/private> b",
    "a %3Cprivate%3Ehunter2%3C%2Fprivate%3E b",
    "a ＜private＞hunter2＜/private＞ b",
    "a <private\n>hunter2</private\n> b",
    "a <private>hunter2</private",
]
UNHARMED = r"""
token_count = 5
max_tokens=4096
tokens: 15000
"total_tokens": 812
password: str
password: Optional[str] = None
password: string;
api_key: str | None
def get_token(self) -> str:
def check_password(password, hashed):
token = get_token()
token = tokens[0]
token = self.token
token=token
self.password = password
connect(user=user, password=password)
client = Client(api_key=api_key, secret=secret)
api_key=os.environ["API_KEY"]
os.environ["API_KEY"]
os.getenv("GITHUB_TOKEN")
process.env.API_KEY
password=$DB_PASSWORD
password: ${DB_PASSWORD}
password = "{{ vault_password }}"
curl -H "Authorization: Bearer $TOKEN" http://x
Authorization: Bearer <token>
postgres://app:${PASSWORD}@db/shop
postgres://app@db/shop
SECRET_KEY = config.SECRET_KEY
secret = None
token = ""
password = "password"
API_KEY_ENV = "OPENAI_API_KEY"
api_key = "<your-api-key>"
api_key=your_api_key_here
password: ********
token: xxxxxxxx
if token == "if":
while token != ")":
SyntaxError: Unexpected token '}' in JSON at position 4
error: unexpected token: expected identifier
tokenizer = "gpt2-medium"
secretary: Anna2
passwordless: true
secret_name: app-secret-1
token_url: https://x.org/oauth/token
token_type: "bearer"
password_min_length = 12
password_hasher = "argon2id"
tokenExpiry: 3600s
private_key_path=/etc/ssl/private/app.pem
password_file: /run/secrets/db1
cache_key = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"
primary_key=True
partition_key: user_id2
keyboard = "qwerty123"
monkey: banana42
author: Anna2
PWD=/home/anna2/work
commit a94a8fe5ccb19ba61c4c0873d391e987982fbbd3
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
id: 550e8400-e29b-41d4-a716-446655440000
see http://host:8080/path?mail=a@b.org for it
git@github.com:acme/shop.git
npm install @scope/token-parser@2.1.0
src/auth/token_store.py:41: error: Missing return
version = "1.24.3rc2"
dGhlIHF1aWNrIGJyb3duIGZveA is base64
docker run -p 8080:80 -u 1000:1000 image
ssh -p 2222 host
mysql -h db -P 3306 -u root shop
the --password flag is deprecated
the token is short-lived
your password is required
the password must not be empty
authorization is done by the gateway
bearer tokens are checked there
use #include <private/header.h> and <private-key>
private: int x_;
session = Session()
cookie = request.cookies.get(name)
auth=HTTPBasicAuth(user, pw)
import { token } from "./token2";
basic authentication and key management
Tokens are counted with tiktoken, 7 to 9 microseconds a text.
-----BEGIN PUBLIC KEY-----
we keep credentials in the keychain
keys: [a1, b2, c3]
the secret of good code
a = b = c = d
const { password, ...rest } = user
if (!password) throw new Error("password required")
expect(token).toBe("abc")
assert password == other_password
token: Token = lexer.next()
let token = tokens.shift();
private String password;
password VARCHAR(255) NOT NULL
password_digest :string
has_secure_password
"scripts": {"token": "node scripts/token.js"}
t("auth.password.label")
<label for="password">Password</label>
<input type="password" name="password" id="pw1">
import tokenize, secrets
from secrets import token_hex
secrets.token_urlsafe(32)
token = secrets.token_hex(16)
hash_password(user.password)
key = lambda x: x[1]
sorted(d, key=len)
api_key_header = APIKeyHeader(name="X-API-Key")
KeyError: 'api_key'
ValueError: invalid literal for int() with base 10: 'token1'
401 Unauthorized: invalid token
Error: Authentication token expired at 2026-01-01T00:00:00Z
password authentication failed for user "app"
Access token: read-only
tokens per second: 53.2
input_tokens=1523 output_tokens=88
"cache_creation_input_tokens": 0
Secret santa: 12 people
the secret: write less code
key: value
keys: a, b
author = Anna
session_id: int
def login(username: str, password: str = Field(min_length=8)) -> Token:
auth: required
authorization: disabled
Authorization header is missing
bearer: true
cookie: string
uses: actions/checkout@v4
secrets: inherit
token: ${{ secrets.GITHUB_TOKEN }}
password: ((db-password))
image: registry.example.org/token-service:1.4.2
git log --author=anna2
curl -u "$USER:$PASS" x
ssh user@host:22
http://localhost:3000/login?next=/a
const TOKEN_RE = /[a-z0-9]+/
PASSWORD_REGEX = r"^[A-Z]{3}[0-9]+$"
token.value = token.value.trim()
access_key_id column
primary key: id2
foreign key (user_id) references users(id)
press any key: y
the token bucket algorithm refills at 10/s
rate limit: 5000 tokens/min
password reset link: https://x.org/reset
test_password_is_hashed PASSED
tests/test_tokens.py::test_token_1 PASSED
src/secret/keys.py | 12 +++---
--token-limit 100
--max-tokens 4096
Session: 3 of 5
pat = re.compile("x1")
sig = inspect.signature(f)
pin: 12
x.pin=5
auth = "oauth2"
signature: f(x1, x2)
""".strip().splitlines()


@pytest.mark.parametrize(("text", "secret"), SHAPES)
def test_what_has_the_shape_of_a_secret_is_hidden(text: str, secret: str) -> None:
    hidden = without_secrets(f"before {text} after")

    assert secret not in hidden
    assert "[secret]" in hidden
    assert hidden.startswith("before ")
    assert hidden.endswith(" after")


@pytest.mark.parametrize("text", ASSIGNED)
def test_what_is_given_to_a_secret_name_is_hidden(text: str) -> None:
    hidden = without_secrets(text)

    assert "hunter2" not in hidden
    assert "[secret]" in hidden


@pytest.mark.parametrize("text", TOOLS)
def test_what_tools_are_given_as_a_secret_is_hidden(text: str) -> None:
    hidden = without_secrets(text)

    assert "S3cr3t" not in hidden
    assert "V4lue" not in hidden


@pytest.mark.parametrize("text", PRIVATE)
def test_what_is_private_is_gone(text: str) -> None:
    left = without_secrets(text)

    assert "hunter2" not in left
    assert left.startswith("a ")
    assert "private" not in left.lower()


@pytest.mark.parametrize("text", UNHARMED)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert without_secrets(text) == text
    assert without_secrets(f"one\n{text}\ntwo") == f"one\n{text}\ntwo"


def test_there_are_enough_examples_to_mean_something() -> None:
    assert len(SHAPES) + len(ASSIGNED) + len(PRIVATE) >= 60
    assert len(UNHARMED) >= 60


def test_what_surrounds_a_secret_stays() -> None:
    text = 'connect(host="db", password="hunter2", port=5432)  # see docs/db.md'

    expected = 'connect(host="db", password="[secret]", port=5432)  # see docs/db.md'
    assert without_secrets(text) == expected


def test_a_passphrase_is_hidden_and_a_sentence_about_one_is_not() -> None:
    assert without_secrets('passphrase="correct horse battery staple"') == 'passphrase="[secret]"'
    assert "Enter your" in without_secrets('password: "Enter your new password"')


def test_what_follows_a_private_span_stays() -> None:
    assert without_secrets("a <private>x</private> b </private> c") == "a  b  c"


@given(st.text(max_size=300))
def test_hiding_twice_hides_nothing_more(text: str) -> None:
    once = without_secrets(text)

    assert without_secrets(once) == once


PIECES = [
    *(
        "<private>",
        "</private>",
        "&lt;private\n",
        "a=a=a=",
        "a",
        "A",
        "@",
        "%40",
        "\u200ba",
        "-----",
    ),
    *(
        "token",
        "token=",
        'token="',
        "token='",
        "token: x ",
        "token.",
        " token=a,",
        "token: |\n a\n",
    ),
    *(
        '"password":"',
        "password is ",
        "password=\\\n",
        "--password ",
        "<password>",
        "secret secret",
    ),
    *("session", "key=", "Bearer a", "sk-", "sk-a1", "eyJa.", "AKIA", "$6$", "1:1:1:", "pass:"),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----\n", "http://a:b@\n", "http://a:"),
    *("mysql -p ", "mysql -px\n", " -u a:", "echo a|", r"\"token\":\"", "redis-cli -a "),
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_a_megabyte_takes_less_than_a_second_whatever_it_is(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    with processor_time_below(1.0):
        without_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        f"password=my_{'a_' * 60}x9",
        "password" + " \\\n    " * 60 + "x",
        f"the password is 1-{'abcdefghijklmnopqrst' * 4}A",
        f"the password is v1{'_a_b_c_d_e_f' * 6}!",
        f"the login is now A{'abcdefghijklmnopqrst' * 4}_1!",
    ],
)
def test_one_odd_word_takes_less_than_a_second(text: str) -> None:
    with processor_time_below(1.0):
        without_secrets(text)
