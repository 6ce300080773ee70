import type { Generated } from "kysely";

/**
 * A service's table of Idempotency-Keys, in its own schema. The transaction that claims the work inserts the
 * row, and the one that records the work's end answers it, so a key and its work stay consistent.
 */
export type IdempotencyKeyTable = {
  merchant_id: string;
  /** Method and path of the request. */
  scope: string;
  /** The key as the merchant sent it. */
  key: string;
  /** Keyed hash of the request, 32 bytes; see `fingerprintRequest`. */
  fingerprint: Buffer;
  /** The record that the first request created or changed. */
  resource_id: string;
  /** JSON of the first final reply, a result or a refusal; null until then. */
  answer: Buffer | null;
  created_at: Generated<Date>;
};

/** The part of a service's database that these queries use. */
export type IdempotencyDatabase = { idempotency_key: IdempotencyKeyTable };
