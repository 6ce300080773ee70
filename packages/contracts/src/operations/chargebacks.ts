import { z } from "zod";
import { fileNameSchema } from "../file-name.ts";
import {
  announcedCaseFields,
  CHARGEBACK_STATUSES,
  chargebackDetailSchema,
  chargebackEvidenceSchema,
  chargebackOutcomeSchema,
  chargebackPageSchema,
} from "../http/chargeback-record.ts";
import { EVIDENCE_BYTES_MAX, EVIDENCE_FILES_MAX } from "../http/chargebacks.ts";
import { BODY_PROBLEMS, cursorParameter, limitParameter, only, pathId } from "../http/endpoint.ts";
import { pagePayload } from "../http/list-query.ts";
import { refundRequestSchema } from "../http/refund.ts";
import { livemodeParameter } from "../livemode.ts";
import { EVIDENCE_PART_BYTES, evidencePartNumber } from "../messages/chargeback-commands.ts";
import { amountMinorSchema } from "../messages/message.ts";
import { sealedPartSchema } from "../sealed-reply.ts";
import { textSchema } from "../text.ts";
import { defineOperatorOperations } from "./define-operations.ts";

const oneChargeback = {
  pathParameters: z.object({ chargebackId: pathId("Id of a chargeback") }),
  notFound: "chargeback_not_found",
} as const;

const changed = { 200: { description: "The chargeback as it is now", body: chargebackDetailSchema } };

