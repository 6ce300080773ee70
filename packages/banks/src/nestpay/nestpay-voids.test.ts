import { describe, expect, test } from "vitest";

import { followUp, playBank, reversal } from "./test/nestpay-bench.ts";
import { approvedXml, emptyHistoryXml, historyRow, historyXml, refusedXml } from "./test/scripted-bank.ts";

const { bank, acquirer } = await playBank();

const types = () => bank.received.map(({ fields }) => fields.get("Type") ?? "history");
const pending = { kind: "unknown", reason: "pending" };
const invalid = { kind: "unknown", reason: "invalid_answer" };
const mismatch = { kind: "unknown", reason: "mismatch" };
const credentials = { kind: "not_sent", reason: "credentials" };

describe("a cancel", () => {
  test("voids what it names", async () => {
    const request = followUp();
    const { orderId } = request;
    bank.script(historyXml(orderId, historyRow("S", "C")), approvedXml(orderId, "T1"));
    expect(await acquirer.cancel(request)).toMatchObject({ kind: "approved", externalTransactionId: "T1" });
    expect(types()).toEqual(["history", "Void"]);
    expect(bank.received[1]!.fields.get("TransId")).toBe("T1");
  });

  test("voids nothing while the record is behind, which may hide a refund", async () => {
    const request = followUp();
    const { orderId } = request;
    for (const behind of [emptyHistoryXml(orderId), historyXml(orderId, historyRow("S", "D"))]) {
      bank.script(behind, approvedXml(orderId, "T1"));
      expect(await acquirer.cancel(request)).toEqual(pending);
      expect(types()).toEqual(["history"]);
    }
  });

  test("voids nothing beside a refund that was made at the bank", async () => {
    const request = followUp();
    const { orderId, target } = request;
    const beside = (state: string) =>
      historyXml(orderId, historyRow("C", state, { transId: "T2", original: "3000" }), historyRow("S", "C"));
    const unnamed = { ...request, target: { amountMinor: target.amountMinor, at: target.at } };
    for (const state of ["C", "S", "R"]) {
      for (const asked of [request, unnamed]) {
        bank.script(beside(state));
        expect(await acquirer.cancel(asked)).toEqual(mismatch);
        expect(types()).toEqual(["history"]);
      }
    }
    for (const state of ["D", "V"]) {
      bank.script(beside(state), approvedXml(orderId, "T1"));
      expect(await acquirer.cancel(request)).toMatchObject({ kind: "approved" });
    }
  });

  test("voids no hold that somebody has captured in the bank's panel", async () => {
    const request = followUp();
    const { orderId, target } = request;
    bank.script(historyXml(orderId, historyRow("S", "C")));
    const asked = { ...request, target: { ...target, capturedMinor: 0n } };
    expect(await acquirer.cancel(asked)).toMatchObject({ kind: "declined", resultCode: "CAPTURED" });
    expect(types()).toEqual(["history"]);
  });

  test("asks for the name where nobody knows it, and never voids without one", async () => {
    const { orderId, amountMinor, target } = followUp();
    const request = followUp({ orderId, target: { amountMinor, at: target.at } });
    bank.script(historyXml(orderId, historyRow("S", "A", { transId: "T7" })), approvedXml(orderId, "T7"));
    expect(await acquirer.cancel(request)).toMatchObject({ kind: "approved" });
    expect(bank.received[1]!.fields.get("TransId")).toBe("T7");
    const behind = [historyXml(orderId, historyRow("S", "D")), emptyHistoryXml(orderId)];
    for (const [answer, outcome] of [
      ...behind.map((each) => [each, pending] as const),
      ["", invalid] as const,
    ]) {
      bank.script(answer);
      expect(await acquirer.cancel(request)).toEqual(outcome);
      expect(types()).toEqual(["history"]);
    }
  });

  test("of a settled sale is left to the bank, unless it was refunded there", async () => {
    const { orderId, amountMinor, target } = followUp();
    const settled = historyXml(orderId, historyRow("S", "S"));
    bank.script(settled, refusedXml("2511"), settled);
    const request = followUp({ orderId, target: { amountMinor, at: target.at } });
    expect(await acquirer.cancel(request)).toMatchObject({
      kind: "declined",
      resultCode: "CORE-2511",
      resultMessage: "refused",
    });
    expect(types()).toEqual(["history", "Void", "history"]);
    bank.script(historyXml(orderId, historyRow("C", "C", { transId: "T2" }), historyRow("S", "S")));
    expect(await acquirer.cancel(request)).toEqual(mismatch);
    expect(types()).toEqual(["history"]);
  });

  test("of a captured payment is about the name that the capture has", async () => {
    const request = followUp();
    const captured = { ...request, target: { ...request.target, capturedMinor: 10_000n } };
    const { orderId } = request;
    bank.script(historyXml(orderId, historyRow("S", "C", { transId: "T2" })), approvedXml(orderId, "T2"));
    expect(await acquirer.cancel(captured)).toMatchObject({ kind: "approved", externalTransactionId: "T2" });
  });

  test.each(["2008", "2511", "2120", "2116"])(
    "refused with CORE-%s may have been carried out before",
    async (core) => {
      const request = followUp();
      const { orderId } = request;
      const live = historyXml(orderId, historyRow("S", "C"));
      bank.script(live, refusedXml(core), historyXml(orderId, historyRow("S", "V")));
      expect(await acquirer.cancel(request)).toMatchObject({ kind: "approved", externalTransactionId: "T1" });
      bank.script(live, refusedXml(core), historyXml(orderId, historyRow("S", "S")));
      expect(await acquirer.cancel(request)).toMatchObject({ kind: "declined", resultCode: `CORE-${core}` });
      bank.script(live, refusedXml(core), live);
      const tooLate = { kind: "declined", resultCode: `CORE-${core}`, isTooLate: true };
      expect(await acquirer.cancel(request)).toMatchObject(tooLate);
      bank.script(live, refusedXml(core));
      expect(await acquirer.cancel(request)).toEqual(invalid);
    },
  );

  test("is about what it names, whatever else the order has", async () => {
    const request = followUp();
    const rows = [historyRow("S", "C", { transId: "T2" }), historyRow("S", "V", { transId: "T1" })];
    bank.script(historyXml(request.orderId, ...rows));
    expect(await acquirer.cancel(request)).toMatchObject({ kind: "approved", externalTransactionId: "T1" });
  });

  test("that voided something else is a mismatch", async () => {
    const request = followUp();
    const { orderId } = request;
    bank.script(historyXml(orderId, historyRow("S", "C")), approvedXml(orderId, "T2"));
    expect(await acquirer.cancel(request)).toEqual(mismatch);
  });
});

