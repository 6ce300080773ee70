import { expect, test } from "vitest";

import type { Bench } from "./bench.ts";
import { withoutHeard } from "./without-heard.ts";

/** Tests that an uncertain outcome is `unknown`, and that only a call that was never sent is `not_sent`. */
export function describeUnknowns(bench: () => Bench): void {
  const amountMinor = 7_700n;
  test.for([
    ["approvedAndSilent", "timeout", { kind: "approved", amountMinor }],
    ["ignoredAndSilent", "timeout", { kind: "not_found" }],
    ["approvedAndReset", "connection_lost", { kind: "approved", amountMinor }],
    ["approvedWithGarbage", "invalid_answer", { kind: "approved", amountMinor }],
    ["approvedWithOtherAmount", "mismatch", { kind: "approved", amountMinor }],
  ] as const)("a bank that has %s is unknown: %s, until the inquiry", async ([card, reason, found]) => {
    const { acquirer, calls, setup } = bench();
    const expiresAt = calls.untilUnknown(reason);
    const request = calls.card({ card: setup.cards[card], amountMinor, expiresAt });
    expect(withoutHeard(await acquirer.authorize(request))).toEqual({ kind: "unknown", reason });
    expect(await calls.verdict(acquirer, request)).toMatchObject(found);
  });

  test("a bank that refuses connections has been sent nothing", async () => {
    const { calls, setup } = bench();
    const unreachable = setup.openUnreachable();
    const card = calls.card();
    const followUp = calls.followUp(card);
    const enrolment = calls.enrolment();
    const outcomes = await Promise.all([
      unreachable.authorize(card),
      unreachable.sale(card),
      unreachable.capture(followUp),
      unreachable.cancel(followUp),
      unreachable.release(followUp),
      unreachable.refund(followUp),
      unreachable.reverse(calls.reversal(card)),
      calls.verdict(unreachable, card),
      unreachable.enrol(enrolment),
      unreachable.complete({ ...enrolment, session: "session" }),
    ]);
    await unreachable.close();
    expect(outcomes).toEqual(outcomes.map(() => ({ kind: "not_sent" })));
  });
}
