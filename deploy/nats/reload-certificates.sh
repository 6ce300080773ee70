# Has nats-server read its certificates again whenever they change: it does so at SIGHUP alone, and would serve the old ones
# until their last day. Connections that are open go on.
#
#   sh reload-certificates.sh PID_FILE SECONDS FILE...
#
# The contents are compared, since Kubernetes replaces a link to a whole directory. The first round reloads in any case: what
# the server read when it started is not known here.
set -eu
pid_file=$1
seconds=$2
shift 2
served=none
while true; do
  found=$(cat "$@" | sha256sum) || found=$served
  if [ "$found" != "$served" ] && nats-server --signal "reload=$pid_file"; then
    served=$found
    echo "nats-server was told to read its certificates again"
  fi
  sleep "$seconds"
done
