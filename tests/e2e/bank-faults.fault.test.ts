// The banks of `npm start -- --banks` misbehave in every way that they know. Any status that a merchant reads in the
// end agrees with the bank's own ledger.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { traitsOf } from "../support/bank-faults.ts";
import { eventually } from "../support/index.ts";
import { BANKS, behavioursOf, dayEndFirst, shopInHaste, SOON, sumOf } from "./misbehaving-bank.ts";
import { runNpmStart, type StartedByNpm } from "./run-npm-start.ts";
import { preAuthorization } from "./running-sandbox.ts";
import type { ShopAtBank } from "./shop-at-bank.ts";

let started: StartedByNpm;
beforeAll(async () => {
  started = await runNpmStart(["--banks", BANKS.join(",")], SOON);
});
afterAll(() => started?.cleanUp());

describe.each(BANKS)("at %s", (protocol) => {
  let shop: ShopAtBank;
  beforeAll(async () => {
    shop = await shopInHaste(started.file, protocol);
  });

  test("a sale is SUCCESS where the bank has the whole amount once, and FAILED where it has nothing", async () => {
    const behaviours = dayEndFirst(behavioursOf(protocol, "sale"));
    const begun = await eachBent(shop, behaviours, {
      operation: "sale",
      begin: () => pay(shop, "/api/payment"),
    });
    for (const [behaviour, paymentId] of begun) {
      const { status } = await shop.settled(paymentId);
      const bank = await shop.lines(paymentId);
      expect([behaviour, status, sumOf(bank, "sale")]).toEqual([
        behaviour,
        status,
        status === "SUCCESS" ? AMOUNT : sumOf(bank, "void", "refund"),
      ]);
      expect(sumOf(bank, "void", "refund")).toBe(status === "SUCCESS" ? 0n : sumOf(bank, "sale"));
    }
  });

  test("a capture is CAPTURED where the bank has captured once, and otherwise changes nothing", async () => {
    // A part waits for people, as a record with another amount does.
    const behaviours = behavioursOf(protocol, "capture").filter((behaviour) => behaviour !== "partial");
    const authorized = await Promise.all(behaviours.map(() => approved(shop, "authorize")));
    const capture = async () => {
      const paymentId = authorized.shift()!;
      await shop.api("POST", `/api/payment/${paymentId}/capture`, {});
      return paymentId;
    };
    const begun = await eachBent(shop, behaviours, { operation: "capture", begin: capture });
    for (const [behaviour, paymentId] of begun) {
      if (isShownOtherwise(protocol, behaviour)) {
        expect(await waitsForPeople(shop, paymentId)).toBe("PENDING");
        continue;
      }
      const status = await afterOperation(shop, paymentId);
      const captured = sumOf(await shop.lines(paymentId), "capture");
      expect([behaviour, status, captured]).toEqual([
        behaviour,
        captured === 0n ? "SUCCESS" : "CAPTURED",
        captured === 0n ? 0n : AMOUNT,
      ]);
    }
  });

  test("a sale is CANCELLED where the bank has voided it once, and otherwise stays SUCCESS", async () => {
    const behaviours = behavioursOf(protocol, "void");
    const sold = await Promise.all(behaviours.map(() => approved(shop, "sale")));
    const cancel = async () => {
      const paymentId = sold.shift()!;
      await shop.api("POST", `/api/payment/${paymentId}/cancel`, {});
      return paymentId;
    };
    const begun = await eachBent(shop, behaviours, { operation: "void", begin: cancel });
    for (const [behaviour, paymentId] of begun) {
      const status = await afterOperation(shop, paymentId);
      const voided = sumOf(await shop.lines(paymentId), "void");
      expect([behaviour, status, voided]).toEqual([
        behaviour,
        voided === 0n ? "SUCCESS" : "CANCELLED",
        voided === 0n ? 0n : AMOUNT,
      ]);
    }
  });

  test("a refund after the day's end is SUCCESS where the bank has paid once, and FAILED where it has not", async () => {
    const behaviours = behavioursOf(protocol, "refund");
    const sold = await Promise.all(behaviours.map(() => approved(shop, "sale")));
    await shop.closeDay();
    const refunds: string[] = [];
    const refund = async () => {
      const paymentId = sold.shift()!;
      refunds.push(await shop.refund(paymentId, 2.5));
      return paymentId;
    };
    const begun = await eachBent(shop, behaviours, { operation: "refund", begin: refund });
    for (const [index, [behaviour, paymentId]] of begun.entries()) {
      const { status } = await shop.settled(refunds[index]!);
      const paid = sumOf(await shop.lines(paymentId), "refund", "void");
      expect([behaviour, status, paid]).toEqual([behaviour, status, status === "SUCCESS" ? 250n : 0n]);
    }
  });
});

/** The amount of every payment here, in minor units. */
const AMOUNT = 1_250n;

/**
 * Begins one case after another, since the bank's fault applies to its next call; the rest of the cases runs
 * side by side.
 */
async function eachBent(
  shop: ShopAtBank,
  behaviours: readonly string[],
  { operation, begin }: { operation: string; begin: () => Promise<string> },
): Promise<[behaviour: string, paymentId: string][]> {
  const begun: [string, string][] = [];
  for (const behaviour of behaviours) {
    await shop.bend(operation, behaviour);
    begun.push([behaviour, await begin()]);
  }
  return begun;
}

async function pay(shop: ShopAtBank, path: string): Promise<string> {
  const { body } = await shop.api("POST", path, preAuthorization());
  expect(body).toMatchObject({ paymentId: expect.any(String) });
  return body.paymentId;
}

/** Pays again where the bank's time-out passed on a busy machine: the steps after it need an approved payment. */
async function approved(shop: ShopAtBank, how: "authorize" | "sale"): Promise<string> {
  return await eventually(async () => {
    const paymentId = await pay(shop, how === "sale" ? "/api/payment" : "/api/pre-authorization");
    expect(await shop.settled(paymentId)).toMatchObject({ status: "SUCCESS" });
    return paymentId;
  });
}

/**
 * True if the record shows another amount from then on, about which operators decide; not if only the answer
 * is wrong.
 */
const isShownOtherwise = (protocol: string, behaviour: string) =>
  behaviour === "wrong_amount" && !traitsOf(protocol).answersAmounts;

/** @returns the operation's status once the bank's record was read. */
async function waitsForPeople(shop: ShopAtBank, paymentId: string): Promise<string> {
  return await eventually(async () => {
    const { body } = await shop.operator("GET", `/operator/payments/${paymentId}`);
    return body.unresolved === true && body.attempts > 1 && String(body.payment.lastOperation.status);
  });
}

/** @returns the payment's status when nothing more is under way. */
async function afterOperation(shop: ShopAtBank, paymentId: string): Promise<string> {
  return await eventually(
    async () => {
      const { body } = await shop.api("GET", `/api/payment/${paymentId}`);
      return body.lastOperation?.status !== "PENDING" && String(body.status);
    },
    { everyMs: 100 },
  );
}
