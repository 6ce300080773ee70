// A bank of the smallest protocol: the promises that every protocol has from the core.
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";

import {
  answerFaults,
  bankDefaults,
  effectFaults,
  jsonReply,
  kindness,
  Ledger,
  parse,
  readRequest,
  serveCall,
  startBank,
  type BankConfig,
  type Counter,
  type LedgerRow,
  type Office,
  type StartOptions,
  type Wire,
} from "./index.ts";
import { fileHandlePrototype, gatedDisk, saleOf, startBankOf, startReceiver } from "./test/test-bank.ts";

afterEach(() => vi.restoreAllMocks());

type Entry = { at: string; id: string };
const faults = { sell: [...answerFaults, ...effectFaults], ask: answerFaults } as const;
const modesSchema = z.strictObject({ isKind: z.boolean(), tongue: z.enum(["tr", "en"]) });
const defaultModes = { isKind: true, tongue: "tr" } as const;
type KioskOffice = Office<Entry, never, typeof faults, z.output<typeof modesSchema>>;

const wire: Wire<{ amount: number }> = {
  write: (answer) => jsonReply(answer),
  bend: (answer, behaviour) => (behaviour === "wrong_amount" ? { amount: answer.amount + 1 } : answer),
  garbage: { status: 200, contentType: "text/plain", body: "<html" },
  broken: jsonReply({}, 500),
};

/** Sells by `POST /sell` what has the name `id`. */
function startKiosk(options: StartOptions<BankConfig>) {
  return startBank(
    { ...bankDefaults, latenessMs: 50, ...options },
    {
      zone: "UTC",
      postingOf: saleOf,
      faults,
      modes: defaultModes,
      modesSchema,
      settlement: {
        contentType: "text/csv",
        filesOf: ({ day, movements, disputes }) => [
          {
            name: `${day}.csv`,
            content: () =>
              [
                ...movements.map(({ line }) => line.id),
                ...disputes.map(({ kind, order }) => `${kind} ${order.id}`),
              ].join(),
            payouts: () => [
              { id: `P${day}`, currency: "EUR", netMinor: 300n * BigInt(movements.length) - 400n },
            ],
          },
        ],
      },
      open: (office: KioskOffice): Counter<Entry> => {
        let url: string | undefined;
        return {
          route: async (target, _query, request, response) => {
            if (target !== "POST /sell") return false;
            const read = await readRequest(request, response, (body) =>
              parse(z.object({ id: z.string() }), body),
            );
            if (!read) return true;
            const carryOut = async () => {
              const { id } = read.asked;
              await office.bank.judge((nowMs) => ({
                line: { at: new Date(nowMs).toISOString(), id },
                outcome: undefined,
              }));
              if (url) office.notifier.send({ url, headers: {}, body: id });
              return { answer: { amount: 100 } };
            };
            await serveCall(response, wire, office, {
              behaviour: office.faults.take("sell") ?? "plain",
              carryOut,
            });
            return true;
          },
          findSession: () => undefined,
          refundInPanel: async ({ id }, amountMinor) => id === "a" && amountMinor < 100n,
          notifications: {
            parse: (body) => parse(z.object({ url: z.url() }), body),
            sendTo: (sent) => {
              url = (sent as { url: string } | undefined)?.url;
            },
          },
        };
      },
    },
  );
}

const startTestKiosk = async (options: Partial<BankConfig> = {}) => {
  const kiosk = await startBankOf<BankConfig, Entry & LedgerRow>({ start: startKiosk }, options);
  const sell = (id: string) => kiosk.call("POST", "/sell", { id });
  const sold = async (query = "") => (await kiosk.ledger(query)).map(({ id }) => id);
  return Object.assign(kiosk, { sell, sold });
};

