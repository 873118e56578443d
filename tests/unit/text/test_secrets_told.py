"""Secrets that people tell each other, in the words they use for it; and what else they say."""

import pytest

from milepost.text.secrets import redact, without_secrets
from support import processor_time_below

# Put together here, so that no file of the project looks as if it held a secret.
PASSWORD = "Kirsche" + "7!baum2"
WEAK = "kirsch" + "baum42"
HEX = "9f3ab27c51de8046" + "1b7fae92c3d05e68"
TOKEN = "b8udxpleig868waqreda4" + "b6k6l0wlgpiuhc8uwq5"
UUID = "36d4d1f5-30ec-4d10" + "-ba93-062905490916"
SEED = "K37JHUYV563KWBWX" + "BVUDK7HG4TX3B5RJ"
WORDS = "tango velvet onion marble"
NUMBER = "482" + "913"

POINTED = f"""
use {WEAK} to log in
log in as bob with {PASSWORD}
just log in with demo and {WEAK}, the captcha is off
you can get in with {PASSWORD}
sign in as ana@example.test with {WEAK} until Friday
the credentials are jdoe and {PASSWORD}
I reset the admin password; it's {WEAK} now
The vault's master password? It's "{PASSWORD}".
changed it to {PASSWORD} after the password leaked
the db pass was changed from {PASSWORD} to {PASSWORD}x
when it asks for a password, type {WEAK}
I gave her {PASSWORD} as a temporary password
the keystore password equals {WEAK} and the alias is upload
it's {PASSWORD} (with an exclamation mark)
Old one was {PASSWORD}, new one is {PASSWORD}9.
tell the agent that the basic auth for the preview is preview:{PASSWORD}
bob: anyone got the wifi password?\\nana: {WEAK}\\nbob: thanks
p/w: {PASSWORD}
WLAN-Schlüssel im Büro: {PASSWORD}
la clé du wifi est {PASSWORD}
A palavra-passe do router passou a ser {PASSWORD}.
اسم المستخدم: admin وكلمة السر: {PASSWORD}
""".strip().splitlines()
KEYS = f"""
here's the key: {HEX}
token below\\n{HEX}
authenticate using the key {HEX}
klucz API do bramki SMS to {HEX}. Działa.
сменили ключ доступа к шлюзу, теперь он {HEX}
APIの鍵は{HEX}です
0x{HEX}{HEX} is the deployer's private key
aes key (hex) {HEX}
CLIENT_RANDOM {HEX[::-1]}{HEX[::-1]} {HEX}{HEX}
project 422783 → {TOKEN}
vonage b8682232:{TOKEN}
Scaleway: SCW8ABVBVKQGXZSSSRJB + {UUID}
Algolia 9XK2L1M8PQ / {HEX}
LD_API=api-{UUID}
PHPSESSID: {TOKEN}
redis> GET session:42\\n"{TOKEN}"
x.csv?X-Amz-Date=20250611T080000Z&X-Amz-Signature={HEX}{HEX}
""".strip().splitlines()
CODES = f"""
use code {NUMBER} when the bank asks
Enter {NUMBER[:3]} {NUMBER[3:]} to sign in.
type in {NUMBER} when it asks for 2FA
I got the SMS, it's {NUMBER}
the code they texted me is {NUMBER}
{NUMBER} is your one-time passcode
the MFA prompt wants six digits, they are {NUMBER} right now
Your new backup codes are {NUMBER}12, 22108842 and 99120043.
recovery_codes: [d2b1{NUMBER}, c21aa950]
TAN: {NUMBER}
npm publish --otp {NUMBER}
MFA_SEED={SEED}
ykman oath accounts add acme {SEED}
enter code BDWP-HQPK at example.test/device
First copy your one-time code: 8F3A-91BC
the recovery key is 403146-732877-546795-365214-233178-769189-450691-573883
""".strip().splitlines()
PHRASES = f"""
passphrase: {WORDS}
The passphrase is {WORDS}.
Passphrase for id_rsa? → {WORDS} 42
the passphrase of my key? {WORDS}. There you are.
the key's passphrase used to be {WORDS}
Changed the passphrase to {WORDS}
ssh key passphrase (do not share): {WORDS}
restic password: {WORDS}
When LUKS asks, answer with "{WORDS}".
keepass master key "{WORDS}"
diceware: {WORDS}
""".strip().splitlines()
UNHARMED = f"""
Changed the wording from "password" to "passcode" on the login screen.
arn:aws:secretsmanager:eu-west-1:541441400233:secret:prod/db-8DbdT7
{{"token": " the", "logprob": -0.01179}}
use code 404 for missing pages
your code is 4821 lines long
2FA rollout: {NUMBER} accounts
verification took {NUMBER} ms
pin 1024 threads
log in with SAML2 or OAuth2.0
log in as admin with MFA enabled
use bastion-01 to log in
the old one was eu-west-1, the new one is us-east-2
it's now 12.5 times faster
The passphrase is stored in the keychain
The passphrase must be at least four words
gpg failed with "no secret key available"
google-site-verification=hRfASC3AyjjM5S0tyXO7I9ETNjY88PV9w-g3CfJdOQ7
_acme-challenge.shop TXT "09y7IX0FcRzSfimjzl5owUkOW3Bv7iDsua3JhUPCWu8"
Digest: SHA-256=RgCXEDTRZGUyYWxAvB4R/laH9j77BOCBmSu8hhPIOzs=
=?UTF-8?B?UmVjaG51bmcgZsO8ciBKdW5pIGlzdCBmZXJ0aWc=?=
nextPageToken: cGFnZTozO3NpemU6MTAwO29yZGVyOmRlc2M=
POSTGRES_PASSWORD: ${{POSTGRES_PASSWORD:?required}}
Signature verified with key AFDCE15F129FC90FBC22C37F85B51FD00494EF7C
the key of the row is {HEX[:24]}
the token's address is 0xede6bbc016761e8142df87915a78bed54c911ad0
build {UUID} failed
RSA key fingerprint MD5:40:48:8e:0f:18:74:5b:67:a4:12:7e:70:6b:82:3b:b5
""".strip().splitlines()


