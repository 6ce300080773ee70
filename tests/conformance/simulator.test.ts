import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startBank as startSimulator, type Simulator } from "@holdfast/bank-simulator";
import type { LedgerLine } from "@holdfast/bank-simulator/sim";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Acquirer, AcquirerCard, Challenge } from "@holdfast/acquirer";
import { describeAcquirerConformance } from "./suite/acquirer-conformance.ts";
import { CallBuilder } from "./suite/call-builder.ts";
import { createSimulatorAcquirer } from "../../packages/banks/src/sim/simulator.ts";
import { withoutHeard } from "./suite/without-heard.ts";

describeAcquirerConformance("the simulator adapter", async () => {
  const bank = await startBank();
  const acquirer = open(bank.simulator.url);
  return {
    acquirer,
    openAnother: () => open(bank.simulator.url),
    openUnreachable: () => open("http://127.0.0.1:1"),
    cards: {
      approved: card("4111111111111111"),
      declined: card("4000000000000002"),
      approvedAndSilent: card("4000000000000119"),
      ignoredAndSilent: card("4000000000000127"),
      approvedAndReset: card("4000000000000051"),
      approvedWithGarbage: card("4000000000000036"),
      approvedWithOtherAmount: card("4000000000000044"),
      challenged: card("4000000000003220"),
      frictionless: card("4000000000003055"),
      unauthenticated: card("4000000000003097"),
    },
    answerChallenge,
    close: async () => {
      await acquirer.close();
      await bank.close();
    },
  };
});

describe.concurrent("the simulator's faults, through the adapter", () => {
  let bank: Bank;
  let acquirer: Acquirer;
  const calls = new CallBuilder(card("4111111111111111"));
  beforeAll(async () => {
    bank = await startBank();
    acquirer = open(bank.simulator.url);
  });
  afterAll(async () => {
    await acquirer.close();
    await bank.close();
  });

  test.for([
    ["4111111111111111", "authorize"],
    ["5555555555554444", "sale"],
    ["378282246310005", "authorize"],
    ["9792000000000003", "sale"],
    ["4000000000003220", "authorize"],
    ["4000000000003055", "sale"],
    ["4000000000003097", "authorize"],
    ["4242424242424242", "authorize"],
  ] as const)("card %s approves a plain %s", async ([pan, operation]) => {
    expect(await acquirer[operation](calls.card({ card: card(pan) }))).toMatchObject({ kind: "approved" });
  });

  test.for([
    ["4000000000000002", "05", "soft"],
    ["4000000000009995", "51", "limit"],
    ["4000000000000069", "54", "hard"],
    ["4111111111111112", "14", "hard"],
  ])("card %s is declined with %s (%s)", async ([pan = "", resultCode, declineClass]) => {
    for (const operation of ["authorize", "sale"] as const) {
      const outcome = await acquirer[operation](calls.card({ card: card(pan) }));
      expect(outcome).toMatchObject({ kind: "declined", resultCode, declineClass });
    }
  });

  test.for([
    ["4000000000000119", "timeout"],
    ["4000000000000101", "timeout"],
    ["4000000000000341", "invalid_answer"],
    ["4000000000000036", "invalid_answer"],
    ["4000000000000044", "mismatch"],
    ["4000000000000051", "connection_lost"],
  ] as const)("card %s approves once, is unknown for %s, and a repeat is told so", async ([pan, reason]) => {
    const request = calls.card({ card: card(pan), expiresAt: calls.untilUnknown(reason) });
    expect(withoutHeard(await acquirer.sale(request))).toEqual({ kind: "unknown", reason });
    expect(await acquirer.sale({ ...request, expiresAt: calls.soon() })).toMatchObject({ kind: "approved" });
    expect(await bank.lines(request.reference)).toEqual([
      expect.objectContaining({ operation: "sale", outcome: "approved", amountMinor: 10_000 }),
    ]);
  });

  test.for([
    ["4000000000000119", "timeout"],
    ["4000000000000341", "invalid_answer"],
    ["4000000000000036", "invalid_answer"],
    ["4000000000000044", "mismatch"],
    ["4000000000000051", "connection_lost"],
  ] as const)("card %s completes 3-D Secure once, is unknown for %s", async ([pan, reason]) => {
    const enrolment = calls.enrolment({ card: card(pan), operation: "sale" });
    const enrolled = await acquirer.enrol(enrolment);
    const session = "session" in enrolled ? enrolled.session : "";
    const completion = { ...enrolment, session, expiresAt: calls.untilUnknown(reason) };
    expect(withoutHeard(await acquirer.complete(completion))).toEqual({ kind: "unknown", reason });
    expect(await acquirer.complete({ ...completion, expiresAt: calls.soon() })).toMatchObject({
      kind: "approved",
    });
    expect(await bank.lines(enrolment.reference)).toEqual([
      expect.objectContaining({
        operation: "sale",
        outcome: "approved",
        pan: pan.slice(0, 6) + "******" + pan.slice(-4),
      }),
    ]);
  });

  test.for(["4000000000000002", "4000000000009995"])(
    "card %s is declined when 3-D Secure completes",
    async (pan) => {
      const enrolment = calls.enrolment({ card: card(pan) });
      const enrolled = await acquirer.enrol(enrolment);
      const session = "session" in enrolled ? enrolled.session : "";
      expect(await acquirer.complete({ ...enrolment, session })).toMatchObject({ kind: "declined" });
    },
  );

  test("card 4000000000000127 does nothing, however often", async () => {
    const request = calls.card({ card: card("4000000000000127") });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const outcome = await acquirer.authorize({ ...request, expiresAt: calls.verySoon() });
      expect(outcome).toEqual({ kind: "unknown", reason: "timeout" });
    }
    expect(await bank.lines(request.reference)).toEqual([]);
  });

  test("card 4000000000000259 takes effect after our deadline", async () => {
    const request = calls.card({ card: card("4000000000000259"), expiresAt: calls.verySoon() });
    const underWay = acquirer.authorize(request);
    expect(await calls.verdict(acquirer, request)).toEqual({ kind: "not_found" });
    expect(await underWay).toEqual({ kind: "unknown", reason: "timeout" });
    await expect.poll(() => calls.verdict(acquirer, request)).toMatchObject({ kind: "approved" });
    const [line] = await bank.lines(request.reference);
    expect(Date.parse(line?.at ?? "")).toBeGreaterThanOrEqual(request.expiresAt.getTime() + LATENESS_MS - 5);
  });

  test("a reversal wins over card 4000000000000259", async () => {
    const request = calls.card({ card: card("4000000000000259"), expiresAt: calls.verySoon() });
    const underWay = acquirer.authorize(request);
    expect(await acquirer.reverse(calls.reversal(request))).toEqual({ kind: "reversed" });
    expect(await underWay).toEqual({ kind: "unknown", reason: "timeout" });
    await expect
      .poll(() => bank.lines(request.reference))
      .toEqual([
        expect.objectContaining({ operation: "reverse", outcome: "approved" }),
        expect.objectContaining({ operation: "authorize", outcome: "declined", resultCode: "reversed" }),
      ]);
  });

  describe.for(["refund", "capture", "cancel", "release"] as const)("%s", (operation) => {
    const parentOf = (amountMinor: bigint) =>
      calls.approved(acquirer, operation === "refund" ? "sale" : "authorize", amountMinor);

    test("…91 is declined, the repeat too", async () => {
      const request = calls.followUp(await parentOf(10_091n));
      const outcome = await acquirer[operation](request);
      expect(outcome).toMatchObject({ kind: "declined", resultCode: "05" });
      expect(await acquirer[operation](request)).toEqual(outcome);
    });

    test.for([
      [92n, "timeout"],
      [94n, "timeout"],
      [95n, "invalid_answer"],
    ] as const)("…%s is done once, unknown for %s, and the repeat is told so", async ([digits, reason]) => {
      const request = calls.followUp(await parentOf(10_000n + digits), {
        waitUntil: calls.untilUnknown(reason),
      });
      expect(await acquirer[operation](request)).toEqual({ kind: "unknown", reason });
      expect(await calls.verdict(acquirer, request)).toMatchObject({ kind: "approved" });
      expect(await acquirer[operation]({ ...request, waitUntil: calls.soon() })).toMatchObject({
        kind: "approved",
      });
      expect(await bank.lines(request.reference)).toHaveLength(1);
    });

    test("…93 is not done and never answered, but the repeat does it", async () => {
      const request = calls.followUp(await parentOf(10_093n), { waitUntil: calls.verySoon() });
      expect(await acquirer[operation](request)).toEqual({ kind: "unknown", reason: "timeout" });
      expect(await calls.verdict(acquirer, request)).toEqual({ kind: "not_found" });
      expect(await acquirer[operation]({ ...request, waitUntil: calls.soon() })).toMatchObject({
        kind: "approved",
      });
      expect(await bank.lines(request.reference)).toHaveLength(1);
    });
  });

  test("amounts ending in fault digits are ordinary for authorizations, sales and reversals", async () => {
    const authorization = await calls.approved(acquirer, "authorize", 10_091n);
    await calls.approved(acquirer, "sale", 10_092n);
    expect(await acquirer.reverse(calls.reversal(authorization))).toEqual({ kind: "reversed" });
  });
});

