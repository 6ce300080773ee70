import { createSharedPlaces, type SharedPlaces, type SharedPlacesOptions } from "@holdfast/service-runtime";
import type { RefundBank, RefundToSend } from "./refund-bank.ts";

/** The places for calls to one account; null is that of `ACQUIRER_URL`. */
export type PlacesOf = (accountId: string | null) => SharedPlaces;

/** Gives each account as many places, so that one whose bank hangs takes none of another's. */
export function placesByAccount(options: SharedPlacesOptions): PlacesOf {
  const made = new Map<string | null, SharedPlaces>();
  return (accountId) => {
    const places = made.get(accountId) ?? createSharedPlaces(options);
    made.set(accountId, places);
    return places;
  };
}

/**
 * Gives each merchant's refunds their share of the calls to an account that may be under way. A call that gets no place
 * within its time was not sent, like one for which the bank could not be reached: the refund stays as it is, and
 * recovery carries it out.
 */
export function shareBank(bank: RefundBank, placesOf: PlacesOf): RefundBank {
  const within = async <Answer>(
    { merchant_id, account_id }: RefundToSend,
    waitUntil: Date,
    call: () => Promise<Answer>,
    notSent: Answer,
  ): Promise<Answer> => {
    const release = await placesOf(account_id).wait(merchant_id, waitUntil.getTime());
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
