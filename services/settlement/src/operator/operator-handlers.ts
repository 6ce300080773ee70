import { readAuditEntriesBefore } from "@holdfast/audit";
import {
  addSettlementUploadPart,
  beginSettlementUpload,
  closeSettlementDifference,
  confirmSettlementImport,
  describeSettlementDifference,
  describeSettlementImport,
  endSettlementUpload,
  listAllStatements,
  listMerchantStatements,
  listSettlementDifferences,
  listSettlementImports,
  noteSettlementDifference,
  previewSettlementUpload,
  readPaymentSettlement,
  readSettlementAuditLog,
  staffVersionOf,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { confirmImport, type ConfirmDeps } from "./confirm-import.ts";
import { previewUpload } from "./preview-upload.ts";
import { addUploadPart, beginUpload, endUpload, type UploadDeps } from "./receive-upload.ts";
import { listStatements } from "../statement/list-statements.ts";
import { closeDifference, noteDifference, type DifferenceDeps } from "./close-difference.ts";
import { listDifferences } from "./list-differences.ts";
import { describeImport, listImports } from "./list-imports.ts";
import { answerDifference } from "./answer-difference.ts";
import { answerPaymentSettlement } from "./answer-payment-settlement.ts";

/**
 * The questions of operators, and those of merchants and their staff about their statements; `serve` has verified the
 * person and their rights.
 */
export function operatorHandlers(deps: DifferenceDeps & UploadDeps & ConfirmDeps) {
  const { db } = deps;
  return [
    handler(beginSettlementUpload, ({ context, payload }) => beginUpload(deps, context, payload)),
    handler(addSettlementUploadPart, ({ context, payload }) => addUploadPart(deps, context, payload)),
    handler(endSettlementUpload, ({ context, payload }) => endUpload(deps, context, payload)),
    handler(previewSettlementUpload, ({ context, payload }) => previewUpload(deps, context, payload)),
    handler(confirmSettlementImport, ({ context, payload }) =>
      confirmImport(deps, context, payload.importId),
    ),
    handler(listSettlementImports, ({ payload }) => listImports(db, payload)),
    handler(listMerchantStatements, ({ context, payload }) =>
      listStatements(db, payload, context.merchant.merchantId),
    ),
    handler(staffVersionOf(listMerchantStatements), ({ context, payload }) =>
      listStatements(db, payload, context.merchant.merchantId),
    ),
    handler(listAllStatements, ({ payload: { merchantId, ...query } }) =>
      listStatements(db, query, merchantId),
    ),
    handler(describeSettlementImport, ({ payload }) => describeImport(db, payload.importId)),
    handler(listSettlementDifferences, ({ payload }) => listDifferences(db, payload)),
    handler(describeSettlementDifference, ({ payload }) => answerDifference(db, payload.differenceId)),
    handler(readPaymentSettlement, ({ payload }) => answerPaymentSettlement(db, payload.paymentId)),
    handler(noteSettlementDifference, ({ context, payload }) => noteDifference(deps, context, payload)),
    handler(closeSettlementDifference, ({ context, payload }) => closeDifference(deps, context, payload)),
    handler(readSettlementAuditLog, async ({ payload }) => ({
      outcome: "done",
      result: { entries: await readAuditEntriesBefore(db, "settlement", payload) },
    })),
  ];
}
