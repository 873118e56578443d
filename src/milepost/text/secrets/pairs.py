"""Tokens that are known by the account they belong to: an id of known shape, and its token near."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.mark import SECRET

# What an id begins with, its shape, and the shape of what opens it.
_PAIRS = (
    ("AC", r"AC[0-9a-f]{32}", r"[0-9a-f]{32}"),
    ("SK", r"SK[0-9a-f]{32}", r"[A-Za-z0-9]{32}"),
    ("AKIA", r"AKIA[A-Z0-9]{16}", r"[A-Za-z0-9/+]{40}"),
    ("ASIA", r"ASIA[A-Z0-9]{16}", r"[A-Za-z0-9/+]{40}"),
    ("LTAI", r"LTAI[A-Za-z0-9]{12,20}", r"[A-Za-z0-9]{30}"),
    ("Ov23", r"Ov23li\w{14}", r"[0-9a-f]{40}"),
    ("Iv", r"Iv(?:1\.|23li)\w{14,16}", r"[0-9a-f]{40}"),
    ("rzp_", r"rzp_(?:live|test)_\w{14}", r"[A-Za-z0-9]{24}"),
    ("0oa", r"0oa[A-Za-z0-9]{17}", r"[\w-]{40,64}"),
    ("AKID", r"AKID[A-Za-z0-9]{32}", r"[A-Za-z0-9]{32}"),
)
_WITHIN = 120
# Of two words of chance beside each other the second opens, if an account or the like is told of.
_ABOUT = (
    "api",
    "token",
    "secret",
    "cred",
    "account",
    "auth",
    "key",
    "client",
    "app",
    "sid",
    "login",
    "konto",
)


def without_paired(text: str) -> str:
    """Return a text in which the token beside an account's id is replaced."""
    for sign, account, token in _PAIRS:
        if sign in text:
            text = _pattern(account, token).sub(rf"\1{SECRET}", text)
    if any(_may_open(text, token) for token in _token().finditer(text)):
        text = _beside().sub(_hidden_beside, _any().sub(_hidden, text))
        if "\n" in text:
            text = _rows().sub(_hidden_rows, text)
    return text


def _may_open(text: str, token: re.Match[str]) -> bool:
    """Whether what stands right before a long word could be an id, and what joins them."""
    if "/" in token[0]:
        return True
    before = text[max(token.start() - 40, 0) : token.start()].rstrip("\"'`")
    if before[-1:] in (":", "/", ",", ";", "|"):
        return True
    last = before.split()[-1:]
    return bool(last) and (last[0].lower() in _JOINING or any(map(str.isdigit, last[0])))


_JOINING = frozenset(
    "/ | + & : = - -> → => – — and with then plus und et y e и i secret token key cert".split()
)


def _hidden(found: re.Match[str]) -> str:
    text = found.string
    start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - 80)
    line = text[start : found.end()].lower()
    alike = found["by"] == ":" and len(found["id"]) > 24
    if found["by"].strip() in ("→", "->", "=>"):
        alike = not re.fullmatch(r"[0-9a-f-]*", found["token"])
    if (
        "sha" in line
        or "commit" in line
        or "base64" in line
        or "arn:" in line
        or not (alike or any(word in line for word in _ABOUT))
    ):
        return found[0]
    return f"{found['id']}{SECRET}"


# Services that give an account an id and a secret; their names are told before a pair.
_SERVICES = frozenset(
    "twilio vonage nexmo plivo telnyx sinch messagebird bandwidth algolia scaleway cloudflare r2 "
    "backblaze b2 wasabi minio spaces storj s3 aws aliyun alibaba tencent qcloud huawei ovh "
    "hetzner "
    "linode vultr upcloud exoscale confluent kafka cloudkarafka upstash spotify strava fitbit "
    "garmin reddit twitter twitch discord lark feishu dingtalk wechat line kakao naver paypal "
    "braintree adyen razorpay paystack flutterwave mollie klarna checkout square plaid dwolla wise "
    "auth0 okta onelogin keycloak cognito azure entra google github gitlab bitbucket jira pusher "
    "ably pubnub agora zoom vimeo mux imgur unsplash flickr mailjet mailgun mailchimp sendgrid "
    "postmark sparkpost ses trello asana clickup hubspot salesforce zendesk intercom segment "
    "mixpanel amplitude datadog newrelic honeycomb sentry snyk sonar docusign dropbox box linkedin "
    "facebook instagram tiktok bitly godaddy namecheap porkbun gandi dnsimple binance kraken "
    "coinbase bitfinex kucoin bybit okx alpaca edamam amadeus skyscanner betfair shippo".split()
)


