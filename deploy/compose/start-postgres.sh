# PostgreSQL takes no key that others may read, and what is mounted here belongs to a user of the machine: it gets a copy,
# in memory. Then it starts as its image does.
set -eu
install -d -o postgres -g postgres -m 0700 /run/postgresql/tls
for file in postgres.pem postgres-key.pem; do
  install -o postgres -g postgres -m 0600 "/etc/holdfast/tls/$file" "/run/postgresql/tls/$file"
done
exec docker-entrypoint.sh "$@"
