"""Which forms of a word, of a name and of a compound find each other, and which do not."""

import pytest

from milepost.text.words import question_terms, stem, terms

MEET = """
API/APIs ID/IDs URL/URLs PR/PRs DB/DBs VM/VMs GPU/GPUs CLI/CLIs PDF/PDFs SDK/SDKs RPC/RPCs UI/UIs
api/apis id/ids url/urls pr/prs db/dbs vm/vms gpu/gpus cli/clis ad/ads tv/TVs cpu/cpus ip/IPs
menu/menus bus/buses status/statuses virus/viruses bonus/bonuses alias/aliases bias/biases gas/gases
wiki/wikis taxi/taxis emoji/emojis canvas/canvases index/indices matrix/matrices child/children
analysis/analyses analysis/analysed box/boxes cache/caches class/classes key/keys fee/fees eye/eyes
hero/heroes movie/movies library/libraries quiz/quizzes woman/women pie/pies tree/trees
use/used use/using use/uses try/tried try/trying try/tries need/needed see/seeing die/died die/dying
age/aged add/added go/going go/goes hope/hoping stop/stopping code/coding size/sizing plan/planned
write/writing write/wrote buy/bought send/sent run/ran build/built break/broken take/taken
agree/agreed agree/agreeing embed/embedded queue/queued value/valued control/controlled
travelled/traveled dry/dried family/families copy/copied deny/denies free/freed
easy/easily final/finally possible/possibly automatic/automatically safe/safely high/highly
install/installation configure/configuration validate/validation document/documentation
generate/generation locate/location migrate/migration create/creation optimize/optimization
migrate/migrating separate/separately
userName/user_name userName/username user-name/username time-out/timeout set-up/setup e-mail/email
utf-8/utf8 IDs/userIds getUserById/user max_retries/retry kebab-case-name/kebabCaseName
HTTPServer2/server v1.2.3/1.2.3 foo::bar/bar node_modules/module src/set-up/main.py/setup.py
""".split()

APART = """
news/new bus/bu us/u his/hi this/thi process/proces is/i was/wa has/ha yes/ye its/it gas/ga as/a
ios/io dns/dn aws/aw css/cs tls/tl ide/id pie/pi status/stat plus/plu thus/thu care/car come/com
pre/pr paste/past formation/format none/non mode/mod hope/hop site/sit wine/win state/stats
bite/bit cute/cut pipe/pip cape/cap
hoping/hopping feed/fee seed/see need/nee evening/even string/str thing/th bed/b embed/emb
import/important experience/experiment general/generate option/opt version/vers station/stat
custom/customer form/format organ/organization universe/university habit/habitat
""".split()


def pairs(lines: list[str]) -> list[tuple[str, str]]:
    """Divide at the last stroke, for paths have strokes."""
    return [(one, other) for one, _, other in (line.rpartition("/") for line in lines)]


@pytest.mark.parametrize(("one", "other"), pairs(MEET))
def test_forms_of_a_word_meet_whichever_asks(one: str, other: str) -> None:
    for asked, told in ((one, other), (other, one)):
        alike = {term for _, found in question_terms(asked) for term in found}
        assert alike & set(terms(told)), (asked, told)


@pytest.mark.parametrize(("one", "other"), pairs(APART))
def test_words_that_only_look_alike_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("user name", "the username is taken"),
        ("how do we set up the cluster", "cluster setup takes an hour"),
        ("time out", "the timeout is 30 s"),
        ("log in", "login fails"),
        ("white list", "add it to the whitelist"),
    ],
)
def test_what_a_question_writes_in_two_words_is_found_in_one(question: str, memory: str) -> None:
    alike = {term for _, found in question_terms(question) for term in found}

    assert len(alike & set(terms(memory))) > 0


def test_both_words_of_a_compound_are_met_by_it() -> None:
    asked = dict(question_terms("user name"))

    assert "usernam" in asked["user"]
    assert "usernam" in asked["name"]


def test_a_question_of_empty_words_alone_keeps_them() -> None:
    assert [word for word, _ in question_terms("who is it")] == ["who", "is", "it"]


def test_a_run_of_letters_that_is_no_word_takes_no_time() -> None:
    letters = "a" * 90_000 + "ation"

    assert terms(letters) == [letters]
    assert terms(f"und nicht {letters}")
