"""Kinds of secrets by how they are told or written, and what stands so and is none."""

import pytest

from milepost.text.secrets import redact

HEX = "8a848530c8f8f8b6d486d24159d248bc237ed62ccc313d5ce3bc9caf4ec5e74d"
WORDS = "glue endless harsh sight protect bulk maximum planet innocent exclude surround ostrich"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("I reset your password. New one: Lemon42Tiger%", "Lemon42Tiger%"),
        ("It's Gr4ph1t3-7. That's the root password, keep it to yourself.", "Gr4ph1t3-7"),
        ("password for the archive is the usual one, walrus8842", "walrus8842"),
        ("what's the wifi password? I think Marbl3Fox", "Marbl3Fox"),
        ('Could you change the disk passphrase? It\'s "marble fox lantern eleven"', "lantern"),
        ("the terminal asks for the supervisor code 882041 before refunds", "882041"),
        ("my PIN for the token is 771203, do not tell", "771203"),
        ("Der Türcode wurde auf 4471 geändert", "4471"),
        ("de pincode van de kluis 4471", "4471"),
        ("le code du portail : 7712", "7712"),
        ("код от сейфа 447190", "447190"),
        ("门锁密码447190", "447190"),
        ("page.fill('#pass', 'Trumpet77x')", "Trumpet77x"),
        ("cy.get('[name=pwd]').type('Trumpet77x{enter}')", "Trumpet77x"),
        ('new NetworkCredential("svc", "Tr~um=pet!77", "ACME")', "Tr~um=pet!77"),
        (f'key, _ := hex.DecodeString("{HEX}")', HEX),
        (f'AES_KEY = bytes.fromhex("{HEX}")', HEX),
        (f"secrets/jwt.key holds {HEX[:32]}", HEX[:32]),
        (f"userPassword:: e1NTSEF9{'MjZ2L2E5ZE1y' * 3}", "MjZ2L2E5ZE1y"),
        (f"grub.pbkdf2.sha512.10000.{HEX.upper()}.{HEX.upper()}", HEX.upper()),
        ("Backup codes (one use each):\n1. 5959 3473\n2. 3661 7506", "3661 7506"),
        ("seed:\n" + "".join(f"  - {word}\n" for word in WORDS.split()), "planet"),
        ("\n".join(f"word {i}: {word}" for i, word in enumerate(WORDS.split(), 1)), "planet"),
        ("mqtt\ndev-01  Kd83jfKs92LsmQ01pzXc  on\ndev-02  Lp02msKw81JdnB77qaYv  on", "Lp02msKw"),
    ],
)
def test_a_secret_is_hidden_however_it_is_told(text: str, secret: str) -> None:
    assert secret not in redact(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "image: postgres:16-alpine, then log in to the registry",
        '{"time":"2025-03-02T10:15:33.120Z","msg":"login ok"}',
        "(merge 79336116f5 sg/t3701-tighten-trace) about the login",
        "the account takes application/vnd.acme.v2+json under Apache-2.0",
        "'password',\n'source_ssl_key',\n'sql_big_result',",
        "from .pgen2 import grammar, token\nfrom .pygram import symbols, python_symbols",
        "Set-Cookie: ab_bucket=variant_b; Path=/; Secure",
        "server.servlet.session.cookie.same-site=lax",
        "Sec-WebSocket-Key: vzIBdrtn3xUp+W9L5nZt6g==",
        "ERROR login failed for user=amina reason=bad_password attempts=3",
        "User: The password policy asks for twelve characters",
        "eslint: no-secrets: 'Found a string with entropy 4.1'",
        "password: 'Must be at least 8 characters'",
        "OPENAI_API_KEY=sk-...\nSTRIPE_SECRET_KEY=sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
        "design tokens: color.primary=#3355ff, spacing.md=12px",
        "admin_password: !vault |",
        'text = raw.decode("latin-1"); q = ffi.new("BIGNUM **")',
        "h.add_credentials('name', 'password')",
        "backend.serialize_key_and_certificates_to_pkcs12(name, cert)",
        "bytes: 8ilsyMrXYlY0o3kxd2BngzcKsrh8YnbBN7SNEFEHtCn6peGkjEAPMIrvMrcj+S+/",
        "ipfs://QmcpnkNbuZyUYsJWMynW1uuD5cvTe6Ubb7KKq6rXgEu5xc",
        "SERVER_AUTH = '1.3.6.1.5.5.7.3.1'",
    ],
)
def test_what_only_stands_where_a_secret_may_is_left(text: str) -> None:
    assert redact(text) == (text, 0)
