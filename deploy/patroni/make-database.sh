#!/bin/sh
# Run once, by the first leader, with the address of its database: make ours, and who uses it.
set -eu
password=$(cat /run/secrets/postgres_password)
psql --quiet --set ON_ERROR_STOP=1 --set password="$password" "$1" <<'SQL'
CREATE ROLE milepost LOGIN PASSWORD :'password';
CREATE DATABASE milepost OWNER milepost;
\connect milepost
CREATE EXTENSION IF NOT EXISTS vector;
SQL
