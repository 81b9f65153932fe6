#!/bin/sh
# Write random secrets for the quickstart of deploy/compose.yaml, each into a file; files that exist stay.
#
#   deploy/compose/make-secrets.sh [FOLDER]    default: deploy/secrets
#
# Only the owner can enter the folder. The files can be read by all, since containers mount them for users of their own.
set -eu
folder="${1:-"$(dirname "$0")/../secrets"}"
umask 077
mkdir -p "$folder"

random() { od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n'; }

write() {  # name text → the file, unless it exists
    [ -e "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"
    chmod 444 "$folder/$1"
}

for name in postgres_password redis_password secret_key grafana_password; do
    write "$name" "$(random)"
done
write admin_key "pkh_$(random)"
write database_url "postgresql+psycopg://packhouse:$(cat "$folder/postgres_password")@postgres/packhouse"
write redis_url "redis://:$(cat "$folder/redis_password")@redis:6379"
write spark_url "sc://spark:15002"
