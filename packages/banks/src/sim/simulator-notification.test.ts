import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { readSimulatorNotification, simulatorSecrets } from "./simulator-notification.ts";

const KEY = "a key of the account";
const BODY = JSON.stringify({ reference: "r-1", outcome: "approved" });
const hmac = (body: string, key = KEY) => createHmac("sha256", key).update(body).digest("hex");

function read(body: string, signature?: string, secrets = { notificationKey: KEY }) {
  const headers: Record<string, string> = signature === undefined ? {} : { "x-sim-signature": signature };
  return readSimulatorNotification({ headers, body: Buffer.from(body) }, secrets);
}

test("what is signed over its bytes is genuine, and names a reference", () => {
  expect(read(BODY, hmac(BODY))).toEqual({ kind: "genuine", name: "r-1" });
  expect(read(`${BODY} `, hmac(BODY))).toEqual({ kind: "not_genuine", why: "signature" });
});

test("nothing else is", () => {
  expect(read(BODY)).toEqual({ kind: "not_genuine", why: "no_signature" });
  for (const signature of ["", "zz", hmac(BODY).slice(2), `${hmac(BODY)}00`, hmac(BODY, "another key")])
    expect(read(BODY, signature)).toEqual({ kind: "not_genuine", why: "signature" });
  for (const body of ["", "{", "null", "{}", '{"reference":1}'])
    expect(read(body, hmac(body))).toEqual({ kind: "not_genuine", why: "malformed" });
});

test("an account without a key has no genuine ones, and a key has a length", () => {
  expect(readSimulatorNotification({ headers: {}, body: Buffer.from(BODY) }, {})).toEqual({
    kind: "not_genuine",
    why: "no_secret",
  });
  expect(simulatorSecrets.safeParse({}).success).toBe(true);
  expect(simulatorSecrets.safeParse({ notificationKey: "short" }).success).toBe(false);
});
