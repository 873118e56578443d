"""A newer statement overturns an older one only where it surely speaks of the same."""

import pytest

from milepost.text.overturning import may_overturn, overturns


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Let's move from Redux Toolkit to Zustand.", "I'm going with Redux Toolkit, it's boring."),
        ("replace the redis quote cache by a table", "lets cache quotes in redis, ttl 300 s"),
        ("make the tries 10 actually, six is too few", "polling every 2 s, give up after 6 tries"),
        ("let's change the budget from 180 to 220 kB", "The build has a budget of 180 kB."),
        ("Max 4 per booking should be 6, families!", "cap the seats at max 4 per booking"),
        ("Der Warenkorb soll doch 30 Tage leben statt 14", "Warenkorb hält künftig 14 Tage."),
        ("orders_daily passe à 06:30 au lieu de 04:00", "orders_daily corre a las 04:00"),
        ("drop loguru for logging, take structlog", "Logging goes through loguru"),
        ("Memcached is out, sessions are in Postgres now", "Sessions are kept in Memcached."),
        ("images: S3 → Cloudflare R2", "Images are stored in S3"),
        ("use Kustomize instead of Helm for deployment", "We decided to deploy with Helm."),
        ("Loki fliegt raus, die Logs gehen jetzt an Elastic", "Für die Logs nehmen wir Loki"),
        ("On n'utilise plus Helm, on déploie avec Kustomize", "On déploie avec Helm"),
        ("Cambia Redis por Kafka para la cola", "Usamos Redis para la cola"),
        ("Переходим с Jenkins на GitLab для CI", "Для CI используем Jenkins"),
        ("队列从 Redis 换成 Kafka", "队列用 Redis"),
        ("キューはRedisではなくKafkaにしよう", "キューにはRedisを使う"),
    ],
)
def test_what_is_changed_is_overturned(new: str, old: str) -> None:
    assert overturns(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("change the carrier timeout to 4 s, checkout gives up after 5", "give up after 6 tries"),
        ("le bucket est purgé au bout de 7 jours", "le week-end prend le dernier jour (3 jours)"),
        ("replace pip by uv", "never use pip on the host, the image has its own"),
        ("sube los reintentos de 1 a 3", "Loads replace the day instead of appending"),
        ("use tabs instead of spaces", "prices are rounded half up"),
        ("make the tries 10", "give up after 10 tries"),
        ("replace Redis by Kafka for the queue", "We use Redis for caching"),
        ("replace Redis by Valkey for the sessions", "We use Kafka instead of Redis for the queue"),
        ("replace the Redis queue by Kafka", "We decided against Redis for the queue"),
        ("replace MySQL by Postgres in the order service", "We use MySQL for reporting"),
        ("replace foo() by bar() in utils.py", "utils.py has foo() to parse dates"),
        ("replace the tab by a space in line 12", "We indent with tabs in Makefiles"),
        ('replace "Sorry" with "We are sorry" on the 404 page', "The error page says Sorry"),
        ("Max 4 per booking should be 6", "Finance closes the books on the 4th"),
        ("Remplace Redis par Kafka pour la file", "On utilise Redis pour le cache"),
        ("队列从 Redis 换成 Kafka", "缓存用 Redis"),
    ],
)
def test_what_is_not_spoken_of_stays(new: str, old: str) -> None:
    assert not overturns(new, old)


def test_who_names_only_the_old_and_the_new_may_mean_a_choice() -> None:
    assert may_overturn("let's move from npm to pnpm", "We use npm")
    assert may_overturn("Replace Jest by Vitest.", "We chose Jest as the test runner.")
    assert may_overturn("We're moving to Vitest instead of Jest.", "We chose Jest as the runner.")
    assert may_overturn("Replace Bcrypt by Argon2id.", "We decided to use Bcrypt for passwords.")
    assert may_overturn("Migrate from Heroku to Fly.io", "We decided to host on Heroku.")
    assert may_overturn("swap Celery out for Dramatiq", "Let's go with Celery for background jobs")
    assert may_overturn("Remplaçons Selenium par Playwright", "On teste avec Selenium")
    assert not may_overturn("the queue moves from Redis to Kafka", "We use Redis for caching")
    assert not may_overturn("replace the tabs by spaces", "We use tabs")
    assert not may_overturn("Use FastAPI for the admin tool, not Flask.", "We use Flask")
    assert not may_overturn("Replace Jest.fn by vi.fn", "We chose Jest as the test runner.")
