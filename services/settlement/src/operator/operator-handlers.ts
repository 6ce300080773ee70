import { readAuditEntriesBefore } from "@holdfast/audit";
import {
  addSettlementUploadPart,
  beginSettlementUpload,
  operations,
  readAuditLog,
  readProposals,
  staffVersionOf,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { confirmImport, refuseImport, type ConfirmDeps } from "./confirm-import.ts";
import { previewUpload } from "./preview-upload.ts";
import { addUploadPart, beginUpload, endUpload, type UploadDeps } from "./receive-upload.ts";
import { listStatements } from "../statement/list-statements.ts";
import { differenceHandlers, type DifferenceDeps } from "./close-difference.ts";
import { listDifferences } from "./list-differences.ts";
import { compareUnconfirmed, describeImport, listImports } from "./list-imports.ts";
import { listProposals } from "./list-proposals.ts";
import { shareUnderWay } from "./share-under-way.ts";
import { answerDifference } from "./answer-difference.ts";
import { answerPaymentSettlement } from "./answer-payment-settlement.ts";

/**
 * The commands of operators, and of merchants and their staff about their statements; `serve` has verified
 * the person and their rights.
 */
export function operatorHandlers(deps: DifferenceDeps & UploadDeps & ConfirmDeps) {
  const { db } = deps;
  // A file is compared once at a time: slow looks that pile up would take all connections.
  const compare = shareUnderWay((importId) => compareUnconfirmed(db, importId));
  return [
    handler(beginSettlementUpload, ({ context, payload }) => beginUpload(deps, context, payload)),
    handler(addSettlementUploadPart, ({ context, payload }) => addUploadPart(deps, context, payload)),
    handler(operations.uploadSettlement.command, ({ context, payload }) => endUpload(deps, context, payload)),
    handler(operations.previewSettlement.command, ({ context, payload }) =>
      previewUpload(deps, context, payload),
    ),
    handler(operations.confirmSettlement.command, ({ context, payload }) =>
      confirmImport(deps, context, payload.importId),
    ),
    handler(operations.refuseSettlement.command, ({ context, payload }) =>
      refuseImport(deps, context, payload),
    ),
    handler(operations.listSettlements.command, ({ payload }) => listImports(deps, payload)),
    handler(operations.listStatements.command, ({ context, payload }) =>
      listStatements(db, payload, context.merchant.merchantId),
    ),
    handler(staffVersionOf(operations.listStatements.command), ({ context, payload }) =>
      listStatements(db, payload, context.merchant.merchantId),
    ),
    handler(operations.listStatementsOfMerchants.command, ({ payload: { merchantId, ...query } }) =>
      listStatements(db, query, merchantId),
    ),
    handler(operations.getSettlement.command, ({ payload }) =>
      describeImport({ db, compare }, payload.importId),
    ),
    handler(operations.listDifferences.command, ({ payload }) => listDifferences(db, payload)),
    handler(operations.getDifference.command, ({ payload }) => answerDifference(db, payload.differenceId)),
    handler(operations.getPaymentSettlement.command, ({ payload }) =>
      answerPaymentSettlement(db, payload.paymentId),
    ),
    ...differenceHandlers(deps),
    handler(readProposals.settlement, ({ context, payload }) => listProposals(deps, context, payload)),
    handler(readAuditLog.settlement, async ({ payload }) => ({
      outcome: "done",
      result: { entries: await readAuditEntriesBefore(db, "settlement", payload) },
    })),
  ];
}
