import { z } from "zod";
import { differenceDetailSchema } from "../http/difference-detail.ts";
import {
  DIFFERENCE_CLASSES,
  DIFFERENCE_DECISIONS,
  DIFFERENCE_STATES,
  differencePageSchema,
  differenceSchema,
  readByPersonSchema,
} from "../http/differences.ts";
import { BODY_PROBLEMS, cursorParameter, limitParameter, only, pathId } from "../http/endpoint.ts";
import { exportQuery, pagePayload, WITH_ROWS } from "../http/list-query.ts";
import { paymentSettlementSchema } from "../http/payment-settlement.ts";
import { textSchema } from "../text.ts";
import { defineOperatorOperations } from "./define-operations.ts";

const oneDifference = {
  method: "POST",
  work: "write",
  role: "operations",
  pathParameters: z.object({ differenceId: pathId("Id of a difference") }),
  notFound: "difference_not_found",
} as const;

/** Differences between the banks' files and our records. */
export const differenceOperations = defineOperatorOperations({
  listDifferences: {
    subject: "settlement.list-differences",
    payload: z.object({
      accountId: z.string().optional(),
      state: z.enum(DIFFERENCE_STATES),
      class: z.enum(DIFFERENCE_CLASSES).optional(),
      ...pagePayload,
    }),
    method: "GET",
    path: "/operator/differences",
    role: "viewer",
    summary: "List differences",
    description:
      "Returns where the bank and we say different things, oldest first; open ones unless `state` says otherwise. " +
      WITH_ROWS,
    queryParameters: z.object({
      state: only("differences in this state", z.enum(DIFFERENCE_STATES)),
      class: only("differences of this class", z.enum(DIFFERENCE_CLASSES)),
      accountId: only("what is about this account at a bank", textSchema(1, 64)),
      limit: limitParameter,
      cursor: cursorParameter(100),
      ...exportQuery,
    }),
    responses: { 200: { description: "One page of differences", body: differencePageSchema, rows: true } },
    problems: ["validation_failed", "forbidden"],
  },

  noteDifference: {
    subject: "settlement.note-difference",
    ...oneDifference,
    path: "/operator/differences/{differenceId}/notes",
    summary: "Add a note to a difference",
    description: "Adds what was found out, and with `assignee` says who looks into it.",
    request: z
      .object({ note: textSchema(1, 1_000), assignee: textSchema(1, 200).optional() })
      .meta({ id: "NoteDifferenceRequest" }),
    responses: { 200: { description: "The difference", body: differenceSchema } },
    problems: [...BODY_PROBLEMS, "difference_not_found", "difference_ended", "outcome_unknown", "forbidden"],
  },

  closeDifference: {
    subject: "settlement.close-difference",
    ...oneDifference,
    recentSignIn: true,
    path: "/operator/differences/{differenceId}/close",
    summary: "Close a difference",
    description:
      "Closes a difference with a reason, and says what becomes of the money. ACCEPT_BANK: the bank's lines count in the " +
      "merchant's statement of their day, as an adjustment. NOT_OURS: they count nowhere, which a difference can only be " +
      "that is about a line. Above a configured amount a second person has to say the same: the first answer has the state " +
      "PROPOSED, and a different decision replaces it.",
    request: z
      .object({
        decision: z.enum(DIFFERENCE_DECISIONS).meta({
          description: "ACCEPT_BANK: the bank's amount counts. NOT_OURS: it does not",
        }),
        reason: textSchema(1, 1_000),
        line: readByPersonSchema.optional(),
      })
      .meta({ id: "CloseDifferenceRequest" }),
    responses: { 200: { description: "The difference", body: differenceSchema } },
    problems: [
      ...BODY_PROBLEMS,
      "difference_not_found",
      "difference_ended",
      "same_person",
      "outcome_unknown",
      "forbidden",
    ],
  },

  getPaymentSettlement: {
    subject: "settlement.payment-settlement",
    method: "GET",
    path: "/operator/payments/{paymentId}/settlement",
    role: "viewer",
    summary: "Get what the banks' files say of a payment",
    description:
      "Returns the lines of banks' files that are about the payment or its refunds, the differences that were found, and " +
      "what no bank has reported yet. Of an unknown payment all are empty.",
    pathParameters: z.object({ paymentId: pathId("Id of the payment") }),
    notFound: "payment_not_found",
    responses: { 200: { description: "Lines and differences", body: paymentSettlementSchema } },
    problems: ["payment_not_found", "forbidden"],
  },

  getDifference: {
    subject: "settlement.describe-difference",
    method: "GET",
    path: "/operator/differences/{differenceId}",
    role: "viewer",
    summary: "Get a difference",
    description: "Returns a difference with our record and the bank's lines that it is about.",
    pathParameters: z.object({ differenceId: pathId("Id of a difference") }),
    notFound: "difference_not_found",
    responses: { 200: { description: "The difference", body: differenceDetailSchema } },
    problems: ["difference_not_found", "forbidden"],
  },
});
