"""What was stated and what is said of it later, by whether that takes its place.

Written before the rules for them; a third is in other languages than English.
"""

from __future__ import annotations

# The new one takes the place of the old one.
REPLACED: list[tuple[str, str]] = [
    ("We chose Mocha as the test framework.", "Replace Mocha by Ava."),
    ("We decided to use Sass for the styles.", "Replace Sass with Tailwind."),
    ("Let's use RabbitMQ for the events", "swap RabbitMQ out for NATS"),
    ("We decided to deploy on Netlify.", "Migrate from Netlify to Render.com"),
    ("We picked Webpack as the bundler.", "We're moving to Vite instead of Webpack."),
    ("We store images in MinIO.", "Drop MinIO, we take S3 for images."),
    ("Let's go with Moment for dates", "Actually, let's replace Moment with Luxon"),
    ("We agreed on Scrypt for the key derivation.", "Replace Scrypt by PBKDF2."),
    ("We use Sentry for error tracking.", "switch from Sentry to GlitchTip"),
    ("We decided to write the CLI in Go.", "Let's write the CLI in Rust instead of Go."),
    ("We use Yarn.", "we're switching from Yarn to Bun"),
    ("We chose Express as the web framework.", "Throw out Express and use Fastify."),
    ("We'll use Auth0 for login.", "We no longer use Auth0 for login, it is Keycloak now."),
    (
        "Let's keep the feature flags in LaunchDarkly.",
        "get rid of LaunchDarkly, use Unleash for the feature flags",
    ),
    ("We decided to send mail through Mailgun.", "Mailgun is out, mail goes through Postmark now."),
    (
        "We host the docs on Read the Docs.",
        "Please move the docs from Read the Docs to GitHub Pages.",
    ),
    ("We use Travis for CI.", "ditch Travis, CI runs on Buildkite from now on"),
    (
        "We agreed to use Cypress for the end-to-end tests.",
        "We've decided to go with Playwright over Cypress.",
    ),
    ("The API returns XML.", "Let's return JSON instead of XML from the API."),
    ("We decided to use LevelDB as the store.", "Swap LevelDB for RocksDB."),
    ("We use Alpine as the base image.", "No more Alpine, use Debian slim as the base image."),
    ("Let's use Pandas for the reports", "Nope, Polars instead of Pandas for the reports"),
    ("We settled on Terraform for the infrastructure.", "Rip out Terraform, we go with Pulumi."),
    ("We decided to use Black as the formatter.", "Use Ruff as the formatter, not Black."),
    ("We chose Datadog for metrics.", "we stopped using Datadog, metrics go to Prometheus"),
    ("We decided to cache in Memcached.", "Change the cache from Memcached to Valkey."),
    ("Our queue is SQS.", "Replace SQS with Pub/Sub for the queue."),
    ("Wir haben uns für Gulp als Build-Werkzeug entschieden.", "Ersetze Gulp durch esbuild."),
    ("Wir nutzen Jenkins für die CI.", "Wir wechseln von Jenkins zu Woodpecker."),
    (
        "Wir haben beschlossen, Sessions in MySQL zu speichern.",
        "Tausche MySQL gegen Redis für die Sessions.",
    ),
    (
        "Wir nehmen Bootstrap fürs Frontend.",
        "Statt Bootstrap nehmen wir jetzt Bulma fürs Frontend.",
    ),
    ("Wir deployen mit Ansible.", "Weg mit Ansible, wir deployen mit Nomad."),
    ("Nous avons choisi Angular pour le front.", "Remplace Angular par Svelte."),
    ("On utilise Mongo pour les commandes.", "On passe de Mongo à Postgres pour les commandes."),
    ("On a décidé d'héberger sur OVH.", "On quitte OVH pour Scaleway."),
    ("On utilise Gulp pour le build.", "Laisse tomber Gulp, on prend Vite pour le build."),
    (
        "Hemos decidido usar Rollbar para los errores.",
        "Cambia Rollbar por Sentry para los errores.",
    ),
    ("Usamos Express en la API.", "Sustituye Express por Fastify en la API."),
    ("Elegimos Bitbucket para el código.", "Migramos de Bitbucket a GitLab."),
    ("Desplegamos en Heroku.", "Ya no desplegamos en Heroku, ahora en Railway."),
]

# In the next prompt of the same session: what "it" is was said before.
REPLACED_IT: list[tuple[str, str]] = [
    ("use SQLite for the job queue", "Actually, change that to Redis."),
    ("We log with loguru.", "hmm, make that structlog instead"),
    ("Use Cassandra for the event log.", "on second thought make it ScyllaDB"),
    ("store the tokens in a cookie", "No, change it to local storage."),
    ("Wir nehmen Elasticsearch für die Suche.", "Mach das lieber mit Meilisearch."),
    ("Utilise Puppeteer pour les captures.", "Non, remplace-le par Playwright."),
    ("Usa Mongo para las sesiones.", "Mejor cámbialo a Redis."),
]

