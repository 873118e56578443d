"""Secrets that are known by where they stand: in an address, a header, a command, a call."""

from __future__ import annotations

import re

from milepost.text.expressions import before, compiled, lazy
from milepost.text.secrets.mark import marked_group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.secrets.signs import Signs

# What must be in a text for a pattern to be looked for, one of them if there are more, and the
# pattern; its group is the secret.
Places = tuple[tuple[str, ...], ...]

_URL = r":(?:\\*/){2}"
_ADDRESSES: Places = (
    # https://user:password@host, also inside JSON and URL-encoded; a port is no password.
    ("@", rf"{_URL}[^\s/:@\"'<>`]{{0,80}}:(?!\d{{1,5}}[/?#])([^\s\"'<>`]{{1,200}})@"),
    ("@", rf"{_URL}([A-Za-z0-9_-]{{20,200}})@"),
    ("%40", r"%3[aA]%2[fF]%2[fF][\w.-]{0,80}%3[aA]([\w.%~+-]{1,200}?)%40"),
    # user/password@database and user%password, as Oracle's and Samba's tools have them.
    ("sql", r"\b(?:sqlplus|sqlldr|rman|expdp?|impdp?)\s+(?:-\w+\s+)*\w{1,40}/([^\s\"'@/]{2,100})@"),
    ("@", r"(?<![\w/@])\w{2,30}/([^\s\"'@/]{4,100})@(?://[\w.-]+|[\w.-]+:\d{4,5})"),
    ("%", r"\s-U[ ]?[\"']?[\w\\.-]{1,60}%([^\s\"']{2,100})"),
    # A line of .pgpass: host:5432:database:user:password
    (":", (r"(?m):(?<=[\w.*-]:)(?:\d{3,5}|\*):(?![0-9a-f]{1,4}:[0-9a-f]{1,4}:)"
        r"[^:\s]{1,60}:[^:\s]{1,60}:([^\s:]\S{1,200})$")),
    # ?u=me&p=…, ?appid=…
    ("&p=", r"[?&](?:u|user|username|login)=[^&\s]{1,60}&p=([^&\s\"'<>]{4,200})"),
    *(
        (f"{name}=", (rf"(?i)[?&][\w-]{{0,12}}{name}=(?![a-z]+(?:[-_.][a-z0-9]+)+(?![\w.-]))"
            rf"(?=[^&\s]{{0,200}}\d)([\w.%~+/-]{{16,2000}})"))
        for name in ("appid", "key", "apikey", "api_key", "signature")
    ),
    # Keys of wallets and ciphers in hexadecimal.
    ("private key", (r"(?<!\w)((?:0x)?[0-9a-fA-F]{64})[\"'`]?[ ](?:is|was|=|—|-)[ ][^\n]{0,40}?\b"
        r"(?:private|secret)[ ]key")),
    ("accounts", r"\baccounts\s{0,2}[:=]\s{0,2}\[\s{0,20}[\"']((?:0x)?[0-9a-fA-F]{64})(?!\w)"),
    ("seed", "pk: ", "pk=", "pk ", "priv", "kek=", "dek=", "aes key", "aes_key", "hmac", "wallet",
        "validator", "secret ",
        (r"(?i)(?<![a-z])(?:seed|pk|sk|priv(?:key)?|kek|dek|(?:private|secret)[ ](?:key|scalar)"
        r"|(?:aes|hmac|des|cipher|wallet|validator)[ _-]?(?:private[ ])?key)"
        r"(?:[ ]?\([^)\n]{1,20}\))?(?:[ ]is)?[ :=\"'`]{1,4}((?:0x)?[0-9a-f]{32,128})(?!\w)")),
    ('"kty', "'kty", r"[\"'](?:d|p|q|dp|dq|qi|k)[\"']\s?:\s?[\"']([\w-]{20,2000})[\"']"),
    ("wif", "wallet", "bitcoin", "btc", "priv", (r"(?<!\w)((?=[A-Za-z]{0,40}\d)(?:5[HJK]"
        r"|[KLc][1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{49,50})(?!\w)")),
    *(
        (sign, (rf"(?i)(?:key|secret|passw(?:or)?d|token|\.pem|\.pass)[\w.-]{{0,20}}[`\"']?"
            rf"[ ]{sign}:?\s{{1,4}}[`\"']?(?=[^\s\"'`]{{0,80}}\d)([\w+/=.-]{{20,400}})(?![\w/])"))
        for sign in ("contains", "holds", "reads")
    ),
    ("rivate-mac", r"Private-MAC: ([0-9a-f]{40,64})(?!\w)"),
    ("client_random", r"\bCLIENT_RANDOM[ ][0-9a-fA-F]{64}[ ]([0-9a-fA-F]{96}|[0-9a-fA-F]{64})"),
    ('"oct', (r"[\"']kty[\"']\s?:\s?[\"']oct[\"'][^{}]{0,80}?"
        r"[\"']k[\"']\s?:\s?[\"']([\w-]{16,400})")),
    ("openssl", r"\bopenssl\b[^\n]{0,120}?[ ]-K[ ]([0-9a-fA-F]{16,128})"),
    ("master key", (r"(?i)\bmaster[ -]key:?\s{1,9}((?:[0-9a-f]{2}[ :\n\t]{1,9}){15,63}[0-9a-f]{2})"
        r"(?!\w)")),
    # Hashes that open what they were made for, or can be guessed from.
    ("md5", r"(?<![\w-])(md5[0-9a-f]{32})(?!\w)"),
    ("userpassword::", r"(?i)userPassword::[ ]?([A-Za-z0-9+/]{8,400}={0,2})"),
    ("grub.pbkdf2", r"(grub\.pbkdf2\.\w+\.\d+\.[0-9A-Fa-f]{16,1024}\.[0-9A-Fa-f]{16,1024})"),
    ("aqaaaa", r"(?<![\w+/])(AQAAAA[EI][A-Za-z0-9+/]{50,300}={0,2})(?![\w+/])"),
    ("0x0", r"(?<!\w)(0x0[12]00[0-9A-Fa-f]{48,140})(?!\w)"),
    ("s:", r"(?<![\w])(S:[0-9A-F]{60}(?:;[HT]:[0-9A-F]{32,160}){0,2})"),
    ("$krb5", r"(\$krb5\w{2,8}\$[^\s\"']{32,4000})"),
    ("$dcc2$", r"(\$DCC2\$\d+#[^\s#]{1,60}#[0-9a-f]{32})"),
    ("SCRAM-", r"(SCRAM-SHA-\d+\$\d+:[\w+/=$:]{20,300})"),
    ("$", r"(?<!\w)((?:scrypt|pbkdf2):[\w:]{1,40}\$[\w./+]{4,60}\$[0-9a-fA-F]{32,300})"),
    ("{", r"(?<=[\s:=\"'])(\{(?:S?SHA\d*|SMD5|MD5|CRYPT|PBKDF2[\w-]*)\}[\w+/=$.]{12,300})"),
    (":::", r"(?<=:)([0-9a-fA-F]{32}:[0-9a-fA-F]{32})(?=:::)"),
    ("::", r"(?<=::)(\w{0,40}:[0-9a-fA-F]{16,48}:[0-9a-fA-F]{32,48}(?::[0-9a-fA-F]{16,2000})?)"),
    ("$", (r"(?<![\w$])((?:sha1|sha256|md5|bcrypt_sha256|pbkdf2_\w+|scrypt|argon2)"
        r"\$[\w$]{1,60}\$[\w+/=.$]{20,300})")),
    ("hash", (r"(?i)(?:ntlm|nt|lm|(?:password|passwd|pw)[ _-]?)[ _-]?hash(?:es)?\b[^\n]{0,40}?"
        r"[ :=\"'`]((?:0x)?[0-9a-f]{32,128})(?!\w)")),
    # user:$6$…, a bcrypt or argon2 hash
    ("$", (r"(\$(?:2[abxy]|[156y789PHS]|apr1|sha1|argon2[a-z]{1,2}|pbkdf2[\w-]*|scrypt)"
        r"\$[\w./$=,+-]{16,300})")),
)  # fmt: skip

