import { z } from "zod";
import { pageOf } from "./list-query.ts";
import { merchantName } from "./merchant-name.ts";

export const DIFFERENCE_CLASSES = [
  "AMOUNT_DIFFERS",
  "FEE_DIFFERS",
  "STATUS_DIFFERS",
  "MISSING_AT_BANK",
  "MISSING_HERE",
  "DUPLICATE",
  "LATE",
  "UNREADABLE",
  "PAYOUT_DIFFERS",
  "PAYOUT_MISSING",
] as const;

export const DIFFERENCE_STATES = ["OPEN", "PROPOSED", "CLOSED", "RESOLVED"] as const;

/** A person's decision about a difference: the bank's amount counts in the merchant's statement, or it is not ours. */
export const DIFFERENCE_DECISIONS = ["ACCEPT_BANK", "NOT_OURS"] as const;

const noteSchema = z.object({
  at: z.iso.datetime().meta({ description: "When it was noted (UTC)" }),
  actor: z.string().meta({ description: "Who noted it: the `sub` of the token" }),
  note: z.string().meta({ description: "What was found out" }),
});

/** The amount on one side. */
const sideSchema = z.object({
  amount: z.number().meta({ description: "In major units, as a decimal number" }),
  currency: z.string().meta({ description: "ISO 4217 code of `amount`" }),
});

/** A difference between the bank's account and ours, until an operator closes it. */
export const differenceSchema = z
  .object({
    differenceId: z.uuid().meta({ description: "Id of the difference" }),
    accountId: z.string().meta({ description: "The account at the bank" }),
    class: z.enum(DIFFERENCE_CLASSES).meta({ description: "What differs; see docs/settlement.md" }),
    state: z.enum(DIFFERENCE_STATES).meta({
      description:
        "PROPOSED: one of two people has closed it. RESOLVED: what was reported later has settled it by itself",
    }),
    amount: z
      .number()
      .optional()
      .meta({ description: "At stake; absent where it could not be read, which only UNREADABLE can be" }),
    currency: z.string().optional().meta({ description: "ISO 4217 code of `amount`" }),
    ours: sideSchema.optional().meta({
      description:
        "What our record says: the sum of the movement, or the lines' of a payout, seen from the merchant (what they pay back is negative); of FEE_DIFFERS the fee that was expected. Absent where we have no record, or do not know",
    }),
    theirs: sideSchema.optional().meta({
      description:
        "What the bank says of the same, by the lines of its files; of FEE_DIFFERS its fee. Absent where it reports nothing, or nothing that could be read",
    }),
    detail: z
      .string()
      .meta({ description: "What differs, for people; the amounts are in `ours` and `theirs`" }),
    paymentId: z.uuid().optional().meta({ description: "Of the payment or refund that it is about" }),
    payoutId: z.string().optional().meta({ description: "The bank's id of the payout that it is about" }),
    merchantId: z
      .uuid()
      .optional()
      .meta({ description: "The merchant whose statements wait for it, where it is known" }),
    day: z.iso
      .date()
      .optional()
      .meta({ description: "The day whose statement waits for it; the first one, where it may be several" }),
    importId: z
      .uuid()
      .optional()
      .meta({ description: "The file that it was found in; absent where no file reports the payment" }),
    line: z.int().optional().meta({ description: "The line of that import that it is about" }),
    assignee: z.string().optional().meta({ description: "Who looks into it" }),
    proposedBy: z
      .string()
      .optional()
      .meta({ description: "The first of two people who closed it: the `sub` of the token" }),
    closedBy: z.string().optional().meta({ description: "Who closed it: the `sub` of the token" }),
    decision: z.enum(DIFFERENCE_DECISIONS).optional().meta({
      description: "ACCEPT_BANK: the bank's amount counts in the merchant's statement. NOT_OURS: it does not",
    }),
    acceptedAmount: z.number().optional().meta({
      description:
        "What counts as an adjustment since the bank's amount was accepted; negative where it is deducted",
    }),
    acceptedCurrency: z.string().optional().meta({ description: "ISO 4217 code of `acceptedAmount`" }),
    reason: z.string().optional().meta({ description: "Why it was closed" }),
    openedAt: z.iso.datetime().meta({ description: "When it was found (UTC)" }),
    endedAt: z.iso.datetime().optional().meta({ description: "When it was closed or resolved (UTC)" }),
    ageSeconds: z.int().meta({ description: "Seconds since it was found" }),
    notes: z.array(noteSchema).meta({ description: "What was noted about it, oldest first" }),
  })
  .meta({ id: "SettlementDifference" });

export type Difference = z.infer<typeof differenceSchema>;

export const differencePageSchema = pageOf(
  differenceSchema
    .extend({ merchantName })
    .meta({ id: "ListedDifference", description: "A difference with its merchant's name" }),
  "oldest first",
).meta({
  id: "SettlementDifferencePage",
});

/** The parts of a line that a person reads in the file, where the program could not. */
export const readByPersonSchema = z
  .object({
    merchantId: z
      .uuid()
      .optional()
      .meta({ description: "Whose money it is, where the line names no payment of ours" }),
    amount: z
      .string()
      .regex(/^-?\d{1,13}(\.\d{1,4})?$/, { error: "must be an amount such as -12.50" })
      .optional()
      .meta({ description: "The gross amount in major units, negative where the merchant pays it back" }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, { error: "must be three capital letters" })
      .optional()
      .meta({ description: "ISO 4217 code of `amount`" }),
    day: z.iso.date().optional().meta({ description: "The day on which the bank settles it" }),
  })
  .meta({
    id: "LineReadByPerson",
    description:
      "With ACCEPT_BANK, what the file's line says and could not be read; a part that is known is refused",
  });

export type ReadByPerson = z.infer<typeof readByPersonSchema>;
