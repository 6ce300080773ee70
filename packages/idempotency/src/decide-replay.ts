import { timingSafeEqual } from "node:crypto";

/** The row of an Idempotency-Key that is taken. */
export type KeyTaken = { fingerprint: Buffer; resource_id: string; answer: Buffer | null };

export type ReplayDecision =
  /** The gateway sent the same request again, with the same id; it is no repetition by the merchant. */
  | { kind: "copy" }
  /** The key was used for another request. */
  | { kind: "reused" }
  /** The stored reply of the first request; `replayed` unless the gateway sent the request again. */
  | { kind: "answer"; json: string; replayed: boolean }
  /** No answer is stored: the caller looks at the resource. */
  | { kind: "unfinished"; resourceId: string };

/** A request's fingerprint, the same under older keys of the ring, and its generated id. */
export type RequestIdentity = { fingerprint: Buffer; older?: readonly Buffer[]; resourceId: string };

/** @param mine the request to decide on. */
export function decideReplay(
  taken: KeyTaken,
  { fingerprint, older = [], resourceId }: RequestIdentity,
): ReplayDecision {
  const isCopy = taken.resource_id === resourceId;
  const isSame = [fingerprint, ...older].some((mine) => timingSafeEqual(taken.fingerprint, mine));
  if (!isCopy && !isSame) return { kind: "reused" };
  if (taken.answer) return { kind: "answer", json: taken.answer.toString("utf8"), replayed: !isCopy };
  if (isCopy) return { kind: "copy" };
  return { kind: "unfinished", resourceId: taken.resource_id };
}
