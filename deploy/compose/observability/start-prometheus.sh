#!/bin/sh
# The alerts are those of Kubernetes, from the same file: what stands under `spec:` of the PrometheusRule is a rule file.
# start-prometheus.sh RULE-RESOURCE RULE-FILE COMMAND...
set -eu
resource=$1 rules=$2
shift 2
sed '1,/^spec:$/d' "$resource" > "$rules"
exec "$@"