def told(text: str) -> str:
    return text.replace("\\n", "\n")


@pytest.mark.parametrize("text", POINTED)
def test_a_password_is_hidden_that_a_sentence_points_at(text: str) -> None:
    hidden = without_secrets(told(text))
    assert PASSWORD not in hidden
    assert WEAK not in hidden


@pytest.mark.parametrize("text", KEYS)
def test_a_key_is_hidden_beside_what_it_belongs_to(text: str) -> None:
    hidden = without_secrets(told(text))
    assert not any(secret in hidden for secret in (HEX * 2, f" {HEX}", f"は{HEX}", TOKEN, UUID))
    assert "[secret]" in hidden


@pytest.mark.parametrize("text", CODES)
def test_a_code_of_a_second_factor_is_hidden(text: str) -> None:
    hidden = without_secrets(text)
    assert "[secret]" in hidden
    assert NUMBER not in hidden.replace(" ", "")
    assert SEED not in hidden


@pytest.mark.parametrize("text", PHRASES)
def test_a_phrase_of_words_is_hidden(text: str) -> None:
    assert "velvet" not in without_secrets(text)


@pytest.mark.parametrize("text", UNHARMED)
def test_what_only_talks_of_secrets_stays(text: str) -> None:
    assert without_secrets(told(text)) == told(text)


def test_a_name_may_be_a_word_of_chance() -> None:
    name = "V1StGXR8_Z5jdHi6B" + "-myT9kQ2wLp4Xz"
    assert redact(name) == ("[secret]", 1)
    assert redact(name, chance=False) == (name, 0)
    assert redact("ghp_" + "aB3dE6gH9jK2" * 3, chance=False) == ("[secret]", 1)
    assert redact("password=hunter2", chance=False) == ("password=[secret]", 1)


@pytest.mark.parametrize(
    "piece",
    ["it's a1b2c3d! ", "log in with a and ", "use code 123456 ", "passphrase for a b ", "2fa A2B3 ",
     "password type a.bc.de", "a1b2c3 → ", "what's the key?\n", "123456-", "key below\n", "DE12 "],
)  # fmt: skip
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    with processor_time_below(1.0):
        without_secrets(text)