_USER = r"(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"'/]{1,80}"
_SAYING = r"(?:echo|printf)[ \t]+(?:-[a-z]+[ \t]+)?"
_INTO = r"(?:--password-stdin|--with-token|sudo -S|chpasswd|passwd)"
_GIVING = r"(?:-b|-v|--body|--value|--data|--secret-string)[ =]"
_SHOWN = (
    r"(?:pass|gopass)(?:[ ]show)?[ ][\w./@-]+|cat[ ][\w./~-]*(?:secret|password|passwd|token"
    r"|credential|\.key|pass)[\w./-]*"
    r"|(?:vault|op|bw|security|lpass)[ ](?:kv[ ]get|read|get|find-\w+|show)\b[^\n]{0,120}"
    r"|(?:echo|printenv)[ ]\"?\$?\{?\w*(?:PASS|SECRET|TOKEN|KEY|PWD)\w*\}?\"?"
    r"|[^\n]{0,160}\bsecrets?\b[^\n]{0,120}(?:base64 (?:-d|-D|--decode)"
    r"|SecretString[^\n]{0,30}|versions access[^\n]{0,60})"
    r"|(?:pwgen|openssl rand|uuidgen -s|apg|mkpasswd)\b[^\n]{0,60}"
    r"|[^\n]{0,80}(?:print-access-token|get-login-password|auth token|create "
    r"token)\b[^\n]{0,60}"
)
_COMMANDS: Places = (
    ("-u", rf"(?<=\s){_USER}:(?!\d+\b)([^\s\"'/]{{2,200}})"),
    ("/user:", r"(?i)\bnet use\b[^\n]{0,120}?/user:\S{1,60}[ ]([^\s\"'/]{2,100})"),
    ("/user:", r"(?i)\bnet use\b[^\n]{0,60}?[ ]\\\\\S{1,80}[ ]([^\s\"'/*]{2,100})[ ]/user:"),
    ("userpwd", r"(?i)USERPWD\b[\"']?[,=: ]{1,4}[\"'][^\s:\"']{1,80}:([^\s\"']{2,200})"),
    ("http", (r"http[ ](?<=\bhttp )(?:\S{1,20}[ ]){0,3}?(?:-a|--auth)[ =][^\s:\"']{1,60}:"
        r"([^\s\"']{2,200})")),
    ("lftp", r"\blftp\b[^\n]{0,60}?[ ]-u[ ]?[\"']?[^\s,\"']{1,60},([^\s\"']{2,200})"),
    ("ftp ", (r"(?m)\bs?ftp\b[^\n]{0,80}\n(?:[^\n]{0,80}\n){0,3}?user[ ]\S{1,60}[ ]"
        r"([^\s\"']{2,100})$")),
    ("<<<", (r"\b(?:kinit|cryptsetup|sudo|su|gpg|ssh-add|passwd|borg|restic)\b[^\n|;]{0,80}?<<<[ ]?"
        r"(?:\"([^\"\n]{2,200})|'([^'\n]{2,200})|([^\s\"']{2,200}))")),
    ("snmp", r"(?i)\bsnmp\w*\b[^\n]{0,60}?[ ]-c[ ]?[\"']?(?!public\b)([^\s\"']{4,100})"),
    ("community", (r"(?i)\bsnmp\w*[^\n]{0,30}\bcommunity(?:[ ]string)?(?:[ ]is)?[ :=\"']{1,3}"
        r"(?!public\b|private\b|string\b)(?=[^\s]{0,60}\d)([^\s\"']{4,100})")),
    ("sessid", "sessionid", "connect.sid", "session_id", (r"(?i)\b(?:[a-z.]{0,12}sessi?o?n?[_-]?id"
        r"|connect\.sid)\b[ :=\"'`]{1,4}(?=[^\s\"']{0,60}\d)(?![0-9a-f]{8}-[0-9a-f]{4}-)"
        r"([\w%.:-]{20,300})")),
    # What a query of one secret column shows, and what a store shows of one.
    ("select", (r"(?i)\bselect[ ]\w*(?:session_key|session_id|token|secret|api_?key|password)"
        r"\w*[ ]from[^\n]{1,120}\n(?:[^\n]{0,60}\n[ -]{2,}\n)?[ \t]*([\w.$/+=-]{12,400})")),
    ("get ", (r"(?i)>[ ](?:h?get)[ ]\S{0,60}(?:sess|token|secret|passw|api_?key)\S{0,60}\n[\"']?"
        r"([\w.%$/+=-]{12,400})")),
    ("net user", r"(?i)\bnet user[ ]\S{1,60}[ ]([^\s\"'/]{2,100})[ ]/add"),
    ("add_user", r"\badd_user[ ]\S{1,60}[ ]([^\s\"']{2,100})"),
    ("htpasswd", r"\bhtpasswd\s+-\w*b\w*\s+\S{1,100}\s+\S{1,60}\s+([^\s\"']{2,100})"),
    ("pass:", r"(?<![\w/.-])pass:([^\s\"']{2,200})"),
    ("requirepass", r"\brequirepass[ ]+[\"']?([^\s\"']{2,200})"),
    # echo … | docker login --password-stdin
    ("|", rf"{_SAYING}[\"']?([^\s\"'|$]{{2,200}})[\"']?[ \t]*\|[^\n|]{{0,80}}?{_INTO}"),
    # gh secret set NAME --body …, fly secrets set NAME=…, vault kv put path name=…
    ("secret", rf"\bsecrets?(?:manager)?\b[^\n|;]{{0,100}}?\s{_GIVING}[\"']?([^\s\"']{{2,2000}})"),
    ("secret", r"\bsecrets?[ ](?:set|put|add)\b[^\n=|;]{0,80}[ ]\w{1,60}=([^\s\"']{2,2000})"),
    ("<<<", r"(?i)\bsecrets?\b[^\n|;]{0,80}?<<<[ ]?[\"']?([^\s\"']{2,2000})"),
    ("vault", r"\bvault[ ](?:kv[ ]put|write)[ ]\S{1,120}[ ]\w{1,60}=([^\s\"'@]{2,2000})"),
    # $ pass show mail, and on the next line what it showed.
    ("\n", (rf"(?m)^[ \t]*(?:(?:[$#>%❯]|\S{{1,40}}[$#][ ])[ ]?(?:{_SHOWN})"
        rf"|kubectl[ ][^\n]{{0,160}}base64[ ]-\S+)\n([^\s$#>]{{6,4000}})[ \t]*$")),
    ("assword:", r"assword:\s?[\"'][^\n]{0,20}?\bsend\s+(?:--\s+)?[\"']([^\"'\\\n]{2,100})"),
    ("/p:", r"(?<=\s/p:)(?!\w+=)([^\s\"']{2,100})"),
    ("read -", r"\bread[ ]-\w*s\w*[ ][^\n]{0,40}<<<[ ]?[\"']?([^\s\"']{2,200})"),
    # Routers: password 7 …, secret 9 …
    ("password 7", r"(?i)\bpassword 7 ([0-9A-F]{6,100})\b"),
    ("secret ", r"\bsecret [04589] (\S{4,200})"),
    ("*", r"(?<![\w*])(\*[0-9A-F]{40})(?!\w)"),
    ("cv", r"(?i)\b(?:cvv2?|cvc2?)\b(?:[ ]is)?[ :=]{1,3}(\d{3,4})(?!\w)"),
    ("sess", (r"[sS](?<!\w[sS])(?i:ess(?:ions?)?)(?i:[ _:-](?:id|key|token|cookie))?[ :=\"'`]{1,3}"
        r"(?=[A-Za-z_-]{0,40}\d)(?=[\d_-]{0,40}[A-Za-z])(?![0-9a-f]{8}-[0-9a-f]{4})([\w-]{24,200})"
        r"(?![\w.-])")),
    *(
        (sign, (rf"(?i)\b{sign}[ -]?(?:code|pin|token|passcode|number)\b"
            rf"[^\n\d.]{{0,25}}?(\d{{6,8}})(?![\w.])"))
        for sign in ("2fa", "two-factor", "verification", "confirmation", "security", "one-time")
    ),
    ("combination", r"(?i)\bcombination\b[^\n\d]{0,30}?(\d{1,2}(?:[- ]\d{1,2}){2,3})(?!\d)"),
    ("oathtool", r"\boathtool\b[^\n]{0,200}\n(\d{6,8})(?!\d)"),
    ("userlist", r"(?m)^\"[\w.-]{1,60}\"[ \t]\"([^\"\n]{4,200})\"[ \t]*$"),
    ("bindpw", r"(?m)\bbindpw[ \t]+([^\s\"']{2,200})"),
    ("totp", r"(?i)\b(?:--totp|totp)\b[^\n]{0,30}?[ =]([A-Z2-7]{16,128})(?![A-Za-z0-9])"),
    ("SecureString", r"ConvertTo-SecureString\s+(?:-String\s+)?[\"']([^\"'\n]{2,200})"),
    ("identified", r"(?i)\bidentified\s+(?:with\s+\w+\s+)?by\s+[\"']([^\"'\n]{2,200})"),
)  # fmt: skip

