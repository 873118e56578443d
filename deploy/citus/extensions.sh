#!/bin/sh
# Run once on every node: shards are tables like others, with the types and functions of pgvector, and
# the nodes ask each other with the same password as everybody.
set -eu
psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set password="$(cat /run/secrets/postgres_password)" <<'SQL'
CREATE EXTENSION IF NOT EXISTS citus;
CREATE EXTENSION IF NOT EXISTS vector;
INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo)
VALUES (0, 'milepost', 'password=' || :'password');
SQL
