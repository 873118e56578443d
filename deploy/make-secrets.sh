#!/bin/sh
# Make the secrets that the compose files mount, once; what is there already stays.
#   make-secrets.sh [FOLDER [HOSTS [OPTIONS]]]
set -eu
folder=${1:-$(dirname "$0")/secrets}
hosts=${2:-postgres}
options=${3:-}

random() {
    od -An -v -tx1 -N 32 /dev/urandom | tr -d ' \n'
}

# The files are readable for the users of the containers, the folder for its owner alone.
mkdir -p "$folder"
chmod 700 "$folder"
umask 022
for name in milepost_key postgres_password postgres_superuser_password \
    postgres_replication_password postgres_rewind_password; do
    [ -s "$folder/$name" ] || random > "$folder/$name"
done
if [ ! -s "$folder/milepost_url" ]; then
    printf 'postgresql://milepost:%s@%s/milepost%s' \
        "$(cat "$folder/postgres_password")" "$hosts" "$options" > "$folder/milepost_url"
fi
