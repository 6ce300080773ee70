import { afterAll, describe, expect, test } from "vitest";

import { businessDayEnd } from "@holdfast/acquirer";
import { waysToRefund } from "./refund-order.ts";
import { connectTo, followUp, playBank } from "./test/nestpay-bench.ts";
import { approvedXml, emptyHistoryXml, historyRow, historyXml, refusedXml } from "./test/scripted-bank.ts";

/** A day that ends in hours, whenever the test runs. */
const businessDay = {
  timeZone: "UTC",
  cutOff: new Date(Date.now() + 6 * 3_600_000).toISOString().slice(11, 16),
};
const { bank, acquirer } = await playBank({ businessDay });
const sameDay = connectTo(bank.url, { businessDay, creditBeforeDayEnd: true });
afterAll(() => sameDay.close());

const types = () => bank.received.map(({ fields }) => fields.get("Type") ?? "history");
const settled = (amountMinor = 10_000n) => followUp({ amountMinor });
const today = (amountMinor = 10_000n) => {
  const request = followUp({ amountMinor });
  return { ...request, target: { ...request.target, amountMinor: 10_000n, at: new Date() } };
};
const live = ({ orderId }: { orderId: string }) => historyXml(orderId, historyRow("S", "C"));
const dayNotEnded = { kind: "not_sent", reason: "day_not_ended" };

describe("after the day's end", () => {
  test("all or a part is credited", async () => {
    for (const amountMinor of [10_000n, 2_500n]) {
      const request = { ...settled(), amountMinor };
      bank.script(approvedXml(request.orderId, "T2"));
      const outcome = await acquirer.refund(request);
      expect(outcome).toMatchObject({ kind: "approved", amountMinor, externalTransactionId: "T2" });
      expect(outcome).not.toHaveProperty("asVoid");
      expect(types()).toEqual(["Credit"]);
    }
    expect(Object.fromEntries(bank.received[0]!.fields)).toMatchObject({ Total: "25.00", Currency: "949" });
  });

  test("a credit that is approved under the sale's name is a mismatch", async () => {
    const request = { ...settled(), amountMinor: 2_500n };
    bank.script(approvedXml(request.orderId, "T1"));
    expect(await acquirer.refund(request)).toEqual({ kind: "unknown", reason: "mismatch" });
  });

  test("where the bank's day has not ended yet, all is voided, and a part waits for the next end", async () => {
    const request = settled();
    bank.script(refusedXml("2508"), live(request), approvedXml(request.orderId, "T1"));
    expect(await acquirer.refund(request)).toMatchObject({
      kind: "approved",
      externalTransactionId: "T1",
      asVoid: true,
    });
    expect(types()).toEqual(["Credit", "history", "Void"]);
    bank.script(refusedXml("2508"));
    const notBefore = businessDayEnd(new Date(), businessDay);
    expect(await acquirer.refund({ ...settled(), amountMinor: 1n })).toEqual({ ...dayNotEnded, notBefore });
  });

  test("what was voided on the day is refunded, and everything else that is refused is declined", async () => {
    const request = settled();
    bank.script(refusedXml("2116"), historyXml(request.orderId, historyRow("S", "V")));
    expect(await acquirer.refund(request)).toMatchObject({
      kind: "approved",
      externalTransactionId: "T1",
      asVoid: true,
    });
    bank.script(refusedXml("2503"), historyXml(request.orderId, historyRow("S", "S")));
    expect(await acquirer.refund(request)).toMatchObject({ kind: "declined", resultCode: "CORE-2503" });
    bank.script(refusedXml("2503"));
    expect(await acquirer.refund(request)).toEqual({ kind: "unknown", reason: "invalid_answer" });
    bank.script(refusedXml("2514"));
    expect(await acquirer.refund(request)).toMatchObject({ kind: "declined", resultCode: "CORE-2514" });
    bank.script(refusedXml("2503"));
    expect(await acquirer.refund({ ...request, amountMinor: 1n })).toMatchObject({ kind: "declined" });
  });
});

