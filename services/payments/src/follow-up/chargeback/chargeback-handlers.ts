import {
  beginChargebackEvidence,
  cutPage,
  idCursor,
  INVALID_CURSOR_ERRORS,
  merchantIdOf,
  operations,
  recordChargebackLines,
  testIdOf,
  type Chargeback,
  type CommandReply,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { ofMode } from "@holdfast/postgres";
import type { z } from "zod";
import { chargebackRecord } from "./chargeback-record.ts";
import { selectCases } from "./chargeback-queries.ts";
import { changeChargeback, decideChargeback } from "./decide-chargeback.ts";
import { addEvidencePart, readEvidencePart, type EvidenceDeps } from "./evidence.ts";
import { describeCase, openChargeback, type OperatorChargebackDeps } from "./open-chargeback.ts";
import { recordLines, type ChargebackDeps } from "./record-lines.ts";

/** Commands about chargebacks, of operators and of settlement for banks' files. */
export function chargebackHandlers(deps: OperatorChargebackDeps & EvidenceDeps) {
  return [
    handler(recordChargebackLines, ({ payload }) => recordLines(deps, payload.lines)),
    handler(operations.openChargeback.command, ({ context, payload }) =>
      openChargeback(deps, context, payload),
    ),
    handler(operations.changeChargeback.command, ({ context, payload }) =>
      changeChargeback(deps, context, payload),
    ),
    handler(operations.decideChargeback.command, ({ context, payload }) =>
      decideChargeback(deps, context, payload),
    ),
    handler(beginChargebackEvidence, async () => ({
      outcome: "done",
      result: { sealTo: deps.recipient.publicKey },
    })),
    handler(operations.addChargebackEvidence.command, ({ context, payload }) =>
      addEvidencePart(deps, context, payload),
    ),
    handler(operations.getChargebackEvidence.command, ({ context, payload }) =>
      readEvidencePart(deps, context, payload),
    ),
    handler(operations.getChargeback.command, ({ payload }) => describeCase(deps, payload.chargebackId)),
    handler(operations.listChargebacks.command, ({ payload }) => listCases(deps, payload)),
  ];
}

type Page = CommandReply<{ items: Chargeback[]; nextCursor?: string | undefined }>;

/** A page of cases, newest first: their ids are in the order of time. */
export async function listCases(
  { db }: Pick<ChargebackDeps, "db">,
  {
    limit,
    cursor,
    status,
    merchantId,
    paymentId,
    livemode,
  }: z.infer<typeof operations.listChargebacks.command.request>,
): Promise<Page> {
  const before = cursor === undefined ? undefined : idCursor.decode(cursor);
  if (cursor !== undefined && before === undefined)
    return { outcome: "problem", code: "validation_failed", extra: { errors: INVALID_CURSOR_ERRORS } };
  const rows = await selectCases(db)
    .$if(status !== undefined, (query) => query.where("chargeback.status", "=", status!))
    .$if(merchantId !== undefined, (query) =>
      query.where("chargeback.merchant_id", "in", recordedFor(merchantId!, livemode)),
    )
    .$if(paymentId !== undefined, (query) => query.where("chargeback.payment_id", "=", paymentId!))
    .$if(livemode !== undefined, (query) => query.where(ofMode("chargeback.merchant_id", livemode!)))
    .$if(before !== undefined, (query) => query.where("chargeback_id", "<", before!))
    .orderBy("chargeback_id", "desc")
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows, limit, ({ chargeback_id }) => idCursor.encode(chargeback_id));
  return { outcome: "done", result: { items: page.map(chargebackRecord), ...next } };
}

/** The ids under which the merchant's records are kept: where no mode is named, such as with a payment's id, of both. */
function recordedFor(merchantId: string, livemode: boolean | undefined): string[] {
  return livemode === undefined ? [merchantIdOf(merchantId), testIdOf(merchantId)] : [merchantId];
}
