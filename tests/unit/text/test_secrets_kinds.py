"""Secrets of more kinds: other languages, check digits, pairs, codes, published shapes."""

import pytest

from milepost.text.secrets import redact, without_secrets
from milepost.text.secrets.signs import lines
from support import processor_time_below

# Put together here, so that no file of the project looks as if it held a secret.
PASSWORD = "Kirsche" + "7!baum2"
HEX = "9f3ab27c51de8046" + "1b7fae92c3d05e68"
WORD = "q7Zp2XvK9mL4tR8w" + "Yb3NXk29fLpQz7vTnB4m"
PHRASE = "olive pledge pluck today whisper decorate pyramid early bread rate weather culture"


def luhn(digits: str) -> str:
    doubled = [int(d) * (1 + (i % 2 == 0)) for i, d in enumerate(reversed(digits))]
    return digits + str(-sum(d - 9 * (d > 9) for d in doubled) % 10)


def iban(country: str, account: str) -> str:
    digits = "".join(str(int(c, 36)) for c in f"{account}{country}00")
    return f"{country}{98 - int(digits) % 97:02}{account}"


CARD = luhn("453914880343" + "646")
ACCOUNT = iban("DE", "370400440" + "987654321")
TOLD = [
    f"Das Passwort für den Server lautet {PASSWORD}, bitte merken.",
    f"Le mot de passe de la base est « {PASSWORD} ».",
    f"La contraseña del servidor es {PASSWORD}",
    f"A senha do banco é {PASSWORD}, não mande no grupo.",
    f"La password del router è {PASSWORD}",
    f"Ik heb je wachtwoord gewijzigd in {PASSWORD}, log opnieuw in.",
    f"Hasło do bazy danych to {PASSWORD}, proszę go nie zapisywać.",
    f"Změnil jsem heslo do Jenkinsu na {PASSWORD}",
    f"Пароль от сервера: {PASSWORD}",
    f"Я змінив пароль адміністратора на {PASSWORD}",
    f"Sunucunun şifresi {PASSWORD} unutma",
    f"我把数据库密码改成了{PASSWORD}，请重启服务。",
    f"DBのパスワードは「{PASSWORD}」です",
    f"비밀번호는 {PASSWORD} 입니다",
    f"كلمة المرور: {PASSWORD}",
    f"{PASSWORD} ist das neue Passwort",
    f"Use these: admin / {PASSWORD}",
    f"| system | user | password |\n|---|---|---|\n| Jira | bot | {PASSWORD} |",
    f"$ cat /run/secrets/db_password\n{PASSWORD}",
    f"conn = connect('db.local', 'app', '{PASSWORD}')",
]
KINDS = [
    (f"paid with {CARD}", CARD),
    (f"PAN {CARD[:4]} {CARD[4:8]} {CARD[8:12]} {CARD[12:]}", CARD[8:12]),
    (f"transfer to {ACCOUNT}", ACCOUNT),
    (f"IBAN {' '.join(ACCOUNT[i : i + 4] for i in range(0, 22, 4))} please", ACCOUNT[8:12]),
    (f"one per line\n{PHRASE.replace(' ', chr(10))}", "pyramid"),
    (f'{{"words": ["{PHRASE.replace(" ", chr(34) + ", " + chr(34))}"]}}', "pyramid"),
    (f"tls.key: MIIEvQIBADANBgkq{WORD}{WORD}", WORD),
    (f"server.key\nMIICXAIBAAKBgQ{WORD}{WORD}\n{WORD}{WORD}", WORD),
    (f"Twilio AC{HEX} and then {HEX[::-1]}", HEX[::-1]),
    (f"Mailjet {HEX}:{HEX[::-1]}", HEX[::-1]),
    ("Backup codes:\nlcga-d10x\n6s8m-nbof\npvty-2huz", "nbof"),
    ("Код подтверждения: 180624", "180624"),
    ("779762 is your Acme login code", "779762"),
    (f"NTLM hash of svc_sql: {HEX}", HEX),
    ("passphrase: cave maid whisper tray profit train", "whisper"),
]
UNHARMED = f"""
order number {luhn("453914880343646")[:-1]}{(int(CARD[-1]) + 1) % 10}
DE00 3704 0044 0987 6543 21 has wrong check digits
tags: music travel food art science history nature sport film photo book game
das Passwort muss mindestens 12 Zeichen haben
пароль должен содержать 8 символов
密码长度至少8位
Set-Cookie: theme=dark; Path=/; Max-Age=31536000; SameSite=Lax; Secure
Cookie: _ga=GA1.2.530375679.1722383745; cookie_consent=all
X-Request-Id: 7Gx2kLmP9qRs4TuV8wYz
PublicKey = j57+Fn5YJ6NrSFd4NdpVgJBZOLq3XVtNuA7etZOuOwQ=
ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxx
aws_access_key_id = AKIAIOSFODNN7EXAMPLE
DB_PASSWORD=changeme
https://<user>:<password>@host.example.test/path
resource "random_password" "db" {{ length = 24 }}
const secret = await client.getSecret("db-password");
design tokens: spacing-4 = 16px, radius-md = 8px
error code: 10061
https://example.com/reset-password?step=2&lang=en
Passwords are hashed with argon2id, m=65536 and t=3.
https://docs.example.org/spreadsheets/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit
send the test ETH to 0x2cFFCD73Dd55fb2EFCfAaeC3f3FC10A6FF19eFBC
""".strip().splitlines()


