import type { ToldMovement } from "./bank-record.ts";
import { OURS, type Ours } from "./ours.ts";

export const RESULT = { resultCode: "00", resultMessage: "" };
export const DECLINED = { kind: "declined", ...RESULT } as const;

/** Judges as if an order had one movement of each kind. */
export function byKindAlone(
  ...[{ reference, kind, amountMinor, currency }, ...rest]: Parameters<Ours["judge"]>
): ReturnType<Ours["judge"]> {
  return OURS.judge({ reference, kind, amountMinor, currency }, ...rest);
}

/** Ignores movements that the bank's clock dates before our call; its tolerance is two minutes. */
export function judgingByTime(
  ...[attempt, inquiry, capabilities]: Parameters<Ours["judge"]>
): ReturnType<Ours["judge"]> {
  if (inquiry.kind !== "found") return OURS.judge(attempt, inquiry, capabilities);
  const told = inquiry.movements as ToldMovement[];
  const movements = told.filter(({ at, kind }) => kind !== attempt.kind || at.getTime() >= -120_000);
  return OURS.judge(attempt, { ...inquiry, movements }, capabilities);
}

/** Judges as if every movement of a kind belonged to the attempt in question. */
export function judgingByKind(
  ...[attempt, inquiry, capabilities]: Parameters<Ours["judge"]>
): ReturnType<Ours["judge"]> {
  const verdict = OURS.judge(attempt, inquiry, capabilities);
  const isRefused =
    inquiry.kind === "found" &&
    inquiry.movements.some(({ kind, state }) => kind === attempt.kind && state === "declined");
  return verdict.kind === "not_found" && isRefused ? DECLINED : verdict;
}
