import { readAuditEntriesBefore } from "@holdfast/audit";
import {
  approveRefund as approveRefundCommand,
  describeRefund as describeRefundCommand,
  inquireRefund as inquireRefundCommand,
  readRefundsAuditLog,
  rejectRefund as rejectRefundCommand,
  requestRefundForMerchant,
  resolveRefund as resolveRefundCommand,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import type { RequestRefundDeps } from "../request/request-refund.ts";
import { approveRefund, rejectRefund, type DecideDeps } from "./decide-refund.ts";
import { inquireRefund } from "./inquire-refund.ts";
import { describeRefund } from "./list-refunds.ts";
import { requestForMerchant } from "./request-for-merchant.ts";
import { resolveRefund } from "./resolve-refund.ts";

/** What operators may ask of this service; `serve` has verified who they are and what they may. */
export function operatorHandlers(deps: DecideDeps & RequestRefundDeps) {
  return [
    handler(describeRefundCommand, ({ context, payload }) => describeRefund(deps, context, payload.refundId)),
    handler(approveRefundCommand, ({ context, payload }) => approveRefund(deps, context, payload)),
    handler(rejectRefundCommand, ({ context, payload }) => rejectRefund(deps, context, payload)),
    handler(inquireRefundCommand, ({ context, payload }) => inquireRefund(deps, context, payload.refundId)),
    handler(resolveRefundCommand, ({ context, payload }) => resolveRefund(deps, context, payload)),
    handler(requestRefundForMerchant, (message) => requestForMerchant(deps, message)),
    handler(readRefundsAuditLog, async ({ payload }) => ({
      outcome: "done",
      result: { entries: await readAuditEntriesBefore(deps.db, "refunds", payload) },
    })),
  ];
}