@pytest.mark.parametrize("text", TOLD)
def test_a_password_is_hidden_in_whatever_language_it_is_told(text: str) -> None:
    assert PASSWORD not in without_secrets(text)


@pytest.mark.parametrize(("text", "secret"), KINDS)
def test_a_secret_of_this_kind_is_hidden(text: str, secret: str) -> None:
    assert secret not in without_secrets(text)


@pytest.mark.parametrize("text", UNHARMED)
def test_what_is_nobodys_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_a_public_key_stays_to_its_last_line() -> None:
    text = f"-----BEGIN PUBLIC KEY-----\nMFkwEwYH{WORD}\n{WORD[:30]}\n-----END PUBLIC KEY-----"
    assert without_secrets(text) == text


def test_the_number_of_secrets_is_told() -> None:
    assert redact("nothing here") == ("nothing here", 0)
    assert redact(f"password=hunter2 and card {CARD}") == ("password=[secret] and card [secret]", 2)
    assert redact("an old [secret] stays one")[1] == 0


@pytest.mark.parametrize(
    ("prefix", "body"),
    [("glpat-", WORD), ("shpat_", HEX), ("sntryu_", HEX * 2), ("pul-", HEX + HEX[:8])],
)
def test_a_token_of_a_published_shape_is_hidden_and_a_placeholder_is_not(
    prefix: str, body: str
) -> None:
    assert body not in without_secrets(f"we use {prefix}{body} there")
    assert without_secrets(f"we use {prefix}{'x' * 40} there").endswith(f"{'x' * 40} there")


@pytest.mark.slow
@pytest.mark.parametrize("rule", lines("providers.txt"), ids=lambda rule: rule.split("\t")[1])
def test_near_misses_of_a_published_shape_take_linear_time(rule: str) -> None:
    keyword = rule.split("\t")[2].split(maxsplit=1)[0]
    for piece in (keyword, f"{keyword} = ", f"{keyword}a1", keyword.upper()):
        text = piece * (100_000 // len(piece))
        with processor_time_below(1.0):
            without_secrets(text)


@pytest.mark.parametrize(
    "piece",
    ["1 ", "12 34 ", "1234 5678 ", "AB12 ", "abandon ", "pin ", "пароль ", "密码", "a|password\n",
     'login("a",', "jwt.sign('", "backup codes\na1b2\n", "MIIabAIBA", "admin / ", "?key=", "::a",
     "x is the password ", "https://a/", "-----BEGIN PUBLIC KEY-----\n", "a1b2c3d4e:",
     "passphrase: a b c ", "master: aa bb cc ", "AC" + HEX + " "],
)  # fmt: skip
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    with processor_time_below(1.0):
        without_secrets(text)
