// The banks of `npm start -- --banks` misbehave in 3-D Secure, where the challenge begins and where its payment is
// charged; and browsers bring back forged returns. Any status that a merchant reads in the end agrees with the bank's
// own ledger.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enrol, passChallenge } from "./buyer-at-bank.ts";
import { traitsOf } from "../support/bank-faults.ts";
import { FORGERIES } from "../support/return-forgeries.ts";
import { send, type Page } from "./follow-forms.ts";
import {
  BANKS,
  behavioursOf,
  dayEndFirst,
  shopInHaste,
  SOON,
  sumOf,
  type Protocol,
} from "./misbehaving-bank.ts";
import { runNpmStart, type StartedByNpm } from "./run-npm-start.ts";
import type { ShopAtBank } from "./shop-at-bank.ts";

/** The amount of every payment here, in minor units. */
const AMOUNT = 1_250n;
const CHARGED = [`sale ${AMOUNT}`];

const isProven = (protocol: Protocol, behaviour: string) =>
  !traitsOf(protocol).falseReturns.includes(behaviour);

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

  const statusOf = async (paymentId: string): Promise<string> =>
    (await shop.api("GET", `/api/payment/${paymentId}`)).body.status;

  test("a challenge that begins badly is charged once where it can be passed, and otherwise nothing is", async () => {
    const begun: { behaviour: string; paymentId: string; redirectUrl?: string }[] = [];
    for (const behaviour of behavioursOf(protocol, "enrol")) {
      await shop.bend("enrol", behaviour);
      begun.push({ behaviour, ...(await enrol(shop)) });
    }
    const ends: string[] = [];
    for (const { behaviour, paymentId, redirectUrl } of begun) {
      if (redirectUrl !== undefined) await send(await passChallenge(started.file, redirectUrl));
      const isOpen = redirectUrl !== undefined && !isProven(protocol, behaviour);
      const status = isOpen ? await statusOf(paymentId) : (await shop.settled(paymentId)).status;
      ends.push(status);
      expect([behaviour, status, await shop.book(paymentId)]).toEqual([
        behaviour,
        isOpen ? "ENROLLED" : status,
        status === "SUCCESS" ? CHARGED : [],
      ]);
    }
    expect(new Set(ends)).toEqual(new Set(["SUCCESS", "FAILED", "ENROLLED"]));
  });

  test("a completion is SUCCESS where the bank has the whole amount once, and FAILED where it has nothing", async () => {
    const passed = await Promise.all(
      dayEndFirst(behavioursOf(protocol, "complete")).map(async (behaviour) => ({
        behaviour,
        ...(await challenged()),
      })),
    );
    for (const { behaviour, back } of passed) {
      await shop.bend("complete", behaviour);
      await send(back);
    }
    for (const { behaviour, paymentId } of passed) {
      const { status } = await shop.settled(paymentId);
      const bank = await shop.lines(paymentId);
      const undone = sumOf(bank, "void", "refund");
      expect([behaviour, status, sumOf(bank, "sale")]).toEqual([
        behaviour,
        status,
        status === "SUCCESS" ? AMOUNT : undone,
      ]);
      expect(undone).toBe(status === "SUCCESS" ? 0n : sumOf(bank, "sale"));
    }
  });

  test("a return that somebody has changed changes nothing, and the bank's own is charged afterwards", async () => {
    const { paymentId, back } = await challenged();
    for (const [field, value] of FORGERIES[protocol]) {
      const { shop: ledTo } = await send(forged(back, field, value));
      expect([field, value, ledTo, await statusOf(paymentId)]).toEqual([field, value, undefined, "ENROLLED"]);
      expect(await shop.lines(paymentId)).toEqual([]);
    }
    expect((await send(back)).shop?.pathname).toBe("/yes");
    expect(await shop.settled(paymentId)).toMatchObject({ status: "SUCCESS" });
    expect(await shop.book(paymentId)).toEqual(CHARGED);
  });

  async function challenged(): Promise<{ paymentId: string; back: Page }> {
    const { paymentId, redirectUrl = "" } = await enrol(shop);
    return { paymentId, back: await passChallenge(started.file, redirectUrl) };
  }
});

/** The form with another value of a field, or without the field. */
function forged(page: Page, field: string, value?: string): Page {
  const input = new RegExp(`<input type="hidden" name="${field}" value="[^"]*"\\s*/?>`);
  expect(page.html).toMatch(input);
  const html = page.html.replace(
    input,
    value === undefined ? "" : `<input type="hidden" name="${field}" value="${value}">`,
  );
  return { ...page, html };
}
