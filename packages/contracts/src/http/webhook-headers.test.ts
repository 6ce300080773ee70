import { expect, test } from "vitest";
import { faultOfIssue } from "../fault-of-issue.ts";
import { newWebhookHeadersSchema, webhookHeadersSchema } from "./webhook-headers.ts";

function faultsOf(headers: unknown): string[] {
  const { error } = newWebhookHeadersSchema.safeParse(headers);
  return (error?.issues ?? []).map((issue) => `${issue.path.join(".")} ${faultOfIssue(issue, headers).code}`);
}
const header = (name: string, value = "v") => ({ name, value });
const several = (count: number) => Array.from({ length: count }, (_, index) => header(`x-${index}`));

test("names come back in lower case, values as they were", () => {
  expect(newWebhookHeadersSchema.parse([header("Authorization", "Basic c2hvcA==")])).toEqual([
    header("authorization", "Basic c2hvcA=="),
  ]);
  expect(newWebhookHeadersSchema.safeParse(several(10)).success).toBe(true);
  expect(webhookHeadersSchema.parse([{ name: "x-tenant" }])).toEqual([{ name: "x-tenant" }]);
});

test.each<[string, unknown, string[]]>([
  ["an eleventh", several(11), [" too_big"]],
  ["one name in two cases", [header("X-Tenant"), header("x-tenant")], ["1.name duplicate"]],
  ["no value", [{ name: "x-tenant" }], ["0.value required"]],
  ["an empty value", [header("x-tenant", "")], ["0.value too_small"]],
  ["an empty name", [header("")], ["0.name too_small"]],
  ["a long name", [header("x".repeat(65))], ["0.name too_big"]],
  ["a long value", [header("x-tenant", "v".repeat(1_025))], ["0.value too_big"]],
  ["a card number", [header("x-tenant", "4111111111111111")], ["0.value card_number"]],
])("%s is refused", (_, headers, faults) => {
  expect(faultsOf(headers)).toEqual(faults);
});

test.each(["a\r\nHost: evil", "a\nb", "a\u0000b", "a\tb", " a", "a ", "ä", "\u2028"])(
  "the value %j is refused",
  (value) => {
    expect(faultsOf([header("x-tenant", value)])).toEqual(["0.value invalid_characters"]);
  },
);

test.each(["x tenant", "x:y", "x\r\n", "ü", "x(y)", 'x"'])("the name %j is refused", (name) => {
  expect(faultsOf([header(name)])).toEqual(["0.name invalid_characters"]);
});

test.each([
  "Host",
  "Holdfast-Signature",
  "Content-Length",
  "content-digest",
  "Connection",
  "Transfer-Encoding",
  "TE",
  "User-Agent",
  "traceparent",
  "X-Request-Signature",
  "x-event-id",
  "Proxy-Authorization",
  "X-Forwarded-For",
  "x-forwarded",
  "X_Request_Signature",
  "x_request_time",
  "x_event_id",
  "x.event.id",
  "content_length",
  "transfer_encoding",
  "signature",
  "signature-input",
  "idempotency-key",
  "digest",
  "repr-digest",
  "early-data",
  "http2-settings",
  "x-real-ip",
  "true-client-ip",
])("%s is the protocol's or ours", (name) => {
  expect(faultsOf([header(name)])).toEqual(["0.name not_allowed"]);
});
