"""Names that most teams mean the same thing by, and how sure their spelling makes it.

Short and general on purpose: what only one team knows is told by shape or by what stands beside it.
A name may be written `anyhow`; `capitalised`; capitalised `inside` a sentence, for it begins others
as a word; anyhow where the text is about programs (`coded`), or holds names in code (`mixed`), for
elsewhere it is a word; or only where it is `told`: between backticks, before its version, after
what installs it.
"""

from __future__ import annotations

from functools import cache

from milepost.values import NamedTuple

# What is sure in texts about programs alone.
ABOUT_PROGRAMS = frozenset(["coded", "mixed"])


class Known(NamedTuple):
    """What a name is, and how it has to be written to be sure."""

    type: str
    written: str


_PACKAGES = {
    "anyhow": (
        "python, python3, javascript, typescript, kotlin, golang, php, haskell, erlang, "
        "clojure, fortran, c++, c#, f#, .net, powershell, zsh, tmux, neovim, "
        "emacs, vscode, vs code, visual studio code, visual studio, xcode, android studio, "
        "intellij, pycharm, jupyter, npm, pnpm, npx, pipx, conda, virtualenv, setuptools, "
        "tox, pytest, mypy, pyright, pylint, flake8, isort, mkdocs, pre-commit, numpy, "
        "scipy, matplotlib, scikit-learn, sklearn, pytorch, tensorflow, xgboost, opencv, spacy, "
        "nltk, langchain, keras, django, fastapi, starlette, uvicorn, gunicorn, pydantic, "
        "sqlalchemy, psycopg2, asyncpg, asyncio, aiohttp, httpx, urllib3, boto3, jinja2, nodejs, "
        "node.js, webpack, esbuild, eslint, vitest, jquery, vue.js, next.js, react.js, "
        "express.js, chart.js, d3.js, angular.js, nuxt.js, nuxt, "
        "lodash, rxjs, graphql, tailwindcss, nestjs, typeorm, laravel, symfony, spring boot, "
        "ruby on rails, react native, gradle, junit, mockito, rustc, rustup, serde, gcc, "
        "g++, clang, llvm, msvc, cmake, bazel, gdb, valgrind, openssl, openssh, libcurl, wget, "
        "ffmpeg, imagemagick, git, docker, docker compose, docker-compose, podman, "
        "kubectl, kubernetes, k8s, minikube, systemd, linux, "
        "alpine linux, ubuntu, debian, centos, red hat, macos, ipados, freebsd, unix, "
        "certbot, sqlite, sqlite3, duckdb, powerpoint, photoshop, swiftui, three.js, rsync, jq, "
        "sudo, microsoft word, microsoft excel, google chrome, polars, dask, loguru, structlog, "
        "sympy, "
        "seaborn, plotly, bokeh, streamlit, gradio, sentence-transformers, faiss, pgvector, "
        "psycopg, "
        "pymongo, pymysql, sqlmodel, uvloop, anyio, gevent, eventlet, ipython, pyenv, pipenv, "
        "rustfmt, "
        "rust-analyzer, wasmtime, wasmer, actix, axum, reqwest, sqlx, rayon, clippy, "
        "golangci-lint, gofmt, "
        "protobuf, protoc, gorm, opentofu, pulumi, fluentd, fluent bit, logstash, filebeat, "
        "telegraf, "
        "opentelemetry, mlflow, kubeflow, rclone, restic, borgbackup, syncthing, wireguard, "
        "openvpn, "
        "tsc, ts-node, jsdom, storybook, mobx, zustand, axios, nodemon, pm2, sequelize, "
        "sveltekit, htmx, "
        "alpine.js, ember.js, backbone.js, material ui, turborepo, lerna, swc, okhttp, ktor, "
        "jetpack compose, exoplayer, log4j, slf4j, logback, quarkus, micronaut, liquibase, flyway, "
        "asp.net, nuget, xunit, nunit, blazor, rspec, sidekiq, rubocop, capistrano, phpunit, "
        "sbt, akka, "
        "purescript, ocaml, matlab, cobol, webassembly, git-lfs, git lfs, subversion, svn, "
        "sublime text, notepad++, qemu, virtualbox, vmware, proxmox, lxc, containerd, runc, "
        "buildkit, "
        "buildx, kustomize, helmfile, k3s, nixos, arch linux, opensuse, gentoo, openwrt, "
        "ghostscript, pandoc, graphviz, doxygen, psql, pgbouncer, pgadmin, libreoffice, gimp, "
        "inkscape, "
        "libuv, libevent, boringssl, gnutls, libssh2, nghttp2, mbedtls, glibc, musl, busybox, "
        "binutils, "
        "autoconf, automake, libtool, pkg-config, mingw, cygwin, msys2, wsl, wsl2, pyinstaller, "
        "cython, numba, pypy, cpython, jython, hypercorn, daphne, pyyaml, tomlkit, ruff, rollup.js"
    ),
    "capitalised": "Windows, Android, iOS, Chrome, Firefox, Chromium, Godot, Homebrew, Airflow",
    "inside": "Go, Rust, React, Excel",
    "coded": (
        "Lua, Alembic, Scrapy, Svelte, Redux, Vite, Vue, Prettier, Hibernate, Lombok, Playwright, "
        "Pip, Uv, Ruff, Curl, Ninja, Meson, Tokio, Bundler, Tailwind, Puppeteer, Bash, Terraform, "
        "Clippy, Ansible, Vim, Sed, Awk, Grep, Cron, Ssh, React, Deno, Prisma, Rollup, Sphinx, "
        "Twisted, Trio, Dbt, Nix, Obsidian, Renovate, Jetty, Tomcat"
    ),
    "mixed": (
        "Java, Ruby, Perl, Swift, Dart, Flask, Celery, Tornado, Pandas, Angular, Babel, Jest, "
        "Mocha, Cypress, Selenium, Rails, Maven, Cargo, Helm, Alpine, Electron, Flutter, Gatsby, "
        "Poetry, Yarn, Spring, Express, Safari, Unity, Blender, Bootstrap, Rust, Brew, Elixir, "
        "Vagrant, Mercurial, Fedora, Scala"
    ),
    "told": (
        "go, swift, dart, node, express, spring, black, click, rich, requests, make, ps, top, "
        "less, tar, cat, ls, find, apt, dnf, apk, r, c, windows, composer, gem, nox, hatch, "
        "prettier, werkzeug, unity, blender, safari, bootstrap, babel, react, cypress, helm, "
        "electron, flutter"
    ),
}
_SERVICES = {
    "anyhow": (
        "postgres, postgresql, mysql, mariadb, mongodb, redis, memcached, elasticsearch, "
        "opensearch, clickhouse, influxdb, timescaledb, cockroachdb, dynamodb, neo4j, "
        "apache kafka, rabbitmq, etcd, nginx, haproxy, traefik, grafana, datadog, "
        "splunk, pagerduty, github, github actions, gitlab, gitlab ci, bitbucket, circleci, "
        "jira, trello, gmail, google drive, google docs, google sheets, google calendar, "
        "google maps, google cloud, google meet, google analytics, cloudflare, cloudfront, "
        "heroku, vercel, netlify, digitalocean, dropbox, paypal, twilio, sendgrid, mailgun, "
        "mailchimp, shopify, pypi, npmjs, docker hub, dockerhub, youtube, netflix, spotify, "
        "facebook, instagram, linkedin, tiktok, reddit, whatsapp, wikipedia, stack overflow, "
        "stackoverflow, airbnb, chatgpt, firebase, supabase, bigquery, databricks, okta, auth0, "
        "keycloak, minio, hetzner, bugzilla, microsoft teams, sharepoint, onedrive, aws lambda, "
        "amazon s3, travis ci"
    ),
    "capitalised": (
        "AWS, GCP, S3, EC2, SQS, RDS, Azure, Jenkins, Twitter, Backblaze, OVH, Confluence, "
        "Telegram, Outlook, Amazon, Google"
    ),
    "inside": "Slack, Stripe, Notion, Discord, Zoom, Asana, Figma",
    "coded": "Kafka, Prometheus, Jaeger",
    "mixed": "Sentry, Loki, Linear, Snowflake, Apache",
    "told": "slack, stripe, jenkins, s3, aws, caddy, envoy, consul, vault, nats, linear, snowflake",
}
_ORGANISATIONS = {
    "anyhow": "mozilla, openai, anthropic, nvidia, ikea, fedex, unicef, unesco",
    "capitalised": (
        "Microsoft, IBM, AMD, Samsung, Siemens, Bosch, Toyota, Volkswagen, BMW, Tesla, DHL, NASA, "
        "NATO, FIFA, UEFA, BBC, CNN, Walmart, Costco, Starbucks, Deutsche Bahn, Deutsche Post, "
        "Harvard, Oxford University, Stanford, MIT"
    ),
    "inside": "Oracle, Intel, Sony, Apple",
}
_TERMS = {
    "anyhow": "iphone, ipad, macbook, playstation, xbox, raspberry pi, nintendo switch, thinkpad",
    "capitalised": "Kindle, Arduino, GDPR, DSGVO, RGPD",
}
_LANDS = (
    "Afghanistan, Albania, Algeria, Argentina, Argentinien, Armenia, Australia, Australien, "
    "Austria, Österreich, Azerbaijan, Bangladesh, Belgium, Belgien, Belgique, Bélgica, Bolivia, "
    "Bosnia, Botswana, Brazil, Brasilien, Brasil, Brésil, Bulgaria, Bulgarien, Cambodia, "
    "Cameroon, Canada, Kanada, Chile, China, Colombia, Costa Rica, Croatia, Kroatien, Croacia, "
    "Cuba, Cyprus, Czech Republic, Czechia, Tschechien, Denmark, Dänemark, Dinamarca, Ecuador, "
    "Egypt, Ägypten, Egipto, England, Inglaterra, Angleterre, Estonia, Ethiopia, Finland, "
    "Finnland, France, Frankreich, Francia, Germany, Deutschland, Alemania, Allemagne, Ghana, "
    "Greece, Griechenland, Grecia, Grèce, Guatemala, Honduras, Hungary, Ungarn, Hungría, "
    "Iceland, India, Indien, Indonesia, Iran, Iraq, Ireland, Irland, Irlanda, Israel, Italy, "
    "Italien, Italia, Italie, Jamaica, Japan, Japón, Japon, Kenya, Korea, South Korea, North "
    "Korea, Südkorea, Latvia, Lebanon, Lithuania, Luxembourg, Luxemburg, Madagascar, Malaysia, "
    "Malta, Mexico, México, Mexiko, Moldova, Mongolia, Morocco, Marokko, Marruecos, Mozambique, "
    "Nepal, Netherlands, Niederlande, Países Bajos, New Zealand, Neuseeland, Nicaragua, "
    "Nigeria, Norway, Norwegen, Noruega, Pakistan, Panama, Paraguay, Peru, Perú, Philippines, "
    "Poland, Polen, Polonia, Pologne, Portugal, Romania, Rumänien, Russia, Russland, Rusia, "
    "Russie, Rwanda, Saudi Arabia, Scotland, Schottland, Senegal, Serbia, Singapore, Singapur, "
    "Slovakia, Slowakei, Slovenia, Slowenien, South Africa, Südafrika, Sudáfrica, Spain, "
    "Spanien, España, Espagne, Sri Lanka, Sweden, Schweden, Suecia, Suède, Switzerland, "
    "Schweiz, Suiza, Suisse, Syria, Taiwan, Tanzania, Thailand, Tunisia, Uganda, Ukraine, "
    "United Arab Emirates, United Kingdom, United States, Estados Unidos, États-Unis, Royaume- "
    "Uni, Reino Unido, USA, Uruguay, Uzbekistan, Venezuela, Vietnam, Wales, Yemen, Zambia, "
    "Zimbabwe, Europe, Europa, Africa, Afrika, Asia, Asien, Antarctica, California, Colorado, "
    "Florida, Hawaii, Illinois, Massachusetts, Minnesota, New Jersey, Ohio, Ontario, Oregon, "
    "Pennsylvania, Quebec, Québec, Texas, Wisconsin, Alabama, Alaska, Arizona, Arkansas, "
    "Connecticut, Idaho, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Michigan, "
    "Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New York, New Mexico, North "
    "Carolina, North Dakota, Oklahoma, Rhode Island, South Carolina, South Dakota, Tennessee, "
    "Utah, Vermont, West Virginia, Wyoming, Bayern, Sachsen, Hessen, Cataluña, Andalucía, "
    "Galicia, Bretagne, Normandie"
)
_TOWNS = (
    "Amsterdam, Antwerp, Athens, Atlanta, Auckland, Baltimore, Bangkok, Barcelona, Basel, "
    "Beijing, Belfast, Belgrade, Berlin, Bern, Bilbao, Birmingham, Bogotá, Bordeaux, Boston, "
    "Bratislava, Bremen, Brighton, Brisbane, Bristol, Brooklyn, Brussels, Brüssel, Bruxelles, "
    "Bucharest, Budapest, Buenos Aires, Cairo, Cape Town, Cardiff, Chicago, Copenhagen, Dallas, "
    "Delhi, New Delhi, Denver, Detroit, Dortmund, Dresden, Dublin, Düsseldorf, Edinburgh, "
    "Frankfurt, Geneva, Genf, Genève, Glasgow, Granada, Graz, Hamburg, Hannover, Hanover, "
    "Heidelberg, Helsinki, Hong Kong, Honolulu, Houston, Innsbruck, Istanbul, Jakarta, "
    "Jerusalem, Johannesburg, Karlsruhe, Kassel, Kyiv, Kyoto, Köln, Cologne, Las Vegas, "
    "Lausanne, Leeds, Leipzig, Lille, Lima, Lisbon, Lisboa, Lissabon, Liverpool, London, "
    "Londres, Los Angeles, Lyon, Madrid, Mailand, Mainz, Málaga, Manchester, Manhattan, Manila, "
    "Mannheim, Marseille, Melbourne, Mexico City, Miami, Milan, Minneapolis, Montreal, "
    "Montréal, Moscow, Moskau, Mumbai, Munich, München, Münster, Murcia, Nairobi, Nantes, "
    "Naples, Nashville, New Orleans, New York, New York City, Nürnberg, Oakland, Osaka, Oslo, "
    "Ottawa, Oxford, Palermo, Paris, Philadelphia, Potsdam, Prague, Prag, Regensburg, Rennes, "
    "Reykjavik, Riga, Rio de Janeiro, Rome, Rotterdam, Salzburg, San Diego, San Francisco, San "
    "José, Santiago, São Paulo, Seattle, Seoul, Sevilla, Seville, Shanghai, Sheffield, "
    "Shenzhen, Stockholm, Strasbourg, Stuttgart, Sydney, Tallinn, Tel Aviv, Tokyo, Toronto, "
    "Toulouse, Tunis, Turin, Utrecht, Valencia, Vancouver, Venice, Vienna, Wien, Vilnius, "
    "Warsaw, Warschau, Washington, Wuppertal, Zagreb, Zaragoza, Zurich, Zürich"
)
# Cities and lands as they are written in Chinese, longest first where one holds another.
CHINESE_PLACES = (
    "北京|上海|深圳|广州|杭州|成都|南京|武汉|西安|重庆|天津|苏州|长沙|郑州|青岛|厦门|宁波|合肥|"
    "济南|大连|沈阳|昆明|福州|无锡|东莞|佛山|香港|台北|台湾|澳门|新加坡|东京|首尔|纽约|伦敦|巴黎|"
    "柏林|旧金山|洛杉矶|美国|英国|法国|德国|日本|韩国|印度|澳大利亚|加拿大|俄罗斯|欧洲|浙江|江苏|"
    "广东|四川|福建|山东|河南|湖北|湖南|海南"
)
_KINDS = {
    "place": {"capitalised": f"{_LANDS}, {_TOWNS}"},
    "organisation": _ORGANISATIONS,
    "term": _TERMS,
    "service": _SERVICES,
    "package": _PACKAGES,
}