describe("a reversal", () => {
  const about = reversal();
  const { orderId } = about;
  const reverse = () => acquirer.reverse(about);

  test("voids what stands", async () => {
    for (const state of ["A", "C"]) {
      bank.script(historyXml(orderId, historyRow("S", state)), approvedXml(orderId, "T1"));
      expect(await reverse()).toEqual({ kind: "reversed" });
      expect(types()).toEqual(["history", "Void"]);
    }
  });

  const unseen = [emptyHistoryXml(orderId), historyXml(orderId, historyRow("S", "D", { proc: "05" }))];

  test.each(unseen)("of what the bank does not know binds nothing", async (history) => {
    bank.script(history);
    const { amountMinor, at } = about.target;
    expect(await acquirer.reverse({ ...about, target: { amountMinor, at } })).toEqual({
      kind: "nothing_found",
    });
    expect(types()).toEqual(["history"]);
  });

  test.each(unseen)(
    "voids by its name what the bank has approved and its record does not show",
    async (history) => {
      const voided = historyRow("S", "V");
      bank.script(history, approvedXml(orderId, "T1"), historyXml(orderId, voided));
      expect(await reverse()).toEqual({ kind: "reversed" });
      expect(bank.received[1]!.fields.get("TransId")).toBe("T1");
      // The record lags behind, or shows another valid success of the order.
      const second = historyXml(orderId, historyRow("S", "C", { transId: "T2" }), voided);
      for (const [after, outcome] of [
        [history, { kind: "reversed", isHidden: true }],
        [second, pending],
      ] as const) {
        bank.script(history, approvedXml(orderId, "T1"), after);
        expect(await reverse()).toEqual(outcome);
      }
      bank.script(history, refusedXml("2008"), history);
      expect(await reverse()).toEqual({ kind: "nothing_found" });
      bank.script(history, refusedXml("2511"), history);
      expect(await reverse()).toMatchObject({ kind: "settled", resultCode: "CORE-2511" });
      bank.script(history, refusedXml("2133"));
      expect(await reverse()).toMatchObject({ kind: "refused" });
    },
  );

  test("voids a second success, and by its name the first one, which the record does not show", async () => {
    const second = historyXml(orderId, historyRow("S", "C", { transId: "T2" }));
    const voided = historyXml(orderId, historyRow("S", "V", { transId: "T2" }));
    bank.script(second, approvedXml(orderId, "T2"), voided, approvedXml(orderId, "T1"), voided);
    expect(await reverse()).toEqual({ kind: "reversed" });
    expect(types()).toEqual(["history", "Void", "history", "Void", "history"]);
  });

  test("of what was voided is done, unless something else of the order stands", async () => {
    bank.script(historyXml(orderId, historyRow("S", "V")));
    expect(await reverse()).toEqual({ kind: "reversed" });
    const both = historyXml(orderId, historyRow("S", "C", { transId: "T2" }), historyRow("S", "V"));
    bank.script(both, approvedXml(orderId, "T2"), both);
    expect(await reverse()).toEqual({ kind: "reversed" });
    expect(types()).toEqual(["history", "Void", "history"]);
    expect(bank.received[1]!.fields.get("TransId")).toBe("T2");
  });

  test("of what is settled needs a refund", async () => {
    bank.script(historyXml(orderId, historyRow("S", "S")));
    expect(await reverse()).toMatchObject({ kind: "settled", resultCode: "CORE-2511" });
    // The day ends between the question and the void.
    const live = historyXml(orderId, historyRow("S", "C"));
    bank.script(live, refusedXml("2511"), historyXml(orderId, historyRow("S", "S")));
    expect(await reverse()).toEqual({ kind: "settled", resultCode: "CORE-2511", resultMessage: "refused" });
    bank.script(live, refusedXml("2511"), live);
    expect(await reverse()).toMatchObject({ kind: "settled" });
  });

  test("that the bank refuses for another reason leaves it standing", async () => {
    bank.script(historyXml(orderId, historyRow("S", "C")), refusedXml("2133"));
    expect(await reverse()).toEqual({ kind: "refused", resultCode: "CORE-2133", resultMessage: "refused" });
    const live = historyXml(orderId, historyRow("S", "C"));
    bank.script(live, refusedXml("2008"), live);
    expect(await reverse()).toMatchObject({ kind: "refused", resultCode: "CORE-2008" });
  });

  test("is not decided by what the bank itself has not decided, nor by its silence", async () => {
    const live = historyXml(orderId, historyRow("S", "C"));
    bank.script(historyXml(orderId, historyRow("S", "R"), historyRow("S", "V")));
    expect(await reverse()).toEqual(pending);
    bank.script(historyXml(orderId, historyRow("S", "C"), historyRow("S", "C", { transId: "T2" })));
    expect(await reverse()).toEqual(mismatch);
    bank.script(live, { status: 0, body: "" });
    expect(await reverse()).toEqual({ kind: "unknown", reason: "connection_lost" });
    bank.script(refusedXml("2201"));
    expect(await reverse()).toEqual(credentials);
  });
});
