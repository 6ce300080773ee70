import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { merchantName } from "./merchant-name.ts";
import { pageOf } from "./list-query.ts";

/** The amount owed to a merchant for a day in one currency. Deductions are positive. */
export const merchantStatementSchema = z
  .object({
    merchantId: z.uuid().meta({ description: "Whom it is owed to" }),
    day: z.iso.date().meta({
      description: "On which the bank settles, or on which it happened where the bank does not say",
    }),
    currency: z
      .string()
      .meta({ description: "ISO 4217 currency code; all amounts are in it", examples: ["TRY"] }),
    salesAmount: z.number().meta({ description: "Sum of the payments that the bank settles" }),
    refundsAmount: z.number().meta({ description: "Sum of the refunds; positive, and deducted" }),
    chargebacksAmount: z.number().meta({
      description: "Sum of the chargebacks less what came back; positive, and deducted",
    }),
    adjustmentsAmount: z.number().meta({
      description:
        "Sum of the bank's lines that differ from our records and that the operator has accepted; negative where it is " +
        "deducted",
    }),
    commission: z.number().meta({ description: "By the plan; what refunds give back is deducted from it" }),
    bankFeesAmount: z.number().meta({ description: "By the bank's file; no part of what is payable" }),
    netPayableAmount: z
      .number()
      .meta({ description: "Sales and adjustments less refunds, chargebacks and commission" }),
    lines: z.int().meta({ description: "Lines of banks' files that it is made of" }),
    unpricedLines: z.int().meta({
      description:
        "Lines whose payment's commission is not known yet; the statement is not final before there is none",
    }),
    complete: z.boolean().meta({
      description:
        "Whether the bank has reported every payment and refund of the merchant in this currency up to this day, and " +
        "nothing of the day waits for a comparison, a decision or a commission. A chargeback, or a line that the bank " +
        "sends late, can still change it",
    }),
    revision: z
      .int()
      .optional()
      .meta({
        description:
          "The revision that has these amounts, as `settlement.statement_ready` tells it. Absent while no revision has: " +
          "the day is not complete, or became so while files are being compared, or long before revisions were kept",
      }),
  })
  .meta({ id: "Statement", description: "What is owed to a merchant for a day in one currency" });
export type Statement = z.infer<typeof merchantStatementSchema>;

/** The body of `settlement.statement_ready`: the statement as it was when it was complete. */
export const statementReadySchema = merchantStatementSchema
  .pick({
    merchantId: true,
    day: true,
    currency: true,
    salesAmount: true,
    refundsAmount: true,
    chargebacksAmount: true,
    adjustmentsAmount: true,
    commission: true,
    bankFeesAmount: true,
    netPayableAmount: true,
    lines: true,
  })
  .extend({
    livemode: livemodeSchema,
    complete: z.literal(true).meta({ description: "A statement is sent once it is complete" }),
    revision: z.int().meta({
      description:
        "From 1. A higher one replaces a lower one of the same day and currency, whichever arrives first",
    }),
    version: z.int().meta({ description: "The revision, under the name that it has in every event" }),
    statusDate: z.iso.datetime().meta({ description: "When the statement had become this revision" }),
    path: z.string().meta({
      description: "Where the statement is read",
      examples: ["/api/statements?from=2026-03-11&to=2026-03-11&currency=TRY"],
    }),
  })
  .meta({ id: "WebhookStatement", description: "A day's statement that is complete" });
export type StatementReady = z.infer<typeof statementReadySchema>;

export const statementPageSchema = pageOf(merchantStatementSchema, "oldest first").meta({
  id: "StatementPage",
});

export const listedStatementSchema = merchantStatementSchema
  .extend({ merchantName })
  .meta({ id: "ListedStatement", description: "A statement with its merchant's name" });

export type ListedStatement = z.infer<typeof listedStatementSchema>;

export const listedStatementPageSchema = pageOf(listedStatementSchema, "oldest first").meta({
  id: "ListedStatementPage",
});

/** The most days in one request. */
export const STATEMENT_DAYS_MAX = 31;
