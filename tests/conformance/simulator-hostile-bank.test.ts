import { once } from "node:events";
import net, { type AddressInfo, type Server } from "node:net";

import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Acquirer, AcquirerCard } from "@holdfast/acquirer";
import { CallBuilder } from "./suite/call-builder.ts";
import { createSimulatorAcquirer } from "../../packages/banks/src/sim/simulator.ts";
import { withoutHeard } from "./suite/without-heard.ts";

// A bank that answers every request with the bytes that the test has set for its reference.
const answers = new Map<string, (socket: net.Socket) => void>();
const card: AcquirerCard = { pan: "4111111111111111", expiryMonth: "12", expiryYear: "30", cvv: "987" };
const calls = new CallBuilder(card);
let bank: Server;
let acquirer: Acquirer;

beforeAll(async () => {
  bank = net.createServer((socket) => {
    let received = "";
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      const known = answers.keys().find((reference) => received.includes(reference));
      if (known === undefined) return;
      received = "";
      answers.get(known)?.(socket);
    });
  });
  bank.listen(0, "127.0.0.1");
  await once(bank, "listening");
  const url = `http://127.0.0.1:${(bank.address() as AddressInfo).port}`;
  acquirer = createSimulatorAcquirer({ url, connectTimeoutMs: 60_000, connectionsMax: 32 });
});
afterAll(async () => {
  await acquirer.close();
  bank.close();
});

describe("an answer that is not one of the protocol is invalid", () => {
  const approval = {
    outcome: "approved",
    amountMinor: 10_000,
    currency: "EUR",
    externalTransactionId: "t-1",
  };
  const codes = { authCode: "123456", resultCode: "00", resultMessage: "Approved" };

  test.for([
    ["HTTP 500", http(500, { ...approval, ...codes })],
    ["HTTP 503", http(503, "")],
    ["HTTP 409", http(409, { error: "reference_conflict" })],
    ["HTTP 400", http(400, { error: "invalid_request" })],
    ["HTTP 404", http(404, { outcome: "not_found" })],
    ["HTTP 201", http(201, { ...approval, ...codes })],
    ["a redirect", "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"],
    ["HTML", http(200, "<html>maintenance</html>")],
    ["half a JSON text", http(200, '{"reference": "REFERENCE", "outcome": "appr')],
    ["an empty body", http(200, "")],
    ["an array", http(200, [])],
    ["null", http(200, "null")],
    ["an unknown outcome", http(200, { ...approval, ...codes, outcome: "maybe" })],
    ["no authorization code", http(200, { ...approval, resultCode: "00", resultMessage: "" })],
    ["a code of control characters", http(200, { ...approval, ...codes, authCode: "\u0000\u0007" })],
    ["a novel for a code", http(200, { ...approval, ...codes, resultCode: "a".repeat(65) })],
    ["no transaction id", http(200, { ...approval, ...codes, externalTransactionId: "" })],
    ["an amount as text", http(200, { ...approval, ...codes, amountMinor: "10000" })],
    ["a fraction", http(200, { ...approval, ...codes, amountMinor: 10_000.5 })],
    ["an amount beyond exact integers", http(200, `{"amountMinor": 90071992547409930}`)],
    ["not HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
    ["endless headers", `HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(1_000_000)}\r\n\r\n`],
    ["a body of 10 MB", http(200, `{"pad": "${"a".repeat(10_000_000)}"}`)],
    [
      "a body of 65 KiB",
      http(200, JSON.stringify({ ...approval, ...codes, reference: "REFERENCE", pad: "a".repeat(66_560) })),
    ],
  ] as const)("%s", async ([, answer]) => {
    const request = calls.card();
    answerWith(request.reference, answer);
    expect(await acquirer.authorize(request)).toEqual({ kind: "unknown", reason: "invalid_answer" });
  });

  test("a 404 is no proof that a reference was never seen", async () => {
    const request = calls.card();
    answerWith(request.reference, http(404, { reference: "REFERENCE", outcome: "not_found" }));
    expect(await calls.verdict(acquirer, request)).toEqual({
      kind: "unknown",
      reason: "invalid_answer",
    });
  });
});

/** The fields that an answer to any call may have. */
const honest = {
  reference: "REFERENCE",
  amountMinor: 10_000,
  currency: "EUR",
  externalTransactionId: "t-1",
  authCode: "123456",
  resultCode: "05",
  resultMessage: "İade çıktı",
  at: "2026-01-01T00:00:00.000Z",
};

describe("an answer in another encoding, or of random bytes, is invalid for every call", () => {
  const OPERATIONS = ["authorize", "sale", "capture", "cancel", "release", "refund"] as const;
  type Call = (typeof OPERATIONS)[number] | "reverse" | "enrol" | "complete" | "inquire";
  const CALLS: readonly Call[] = [...OPERATIONS, "reverse", "enrol", "complete", "inquire"];

  async function outcomeOf(call: Call, answerOf: (reference: string) => Buffer) {
    const { reference } = calls.card();
    const card = { ...calls.card({ reference }), ...calls.enrolment({ reference }) };
    answers.set(reference, (socket) =>
      socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), answerOf(reference)])),
    );
    if (call === "reverse") return await acquirer.reverse(calls.reversal(card));
    if (call === "complete") return await acquirer.complete({ ...card, session: "session" });
    if (call === "inquire") return await acquirer.inquire(calls.inquiry(card));
    return await acquirer[call]({ ...card, ...calls.followUp(card), reference });
  }

  const written = (outcome: string, encoding: BufferEncoding) => (reference: string) =>
    Buffer.from(JSON.stringify({ ...honest, reference, outcome }), encoding);

  test.for(["latin1", "utf16le"] as const)("%s", async (encoding) => {
    for (const call of CALLS) {
      for (const outcome of ["approved", "declined", "reversed", "refused", "not_found"]) {
        const invalid = { kind: "unknown", reason: "invalid_answer" };
        expect([call, outcome, await outcomeOf(call, written(outcome, encoding))]).toEqual([
          call,
          outcome,
          invalid,
        ]);
      }
    }
    expect(await outcomeOf("sale", written("declined", "utf8"))).toMatchObject({
      kind: "declined",
      resultMessage: honest.resultMessage,
    });
  });

  test("random bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...CALLS), async (bytes, call) => {
        expect(await outcomeOf(call, () => Buffer.from(bytes))).toEqual({
          kind: "unknown",
          reason: "invalid_answer",
        });
      }),
    );
  });
});