describe("a call", () => {
  test.each([
    ["hang", "cut", 1],
    ["hang_before", "cut", 0],
    ["reset", "cut", 1],
    ["http_500", "500 undefined", 1],
    ["garbage", "200 undefined", 1],
    ["wrong_amount", "200 101", 1],
    ["late", "200 100", 1],
    ["late_effect", "200 100", 1],
    ["control_characters", "200 100", 1],
  ])("with the fault %s is answered %s, and has %d effects", async (behaviour, expected, effects) => {
    await using kiosk = await startTestKiosk();
    await kiosk.fault("sell", behaviour);
    const answered = await kiosk.sell("a").then(
      ({ status, body }) => `${status} ${String(body?.["amount"])}`,
      () => "cut",
    );
    expect(answered).toBe(expected);
    expect(await kiosk.ledger()).toHaveLength(effects);
    expect(await kiosk.sell("b")).toMatchObject({ status: 200, body: { amount: 100 } });
  });

  test.each([
    ["interim", [100, 102, 103, 103], 0],
    ["long_head", [], 17 * 1_024],
  ])(
    "with the fault %s is answered after %j, with a head of %i bytes more",
    async (behaviour, codes, bytes) => {
      await using kiosk = await startTestKiosk();
      await kiosk.fault("sell", behaviour);
      const seen: number[] = [];
      const call = request(`${kiosk.url}/sell`, { method: "POST", maxHeaderSize: 32 * 1_024 });
      call.on("information", ({ statusCode }) => seen.push(statusCode)).end('{"id":"a"}');
      const [answer] = (await once(call, "response")) as [IncomingMessage];
      expect(JSON.parse(await text(answer))).toEqual({ amount: 100 });
      expect([seen, answer.headers["x-trace"]?.length ?? 0]).toEqual([codes, bytes]);
    },
  );

  test("that is late has its effect before or after its lateness, and a stop drops what was to come", async () => {
    await using kiosk = await startTestKiosk({ latenessMs: 3_600_000 });
    await kiosk.fault("sell", "late");
    const late = kiosk.sell("a").catch(() => "cut");
    await expect.poll(() => kiosk.sold()).toEqual(["a"]);
    await kiosk.fault("sell", "late_effect");
    const effect = kiosk.sell("b").catch(() => "cut");
    await expect.poll(() => kiosk.sell(`c`)).toMatchObject({ status: 200 });
    await kiosk.restart();
    expect([await late, await effect, (await kiosk.sold()).includes("b")]).toEqual(["cut", "cut", false]);
  });

  test.each([
    ["no JSON", "{", 400, { error: "malformed_json" }],
    ["no id", { name: "41111111" }, 400, { error: "invalid_request", fields: ["id"] }],
    ["more than 16 KiB", { id: "a".repeat(16 * 1_024) }, 413, { error: "body_too_large" }],
  ])("with %s is refused", async (_name, body, status, error) => {
    await using kiosk = await startTestKiosk();
    expect(await kiosk.call("POST", "/sell", body)).toEqual({ status, body: error });
    expect(await kiosk.ledger()).toEqual([]);
  });

  test("whose client goes away does no harm, and one that nobody serves is 404", async () => {
    await using kiosk = await startTestKiosk();
    const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const socket = connect(kiosk.simulator.port, "127.0.0.1");
    socket.write("POST /sell HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{", () =>
      socket.resetAndDestroy(),
    );
    await new Promise((resolve) => socket.once("close", resolve));
    expect((await kiosk.call("GET", "/livez")).status).toBe(200);
    expect(output).not.toHaveBeenCalled();
    for (const path of ["/", "/sell", "/faults"]) {
      expect(await kiosk.call("GET", path)).toEqual({ status: 404, body: { error: "no_such_route" } });
    }
  });
});

