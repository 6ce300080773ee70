import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm, type FileHandle } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Ledger } from "../../core/index.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { type LedgerLine } from "./ledger-line.ts";
import type { Simulator } from "../../core/index.ts";
import { protocol } from "./index.ts";

let folder: string;
let ledgerFile: string;
let simulator: Simulator;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "simulator-"));
  ledgerFile = join(folder, "ledger.ndjson");
  simulator = await protocol.start({ ledgerFile, hangMs: 300, latenessMs: LATENESS_MS });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await simulator.close();
  await rm(folder, { recursive: true });
});

describe("the ledger", () => {
  test("has one line for each outcome, with the card number masked", async () => {
    const sale = cardBody();
    const unseen = randomUUID();
    await post("/v1/sale", sale);
    await post("/v1/sale", sale);
    await post("/v1/refund", { ...followUpBody(sale.reference), reference: "refund-1", amountMinor: 400 });
    await post(
      "/v1/authorize",
      cardBody({ reference: "declined-1", card: { ...card, pan: "378282246310005" }, expiresAt: ago() }),
    );
    await post("/v1/reverse", reversalBody(unseen));
    const line = {
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      externalTransactionId: expect.any(String),
      currency: "EUR",
    };
    expect(await ledger()).toMatchObject([
      {
        ...line,
        operation: "sale",
        reference: sale.reference,
        parentReference: null,
        amountMinor: 1_000,
        outcome: "approved",
        pan: "411111******1111",
      },
      {
        ...line,
        operation: "refund",
        reference: "refund-1",
        parentReference: sale.reference,
        amountMinor: 400,
        outcome: "approved",
        pan: "411111******1111",
      },
      {
        ...line,
        operation: "authorize",
        reference: "declined-1",
        outcome: "declined",
        resultCode: "expired_request",
        pan: "378282*****0005",
      },
      {
        ...line,
        operation: "reverse",
        reference: unseen,
        parentReference: null,
        outcome: "approved",
        pan: null,
      },
    ]);
    const text = await readFile(ledgerFile, "utf8");
    expect(text).not.toMatch(/4111111111111111|378282246310005|cvv|Ada/);
  });

  test("shows a reversal under the reference it undoes, and no line for a refused one", async () => {
    const reversed = cardBody();
    const captured = cardBody();
    await post("/v1/authorize", reversed);
    await post("/v1/authorize", captured);
    await post("/v1/capture", followUpBody(captured.reference));
    for (const { reference } of [reversed, captured, reversed, captured])
      await post("/v1/reverse", reversalBody(reference));
    const reversals = (await ledger()).filter((line) => line.operation === "reverse");
    expect(reversals).toMatchObject([
      {
        reference: reversed.reference,
        parentReference: reversed.reference,
        outcome: "approved",
        pan: "411111******1111",
      },
    ]);
  });

  test("is filtered by since: after a sequence, or from a time on", async () => {
    for (const reference of ["a", "b", "c"]) await post("/v1/sale", cardBody({ reference }));
    const lines = await ledger();
    expect(await ledger("?since=")).toEqual(lines);
    expect((await ledger("?since=1")).map((line) => line.reference)).toEqual(["b", "c"]);
    expect(await ledger(`?since=${lines[0]?.at}`)).toEqual(lines);
    expect(await ledger("?since=2999-01-01T00:00:00.000Z")).toEqual([]);
    expect((await get("/ledger?since=yesterday")).status).toBe(400);
  });

  test("rebuilds the bank after a restart", async () => {
    const sale = cardBody();
    const first = await post("/v1/sale", sale);
    await post("/v1/refund", { ...followUpBody(sale.reference), amountMinor: 400 });
    await post("/v1/reverse", reversalBody("bound"));
    const before = await ledger();
    await simulator.close();
    simulator = await protocol.start({ ledgerFile });
    expect(await ledger()).toEqual(before);
    expect(await post("/v1/sale", sale)).toEqual(first);
    expect(await post("/v1/refund", { ...followUpBody(sale.reference), amountMinor: 601 })).toMatchObject({
      body: { resultCode: "13" },
    });
    expect(await post("/v1/refund", { ...followUpBody(sale.reference), amountMinor: 600 })).toMatchObject({
      body: { resultCode: "00" },
    });
    expect(await post("/v1/authorize", cardBody({ reference: "bound" }))).toMatchObject({
      body: { resultCode: "reversed" },
    });
  });

  test("that cannot be written stops every answer", async () => {
    const failure = Object.assign(new Error("disk, writing 4111111111111111"), { code: "EIO" });
    vi.spyOn(await fileHandlePrototype(), "datasync").mockRejectedValueOnce(failure);
    const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const sale = cardBody();
    expect((await post("/v1/sale", sale)).status).toBe(500);
    expect((await post("/v1/sale", sale)).status).toBe(500);
    expect((await get(`/v1/operations/${sale.reference}`)).status).toBe(500);
    expect(await simulator.failed).toBe(failure);
    expect(output.mock.calls.join("\n")).toContain("EIO");
    expect(output.mock.calls.join("\n")).not.toContain("4111111111111111");
  });
});