_HEADER = r"(?i)authorization[\"']?[:=,]\s?[\"'`]?"
_PROGRAMS: Places = (
    ("earer", r"[bB](?<!\w[bB])(?i:earer)[ \t]+(?=[^\s\"']{0,200}\d)([\w.~+/=-]{8,2000})"),
    # A header of any scheme; one with parts of its own is hidden to the end of its line.
    ("uthorization", rf"{_HEADER}(?:digest|hawk|oauth|mac|aws4-[\w-]+)[ ]([^\n]{{8,4000}})"),
    ("uthorization", rf"{_HEADER}[a-z][\w-]{{1,30}}[ ](?=\S{{0,200}}\d)([\w.~+/=:-]{{8,2000}})"),
)  # fmt: skip

_DIGITS = r"\d{4,8}|\d{3}[ -]\d{3}"
_MIXED = r"(?=[^\s/]*\d|[^\s/]*[!#$%^*])([^\s\"'`/<>]{6,100})"
_AS = r"(?:[ ](?:with|as|using|is|are|of|for|via))?[ :=]{1,3}[\"'`]?[\w.@+-]{2,40}[ ]?[/:][ ]?"
_NAMED = r"(?:the|my|our|his|her|their)[ ][\w ]{0,30}(?:password|passphrase|token|secret|api key)\b"
_PROSE: Places = (
    # log in as admin/…, creds are deploy:…, admin / … to log in
    *(
        (sign, rf"(?i)\b{login}{_AS}(?![/\\]){_MIXED}(?![\w/])")
        for sign, login in (
            ("ogin", "login"), ("og in", "log in"), ("cred", "(?:creds|credentials)"),
        )
    ),
    (" to log", " for log", (r"(?i)(?<![\w.@-])[\w.@-]{2,40}[ ]?/[ ]?([^\s/]{6,100})"
        r"[ ](?:to|for)[ ]log")),
    # "…" is the password
    (" is ", rf"(?i)[\"'`](?=[^\"'`\n]*[\d!#$%^*])([^\"'`\n]{{4,60}})[\"'`] is {_NAMED}"),
    (" is your", rf"(?i)(?<!\w)({_DIGITS})[ ]is[ ]your[ ][\w ]{{0,30}}code\b"),
    ("2fa", "mfa", "otp", rf"(?i)\b(?:2fa|mfa|otp)[ ]?[:=][ ]?({_DIGITS})(?!\w)"),
    *(
        (name, rf"(?i)(?<![a-z]){name}(?:[ ]code)?[ ](?:is|was)[ :]{{1,2}}(\d{{4,8}})(?!\w)")
        for name in ("pin", "otp", "passcode")
    ),
)  # fmt: skip
PLACES = tuple(
    (sign, pattern)
    for *signs, pattern in (*_ADDRESSES, *_COMMANDS, *_PROGRAMS, *_PROSE)
    for sign in signs
)
# The flag by which a command is told a password, and the commands.
FLAGS = {
    "-p": r"mysql[a-z]{0,9}|mariadb[a-z-]{0,9}|mongo[a-z]{0,9}|useradd|usermod|sshpass|plink"
    r"|pscp|login|cqlsh|7za?|unrar|rar|rdesktop|psexec(?:\.exe)?|mstsc|vncviewer|wmic|evil-winrm"
    r"|crackmapexec|netexec|az|oc|xfreerdp|smbclient",
    "-P": r"sqlcmd|mosquitto_\w{2,5}|bcp|zip|unzip|tsql|isql|ipmitool",
    "-a": r"redis-cli",
    "-N": r"ssh-keygen",
    "-w": r"ldap[a-z]{3,9}",
    "-k": r"openssl\s+enc",
}
# A variable, a placeholder or a gap stands where the secret will be.
_HOLLOW = lazy(
    r"(?i:pass|password|passwd|pwd|pw|token|secret)"
    r"|\$[A-Za-z_({][^$]*|\{.*\}|<.*>|\*+|%\w+%?|\[.*\]|\.\.\.|…,?|x+"
)