describe("the interface of the tests", () => {
  test("shows the ledger after a line, or from a time on", async () => {
    await using kiosk = await startTestKiosk();
    for (const id of ["a", "b", "c"]) await kiosk.sell(id);
    const [first] = await kiosk.ledger();
    expect(await kiosk.sold("?since=")).toEqual(["a", "b", "c"]);
    expect(await kiosk.sold("?since=1")).toEqual(["b", "c"]);
    expect(await kiosk.sold(`?since=${first!.at}`)).toEqual(["a", "b", "c"]);
    expect(await kiosk.sold("?since=2999-01-01T00:00:00.000Z")).toEqual([]);
    expect((await kiosk.call("GET", "/ledger?since=yesterday")).status).toBe(400);
  });

  test("ends days, whose files and whose time outlive a restart", async () => {
    await using kiosk = await startTestKiosk();
    expect((await kiosk.call("GET", "/business-day")).body).toEqual({ closedAt: null });
    await kiosk.sell("a");
    await kiosk.endDay();
    await kiosk.sell("b");
    const { body: day } = await kiosk.call("GET", "/business-day");
    expect(day).toEqual({ closedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    await kiosk.restart();
    expect((await kiosk.call("GET", "/business-day")).body).toEqual(day);
    expect(await kiosk.sold()).toEqual(["a", "b"]);
    expect((await kiosk.call("GET", "/settlements")).body).toEqual({ settlements: ["1.csv"] });
    expect(await kiosk.ask("GET", "/settlements/1.csv")).toBe("a");
    expect((await kiosk.call("GET", "/settlements/2.csv")).status).toBe(404);
  });

  test("has disputes in the file of the open day, and the last line of a day in the next one", async () => {
    await using kiosk = await startTestKiosk();
    const dispute = (body: object) => kiosk.call("POST", "/disputes", body);
    for (const id of ["a", "b"]) await kiosk.sell(id);
    expect((await dispute({ order: "c", amountMinor: 1 })).body).toEqual({ error: "no_such_order" });
    for (const kind of ["chargeback", "reversal", "chargeback"])
      expect((await dispute({ order: "a", amountMinor: 100, kind })).status).toBe(200);
    await kiosk.endDay();
    await kiosk.modes({ repeatsLines: true });
    await kiosk.sell("c");
    await kiosk.endDay();
    await kiosk.endDay();
    const files = ["1.csv", "2.csv", "3.csv"].map((name) => kiosk.ask("GET", `/settlements/${name}`));
    expect(await Promise.all(files)).toEqual(["a,b,chargeback a,reversal a,chargeback a", "b,c", "c"]);
  });

  test("states the payouts as the bank pays them: whole, short or not at all, and no line twice", async () => {
    await using kiosk = await startTestKiosk({ machineNow: () => Date.parse("2030-01-31T12:00:00Z") });
    for (const id of ["a", "b"]) await kiosk.sell(id);
    for (const payouts of ["missing", "whole", "short"]) {
      await kiosk.modes({ payouts, repeatsLines: payouts === "whole" });
      await kiosk.endDay();
    }
    const entries = (await kiosk.ask("GET", "/payouts")).matchAll(
      /<Amt Ccy="EUR">(.*?)<.*?Ind>(.*?)<.*?Dt>(2030.*?)<.*?Id>(.*?)</g,
    );
    expect([...entries].map((entry) => entry.slice(1))).toEqual([
      ["4.00", "DBIT", "2030-01-31", "P2"],
      ["5.00", "DBIT", "2030-01-31", "P3"],
    ]);
  });

  test("refunds in the bank's panel, as far as the bank's rules allow", async () => {
    await using kiosk = await startTestKiosk();
    for (const id of ["a", "b"]) await kiosk.sell(id);
    const refund = async (body: object) => (await kiosk.call("POST", "/panel/refunds", body)).status;
    expect(await refund({ order: "a", amountMinor: 99 })).toBe(200);
    expect(await refund({ order: "b", amountMinor: 99 })).toBe(409);
    expect(await refund({ order: "c", amountMinor: 99 })).toBe(404);
    expect(await refund({ order: "a", amountMinor: 0 })).toBe(400);
  });

  test("takes the bank's time forward, by a year at most", async () => {
    await using kiosk = await startTestKiosk();
    const { now } = JSON.parse(await kiosk.advance(86_400)) as { now: string };
    await kiosk.sell("a");
    const [line] = await kiosk.ledger();
    expect(Date.parse(line!.at)).toBeGreaterThanOrEqual(Date.parse(now));
    for (const advanceSeconds of [-1, 31_536_001, "1"]) {
      const refusal = { error: "invalid_request", fields: ["advanceSeconds"] };
      expect((await kiosk.call("POST", "/clock", { advanceSeconds })).body).toEqual(refusal);
    }
  });

  test("changes modes one by one, and refuses others by their names", async () => {
    await using kiosk = await startTestKiosk();
    const change = (body: object) => kiosk.call("PUT", "/modes", body);
    expect((await change({ isKind: false })).body).toEqual({ ...kindness, isKind: false, tongue: "tr" });
    for (const [body, fields] of [
      [{ isKind: "no", tongue: "4111111111111111" }, ["isKind", "tongue"]],
      [{ tongue: null }, ["tongue"]],
      [{ other: true }, [""]],
    ] as const) {
      expect(await change(body)).toEqual({ status: 400, body: { error: "invalid_request", fields } });
    }
    expect((await change({ tongue: "en" })).body).toEqual({ ...kindness, isKind: false, tongue: "en" });
    // Another bank of this process has the modes with which it starts.
    await using another = await startTestKiosk();
    expect((await another.call("PUT", "/modes", {})).body).toEqual({ ...kindness, ...defaultModes });
    await another.restart({ unkindness: { historyLagSeconds: 3 } });
    expect((await another.call("PUT", "/modes", {})).body).toMatchObject({ historyLagSeconds: 3 });
    expect((await change({ zone: "Europe/Atlantis" })).body).toMatchObject({ fields: ["zone"] });
  });

  test("refuses faults that are none of the bank's, and clears the queue", async () => {
    await using kiosk = await startTestKiosk();
    for (const fault of [{ operation: "ask", behaviour: "late" }, "{"]) {
      const refused = await kiosk.call("POST", "/faults", fault);
      expect(refused).toEqual({ status: 400, body: { error: "invalid_fault" } });
    }
    expect((await kiosk.call("POST", "/faults", "a".repeat(16 * 1_024 + 1))).status).toBe(413);
    await kiosk.fault("sell", "http_500", 5);
    await kiosk.ask("DELETE", "/faults");
    expect((await kiosk.sell("a")).status).toBe(200);
  });

  test("sends notifications elsewhere, or none", async () => {
    await using kiosk = await startTestKiosk();
    const { received, url } = await startReceiver();
    expect((await kiosk.call("PUT", "/notifications", { url: "telex" })).body).toMatchObject({
      fields: ["url"],
    });
    await kiosk.ask("PUT", "/notifications", { url });
    await kiosk.sell("a");
    await expect.poll(() => received.map(({ body }) => body)).toEqual(["a"]);
    await kiosk.ask("DELETE", "/notifications");
    await kiosk.sell("b");
    await kiosk.ask("PUT", "/notifications", { url });
    await kiosk.sell("c");
    await expect.poll(() => received.map(({ body }) => body)).toEqual(["a", "c"]);
  });
});

describe("a bank's process", () => {
  test("answers nothing once its ledger cannot be written, and logs no words of the failure", async () => {
    await using kiosk = await startTestKiosk();
    const failure = Object.assign(new Error("disk, writing 4111111111111111"), { code: "EIO" });
    vi.spyOn(await fileHandlePrototype(), "datasync").mockRejectedValueOnce(failure);
    const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    for (let count = 0; count < 2; count += 1) expect((await kiosk.sell("a")).status).toBe(500);
    expect(await kiosk.simulator.failed).toBe(failure);
    expect(output.mock.calls.join("\n")).toContain("EIO");
    expect(output.mock.calls.join("\n")).not.toContain("4111111111111111");
  });

  test("keeps connections warm for longer than clients do, and bounds them", async () => {
    await using kiosk = await startTestKiosk();
    expect((await fetch(`${kiosk.url}/livez`)).headers.get("keep-alive")).toBe("timeout=65");
    await kiosk.restart({ connectionsMax: 1 });
    const first = connect(kiosk.simulator.port, "127.0.0.1");
    await once(first, "connect");
    await expect(kiosk.sell("a")).rejects.toThrow("fetch failed");
    first.destroy();
    await expect.poll(() => kiosk.sell("a").catch(() => "refused")).toMatchObject({ status: 200 });
  });

  test("that starts on a taken port fails and lets go of the ledger and of the events", async () => {
    await using kiosk = await startTestKiosk();
    const close = vi.spyOn(Ledger.prototype, "close");
    const options = { ledgerFile: `${kiosk.ledgerFile}.second`, port: kiosk.simulator.port };
    await expect(startKiosk(options)).rejects.toThrow("EADDRINUSE");
    expect(close).toHaveBeenCalledTimes(2);
  });

  test("lets what is being written be answered before it stops", async () => {
    await using kiosk = await startTestKiosk();
    const disk = await gatedDisk();
    const underWay = kiosk.sell("a");
    await disk.reached;
    const restarted = kiosk.restart();
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    disk.open();
    expect((await underWay).status).toBe(200);
    await restarted;
  });
});