test("texts lose their padding and control characters, and a message is cut to what its column holds", async () => {
  const padded = {
    reference: "REFERENCE",
    amountMinor: 10_000,
    currency: "EUR",
    externalTransactionId: "\u0000t-1\u0000\u0000  ",
    authCode: "12\u001b3456\u0000",
    resultCode: "05 ",
    resultMessage: `\u0007Not\nhonoured\u0000${"\u{1f4b3}".repeat(300)}`,
    at: "2026-01-01T00:00:00.000Z",
  };
  const texts = {
    externalTransactionId: "t-1",
    resultCode: "05",
    resultMessage: `Nothonoured${"\u{1f4b3}".repeat(189)}`,
  };
  for (const outcome of ["approved", "declined"] as const) {
    const expected = { ...texts, ...(outcome === "approved" && { authCode: "123456" }) };
    const card = calls.card();
    answerWith(card.reference, http(200, { ...padded, outcome }));
    expect(await acquirer.authorize(card)).toMatchObject(expected);
    expect(await calls.verdict(acquirer, card)).toMatchObject(expected);
    const capture = calls.followUp(calls.card());
    answerWith(capture.reference, http(200, { ...padded, outcome }));
    expect(await acquirer.capture(capture)).toMatchObject(expected);
  }
  const card = calls.card();
  answerWith(card.reference, http(200, { ...padded, outcome: "refused" }));
  const { resultCode, resultMessage } = texts;
  expect(await acquirer.reverse(calls.reversal(card))).toEqual({
    kind: "refused",
    resultCode,
    resultMessage,
  });
});

