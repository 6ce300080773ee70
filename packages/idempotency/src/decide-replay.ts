import { timingSafeEqual } from "node:crypto";

/** What a request finds whose Idempotency-Key is taken. */
export type KeyTaken = { fingerprint: Buffer; resource_id: string; answer: Buffer | null };

export type ReplayDecision =
  /** Sent again by the gateway, with the same id: the same request, not a repetition of it. */
  | { kind: "copy" }
  /** Another request under the same key. */
  | { kind: "reused" }
  /** The first one's stored reply; `replayed` unless it was sent again by the gateway. */
  | { kind: "answer"; json: string; replayed: boolean }
  /** No answer is stored: the caller looks at the resource. */
  | { kind: "unfinished"; resourceId: string };

/** @param mine fingerprint and drawn id of the request that came now. */
export function decideReplay(
  taken: KeyTaken,
  mine: { fingerprint: Buffer; resourceId: string },
): ReplayDecision {
  const isCopy = taken.resource_id === mine.resourceId;
  if (!isCopy && !timingSafeEqual(taken.fingerprint, mine.fingerprint)) return { kind: "reused" };
  if (taken.answer) return { kind: "answer", json: taken.answer.toString("utf8"), replayed: !isCopy };
  if (isCopy) return { kind: "copy" };
  return { kind: "unfinished", resourceId: taken.resource_id };
}