describe("before the day's end", () => {
  test("all is paid back by a void", async () => {
    const request = today();
    bank.script(live(request), approvedXml(request.orderId, "T1"));
    expect(await acquirer.refund(request)).toMatchObject({ externalTransactionId: "T1", asVoid: true });
    expect(types()).toEqual(["history", "Void"]);
  });

  test("nothing is voided beside a refund that was made at the bank", async () => {
    const request = today();
    const refunded = historyRow("C", "C", { transId: "T2", original: "3000" });
    bank.script(historyXml(request.orderId, refunded, historyRow("S", "C")));
    expect(await acquirer.refund(request)).toEqual({ kind: "unknown", reason: "mismatch" });
    expect(types()).toEqual(["history"]);
  });

  test("nothing is voided while the bank does not show the order", async () => {
    const request = today();
    bank.script(emptyHistoryXml(request.orderId), approvedXml(request.orderId, "T1"));
    expect(await acquirer.refund(request)).toEqual({ kind: "unknown", reason: "pending" });
    expect(types()).toEqual(["history"]);
  });

  test("a part waits for it, and nothing is sent", async () => {
    const request = today(2_500n);
    bank.script();
    const notBefore = businessDayEnd(request.target.at, businessDay);
    expect(await acquirer.refund(request)).toEqual({ ...dayNotEnded, notBefore });
    expect(bank.received).toEqual([]);
  });

  test("where the bank's day has ended already, all is credited", async () => {
    const request = today();
    const settledRow = historyXml(request.orderId, historyRow("S", "S"));
    bank.script(settledRow, approvedXml(request.orderId, "T2"));
    expect(await acquirer.refund(request)).toMatchObject({ kind: "approved", externalTransactionId: "T2" });
    expect(types()).toEqual(["history", "Credit"]);
    // The business day ends between the two.
    bank.script(live(request), refusedXml("2511"), settledRow, approvedXml(request.orderId, "T2"));
    expect(await acquirer.refund(request)).toMatchObject({ kind: "approved", externalTransactionId: "T2" });
    expect(types()).toEqual(["history", "Void", "history", "Credit"]);
  });

  test("a bank that refuses both has not ended its day", async () => {
    const request = today();
    bank.script(historyXml(request.orderId, historyRow("S", "S")), refusedXml("2508"));
    expect(await acquirer.refund(request)).toMatchObject(dayNotEnded);
  });

  test("nothing is credited while a void may have been carried out", async () => {
    const request = today();
    bank.script(live(request), { status: 0, body: "" });
    expect(await acquirer.refund(request)).toEqual({ kind: "unknown", reason: "connection_lost" });
    expect(types()).toEqual(["history", "Void"]);
  });

  test("a void that is repeated is found done, and one that is refused is declined", async () => {
    const request = today();
    bank.script(historyXml(request.orderId, historyRow("S", "V")));
    expect(await acquirer.refund(request)).toMatchObject({ kind: "approved", asVoid: true });
    bank.script(live(request), refusedXml("2133"));
    expect(await acquirer.refund(request)).toMatchObject({ kind: "declined", resultCode: "CORE-2133" });
  });

  const captured = () => {
    const request = today(4_000n);
    return { ...request, target: { ...request.target, capturedMinor: 4_000n } };
  };
  const capture = historyRow("S", "C", { original: "4000", transId: "T2" });
  const hold = historyRow("S", "A");

  test("a captured authorization is voided by the capture's name, which the history has", async () => {
    const request = captured();
    const voided = historyRow("S", "V", { original: "4000", captured: "4000", transId: "T2" });
    const shown = historyXml(request.orderId, voided);
    bank.script(historyXml(request.orderId, capture), approvedXml(request.orderId, "T2"), shown);
    const outcome = await acquirer.refund(request);
    expect(outcome).toMatchObject({ kind: "approved", externalTransactionId: "T2", asVoid: true });
    expect(outcome).not.toHaveProperty("holdStands");
    expect(types()).toEqual(["history", "Void", "history"]);
  });

  describe("where the void of a capture makes its hold valid again", () => {
    test("the hold is voided, too", async () => {
      const request = captured();
      const { orderId } = request;
      const first = [historyXml(orderId, capture), approvedXml(orderId, "T2"), historyXml(orderId, hold)];
      bank.script(...first, approvedXml(orderId, "T1"));
      const outcome = await acquirer.refund(request);
      expect(outcome).toMatchObject({ kind: "approved", externalTransactionId: "T2", asVoid: true });
      expect(outcome).not.toHaveProperty("holdStands");
      expect(types()).toEqual(["history", "Void", "history", "Void"]);
      expect(bank.received[3]!.fields.get("TransId")).toBe("T1");
    });

    test("a bank that refuses to void it has paid the refund, and says so", async () => {
      const request = captured();
      const { orderId } = request;
      const first = [historyXml(orderId, capture), approvedXml(orderId, "T2"), historyXml(orderId, hold)];
      bank.script(...first, refusedXml("2008"));
      expect(await acquirer.refund(request)).toMatchObject({ kind: "approved", holdStands: true });
    });

    test("the refund is not known to be paid before the hold is", async () => {
      const request = captured();
      const { orderId } = request;
      const first = [historyXml(orderId, capture), approvedXml(orderId, "T2")];
      for (const rest of [[""], [historyXml(orderId, hold), ""]]) {
        bank.script(...first, ...rest);
        expect(await acquirer.refund(request)).toEqual({ kind: "unknown", reason: "pending" });
      }
    });

    test("a repeat voids the hold, and a refusal of that does not decline the refund", async () => {
      const request = captured();
      const { orderId } = request;
      const returned = historyXml(orderId, hold);
      bank.script(returned, approvedXml(orderId, "T1"), historyXml(orderId, historyRow("S", "V")));
      expect(await acquirer.refund(request)).toMatchObject({ kind: "approved", asVoid: true });
      bank.script(returned, refusedXml("2008"), returned, returned);
      const refused = { kind: "unknown", reason: "pending", holdStands: true };
      expect(await acquirer.refund(request)).toEqual(refused);
    });

    test("a repeat after the day voids it as well", async () => {
      const request = captured();
      const { orderId } = request;
      const returned = historyXml(orderId, hold);
      const target = { ...request.target, at: settled().target.at };
      const gone = historyXml(orderId, historyRow("S", "V"));
      bank.script(refusedXml("2117"), returned, returned, approvedXml(orderId, "T1"), gone);
      expect(await acquirer.refund({ ...request, target })).toMatchObject({ kind: "approved", asVoid: true });
      expect(types()).toEqual(["Credit", "history", "history", "Void", "history"]);
    });
  });

  test("a bank that credits on the same day gets a credit, of a part too", async () => {
    for (const amountMinor of [10_000n, 2_500n]) {
      const request = today(amountMinor);
      bank.script(approvedXml(request.orderId, "T2"));
      expect(await sameDay.refund(request)).toMatchObject({ kind: "approved", amountMinor });
      expect(types()).toEqual(["Credit"]);
    }
  });
});

test.each([
  [10_000n, false, false, ["void", "credit"]],
  [10_000n, true, false, ["credit", "void"]],
  [10_000n, false, true, ["credit", "void"]],
  [9_999n, false, false, []],
  [9_999n, true, false, ["credit"]],
  [9_999n, false, true, ["credit"]],
])(
  "%s of 10000 with the day ended %s and early credits %s: %o",
  (amountMinor, isDayEnded, creditBeforeDayEnd, ways) => {
    const target = { amountMinor: 10_000n, at: new Date() };
    expect(waysToRefund({ amountMinor, target }, { isDayEnded, creditBeforeDayEnd })).toEqual(ways);
  },
);
