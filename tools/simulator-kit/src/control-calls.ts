import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

import type { Ledger, LedgerRow } from "./ledger.ts";
import { ledgerFilter } from "./ledger-filter.ts";
import { readJsonBody } from "./read-json-body.ts";
import { replyJson, replyTooLarge } from "./reply.ts";

/** Answers `GET /ledger?since=`: the durable lines as newline-delimited JSON. */
export async function replyLedger(
  ledger: Pick<Ledger<LedgerRow>, "read">,
  since: string | null,
  response: ServerResponse,
): Promise<void> {
  const filter = ledgerFilter(since);
  if (filter.kind === "invalid")
    return replyJson(response, 400, { error: "invalid_request", fields: ["since"] });
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  await pipeline(ledger.read(filter.keep), response);
}

/** Answers `POST /faults`. */
export async function takeFaults(
  faults: { add(body: unknown): boolean },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readJsonBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  if (body.kind === "json" && faults.add(body.value)) return replyJson(response, 200, {});
  return replyJson(response, 400, { error: "invalid_fault" });
}
