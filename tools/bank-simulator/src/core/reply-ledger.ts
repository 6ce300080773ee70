import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

import { ledgerFilter } from "./ledger-filter.ts";
import type { Ledger, LedgerRow } from "./ledger.ts";
import { replyJson } from "./reply.ts";

/** Answers `GET /ledger?since=` with the durable lines, newline-delimited JSON, oldest first. */
export async function replyLedger<Line extends LedgerRow>(
  ledger: Ledger<Line>,
  since: string | null,
  response: ServerResponse,
): Promise<void> {
  const filter = ledgerFilter(since);
  if (filter.kind === "invalid")
    return replyJson(response, 400, { error: "invalid_request", fields: ["since"] });
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  await pipeline(ledger.read(filter.keep), response);
}
