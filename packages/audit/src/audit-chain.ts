import { createHash } from "node:crypto";

/**
 * A service's audit log is a hash chain: each entry's hash covers its own content and the hash before it, so an entry
 * cannot be changed, removed or inserted without making every later hash wrong. The owner of the database can still cut
 * off the end of a chain, or rewrite all of it; to detect that, keep the head (`sequence:hash`) somewhere else from
 * time to time and let the verification look for it.
 */
export type AuditContent = {
  /** 1, 2, 3, … without gaps. */
  sequence: bigint;
  /** Database time, to the millisecond. */
  at: Date;
  /** Who did it: an operator's name, or the service itself. */
  actor: string;
  /** What was done, in the past tense of the operator API: `merchant.created`. */
  action: string;
  /** The record it was done to. */
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

export type AuditVerdict =
  | { intact: true; entries: bigint; head: Buffer }
  | { intact: false; sequence: bigint; fault: "gap" | "hash" | "anchor" };

/** Recomputes a chain from its first entry. */
export async function verifyAuditChain(
  entries: AsyncIterable<AuditEntry>,
  anchor?: AuditAnchor,
): Promise<AuditVerdict> {
  let count = 0n;
  let head: Buffer = GENESIS;
  for await (const entry of entries) {
    count++;
    if (entry.sequence !== count) return { intact: false, sequence: count, fault: "gap" };
    if (!auditHash(head, entry).equals(entry.hash)) return { intact: false, sequence: count, fault: "hash" };
    head = entry.hash;
    if (anchor?.sequence === count && !anchor.hash.equals(head)) {
      return { intact: false, sequence: count, fault: "anchor" };
    }
  }
  if (anchor && anchor.sequence > count) return { intact: false, sequence: count, fault: "anchor" };
  return { intact: true, entries: count, head };
}
