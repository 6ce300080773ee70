import { Holdfast } from "@holdfast/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, startTestSystem, type TestSystem } from "../support/index.ts";
import { createMerchant } from "./create-merchant.ts";
import { startKilledGateways, type KilledGateways } from "./killed-gateways.ts";
import { PURCHASES, purchase, type AnsweredCall } from "./paying-merchant.ts";

/**
 * The merchants' client while the gateway dies by SIGKILL in the middle of its requests. Afterwards the bank's ledger
 * has to agree with everything that the client said. `npm run test:kills` does it 1 000 times.
 */
const KILLS = Number(process.env["CLIENT_KILLS"] ?? 6);
/** Purchases that are under way at each kill. */
const TOGETHER = 8;

let system: TestSystem;
let gateways: KilledGateways;
let holdfast: Holdfast;

beforeAll(async () => {
  system = await startTestSystem({
    services: ["gateway-merchant", "payments", "refunds"],
    running: ["payments", "refunds"],
  });
  const { apiKey, apiSecret } = await createMerchant(system);
  gateways = await startKilledGateways(system, 2);
  holdfast = new Holdfast({ baseUrl: gateways.url, apiKey, apiSecret });
});
afterAll(async () => {
  await gateways?.close();
  await system.close();
});

test(
  `over ${KILLS} kills of the gateway every purchase is charged as the client says, and one time`,
  async () => {
    const answered: AnsweredCall[] = [];
    let amountMinor = 100;
    let interrupted = 0;
    while (interrupted < KILLS) {
      const round = Array.from({ length: TOGETHER }, (_, index) => {
        amountMinor++;
        // Amounts with these digits have the simulator misbehave, which is not tested here.
        while (amountMinor % 100 >= 91) amountMinor++;
        return purchase(holdfast, PURCHASES[index % PURCHASES.length]!, amountMinor);
      });
      const over = Promise.all(round);
      await gateways.killAfter(1 + Math.floor(Math.random() * PIECES), over);
      const ended = (await over).flat();
      answered.push(...ended);
      if (!ended.some(({ attempts }) => attempts > 1)) continue;
      interrupted++;
      // A long run reports its faults early.
      if (interrupted % 100 !== 0 && interrupted !== KILLS) continue;
      await expectAnswered(answered);
      report(interrupted, answered);
    }
  },
  KILLS * 60_000,
);

function report(kills: number, answered: readonly AnsweredCall[]): void {
  const repeated = answered.filter(({ attempts }) => attempts > 1).length;
  const unknown = answered.filter(({ unknowns }) => unknowns > 0).length;
  process.stdout.write(
    `${kills} kills hit requests: ${answered.length} calls, ${repeated} of them sent again, ${unknown} first unknown\n`,
  );
}

/** About as many as a round has, so that the kill finds requests at every stage of their way. */
const PIECES = 3 * TOGETHER;

/** Compares the client's answers with the records of the bank and the services. */
async function expectAnswered(answered: AnsweredCall[]): Promise<void> {
  const ledger = await system.bank!.wholeLedger();
  const charged = Map.groupBy(
    ledger.filter(({ outcome }) => outcome === "approved"),
    ({ operation, amountMinor }) => `${operation} ${amountMinor}`,
  );
  const wrong = answered.flatMap((call) => {
    const { operation, amountMinor, outcome, paymentId = "" } = call;
    if (operation === "refund") return [];
    const lines = charged.get(`${operation} ${amountMinor}`) ?? [];
    const isRight =
      outcome === "done"
        ? lines.length === 1 && lines[0]!.reference.startsWith(operation === "capture" ? "" : paymentId)
        : lines.length === 0;
    return isRight ? [] : [{ call, lines }];
  });
  expect(wrong).toEqual([]);
  // The client has reported every charge.
  const calls = new Set(answered.map(({ operation, amountMinor }) => `${operation} ${amountMinor}`));
  expect([...charged.keys()].filter((key) => !calls.has(key))).toEqual([]);
  await expectRefundsAnswered(answered.filter(({ operation }) => operation === "refund"));
}

/**
 * Each accepted refund is stored, and no other. Every request is for the whole payment, so a refusal by the
 * gateway belongs to a second refund: only a closed gateway may have started none.
 */
async function expectRefundsAnswered(answered: AnsweredCall[]): Promise<void> {
  const refused = answered.filter(({ outcome, reason = "" }) => outcome !== "done" && !CLOSED.has(reason));
  expect(refused).toEqual([]);
  await eventually(async () => {
    const rows = await system.query<{ refund_id: string; amount_minor: string }>(
      "select refund_id, amount_minor from refunds.refund",
    );
    const stored = rows.map(({ refund_id, amount_minor }) => `${refund_id} ${amount_minor}`).sort();
    const done = answered.filter(({ outcome }) => outcome === "done");
    expect(stored).toEqual(done.map(({ paymentId, amountMinor }) => `${paymentId} ${amountMinor}`).sort());
  });
}

/** A client's errors while no gateway serves. */
const CLOSED: ReadonlySet<string> = new Set(["connection_failed", "service_unavailable"]);