describe("a challenge", () => {
  const challenge = (url: string) =>
    http(200, {
      reference: "REFERENCE",
      amountMinor: 10_000,
      currency: "EUR",
      outcome: "challenge",
      session: "s",
      url,
      fields: {},
    });
  const enrolAt = async (bankOf: Acquirer, url: string) => {
    const request = calls.enrolment();
    answerWith(request.reference, challenge(url));
    return await bankOf.enrol(request);
  };

  test.each(["http://issuer.example.com/acs", "javascript:alert(1)", "ftp://issuer.example.com/"])(
    "at %s is an invalid answer: no browser is sent there",
    async (url) => {
      expect(await enrolAt(acquirer, url)).toEqual({ kind: "unknown", reason: "invalid_answer" });
    },
  );

  test.each(["https://issuer.example.com/acs", "http://127.0.0.1:8083/challenge"])(
    "at %s is one",
    async (url) => {
      expect(await enrolAt(acquirer, url)).toMatchObject({ kind: "challenge", challenge: { url } });
    },
  );

  test("over plain HTTP is one where plain text is allowed", async () => {
    const { port } = bank.address() as AddressInfo;
    const open = createSimulatorAcquirer({
      url: `http://127.0.0.1:${port}`,
      connectTimeoutMs: 60_000,
      connectionsMax: 1,
      allowPlaintext: true,
    });
    const url = "http://issuer.example.com/acs";
    expect(await enrolAt(open, url)).toMatchObject({ kind: "challenge", challenge: { url } });
    await open.close();
  });
});

describe("a request that the bank calls too late", () => {
  const expired = { reference: "REFERENCE", amountMinor: 10_000, currency: "EUR", outcome: "expired" };

  test("is expired, not declined, for every operation and for an inquiry", async () => {
    const card = calls.card();
    const capture = calls.followUp(calls.card());
    const enrolment = calls.enrolment();
    for (const { reference } of [card, capture, enrolment]) answerWith(reference, http(200, expired));
    expect(
      await Promise.all([
        acquirer.authorize(card),
        acquirer.sale(card),
        acquirer.capture(capture),
        acquirer.cancel(capture),
        acquirer.release(capture),
        acquirer.refund(capture),
        acquirer.enrol(enrolment),
        acquirer.complete({ ...enrolment, session: "session" }),
        calls.verdict(acquirer, card),
      ]),
    ).toEqual(Array.from({ length: 9 }, () => ({ kind: "expired" })));
  });

  test("is unknown for a reversal, which carries no expiry", async () => {
    const card = calls.card();
    answerWith(card.reference, http(200, { ...expired, resultCode: "x", resultMessage: "" }));
    expect(await acquirer.reverse(calls.reversal(card))).toEqual({
      kind: "unknown",
      reason: "invalid_answer",
    });
  });
});

test("a reversal after the settlement is told from every other refusal", async () => {
  const card = calls.card();
  const settled = { reference: "REFERENCE", amountMinor: 10_000, currency: "EUR", outcome: "settled" };
  answerWith(card.reference, http(200, { ...settled, resultCode: "settled", resultMessage: "Day closed" }));
  expect(await acquirer.reverse(calls.reversal(card))).toEqual({
    kind: "settled",
    resultCode: "settled",
    resultMessage: "Day closed",
  });
});

test("only a call that takes money from a card tells the bank an expiry", async () => {
  const seen: string[] = [];
  const card = calls.card();
  const follow = calls.followUp(calls.card());
  for (const { reference } of [card, follow]) {
    answers.set(reference, (socket) => socket.end(http(500, "")));
  }
  bank.on("connection", (socket) => socket.on("data", (bytes) => seen.push(bytes.toString("latin1"))));
  await acquirer.authorize(card);
  await acquirer.capture(follow);
  await acquirer.cancel(follow);
  await acquirer.release(follow);
  await acquirer.refund(follow);
  await acquirer.reverse(calls.reversal(card));
  await calls.verdict(acquirer, card);
  const paths = seen.join("").matchAll(/(?:POST|GET) (\S+) [^]*?(?=POST|GET \/|$)/g);
  expect([...paths].filter(([request]) => request.includes("expiresAt")).map(([, path]) => path)).toEqual([
    "/v1/authorize",
  ]);
});

