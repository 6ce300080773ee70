// The fuzzer relies on its judge, so these tests give the judge forbidden answers.
import { expect, test } from "vitest";
import type { WireAnswer } from "./exchange-bytes.ts";
import { pageFaultsOf } from "./judge-page.ts";

const POLICY = "Content-Security-Policy: default-src 'none'";
const answer = (status: number, ...headers: string[]): WireAnswer => ({
  status,
  contentType: "text/html; charset=utf-8",
  head: [`HTTP/1.1 ${status} x`, ...headers].join("\r\n"),
  body: "",
});
const STATE = `k1.${"a".repeat(51)}.${"b".repeat(43)}`;
const CHECKOUT = "/checkout/019a0000-0000-7000-8000-000000000001";

test.each([
  ["a page", answer(200, POLICY)],
  ["a page that asks again", answer(429, POLICY, `Refresh: 3; url=${STATE}`)],
  ["the way back to the checkout", answer(303, POLICY, `Location: ${CHECKOUT}?lang=en&faults=form.stale`)],
  ["the way to the shop", answer(303, POLICY, "Location: https://shop.example/paid?orderId=1")],
])("nothing is wrong with %s", (_what, given) => {
  expect(pageFaultsOf(given)).toEqual([]);
});

test.each([
  ["a 5xx", answer(503, POLICY), "status 503"],
  ["a page without a policy", answer(200), "a page without its Content-Security-Policy"],
  [
    "a planted value",
    answer(200, POLICY, "X-Planted: evil.example"),
    "a header repeats a value that the client sent",
  ],
  ["a refresh elsewhere", answer(429, POLICY, "Refresh: 1; url=https://bad.example/"), "a refresh to"],
  ["a redirect elsewhere", answer(303, POLICY, "Location: //bad.example"), "a redirect to"],
])("%s is a fault", (_what, given, fault) => {
  expect(pageFaultsOf(given).join()).toContain(fault);
});