# What was stated holds on.
HOLDS: list[tuple[str, str]] = [
    ("We use Redis for the sessions.", "Replace Redis by Kafka for the queue."),
    ("We chose Mocha as the test framework.", "Should we replace Mocha by Ava?"),
    (
        "We decided to use Sass for the styles.",
        "If we replace Sass with Tailwind, the build gets faster.",
    ),
    (
        "We use Sentry for error tracking.",
        "Replace the call to sentry.init by our wrapper in app.py",
    ),
    (
        "We picked Webpack as the bundler.",
        "In the README, replace Webpack by webpack (lower case).",
    ),
    (
        "We use Postgres for orders and for invoices.",
        "What would it take to move from Postgres to MySQL?",
    ),
    ("We decided to deploy on Netlify.", "How do people migrate from Netlify to Render?"),
    ("Let's go with Moment for dates", "rename moment to when in the parser"),
    ("We use Auth0 for login.", "The old blog post says: replace Auth0 with Cognito."),
    ("We use Yarn.", "change the yarn lockfile path from ./a to ./b"),
    ("We never use Pandas in the API.", "Replace Pandas by Polars in the notebook."),
    ("We chose Datadog for metrics.", "Maybe we could swap Datadog for Prometheus one day."),
    ("The API returns XML.", "Replace the XML fixture by a JSON one in the importer test."),
    ("We store images in MinIO.", "Drop the MinIO bucket test-1, it is empty."),
    ("We decided to use Black as the formatter.", "Swap the black logo for the white one."),
    ("Wir nutzen Jenkins für die CI.", "Sollen wir Jenkins durch Woodpecker ersetzen?"),
    ("Wir speichern Sessions in MySQL.", "Ersetze MySQL durch SQLite in den Unit-Tests."),
    ("Nous avons choisi Angular pour le front.", "Et si on remplaçait Angular par Svelte ?"),
    ("Usamos Express en la API.", "Cambia el nombre de express a server en app.js."),
    ("Hemos decidido usar Rollbar para los errores.", "¿Cambiamos Rollbar por Sentry?"),
]
HOLDS_IT: list[tuple[str, str]] = [
    ("use SQLite for the job queue", "Rename the worker. Actually, change that to plural."),
    ("We log with loguru.", "what if we make that structlog instead?"),
    ("Use Cassandra for the event log.", "The title says Evnt, change it to Event."),
    ("We deploy with Helm.", "make it faster"),
    ("Wir nehmen Elasticsearch für die Suche.", "Der Button ist rot, änder das auf blau."),
]

# Written when the rules were made, and not looked at again: what holds is made to be mistaken.
UNSEEN_REPLACED: list[tuple[str, str]] = [
    ("We decided to use Prisma as the ORM.", "Replace Prisma with Drizzle."),
    ("We use Stripe for payments.", "We're leaving Stripe, payments go through Adyen."),
    ("Let's go with Flask for the API", "nah, FastAPI rather than Flask for the API"),
    ("We chose Kibana for the dashboards.", "Kibana is gone, we use Grafana for the dashboards."),
    (
        "We decided to write the docs in AsciiDoc.",
        "Let's switch the docs from AsciiDoc to Markdown.",
    ),
    ("We use tox for the test matrix.", "swap tox for nox"),
    ("We host on DigitalOcean.", "we are migrating away from DigitalOcean to Hetzner"),
    ("We agreed on UUIDv4 for the ids.", "Use UUIDv7 for the ids instead of UUIDv4."),
    ("The mobile app uses Redux.", "Move the mobile app off Redux, take Zustand."),
    ("Let's use Chalk for colours", "replace chalk by picocolors"),
    ("Wir haben uns für Kafka entschieden.", "Ersetzt Kafka durch Pulsar."),
    ("Wir verwenden Maven für den Build.", "Kein Maven mehr, der Build läuft mit Gradle."),
    ("Nous utilisons Sentry pour les erreurs.", "Remplaçons Sentry par Bugsnag pour les erreurs."),
    ("On déploie sur Clever Cloud.", "On migre de Clever Cloud vers Fly."),
    ("Usamos Jest para las pruebas.", "Reemplaza Jest por Vitest."),
    ("Hemos decidido alojar en Azure.", "Pasamos de Azure a Hetzner."),
]
UNSEEN_HOLDS: list[tuple[str, str]] = [
    ("We use Stripe for payments.", "Replace the Stripe test key in .env by the new one."),
    ("We decided to use Prisma as the ORM.", "Replace Prisma.User by User in types.ts"),
    ("We use Redis for caching.", "Drop Redis keys older than a week."),
    ("We use Flask for the API.", "Use FastAPI for the admin tool, not Flask."),
    ("We chose Kibana for the dashboards.", "Kibana is out of memory."),
    ("We use Make for the build.", "Use the new parser instead of the old one and make it fast."),
    ("We host on DigitalOcean.", "The tutorial says to swap DigitalOcean for AWS."),
    ("Let's use Chalk for colours", "what happens if I replace chalk by picocolors"),
    ("We agreed on UUIDv4 for the ids.", "Change the column name from ids to keys."),
    (
        "We decided to write the docs in AsciiDoc.",
        "convert intro.adoc from AsciiDoc to Markdown as a trial, just that file",
    ),
    ("We use tox for the test matrix.", "I wonder whether we could swap tox for nox"),
    ("Wir verwenden Maven für den Build.", "Statt Maven zu erklären, verlinke die Doku."),
    ("Wir haben uns für Kafka entschieden.", "Was kostet es, Kafka durch Pulsar zu ersetzen?"),
    ("On déploie sur Clever Cloud.", "Remplace la bannière Clever Cloud par le nouveau logo."),
    ("Usamos Jest para las pruebas.", "Cambia el título de Jest a Pruebas en el README."),
    ("Let's go with Go for the agent.", "Let's go from the login page to the dashboard next."),
]
