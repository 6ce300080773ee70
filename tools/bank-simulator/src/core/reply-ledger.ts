import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { z } from "zod";

import type { LedgerRow } from "./ledger.ts";
import { replyJson } from "./reply.ts";

export type ReadableLedger = { read(keep?: (line: LedgerRow) => boolean): Readable };

/** Answers `GET /ledger?since=` with the durable lines, newline-delimited JSON, oldest first. */
export async function replyLedger(
  ledger: ReadableLedger,
  since: string | null,
  response: ServerResponse,
): Promise<void> {
  const keep = since ? filterOf(since) : undefined;
  if (since && !keep) return replyJson(response, 400, { error: "invalid_request", fields: ["since"] });
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  await pipeline(ledger.read(keep), response);
}

/** A sequence number keeps the lines after it, an ISO 8601 time those at or after it. */
function filterOf(since: string): ((line: LedgerRow) => boolean) | undefined {
  if (/^\d{1,15}$/.test(since)) return (line) => line.sequence > Number(since);
  const sinceMs = z.iso.datetime({ offset: true }).safeParse(since).success ? Date.parse(since) : undefined;
  return sinceMs === undefined ? undefined : (line) => Date.parse(line.at) >= sinceMs;
}
