import { createHash } from "node:crypto";

/**
 * A service's audit log is a hash chain: each entry's hash covers its own content and the hash before it, so
 * an entry cannot be changed, removed or inserted without making every later hash wrong. The owner of the
 * database can still cut off the end of a chain, or rewrite all of it, and the result is a valid chain. So
 * each service writes its heads to places that the database's owner cannot rewrite (`watch-audit-head.ts`),
 * and the verification looks for these heads in the chain.
 */
export type AuditContent = {
  /** 1, 2, 3, … without gaps. */
  sequence: bigint;
  /** Database time, to the millisecond; never before the entry before it. */
  at: Date;
  /** The actor: an operator's name, or the service itself. */
  actor: string;
  /** The action, in the past tense of the operator API: `merchant.created`. */
  action: string;
  /** The record that the action was about. */
  subject: string;
  /** JSON text; never card data, never a secret. */
  detail: string;
};

export type AuditEntry = AuditContent & { hash: Buffer };

/** The hash before the first entry. */
export const GENESIS = Buffer.alloc(32);

export function auditHash(
  previous: Buffer,
  { sequence, at, actor, action, subject, detail }: AuditContent,
): Buffer {
  return createHash("sha256")
    .update(previous)
    .update(JSON.stringify([sequence.toString(), at.toISOString(), actor, action, subject, detail]))
    .digest();
}

/** A head that was kept elsewhere: the chain must contain it. */
export type AuditAnchor = { sequence: bigint; hash: Buffer };

/**
 * The fault of the first wrong entry. `gap`: its number is not the next one. `hash`: its content or its
 * predecessor is not what was hashed. `time`: it is dated before its predecessor or in the future. `anchor`:
 * a head that was kept elsewhere is not in the chain.
 */
export type AuditFault = "gap" | "hash" | "time" | "anchor";

export type AuditVerdict =
  | { intact: true; entries: bigint; head: Buffer }
  | { intact: false; sequence: bigint; fault: Exclude<AuditFault, "anchor"> }
  | { intact: false; sequence: bigint; fault: "anchor"; anchor: AuditAnchor };

/**
 * Recomputes a chain from its first entry.
 *
 * @param options.anchors heads that the chain must contain
 * @param options.now no entry may be dated later than this and a few minutes, by which clocks may differ
 */
export async function verifyAuditChain(
  entries: AsyncIterable<AuditEntry>,
  { anchors = [], now }: { anchors?: AuditAnchor[]; now?: Date } = {},
): Promise<AuditVerdict> {
  const anchored = Map.groupBy(anchors, ({ sequence }) => sequence);
  const latest = now === undefined ? Infinity : now.getTime() + CLOCKS_DIFFER_MS;
  let count = 0n;
  let head: Buffer = GENESIS;
  let time = -Infinity;
  for await (const entry of entries) {
    count++;
    const at = entry.at.getTime();
    if (entry.sequence !== count) return { intact: false, sequence: count, fault: "gap" };
    if (!auditHash(head, entry).equals(entry.hash)) return { intact: false, sequence: count, fault: "hash" };
    // An invalid time compares as neither.
    if (!(at >= time && at <= latest)) return { intact: false, sequence: count, fault: "time" };
    head = entry.hash;
    time = at;
    const anchor = anchored.get(count)?.find(({ hash }) => !hash.equals(head));
    if (anchor) return { intact: false, sequence: count, fault: "anchor", anchor };
  }
  const anchor = anchors.find(({ sequence }) => sequence > count);
  return anchor
    ? { intact: false, sequence: count, fault: "anchor", anchor }
    : { intact: true, entries: count, head };
}

const CLOCKS_DIFFER_MS = 300_000;
