import { randomBytes, randomUUID } from "node:crypto";
import { createKeyedRecipient, SecretUnreadableError, sealReply } from "@holdfast/sealing";
import { expect, test } from "vitest";
import {
  decideHeaders,
  headerColumns,
  headersToSend,
  newHeaders,
  openHeaders,
  openSentHeaders,
  sealToOf,
} from "./endpoint-headers.ts";
import { decryptSecret, encryptSecret } from "./endpoint-secrets.ts";

const ring = { activeId: "k1", keys: new Map([["k1", randomBytes(32)]]) };
const endpointId = randomUUID();
const URL_NOW = "https://shop.example/hook";
const STORED = [
  { name: "authorization", value: "one" },
  { name: "x-tenant", value: "two" },
];
const before = { endpoint_id: endpointId, url: URL_NOW, ...headerColumns(ring, endpointId, STORED) };
const decide = (asked: { name: string; value?: string }[] | undefined, url = URL_NOW) =>
  decideHeaders({ ring, before, url, asked: asked && { url, headers: asked } });

test("headers come back for their endpoint alone, and are no secret of it", () => {
  const stored = before.headers!;
  expect(headersToSend(openHeaders(ring, endpointId, stored))).toEqual({
    authorization: "one",
    "x-tenant": "two",
  });
  expect(() => openHeaders(ring, randomUUID(), stored)).toThrow(SecretUnreadableError);
  expect(() => decryptSecret(ring, endpointId, stored)).toThrow(SecretUnreadableError);
  const secret = encryptSecret(ring, endpointId, "whs_secret");
  expect(() => openHeaders(ring, endpointId, secret)).toThrow(SecretUnreadableError);
  expect(headerColumns(ring, endpointId, [])).toEqual({ headers: null, header_names: [] });
});

test("what is asked for again changes nothing", () => {
  expect(decide(undefined)).toBeUndefined();
  expect(decide([{ name: "x-tenant" }, { name: "authorization", value: "one" }])).toBeUndefined();
  // The same URL in another spelling.
  expect(decide(undefined, "https://SHOP.example:443/hook")).toBeUndefined();
});

test("a header keeps its value, gets another one, or goes", () => {
  expect(decide([{ name: "x-tenant", value: "three" }])).toEqual([{ name: "x-tenant", value: "three" }]);
  expect(decide([{ name: "x-tenant" }])).toEqual([{ name: "x-tenant", value: "two" }]);
  expect(decide([])).toEqual([]);
  expect(decide([{ name: "x-new" }])).toMatchObject({ field: "headers.0.value", code: "required" });
});

test("another URL gets no stored value", () => {
  const moved = "https://shop.example/other";
  expect(decide(undefined, moved)).toMatchObject({ field: "headers", code: "required" });
  expect(decide([{ name: "x-tenant" }], moved)).toMatchObject({ field: "headers.0.value", code: "required" });
  expect(decide(STORED, moved)).toEqual(STORED);
  expect(decide([], moved)).toEqual([]);
});

test("values that no key opens are given again or removed", () => {
  const other = { activeId: "k2", keys: new Map([["k2", randomBytes(32)]]) };
  const decideWithout = (headers: { name: string }[]) =>
    decideHeaders({ ring: other, before, url: URL_NOW, asked: { url: URL_NOW, headers } });
  expect(decideWithout([{ name: "x-tenant" }])).toMatchObject({ code: "required" });
  expect(decideWithout([])).toEqual([]);
});

test("what was given for another URL is refused", () => {
  const [mine, evil] = ["https://SHOP.example:443/hook", "https://evil.example/"];
  const given = (asked: string, url: string) =>
    decideHeaders({ ring, before, url, asked: { url: asked, headers: [{ name: "x-new", value: "3" }] } });
  const refused = { field: "headers", code: "required" };
  expect(given(URL_NOW, evil)).toMatchObject(refused);
  expect(given(evil, URL_NOW)).toMatchObject(refused);
  expect(given("no url", URL_NOW)).toMatchObject(refused);
  expect(given(mine, URL_NOW)).toEqual([{ name: "x-new", value: "3" }]);
  expect(newHeaders({ url: URL_NOW, headers: STORED }, evil)).toMatchObject(refused);
  expect(newHeaders({ url: URL_NOW, headers: STORED }, mine)).toEqual(STORED);
});

test("sent headers open for their endpoint alone, also while the ring's keys are replaced", () => {
  const sent = (owner: string, key = sealToOf(ring)) =>
    sealReply(key, JSON.stringify({ for: owner, url: URL_NOW, headers: STORED }));
  const both = { activeId: "k2", keys: new Map([["k2", randomBytes(32)], ...ring.keys]) };
  expect(openSentHeaders(both, sent(endpointId), endpointId)).toMatchObject({
    url: URL_NOW,
    headers: STORED,
  });
  expect(openSentHeaders(ring, sent(randomUUID()), endpointId)).toBeUndefined();
  const stranger = createKeyedRecipient(randomBytes(32)).publicKey;
  expect(openSentHeaders(ring, sent(endpointId, stranger), endpointId)).toBeUndefined();
});
