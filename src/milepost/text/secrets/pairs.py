"""Tokens that are known by the account they belong to: an id of known shape, and its token near."""

from __future__ import annotations

import re

from milepost.text.expressions import before, compiled, lazy
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
_ABOUT = "api token secret cred account auth key client app sid login konto".split()
_OTHERS = ("sha", "commit", "base64", "arn:")
_JOINING = frozenset(
    "/ | + & : = - -> → => – — and with then plus und et y e и i secret token key cert".split()
)
# Services that give an account an id and a secret; their names are told before a pair.
_SERVICES = frozenset(
    "twilio vonage nexmo plivo telnyx sinch messagebird bandwidth algolia scaleway cloudflare r2 "
    "backblaze b2 wasabi minio spaces storj s3 aws aliyun alibaba tencent qcloud huawei ovh "
    "hetzner linode vultr upcloud exoscale confluent kafka cloudkarafka upstash spotify strava "
    "fitbit garmin reddit twitter twitch discord lark feishu dingtalk wechat line kakao naver "
    "paypal braintree adyen razorpay paystack flutterwave mollie klarna checkout square plaid "
    "dwolla wise auth0 okta onelogin keycloak cognito azure entra google github gitlab bitbucket "
    "jira pusher ably pubnub agora zoom vimeo mux imgur unsplash flickr mailjet mailgun mailchimp "
    "sendgrid postmark sparkpost ses trello asana clickup hubspot salesforce zendesk intercom "
    "segment mixpanel amplitude datadog newrelic honeycomb sentry snyk sonar docusign dropbox box "
    "linkedin facebook instagram tiktok bitly godaddy namecheap porkbun gandi dnsimple binance "
    "kraken coinbase bitfinex kucoin bybit okx alpaca edamam amadeus skyscanner betfair "
    "shippo".split()
)
_ROW = (
    r"(?P<id{n}>[ \t]*(?:[-*•][ ])?[A-Za-z][\w.@-]{{2,40}}(?:[ \t]{{1,12}}|[ ]?[|:;,=][ ]?))"
    r"(?=[A-Za-z]{{0,30}}\d)(?=[a-z0-9]{{0,30}}[A-Z])(?=[A-Z0-9]{{0,30}}[a-z])"
    r"[A-Za-z0-9]{{16,64}}(?![\w+/=.-])"
)
_ONE_ROW = lazy(rf"(?m)^{_ROW.format(n='')}")
_ROWS = lazy(
    rf"(?m)^{_ROW.format(n='1')}[^\n]{{0,80}}(?:\n{_ROW.format(n='2')}[^\n]{{0,80}}){{1,200}}"
)
_LISTING = lazy(
    r"device|mqtt|tokens?\b|cred|keys?\b|secret|\bapi\b|login|client|pass|auth|psk|account"
)
_TOKEN = lazy(r"[A-Za-z0-9_/+-]{16,}")
# Two words of chance, of which the second may open the account of the first.
_BESIDE = lazy(
    r"(?P<id>(?<![\w.@/+-])(?!AAAA|ssh-)(?=[A-Za-z_-]{0,20}\d)[\w.-]{6,80}+(?::|[ \t]{1,4}"
    r"(?:(?:[/|+&:=-]|->|→|=>|–|—|and|with|then|secret|token|key|cert)[ \t]{1,4}){0,2}"
    r"|[ ]?[,;/|][ ]?)[\"'`]?)(?!AAAA)(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=[A-Za-z_/+-]{0,24}\d)(?=[\d_/+-]{0,24}[A-Za-z])[A-Za-z0-9_/+-]{16,128}={0,2})(?![\w./-])"
)
_ANY = lazy(
    r"(?P<id>(?<![\w./:@-])(?=[A-Za-z_-]{0,20}\d)[\w.-]{4,64}(?P<by>:|/|[ ](?:[/|+]|->|→|=>)[ ]"
    r"|,[ ]?|[ ](?:and|with|then|plus|und|et|y|e|и|i)[ ](?:then[ ])?)[\"'`]?)"
    r"(?=[A-Za-z_-]{0,20}\d)(?=[\d_-]{0,20}[A-Za-z])(?P<token>[A-Za-z0-9_-]{24,128})(?![\w./-])"
)


def without_paired(text: str) -> str:
    """Return a text in which the token beside an account's id is replaced."""
    for sign, account, token in _PAIRS:
        if sign in text:
            text = compiled(_pair(account, token)).sub(rf"\1{SECRET}", text)
    if any(map(_may_open, _TOKEN.finditer(text))):
        text = _BESIDE.sub(_of_service, _ANY.sub(_of_account, text))
        if "\n" in text:
            text = _ROWS.sub(_rows, text)
    return text


def _pair(account: str, token: str) -> str:
    between = rf"[^A-Za-z0-9](?:.{{0,{_WITHIN}}}?[^A-Za-z0-9/+])??"
    mixed = r"(?=[A-Za-z/+]*\d)(?=[\d/+]*[A-Za-z])"
    return rf"(?s)((?<![A-Za-z0-9]){account}{between}){mixed}{token}(?![A-Za-z0-9/+])"


def _may_open(token: re.Match[str]) -> bool:
    """Whether what stands right before a long word could be an id, and what joins them."""
    head = before(token, 40).rstrip("\"'`")
    if "/" in token[0] or head.endswith((":", "/", ",", ";", "|")):
        return True
    last = head.split()[-1:]
    return bool(last) and (last[0].lower() in _JOINING or any(map(str.isdigit, last[0])))


def _of_account(match: re.Match[str]) -> str:
    """Return what is left of a pair, if an account or the like is told of in its line."""
    text = match.string
    start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - 80)
    line = text[start : match.end()].lower()
    alike = match["by"] == ":" and len(match["id"]) > 24
    if match["by"].strip() in ("→", "->", "=>"):
        alike = not re.fullmatch(r"[0-9a-f-]*", match["token"])
    if any(word in line for word in _OTHERS):
        return match[0]
    return f"{match['id']}{SECRET}" if alike or any(word in line for word in _ABOUT) else match[0]


def _of_service(match: re.Match[str]) -> str:
    """Return what is left of a pair, if a service is named right before it."""
    line = before(match, 50).rpartition("\n")[2].lower()
    words = re.split(r"[^a-z0-9]+", line)
    if "arn:" in line or _SERVICES.isdisjoint(words[-5:]):
        return match[0]
    return f"{match['id']}{SECRET}"


def _rows(match: re.Match[str]) -> str:
    """Return lines of names and words of chance, if what is listed so is told of before them."""
    if not _LISTING.search(before(match, 80).lower()):
        return match[0]
    return _ONE_ROW.sub(rf"\g<id>{SECRET}", match[0])
