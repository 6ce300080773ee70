import { isLive, type StatementReady } from "@holdfast/contracts";
import { describeStatement } from "./describe-statement.ts";
import type { StatementRow } from "./statement-queries.ts";

/** The body of `settlement.statement_ready`, as its exact bytes. */
export function statementReadyBody(
  row: StatementRow,
  { revision, recordedAt }: { revision: number; recordedAt: Date },
): Buffer {
  const { unpricedLines: _none, ...statement } = describeStatement(row);
  const { merchantId, day, currency } = statement;
  const query = new URLSearchParams({ from: day, to: day, currency });
  const body: StatementReady = {
    ...statement,
    livemode: isLive(merchantId),
    complete: true,
    revision,
    version: revision,
    statusDate: recordedAt.toISOString(),
    path: `/api/statements?${query.toString()}`,
  };
  return Buffer.from(JSON.stringify(body));
}