@cache
def known_names() -> dict[str, Known]:
    """Return what is known by name; small names as they may be written anyhow, others as written.

    Of two that claim the same spelling the first of `_KINDS` to be sure has it.
    """
    names: dict[str, Known] = {}
    for type_, lists in _KINDS.items():
        for written, text in lists.items():
            for name in text.split(", "):
                names.setdefault(name, Known(type_, written))
                if written in ABOUT_PROGRAMS and name.lower() not in lists["told"].split(", "):
                    names.setdefault(name.lower(), Known(type_, written))
    return names


@cache
def first_words() -> dict[str, int]:
    """Return the words with which names of several words begin, and how many words they take."""
    counts: dict[str, int] = {}
    for name in known_names():
        if " " in name:
            word = name.split(" ", 1)[0].lower()
            counts[word] = max(counts.get(word, 1), name.count(" ") + 1)
    return counts


def known(word: str) -> Known | None:
    """Return what a word or words are known as, by their spelling alone."""
    names = known_names()
    found = names.get(word) or names.get(word.lower())
    if found is None or word in names:
        return found
    # SSH is a protocol, and CURL a type.
    shouted = found.written in ABOUT_PROGRAMS and word.isupper()
    return None if shouted or found.written in ("capitalised", "inside") else found


@cache
def lands() -> frozenset[str]:
    """Return the names of countries and states, which stand after those of towns."""
    return frozenset(_LANDS.split(", "))
