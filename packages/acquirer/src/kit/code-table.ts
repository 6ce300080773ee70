import type { DeclineClass, Declined, NotSent, Unknown } from "../acquirer.ts";
import { businessDayEnd } from "../business-day.ts";
import type { BusinessDay } from "../connector.ts";
import { INVALID_ANSWER, PENDING } from "./outcomes.ts";

/**
 * The meaning of a bank's code. `unclassed`: the issuer declined without a reason. `credentials`,
 * `too_many_calls`, `day_not_ended`: nothing was carried out. `undecided`: another call of the order has won
 * or is under way, or the issuer has not answered. `failed`: a system failed, which proves nothing.
 */
export type CodeClass =
  | DeclineClass
  | "unclassed"
  | "credentials"
  | "too_many_calls"
  | "day_not_ended"
  | "undecided"
  | "failed";

/** A bank's codes as data: lists with a space between their codes, by class. `1011-1024` are all codes of a span. */
export function codeTable(lists: Partial<Record<CodeClass, string>>): ReadonlyMap<string, CodeClass> {
  const rows = Object.entries(lists) as [CodeClass, string][];
  return new Map(
    rows.flatMap(([codeClass, list]) =>
      list.split(" ").flatMap((codes) => spanOf(codes).map((code) => [code, codeClass] as const)),
    ),
  );
}

function spanOf(codes: string): string[] {
  const [first = "", last] = codes.split("-");
  if (last === undefined) return [first];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) =>
    String(Number(first) + index),
  );
}

/** A refusal as the bank wrote it. */
export type Refusal = Pick<Declined, "resultCode" | "resultMessage" | "externalTransactionId">;

/**
 * The proof that a refusal gives about its call. Only a code in a table is a proof. After every other code
 * the order is inquired about, which costs a moment; a decline for an approved payment would cost the
 * merchant's trust.
 * @param clock for a bank that names a limit or its day's end by a code.
 */
export function refusalOf(
  codeClass: CodeClass | undefined,
  refusal: Refusal,
  clock?: { now: Date; businessDay: BusinessDay },
): Declined | Unknown | NotSent {
  switch (codeClass) {
    case "credentials":
      return { kind: "not_sent", reason: "credentials" };
    case "too_many_calls":
      return notSent("limit", clock && new Date(clock.now.getTime() + LIMIT_WINDOW_MS));
    case "day_not_ended":
      return notSent("day_not_ended", clock && businessDayEnd(clock.now, clock.businessDay));
    case "undecided":
      return PENDING;
    case "failed":
    case undefined:
      return INVALID_ANSWER;
    case "unclassed":
      return { kind: "declined", ...refusal };
    case "soft":
    case "hard":
    case "sca_required":
    case "stolen":
    case "limit":
    case "technical":
      return { kind: "declined", declineClass: codeClass, ...refusal };
    default:
      return codeClass satisfies never;
  }
}

function notSent(reason: NotSent["reason"] & string, notBefore: Date | undefined): NotSent {
  return { kind: "not_sent", reason, ...(notBefore && { notBefore }) };
}

/** Banks' limits count the calls of a minute. */
const LIMIT_WINDOW_MS = 60_000;