describe("a reference that is taken", () => {
  test.each([
    ["amount", "/v1/sale", { amountMinor: 1_001 }],
    ["currency", "/v1/sale", { currency: "USD" }],
    ["operation", "/v1/authorize", {}],
    ["amount of a reversal", "/v1/reverse", { amountMinor: 1_001 }],
    ["currency of a reversal", "/v1/reverse", { currency: "USD" }],
  ])("is refused with another %s, without effect", async (_name, path, other) => {
    const sale = cardBody();
    await post("/v1/sale", sale);
    const { status, body } = await post(path, { ...sale, ...other });
    expect({ status, body }).toEqual({
      status: 409,
      body: { error: "reference_conflict", reference: sale.reference },
    });
    expect(await ledger()).toHaveLength(1);
  });

  test("is refused with another parent, without effect", async () => {
    const [first, second] = [cardBody(), cardBody()];
    await post("/v1/sale", first);
    await post("/v1/sale", second);
    const refund = followUpBody(first.reference);
    await post("/v1/refund", refund);
    expect((await post("/v1/refund", { ...refund, parentReference: second.reference })).status).toBe(409);
    expect(await ledger()).toHaveLength(3);
  });

  test("is one effect when two calls come at once", async () => {
    const sale = cardBody();
    const [first, second] = await Promise.all([post("/v1/sale", sale), post("/v1/sale", sale)]);
    expect(second).toEqual(first);
    expect(await ledger()).toHaveLength(1);
  });
});