/** Sends the fields of the page's form. */
async function answerChallenge(challenge: Challenge, answer: "pass" | "fail" | "cancel"): Promise<void> {
  if (challenge.type !== "post") throw new Error("the simulator shows no page of its own");
  const { url, fields } = challenge;
  const shown = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
  const page = await shown.text();
  const session = /name="session" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const form = {
    session,
    code: answer === "pass" ? "123456" : "000000",
    answer: answer === "cancel" ? answer : "submit",
  };
  const answered = await fetch(new URL("/acs/answer", url), {
    method: "POST",
    body: new URLSearchParams(form),
    redirect: "manual",
  });
  await answered.text();
}

type Bank = {
  simulator: Simulator;
  lines(reference: string): Promise<LedgerLine[]>;
  close(): Promise<void>;
};

/** Less than production's second, so that the tests of late answers are short. */
const LATENESS_MS = 200;

async function startBank(): Promise<Bank> {
  const folder = await mkdtemp(join(tmpdir(), "acquirer-"));
  const ledgerFile = join(folder, "ledger.ndjson");
  const simulator = await startSimulator("sim", { ledgerFile, hangMs: 600_000, latenessMs: LATENESS_MS });
  return {
    simulator,
    lines: async (reference) => {
      const text = await (await fetch(`${simulator.url}/ledger`)).text();
      const lines = text.split("\n").filter((line) => line !== "");
      return lines
        .map((line) => JSON.parse(line) as LedgerLine)
        .filter((line) => line.reference === reference);
    },
    close: async () => {
      await simulator.close();
      await rm(folder, { recursive: true });
    },
  };
}

function open(url: string): Acquirer {
  return createSimulatorAcquirer({ url, connectTimeoutMs: 60_000, connectionsMax: 64 });
}

function card(pan: string): AcquirerCard {
  return { pan, expiryMonth: "12", expiryYear: "30", cvv: "123" };
}
