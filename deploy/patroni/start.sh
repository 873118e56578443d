#!/bin/sh
# Patroni takes passwords from the environment of its own process; they come from files.
set -eu
read_secret() { cat "/run/secrets/$1"; }
PATRONI_SUPERUSER_PASSWORD=$(read_secret postgres_superuser_password)
PATRONI_REPLICATION_PASSWORD=$(read_secret postgres_replication_password)
PATRONI_REWIND_PASSWORD=$(read_secret postgres_rewind_password)
export PATRONI_SUPERUSER_PASSWORD PATRONI_REPLICATION_PASSWORD PATRONI_REWIND_PASSWORD
exec patroni /etc/patroni.yaml