describe("what cannot be read is refused", () => {
  const unreadable: [string, object | string][] = [
    ["no JSON", "{"],
    ["null", "null"],
    ["no reference", { reference: undefined }],
    ["a reference with a slash", { reference: "a/b" }],
    ["a reference that is too long", { reference: "a".repeat(129) }],
    ["no amount", { amountMinor: 0 }],
    ["a fraction", { amountMinor: 10.5 }],
    ["an amount beyond exact integers", { amountMinor: 2 ** 53 }],
    ["an amount as text", { amountMinor: "1000" }],
    ["a small currency", { currency: "eur" }],
    ["no expiry", { expiresAt: "soon" }],
    ["an expiry hours ahead", { expiresAt: new Date(Date.now() + 4_000_000).toISOString() }],
    ["no card", { card: undefined }],
    ["a card number with a letter", { card: { ...card, pan: "411111111111111x" } }],
    ["a card verification value with a letter", { card: { ...card, cvv: "98x" } }],
  ];

  test.each(unreadable)("%s", async (_name, bad) => {
    const body = typeof bad === "string" ? bad : { ...cardBody(), ...bad };
    const answer = await post("/v1/sale", body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toMatch(/41111111|98/);
    expect(await ledger()).toEqual([]);
  });

  test("a follow-up without a parent", async () => {
    const refund = { ...followUpBody("p"), parentReference: undefined };
    expect(await post("/v1/refund", refund)).toMatchObject({
      status: 400,
      body: { fields: ["parentReference"] },
    });
  });

  test.each(["/v1/sale", "/faults"])("a body above 16 KiB, at %s", async (path) => {
    const large = { ...cardBody(), operation: "sale", behaviour: "hang", pad: "a".repeat(16 * 1_024) };
    const refused = await fetch(`${simulator.url}${path}`, { method: "POST", body: JSON.stringify(large) });
    expect(refused.status).toBe(413);
    expect(refused.headers.get("connection")).toBe("close");
    expect((await post("/v1/sale", { ...cardBody(), pad: "a".repeat(15 * 1_024) })).status).toBe(200);
  });

  test.each(["/v1/operations/%ff", "/v1/operations/", `/v1/operations/${"a".repeat(129)}`])(
    "%s",
    async (path) => {
      expect((await get(path)).status).toBe(400);
    },
  );

  test.each(["/", "/v1/sale", "/v1/chargeback", "/faults"])("GET %s is no route", async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

test("a client that goes away in the middle of a request does no harm", async () => {
  const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const socket = connect(simulator.port, "127.0.0.1");
  socket.write("POST /v1/sale HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{", () =>
    socket.resetAndDestroy(),
  );
  await new Promise((resolve) => socket.once("close", resolve));
  expect((await get("/livez")).status).toBe(200);
  expect(output).not.toHaveBeenCalled();
});

describe("the process's means", () => {
  test("connections are kept warm for longer than clients keep them, and are bounded", async () => {
    expect((await fetch(`${simulator.url}/livez`)).headers.get("keep-alive")).toBe("timeout=65");
    await simulator.close();
    simulator = await protocol.start({ ledgerFile, connectionsMax: 1 });
    const first = connect(simulator.port, "127.0.0.1");
    await once(first, "connect");
    await expect(get("/livez")).rejects.toThrow("fetch failed");
    first.destroy();
    await expect.poll(() => get("/livez").catch(() => "refused")).toMatchObject({ status: 200 });
  });

  test("a start on a taken port fails and lets go of the ledger and of the events", async () => {
    const close = vi.spyOn(Ledger.prototype, "close");
    const options = { ledgerFile: join(folder, "second.ndjson"), port: simulator.port };
    await expect(protocol.start(options)).rejects.toThrow("EADDRINUSE");
    expect(close).toHaveBeenCalledTimes(2);
  });

  test("a stop lets what is being written be answered first", async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    vi.spyOn(await fileHandlePrototype(), "datasync").mockImplementation(() => {
      reached.resolve();
      return gate.promise;
    });
    const underWay = post("/v1/sale", cardBody());
    await reached.promise;
    const stopped = simulator.close();
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    gate.resolve();
    expect((await underWay).body).toMatchObject({ outcome: "approved" });
    await stopped;
    simulator = await protocol.start({ ledgerFile });
  });
});

describe("queued faults", () => {
  test("come in order, so often, whatever the card, and not for other operations", async () => {
    await post("/faults", { operation: "sale", behaviour: "decline", times: 2 });
    await post("/faults", { operation: "sale", behaviour: "http_500" });
    expect((await post("/v1/authorize", cardBody())).body).toMatchObject({ outcome: "approved" });
    for (let count = 0; count < 2; count += 1) {
      expect((await post("/v1/sale", cardBody())).body).toMatchObject({
        outcome: "declined",
        resultCode: "05",
      });
    }
    expect((await post("/v1/sale", cardBody())).status).toBe(500);
    expect((await post("/v1/sale", cardBody())).body).toMatchObject({ outcome: "approved" });
  });

  test("are cleared", async () => {
    await post("/faults", { operation: "sale", behaviour: "http_500", times: 5 });
    expect((await fetch(`${simulator.url}/faults`, { method: "DELETE" })).status).toBe(200);
    expect((await post("/v1/sale", cardBody())).status).toBe(200);
  });

  test("bend the answer of a repeat, but not its outcome", async () => {
    const sale = cardBody();
    const first = await post("/v1/sale", sale);
    await post("/faults", { operation: "sale", behaviour: "http_500" });
    await post("/faults", { operation: "sale", behaviour: "decline" });
    expect((await post("/v1/sale", sale)).status).toBe(500);
    expect(await post("/v1/sale", sale)).toEqual(first);
    expect(await ledger()).toHaveLength(1);
  });

  const operations = ["authorize", "sale", "capture", "cancel", "release", "refund", "reverse"];
  test.each([
    ["hang", "unanswered", 1],
    ["hang_before", "unanswered", 0],
    ["late", "answered", 1],
    ["late_effect", "answered", 1],
    ["http_500", "answered", 1],
    ["garbage", "answered", 1],
    ["wrong_amount", "answered", 1],
    ["reset", "unanswered", 1],
  ])("%s for every operation that moves money, and for a reversal", async (behaviour, expected, effects) => {
    const bodies = await Promise.all(operations.map(bodyFor));
    await Promise.all(operations.map((operation) => post("/faults", { operation, behaviour })));
    const isLate = behaviour.startsWith("late");
    const expiresAt = isLate ? new Date(Date.now() + 2_000).toISOString() : ahead();
    const earliest = isLate ? Date.parse(expiresAt) + LATENESS_MS - TIMER_SLACK_MS : 0;
    const callOf = async (operation: string, index: number) => {
      const body = bodies[index] ?? { reference: "" };
      const call = post(`/v1/${operation}`, { ...body, expiresAt });
      expect(await call.then(() => "answered").catch(() => "unanswered")).toBe(expected);
      expect(Date.now()).toBeGreaterThanOrEqual(earliest);
      const ofCall = (line: LedgerLine) => line.reference === body.reference && line.operation === operation;
      expect((await ledger()).filter(ofCall)).toHaveLength(effects);
      const repeat = await post(`/v1/${operation}`, { ...body, expiresAt: ahead() });
      expect(repeat.body).toMatchObject({ resultCode: "00", amountMinor: 1_000 });
    };
    await Promise.all(operations.map(callOf));
  });

  test("refuse reversals until they are used up", async () => {
    const { reference } = cardBody();
    await post("/faults", { operation: "reverse", behaviour: "refuse", times: 2 });
    const answers = [];
    for (let count = 0; count < 3; count += 1)
      answers.push((await post("/v1/reverse", reversalBody(reference))).body);
    expect(answers.map((answer) => (answer as { outcome: string }).outcome)).toEqual([
      "refused",
      "refused",
      "reversed",
    ]);
    expect(await ledger()).toHaveLength(1);
  });

  test("bend inquiries", async () => {
    await post("/faults", { operation: "inquire", behaviour: "hang" });
    await post("/faults", { operation: "inquire", behaviour: "http_500" });
    await post("/faults", { operation: "inquire", behaviour: "garbage" });
    await expect(get("/v1/operations/a")).rejects.toThrow("fetch failed");
    expect((await get("/v1/operations/a")).status).toBe(500);
    expect((await get("/v1/operations/a")).body).toBeUndefined();
    expect((await get("/v1/operations/a")).body).toEqual({ reference: "a", outcome: "not_found" });
  });

  test.each([
    { operation: "chargeback", behaviour: "hang" },
    { operation: "sale", behaviour: "explode" },
    { operation: "sale", behaviour: "refuse" },
    { operation: "reverse", behaviour: "decline" },
    { operation: "inquire", behaviour: "late" },
    { operation: "inquire", behaviour: "expire" },
    { operation: "enrol", behaviour: "expire" },
    { operation: "capture", behaviour: "partial" },
    { operation: "reverse", behaviour: "partial" },
    { operation: "sale", behaviour: "hang", times: 0 },
    { operation: "sale", behaviour: "hang", times: 1.5 },
    {},
  ])("are refused when they are not ones: %j", async (fault) => {
    expect((await post("/faults", fault)).status).toBe(400);
    expect((await post("/v1/sale", cardBody())).status).toBe(200);
  });
});

const LATENESS_MS = 50;

/** Node's timers count whole milliseconds and may end one early by the wall clock. */
const TIMER_SLACK_MS = 5;

const card = { pan: "4111111111111111", expiryMonth: "12", expiryYear: "30", cvv: "987" };

function cardBody(overrides: object = {}) {
  const reference = randomUUID();
  const body = {
    reference,
    amountMinor: 1_000,
    currency: "EUR",
    card,
    cardHolderName: "Ada Lovelace",
    installmentCount: 1,
  };
  return { ...body, expiresAt: ahead(), ...overrides };
}

function followUpBody(parentReference: string) {
  return {
    reference: randomUUID(),
    parentReference,
    amountMinor: 1_000,
    currency: "EUR",
    expiresAt: ahead(),
  };
}

function reversalBody(reference: string) {
  return { reference, amountMinor: 1_000, currency: "EUR", expiresAt: ahead() };
}

/** A body that the operation approves; it creates the parent first. */
async function bodyFor(operation: string): Promise<{ reference: string }> {
  if (operation === "authorize" || operation === "sale") return cardBody();
  if (operation === "reverse") return reversalBody(randomUUID());
  const parent = cardBody();
  await post(operation === "refund" ? "/v1/sale" : "/v1/authorize", parent);
  return followUpBody(parent.reference);
}

function ahead(): string {
  return new Date(Date.now() + 60_000).toISOString();
}

function ago(): string {
  return new Date(Date.now() - 1).toISOString();
}

async function fileHandlePrototype(): Promise<FileHandle> {
  const handle = await open(folder);
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

async function post(path: string, body: object | string) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readAnswer(await fetch(`${simulator.url}${path}`, { method: "POST", body: text }));
}

async function get(path: string) {
  return readAnswer(await fetch(`${simulator.url}${path}`));
}

async function readAnswer(response: Response): Promise<{ status: number; body: unknown }> {
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: undefined };
  }
}

async function ledger(query = ""): Promise<LedgerLine[]> {
  const text = await (await fetch(`${simulator.url}/ledger${query}`)).text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LedgerLine);
}
