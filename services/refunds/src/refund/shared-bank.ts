import type { SharedPlaces } from "@holdfast/service-runtime";
import type { RefundBank, RefundToSend } from "./refund-bank.ts";

/**
 * Gives each merchant's refunds their share of the calls that may be under way. A call that gets no place within its time
 * was not sent, as one for which the bank could not be reached: the refund stays as it is, and recovery carries it out.
 */
export function shareBank(bank: RefundBank, places: SharedPlaces): RefundBank {
  const within = async <Answer>(
    { merchant_id }: RefundToSend,
    waitUntil: Date,
    call: () => Promise<Answer>,
    notSent: Answer,
  ): Promise<Answer> => {
    const release = await places.wait(merchant_id, waitUntil.getTime());
    return release ? await call().finally(release) : notSent;
  };
  return {
    carryOut: (refund, waitUntil) =>
      within(refund, waitUntil, () => bank.carryOut(refund, waitUntil), NOT_SENT),
    inquire: (refund, waitUntil) =>
      within(refund, waitUntil, () => bank.inquire(refund, waitUntil), NOT_ASKED),
  };
}

const NOT_SENT = { kind: "not_sent" } as const;
const NOT_ASKED = { verdict: NOT_SENT, repetition: "none", lateArrivalMs: Infinity } as const;