describe("a connection that ends before the answer does is lost", () => {
  test.for([
    ["at once", ""],
    ["in the headers", "HTTP/1.1 200 OK\r\ncontent-le"],
    ["in the body", 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"reference"'],
  ])("%s", async ([, bytes = ""]) => {
    const request = calls.card();
    answers.set(request.reference, (socket) => socket.end(bytes));
    expect(await acquirer.authorize(request)).toEqual({ kind: "unknown", reason: "connection_lost" });
  });
});

describe("an answer about something else is a mismatch", () => {
  const lies = [{ reference: "another" }, { amountMinor: 10_001 }, { currency: "USD" }];
  const operations = ["authorize", "sale", "capture", "cancel", "release", "refund"] as const;
  const cases = operations.flatMap((operation) => lies.map((lie) => ({ operation, lie })));

  test.for(cases)("$operation with $lie", async ({ operation, lie }) => {
    for (const outcome of ["approved", "declined"] as const) {
      const card = calls.card();
      const request = { ...card, ...calls.followUp(card), reference: card.reference };
      answerWith(request.reference, http(200, { ...honest, outcome, ...lie }));
      expect(withoutHeard(await acquirer[operation](request))).toEqual({
        kind: "unknown",
        reason: "mismatch",
      });
      answerWith(request.reference, http(200, { ...honest, outcome }));
      expect(await acquirer[operation](request)).toMatchObject({ kind: outcome });
    }
  });

  test.for(lies)("an enrolment and a completion with %o", async (lie) => {
    const authentication = { transStatus: "Y" };
    for (const outcome of ["authenticated", "declined"] as const) {
      const request = calls.enrolment();
      answerWith(request.reference, http(200, { ...honest, session: "s", authentication, outcome, ...lie }));
      expect(withoutHeard(await acquirer.enrol(request))).toEqual({ kind: "unknown", reason: "mismatch" });
      answerWith(request.reference, http(200, { ...honest, session: "s", authentication, outcome }));
      expect(await acquirer.enrol(request)).toMatchObject({ kind: outcome });
    }
    for (const outcome of ["approved", "declined", "not_genuine"] as const) {
      const request = { ...calls.enrolment(), session: "s" };
      answerWith(request.reference, http(200, { ...honest, outcome, ...lie }));
      expect(withoutHeard(await acquirer.complete(request))).toEqual({ kind: "unknown", reason: "mismatch" });
      answerWith(request.reference, http(200, { ...honest, outcome }));
      expect(await acquirer.complete(request)).toMatchObject({ kind: outcome });
    }
  });

  test.for(lies)("a reversal with %o", async (lie) => {
    for (const outcome of ["reversed", "refused"] as const) {
      const request = calls.card();
      answerWith(request.reference, http(200, { ...honest, outcome, ...lie }));
      expect(await acquirer.reverse(calls.reversal(request))).toEqual({
        kind: "unknown",
        reason: "mismatch",
      });
    }
  });

  test.for(["approved", "declined", "reversed", "not_found"])(
    "an inquiry about another, %s",
    async (outcome) => {
      const request = calls.card();
      answerWith(request.reference, http(200, { ...honest, outcome, reference: "another" }));
      expect(await calls.verdict(acquirer, request)).toEqual({ kind: "unknown", reason: "mismatch" });
    },
  );
});

test("an amount that a JSON number cannot carry is an error that names no card", async () => {
  const request = calls.card({ amountMinor: 2n ** 53n });
  const error: unknown = await acquirer.authorize(request).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RangeError);
  expect(JSON.stringify([String(error), (error as Error).stack])).not.toMatch(/4111111111111111|987/);
});

/** The bytes of a whole answer; `REFERENCE` in it is replaced by the request's reference. */
function http(status: number, body: string | object): string {
  const text = typeof body === "string" ? body : JSON.stringify({ reference: "REFERENCE", ...body });
  return `HTTP/1.1 ${status} Status\r\ncontent-type: application/json\r\n\r\n${Array.isArray(body) ? "[]" : text}`;
}

function answerWith(reference: string, template: string): void {
  answers.set(reference, (socket) => socket.end(template.replace("REFERENCE", reference)));
}
