# Start Redis with the password of a file, which no command line shows; with `ping`, exit 0 if it answers.
set -eu
password="$(cat "${SECRETS:-/run/secrets}/redis_password")"
if [ "${1:-}" = ping ]; then
    REDISCLI_AUTH="$password" redis-cli -p "${PORT:-6379}" ping | grep -q PONG
    exit
fi
exec redis-server - <<END
port ${PORT:-6379}
requirepass $password
appendonly yes
maxmemory-policy noeviction
END
