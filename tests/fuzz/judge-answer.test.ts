// The fuzzer relies on its judge, so these tests give the judge forbidden answers.
import { PROBLEMS, type ProblemCode } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { readApiDocument } from "./api-document.ts";
import type { WireAnswer } from "./exchange-bytes.ts";
import { faultsOf, type JudgedRequest } from "./judge-answer.ts";

const PAN = "4111111111111111";
const { operations } = readApiDocument();
const lookup = requestOf("GET", "/api/bins/{bin}", "");
const payment = requestOf("POST", "/api/payment", `{"pan": "${PAN}", "cvv": "123"}`);

function requestOf(method: string, path: string, body: string): JudgedRequest {
  const operation = operations.find((each) => each.method === method && each.path === path);
  if (!operation) throw new Error(`${method} ${path} is not in the document`);
  const bytes = Buffer.from(`${method} ${path} HTTP/1.1\r\n\r\n${body}`);
  return { kind: "from the document", answers: operation.answers, bytes };
}

function problem(code: ProblemCode, change: Record<string, unknown> = {}): WireAnswer {
  const { status, title } = PROBLEMS[code];
  const body = { type: "about:blank", title, status, code, instance: "/", requestId: REQUEST_ID, ...change };
  return { status, contentType: "application/problem+json", head: "", body: JSON.stringify(body) };
}
const REQUEST_ID = "019a0000-0000-7000-8000-000000000001";

const found = (body: unknown): WireAnswer => ({
  status: 200,
  contentType: "application/json",
  head: "",
  body: typeof body === "string" ? body : JSON.stringify(body),
});

test.each<[string, WireAnswer, JudgedRequest]>([
  ["a problem", problem("bin_not_found"), lookup],
  ["a problem the document does not list, of the router", problem("rate_limited"), lookup],
  ["a masked number", problem("validation_failed", { detail: "411111******1111" }), payment],
])("nothing is wrong with %s", (_what, answer, request) => {
  expect(faultsOf(answer, request)).toEqual([]);
});

test.each<[string, WireAnswer, JudgedRequest]>([
  ["status 500", problem("internal_error"), lookup],
  ["status 503", problem("service_unavailable"), lookup],
  ["status 302", { status: 302, contentType: undefined, head: "", body: "" }, lookup],
  ["status 409 is not in the document", problem("invalid_payment_state"), lookup],
  [
    "an error with the content type text/html",
    { ...problem("bin_not_found"), contentType: "text/html" },
    lookup,
  ],
  ["is not a problem: <h1>", { ...problem("bin_not_found"), body: "<h1>" }, lookup],
  ["the body of status 404 has the status 400", { ...problem("validation_failed"), status: 404 }, lookup],
  ["card number is in the answer", problem("validation_failed", { detail: `pan ${PAN} is wrong` }), payment],
  ["card number is in the answer", problem("validation_failed", { detail: "4111 1111-1111 1111" }), payment],
  ["card number is in the answer", found({ pan: PAN }), { ...payment, kind: "byte noise" }],
  ["the body differs from the document", found({}), lookup],
  ["the body differs from the document, the body", found("<html>"), lookup],
  ["the body differs from the document", found([]), lookup],
  ["a success with the content type text/html", { ...found({}), contentType: "text/html" }, lookup],
])("told: %s", (says, answer, request) => {
  expect(faultsOf(answer, request).join("\n")).toContain(says);
});

test("a body is held to the type, the bounds and the names of each field", () => {
  const right = { orderId: "o", amount: 12.5 };
  const faultsWith = (change: object) =>
    faultsOf({ ...found({ ...right, ...change }), status: 201 }, payment).join();
  expect(faultsWith({ amount: "12.50" })).toContain("amount: ");
  expect(faultsWith({ status: "PAID" })).toContain("status: ");
  expect(faultsWith({ cvv: "123" })).toMatch(/unrecognized/i);
  expect(faultsWith({})).not.toMatch(/ (orderId|amount): /);
});

test("an answer without a body has none", () => {
  const remove = requestOf("DELETE", "/operator/merchants/{merchantId}/webhook", "");
  const deleted = { status: 204, contentType: undefined, head: "", body: "" };
  expect(faultsOf(deleted, remove)).toEqual([]);
  expect(faultsOf({ ...deleted, body: "ok" }, remove).join()).toContain("has a body");
});
