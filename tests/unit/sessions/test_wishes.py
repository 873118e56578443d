"""What a user asks in plain words to be remembered is heard; orders for now are not."""

import pytest

from milepost.sessions.wishes import wished

FORWARD = """
please remember that the staging database is shared with QA|the staging database is shared with QA
note for later: the customs service is down on Sundays|the customs service is down on Sundays
don't forget: nothing is deployed on Thursdays|nothing is deployed on Thursdays
you keep forgetting that all texts go through en.ts|all texts go through en.ts
Merk dir bitte, dass Preise brutto gespeichert werden|Preise brutto gespeichert werden
Garde en tête que la finance clôture le 3|la finance clôture le 3
Recuerda que las alertas van a Slack|las alertas van a Slack
Não esqueça que o limite é 500 por hora|o limite é 500 por hora
Ricordati che il server è condiviso con QA|il server è condiviso con QA
Onthoud dat de database gedeeld wordt|de database gedeeld wordt
Zapamiętaj, że testy odpalamy przez make|testy odpalamy przez make
Pamatuj si, že databáze je sdílená|databáze je sdílená
Запомни, что прод обновляем по вторникам|прод обновляем по вторникам
Запам'ятай, що стейджинг спільний з QA|стейджинг спільний з QA
Staging veritabanı QA ile ortak, bunu unutma|Staging veritabanı QA ile ortak
请记住，测试数据库是共享的|测试数据库是共享的
ステージングはQAと共有なので、忘れないでください|ステージングはQAと共有なので
스테이징은 QA와 공유하니까 꼭 기억해 줘|스테이징은 QA와 공유하니까
تذكر أن قاعدة البيانات مشتركة مع الفريق|قاعدة البيانات مشتركة مع الفريق
"""

HABITS = """
remember to run make lint before each commit|run make lint before each commit
please remember to always run the linter|always run the linter
don't forget to bump the version before a release|bump the version before a release
you keep forgetting to close the db connection|close the db connection
you keep forgetting the license header in new files|you keep forgetting the license header in new files
Vergiss nicht, vor jedem Commit zu testen|Vergiss nicht, vor jedem Commit zu testen
N'oublie pas de lancer make lint avant chaque commit|lancer make lint avant chaque commit
Tu oublies toujours de fermer la connexion à la base|fermer la connexion à la base
No olvides ejecutar el linter antes de cada commit|ejecutar el linter antes de cada commit
Pamiętaj, żeby przed każdym commitem uruchomić lintera|przed każdym commitem uruchomić lintera
Не забудь запускать тесты перед каждым релизом|запускать тесты перед каждым релизом
Her commit'ten önce linter çalıştırmayı unutma|Her commit'ten önce linter çalıştırmayı unutma
每次发布前记得更新版本号|每次发布前记得更新版本号
"""  # noqa: E501 -- a prompt and what it means


@pytest.mark.parametrize("line", FORWARD.strip().splitlines() + HABITS.strip().splitlines())
def test_a_wish_in_plain_words_is_heard(line: str) -> None:
    prompt, _, meant = line.partition("|")

    assert list(wished(prompt)) == [meant]


@pytest.mark.parametrize(
    "prompt",
    [
        "remember to run the tests",
        "don't forget to commit",
        "do you remember that bug?",
        "n'oublie pas de lancer les tests",
        "Не забудь запустить тесты.",
        "I remember that it was slow",
        "remember that whoever sleeps buys lunch for the whole team :)",
        "---\nPlan\n1. Remember that Python is pinned to 3.9.\n---",
    ],
)
def test_orders_questions_jokes_and_pasted_words_are_no_wishes(prompt: str) -> None:
    assert list(wished(prompt)) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "add a function that will remember the last window size",
        "make the form remember the last tab",
        "the app should remember the user",
        "add a remember me checkbox to the login page",
        "we send a mail so people don't forget to renew their licence",
        "Das Formular soll sich den letzten Tab merken.",
        "ajoute une option qui mémorise le dernier onglet ouvert",
        "haz que el formulario recuerde la última pestaña",
        "fai in modo che l'app ricorda l'ultima scheda aperta",
        "让表单记住上次打开的标签页",
        "앱이 사용자를 기억해야 합니다",
        "يجب أن يتذكر التطبيق المستخدم الأخير",
    ],
)
def test_what_a_program_shall_remember_is_work(prompt: str) -> None:
    assert list(wished(prompt)) == []


def test_a_wish_may_point_back_to_what_was_just_said() -> None:
    prompt = "lol. bare dates always go through toDay. Remember that, please."

    assert list(wished(prompt)) == ["bare dates always go through toDay."]


def test_a_wish_may_point_back_to_what_the_agent_said() -> None:
    answer = "Done. The test needs PYTHONPATH=. since the root is not on the path of airflow there."

    assert list(wished("Perfecto. Acuérdate de eso para la próxima vez", answer)) == [
        "The test needs PYTHONPATH=. since the root is not on the path of airflow there."
    ]


def test_what_the_agent_found_out_is_meant_and_not_the_words_that_point_at_it() -> None:
    answer = "Found it. The hang comes from the pool, which waits for a connection it holds itself."
    prompt = "What you just found out about the hang: write that down"

    assert list(wished(prompt, answer)) == [
        "The hang comes from the pool, which waits for a connection it holds itself."
    ]
    assert list(wished(prompt)) == []


def test_impatience_and_orders_are_no_part_of_what_is_remembered() -> None:
    assert list(wished("Jetzt merk dir endlich, dass wir yarn benutzen")) == ["wir yarn benutzen"]
    assert list(wished("remember that we use yarn here, do it now")) == ["we use yarn here"]
