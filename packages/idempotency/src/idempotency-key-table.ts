import type { Generated } from "kysely";

/**
 * A service's table of Idempotency-Keys, in its own schema. The row is inserted by the transaction that claims the work
 * and answered by the one that records its end, so a key and what was done under it cannot part.
 */
export type IdempotencyKeyTable = {
  merchant_id: string;
  /** Method and path of the request. */
  scope: string;
  /** As the merchant sent it. */
  key: string;
  /** Keyed hash of the request, 32 bytes; see `fingerprintRequest`. */
  fingerprint: Buffer;
  /** The record the first request made or changed. */
  resource_id: string;
  /** JSON of the first final reply, result or refusal; null while there is none. */
  answer: Buffer | null;
  created_at: Generated<Date>;
};

/** What queries here need of a service's database. */
export type IdempotencyDatabase = { idempotency_key: IdempotencyKeyTable };
