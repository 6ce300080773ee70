import { z } from "zod";

import type { LedgerRow } from "./ledger.ts";

export type LedgerFilter =
  | { kind: "valid"; keep: ((line: LedgerRow) => boolean) | undefined }
  | { kind: "invalid" };

/**
 * Reads `since`: nothing keeps the whole ledger, a sequence number keeps the lines after it, an ISO 8601 time those at
 * or after it.
 */
export function ledgerFilter(since: string | null): LedgerFilter {
  if (since === null || since === "") return { kind: "valid", keep: undefined };
  if (/^\d{1,15}$/.test(since)) {
    const sequence = Number(since);
    return { kind: "valid", keep: (line) => line.sequence > sequence };
  }
  const time = z.iso.datetime({ offset: true }).safeParse(since);
  if (!time.success) return { kind: "invalid" };
  const sinceMs = Date.parse(time.data);
  return { kind: "valid", keep: (line) => Date.parse(line.at) >= sinceMs };
}