def hide(text: str, signs: Signs) -> str:
    """Return a text in which what stands in the place of a secret is replaced."""
    for number in signs.places:
        if number < len(PLACES):
            text = compiled(PLACES[number][1]).sub(_replacement, text)
    for flag, commands in FLAGS.items():
        if flag in text:
            text = _without_flagged(text, flag, commands)
    return text


def _without_flagged(text: str, flag: str, commands: str) -> str:
    """Return a text without what some commands are told by a flag."""
    more = "w?" if flag == "-p" else ""
    value = (
        rf"(?<=\s){flag}{more}[ =]?(?:[\"'](?=[^\"'\n]*[\"'])"
        rf"|(?![\"'\s<-]))((?<=[\"'])[^\"'\n]{{2,200}}|[^\s\"'|;]{{2,200}})"
    )
    command = compiled(rf"\b(?:{commands})\b")

    def replacement(match: re.Match[str]) -> str:
        start = match.start() - len(before(match, 160).rpartition("\n")[2])
        known = command.search(match.string, start, match.start())
        return _replacement(match) if known else match[0]

    return compiled(value).sub(replacement, text)


def _replacement(match: re.Match[str]) -> str:
    number = match.lastindex or 1
    secret = match[number]
    if secret[0] in "${<*%[.…xptsPTS" and _HOLLOW.fullmatch(secret):
        return match[0]
    return marked_group(match, number)
