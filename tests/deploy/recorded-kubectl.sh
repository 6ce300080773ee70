#!/bin/bash
# Stands for kubectl: writes down how it was called, and gives the first answer of the test that fits the call and is left.
# An answer N is $KUBECTL_DIR/N.asked (a pattern), N.out, N.err, N.code and N.times (empty: always).
call=$*
printf '%s\n' "${call//$'\n'/\\n}" >>"$KUBECTL_DIR/calls"
for asked in "$KUBECTL_DIR"/*.asked; do
  answer=${asked%.asked}
  [[ $call =~ $(<"$asked") ]] || continue
  times=$(<"$answer.times")
  [ "$times" != 0 ] || continue
  [ -z "$times" ] || printf '%s' $((times - 1)) >"$answer.times"
  printf '%s' "$(<"$answer.out")"
  [ ! -s "$answer.out" ] || echo
  printf '%s' "$(<"$answer.err")" >&2
  exit "$(<"$answer.code")"
done