/** Payments that banks take back for their buyers. */
export const chargebackOperations = defineOperatorOperations({
  openChargeback: {
    subject: "payments.open-chargeback",
    payload: z.object({
      chargebackId: z.uuid(),
      paymentId: z.uuid(),
      amountMinor: amountMinorSchema,
      currency: z.string(),
      ...announcedCaseFields,
    }),
    method: "POST",
    path: "/operator/payments/{paymentId}/chargebacks",
    work: "write",
    role: "operations",
    summary: "Open a chargeback",
    description:
      "Records a chargeback that the bank has announced. It counts against the payment's refundable amount immediately, and " +
      "refunds that no longer fit are not paid. It is of what was captured (`payment_not_captured`), and of no more than earlier " +
      "cases leave of that (`chargeback_amount_exceeds_captured`, with `disputableAmount`); what was refunded may be charged " +
      "back too, and the case says so (`excessAmount`). A line of a bank's file that reports it later joins it; an open case " +
      "of the same amount is not opened twice (`chargeback_exists`).",
    pathParameters: z.object({ paymentId: pathId("Id of the payment") }),
    notFound: "payment_not_found",
    request: refundRequestSchema
      .omit({ reason: true })
      .extend({
        ...announcedCaseFields,
      })
      .meta({ id: "OpenChargebackRequest" }),
    responses: {
      201: {
        description: "The chargeback",
        body: chargebackDetailSchema,
        headers: { Location: "/operator/chargebacks/{chargebackId}" },
      },
    },
    problems: [
      ...BODY_PROBLEMS,
      "payment_not_found",
      "payment_not_captured",
      "operation_in_progress",
      "currency_mismatch",
      "chargeback_amount_exceeds_captured",
      "chargeback_exists",
      "outcome_unknown",
      "forbidden",
    ],
  },

  listChargebacks: {
    subject: "payments.list-chargebacks",
    payload: z.object({
      ...pagePayload,
      status: z.enum(CHARGEBACK_STATUSES).optional(),
      merchantId: z.uuid().optional(),
      paymentId: z.uuid().optional(),
      /** The mode to list; both without it. */
      livemode: z.boolean().optional(),
    }),
    method: "GET",
    path: "/operator/chargebacks",
    role: "viewer",
    summary: "List chargebacks",
    description: "Returns chargebacks of all merchants, newest first.",
    queryParameters: z.object({
      status: only("those with this status", z.enum(CHARGEBACK_STATUSES)),
      merchantId: only("of this merchant", pathId("Id of a merchant")),
      paymentId: only("of this payment", pathId("Id of a payment")),
      livemode: livemodeParameter,
      limit: limitParameter,
      cursor: cursorParameter(100),
    }),
    responses: { 200: { description: "One page of chargebacks", body: chargebackPageSchema } },
    problems: ["validation_failed", "forbidden"],
  },

  getChargeback: {
    subject: "payments.describe-chargeback",
    ...oneChargeback,
    method: "GET",
    path: "/operator/chargebacks/{chargebackId}",
    role: "viewer",
    summary: "Get a chargeback",
    description: "Returns a chargeback with the files of its evidence.",
    responses: changed,
    problems: ["chargeback_not_found", "forbidden"],
  },

  changeChargeback: {
    subject: "payments.change-chargeback",
    ...oneChargeback,
    method: "PATCH",
    path: "/operator/chargebacks/{chargebackId}",
    work: "write",
    role: "operations",
    summary: "Change a chargeback's particulars",
    description: "Sets what the bank says about an open case. What is left out stays as it is.",
    request: z
      .object({
        ...announcedCaseFields,
      })
      .meta({ id: "ChangeChargebackRequest" }),
    responses: changed,
    problems: [...BODY_PROBLEMS, "chargeback_not_found", "chargeback_ended", "outcome_unknown", "forbidden"],
  },

  decideChargeback: {
    subject: "payments.decide-chargeback",
    ...oneChargeback,
    method: "POST",
    path: "/operator/chargebacks/{chargebackId}/outcome",
    work: "write",
    role: "operations",
    recentSignIn: true,
    summary: "Record a chargeback's outcome",
    description:
      "Records how an open case ended. WON and WITHDRAWN make its amount refundable again. Above a configured amount a second " +
      "person has to say the same: the first answer has a `proposal`. A line of a bank's file that gives the money back " +
      "does so by itself.",
    request: z
      .object({ outcome: chargebackOutcomeSchema, reason: textSchema(1, 1_000) })
      .meta({ id: "DecideChargebackRequest" }),
    responses: changed,
    problems: [
      ...BODY_PROBLEMS,
      "chargeback_not_found",
      "chargeback_ended",
      "same_person",
      "outcome_unknown",
      "forbidden",
    ],
  },

  addChargebackEvidence: {
    subject: "payments.add-evidence-part",
    payload: z.object({
      chargebackId: z.uuid(),
      evidenceId: z.uuid(),
      fileName: fileNameSchema,
      bytes: z.int().min(1).max(EVIDENCE_BYTES_MAX),
      sha256: z.string().regex(/^[\da-f]{64}$/),
      part: evidencePartNumber,
      content: sealedPartSchema(EVIDENCE_PART_BYTES),
    }),
    ...oneChargeback,
    method: "POST",
    path: "/operator/chargebacks/{chargebackId}/evidence",
    work: "write",
    role: "operations",
    summary: "Add evidence to a chargeback",
    description: `Keeps a file of at most 4 MiB with an open case, which has at most ${EVIDENCE_FILES_MAX}. It is kept with its SHA-256, and never changed; sent again under its name it is kept once.`,
    file: { part: "file", description: "A receipt, a letter, a proof of delivery" },
    responses: { 201: { description: "The chargeback as it is now", body: chargebackDetailSchema } },
    problems: [
      "validation_failed",
      "payload_too_large",
      "chargeback_not_found",
      "chargeback_ended",
      "too_much_evidence",
      "outcome_unknown",
      "forbidden",
    ],
  },

  getChargebackEvidence: {
    subject: "payments.read-evidence-part",
    payload: z.object({
      chargebackId: z.uuid(),
      evidenceId: z.uuid(),
      part: evidencePartNumber,
      recipientKey: z.string(),
    }),
    result: z.object({
      evidence: chargebackEvidenceSchema,
      /** The part, sealed to the recipient's key. */
      content: sealedPartSchema(EVIDENCE_PART_BYTES),
    }),
    method: "GET",
    path: "/operator/chargebacks/{chargebackId}/evidence/{evidenceId}",
    // The file may have whole card numbers, which not every reader needs (PCI DSS 3.4.1, 7.2.2).
    role: "operations",
    summary: "Download evidence",
    description:
      "Returns a file of evidence, byte for byte as it was sent. It may have whole card numbers, so reading other things does not include it.",
    pathParameters: z.object({
      chargebackId: pathId("Id of a chargeback"),
      evidenceId: pathId("Id of a file of evidence"),
    }),
    notFound: "chargeback_not_found",
    responses: { 200: { description: "The file", binary: "The file, to be stored and not shown" } },
    problems: ["chargeback_not_found", "forbidden"],
  },
});