def _hidden_beside(found: re.Match[str]) -> str:
    before = found.string[max(found.start() - 50, 0) : found.start()].rpartition("\n")[2].lower()
    if "arn:" in before:
        return found[0]
    words = re.split(r"[^a-z0-9]+", before)
    return f"{found['id']}{SECRET}" if not _SERVICES.isdisjoint(words[-5:]) else found[0]


def _hidden_rows(found: re.Match[str]) -> str:
    """Return lines of names and words of chance, if what is listed so is told of before them."""
    before = found.string[max(found.start() - 80, 0) : found.start()].lower()
    if not _listing().search(before):
        return found[0]
    return _row().sub(rf"\g<id>{SECRET}", found[0])


_ROW = (
    r"(?P<id{n}>[ \t]*(?:[-*•][ ])?[A-Za-z][\w.@-]{{2,40}}(?:[ \t]{{1,12}}|[ ]?[|:;,=][ ]?))"
    r"(?=[A-Za-z]{{0,30}}\d)(?=[a-z0-9]{{0,30}}[A-Z])(?=[A-Z0-9]{{0,30}}[a-z])"
    r"[A-Za-z0-9]{{16,64}}(?![\w+/=.-])"
)


@cache
def _row() -> re.Pattern[str]:
    return re.compile(rf"(?m)^{_ROW.format(n='')}")


@cache
def _rows() -> re.Pattern[str]:
    first, more = _ROW.format(n="1"), _ROW.format(n="2")
    return re.compile(rf"(?m)^{first}[^\n]{{0,80}}(?:\n{more}[^\n]{{0,80}}){{1,200}}")


@cache
def _listing() -> re.Pattern[str]:
    return re.compile(
        r"device|mqtt|tokens?\b|cred|keys?\b|secret|\bapi\b|login|client|pass|auth|psk|account"
    )


@cache
def _beside() -> re.Pattern[str]:
    """Match two words of chance, of which the second may open the account of the first."""
    sign = r"(?:[/|+&:=-]|->|→|=>|–|—|and|with|then|secret|token|key|cert)"
    between = rf"(?::|[ \t]{{1,4}}(?:{sign}[ \t]{{1,4}}){{0,2}}|[ ]?[,;/|][ ]?)"
    uuid = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    mixed = r"(?=[A-Za-z_/+-]{0,24}\d)(?=[\d_/+-]{0,24}[A-Za-z])[A-Za-z0-9_/+-]{16,128}={0,2}"
    return re.compile(
        rf"(?P<id>(?<![\w.@/+-])(?!AAAA|ssh-)(?=[A-Za-z_-]{{0,20}}\d)[\w.-]{{6,"
        rf"80}}+{between}[\"'`]?)"
        rf"(?!AAAA)(?:{uuid}|{mixed})(?![\w./-])"
    )


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9_/+-]{16,}")


@cache
def _any() -> re.Pattern[str]:
    mixed = r"(?=[A-Za-z_-]{0,20}\d)(?=[\d_-]{0,20}[A-Za-z])"
    between = (
        r"(?P<by>:|/|[ ](?:[/|+]|->|→|=>)[ ]|,[ ]?|[ ](?:and|with|then|plus|und|et|y|e|и"
        r"|i)[ ](?:then[ ])?)"
    )
    return re.compile(
        rf"(?P<id>(?<![\w./:@-])(?=[A-Za-z_-]{{0,20}}\d)[\w.-]{{4,"
        rf"64}}{between}[\"'`]?){mixed}(?P<token>[A-Za-z0-9_-]{{24,128}})(?![\w./-])"
    )


@cache
def _pattern(account: str, token: str) -> re.Pattern[str]:
    between = rf"[^A-Za-z0-9](?:.{{0,{_WITHIN}}}?[^A-Za-z0-9/+])??"
    mixed = r"(?=[A-Za-z/+]*\d)(?=[\d/+]*[A-Za-z])"
    return re.compile(rf"(?s)((?<![A-Za-z0-9]){account}{between}){mixed}{token}(?![A-Za-z0-9/+])")
