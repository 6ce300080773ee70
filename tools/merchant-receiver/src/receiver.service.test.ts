import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { localCertificates } from "@holdfast/sandbox/infrastructure";
import { signWebhook } from "@holdfast/webhook-signature";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { describeReceipt } from "./describe-receipt.ts";
import { startReceiver, type Receipt, type Receiver } from "./receiver.ts";

const secret = "whs_the-secret";
const body = Buffer.from('{"paymentId":"p-1","amount":12.50}');
let receiver: Receiver;
let certificate: { cert: Buffer; key: Buffer };
let caFile: string;
const receipts: Receipt[] = [];

beforeAll(async () => {
  const files = await localCertificates(mkdtempSync(join(tmpdir(), "holdfast-receiver-")));
  caFile = files.caFile;
  certificate = { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
  receiver = await startReceiver({
    ...certificate,
    port: 0,
    secret,
    onReceipt: (receipt) => receipts.push(receipt),
  });
});
afterAll(() => receiver.close());
beforeEach(() => void (receipts.length = 0));

type Sent = { key?: string; content?: Buffer; method?: string; headers?: Record<string, string> };

async function send(
  { key = secret, content = body, method = "POST", headers = {} }: Sent = {},
  to: Receiver = receiver,
) {
  const time = String(Date.now());
  return await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const outgoing = request(to.url, {
      method,
      ca: readFileSync(caFile),
      agent: false,
      headers: {
        "x-request-time": time,
        "x-request-signature": signWebhook(key, time, body),
        "x-event-id": "e-1",
        "x-event-type": "payment.status_changed",
        "content-digest": `sha-256=:${createHash("sha256").update(body).digest("base64")}:`,
        ...headers,
      },
    });
    outgoing.on("error", reject).on("response", (answer) => {
      let text = "";
      answer
        .setEncoding("utf8")
        .on("data", (chunk: string) => (text += chunk))
        .on("end", () => resolve({ status: answer.statusCode!, text }));
    });
    outgoing.end(content);
  });
}
const printed = () => receipts.map((receipt) => describeReceipt(receipt, new Date())).join("");

test("an authentic webhook is answered 200 and printed; the same event again is known", async () => {
  expect(await send()).toMatchObject({ status: 200 });
  expect(await send()).toMatchObject({ status: 200 });
  expect(receipts.map(({ repeated }) => repeated)).toEqual([false, true]);
  expect(printed()).toMatch(
    /verified {2}payment\.status_changed {2}e-1[^]*"paymentId": "p-1"[^]*a duplicate/,
  );
});

test("one that is not authentic is answered 401 with the reason, and printed with it", async () => {
  expect(await send({ key: "whs_other" })).toMatchObject({
    status: 401,
    text: expect.stringContaining("wrong_secret"),
  });
  expect(await send({ content: Buffer.from("{}") })).toMatchObject({
    status: 401,
    text: expect.stringContaining("body_changed"),
  });
  expect(await send({ headers: { "x-request-time": "1790000000" } })).toMatchObject({
    status: 401,
    text: expect.stringContaining("time_malformed"),
  });
  expect(printed()).toContain("NOT AUTHENTIC  wrong_secret: the body arrived as it was sent");
});

test("it takes POST only, and no more than a webhook has", async () => {
  expect(await send({ method: "GET", content: Buffer.alloc(0) })).toMatchObject({ status: 405 });
  expect(await send({ content: Buffer.alloc(300_000) })).toMatchObject({ status: 413 });
  expect(receipts).toEqual([]);
});

test("with an address to pass on to, the merchant's own server gets the bytes and decides the answer", async () => {
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const received = await text(incoming);
    got.push({ headers: incoming.headers, body: received });
    response.writeHead(received === body.toString() ? 204 : 400).end();
  };
  const shop = createServer((incoming, response) => void answer(incoming, response));
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  const forwardTo = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/webhooks`;
  const onReceipt = (receipt: Receipt) => receipts.push(receipt);
  const passing = await startReceiver({ ...certificate, port: 0, secret, forwardTo, onReceipt });
  onTestFinished(() => passing.close());

  expect(await send({}, passing)).toMatchObject({ status: 204 });
  expect(await send({ content: Buffer.from("{}") }, passing)).toMatchObject({ status: 400 });
  expect(got.map((each) => each.body)).toEqual([body.toString(), "{}"]);
  expect(got[0]!.headers).toMatchObject({ "x-event-id": "e-1", "x-request-signature": expect.any(String) });
  expect(printed()).toMatch(/your server: 204[^]*NOT AUTHENTIC[^]*your server: 400/);

  await new Promise((resolve) => shop.close(resolve));
  expect(await send({}, passing)).toMatchObject({ status: 502 });
  expect(printed()).toContain(`your server: nothing listens at ${forwardTo}`);
});

test("what a stranger sends cannot steer the terminal", async () => {
  const escape = String.fromCharCode(27);
  const received = { headers: {}, body: Buffer.from(`${escape}[2J`) };
  const verdict = { valid: true, eventId: `${escape}[31m`, eventType: "x", requestTime: 0 } as const;
  expect(describeReceipt({ received, verdict, repeated: false }, new Date())).not.toContain(escape);
});
