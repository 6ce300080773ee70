// A series that appears with its first event begins at 1, and `increase()` does not see that event: an alert on it
// would be silent when it matters most. So each series of an alert is there, with 0, as soon as the processes run.
import { eventually } from "../support/index.ts";
import { expect, test } from "vitest";
import { selectorsOf, type Selector } from "../deploy/selectors.ts";
import { shippedRules } from "../alerts/scale-rules.ts";
import { preAuthorization, runSandbox } from "./running-sandbox.ts";

/**
 * Reports of browsers have labels that are unknown beforehand; their alert needs ten reports, so it misses no
 * first one.
 */
const BY_STRANGERS = ["holdfast_page_violations_total"];

test("every counter that an alert asks for is exported before anything has happened", async () => {
  const counters = shippedRules()
    .groups.flatMap(({ rules }) => rules)
    .flatMap(({ expr }) => selectorsOf(expr))
    .filter(({ metric }) => /^holdfast_\w+_total$/.test(metric));
  expect(counters.length).toBeGreaterThan(30);
  const sandbox = await runSandbox();
  const read = async () => {
    const texts = Object.values(sandbox.file.healthUrls).map(
      async (url) => await (await fetch(`${url}/metrics`)).text(),
    );
    return (await Promise.all(texts)).join("\n");
  };
  const before = await read();
  const missing = counters.filter((counter) => !before.split("\n").some((line) => isAskedFor(line, counter)));
  expect(missing.map(({ metric }) => metric)).toEqual(BY_STRANGERS);

  // The first payment is an increase of a series that was there; so is the bank's first answer.
  const series = [
    /^holdfast_payments_total\{operation="PRE_AUTHORIZATION",status="SUCCESS",reason="none"[^}]*\} (\d+)/m,
    new RegExp(
      `^holdfast_acquirer_calls_total\\{operation="authorize",holdfast_acquirer_account="${sandbox.file.accountId}",result="answered"[^}]*\\} (\\d+)`,
      "m",
    ),
  ];
  for (const pattern of series) expect(pattern.exec(before)?.[1]).toBe("0");
  expect(before).toMatch(/^holdfast_acquirer_calls_total\{[^}]*result="not_sent"[^}]*\} 0/m);
  const { status } = await sandbox.merchant()("POST", "/api/pre-authorization", preAuthorization({}));
  expect(status).toBe(201);
  await eventually(async () => {
    const after = await read();
    for (const pattern of series) expect(pattern.exec(after)?.[1]).toBe("1");
    // The series of docs/slo.md's objectives, under the labels that their rules use.
    expect(after).toMatch(
      /^http_server_request_duration_seconds_count\{[^}]*http_request_method="POST",url_scheme="http",http_route="\/api\/pre-authorization"[^}]*http_response_status_code="201"[^}]*holdfast_listener="merchant"/m,
    );
    // The bus has no metrics of its own: the dispatcher asks for them.
    expect(after).toMatch(/^holdfast_event_stream_copies(?:\{[^}]*\})? 1$/m);
    expect(after).toMatch(/^holdfast_event_stream_copies_wanted(?:\{[^}]*\})? 1$/m);
    expect(after).toMatch(/^holdfast_event_stream_bytes(?:\{[^}]*\})? \d+$/m);
    // Which statement is slow, and not only in which pool.
    expect(after).toMatch(
      /^db_client_operation_duration_seconds_count\{[^}]*pool_name="payments writes",db_system_name="postgresql",db_query_summary="claim-payments"/m,
    );
    expect(after).toMatch(
      /^holdfast_command_own_time_seconds_bucket\{[^}]*messaging_destination_name="payments\.pre-authorize"[^}]*le="1"\}/m,
    );
  });
});

/** True if a line of Prometheus' text format is a series that the selector takes. */
function isAskedFor(line: string, { metric, matchers }: Selector): boolean {
  const [, name, labels = ""] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
  if (name !== metric) return false;
  return matchers.every(({ label, operator, value }) => {
    const found = new RegExp(`(?:^|,)${label}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const isSame = operator.endsWith("~") ? new RegExp(`^(?:${value})$`).test(found) : found === value;
    return isSame !== operator.startsWith("!");
  });
}
