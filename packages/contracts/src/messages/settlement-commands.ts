import { z } from "zod";
import { auditEntriesSchema, auditPageSchema } from "../http/audit-log.ts";
import { paymentSettlementSchema } from "../http/payment-settlement.ts";
import {
  DIFFERENCE_CLASSES,
  DIFFERENCE_STATES,
  differencePageSchema,
  differenceSchema,
  settlementImportDetailSchema,
  settlementImportPageSchema,
  settlementImportSchema,
} from "../http/settlements.ts";
import { listPlaceSchema } from "./list-commands.ts";
import { amountMinorSchema, defineOperatorCommand, defineServiceCommand } from "./message.ts";

const accountIdSchema = z.union([z.uuid(), z.literal("default")]);

/**
 * A movement of money, or one that did not happen, as its owner knows it. A bank's settlement file is compared with it.
 * It has the masked number of the card, and nothing else of it.
 */
export const movementFactSchema = z.object({
  /** The id of the payment or the refund; our reference at the bank begins with it. */
  id: z.uuid(),
  /** The refunded payment, of a refund. */
  parentId: z.uuid().optional(),
  /**
   * The account at the bank that it was sent to, `default` for that of `ACQUIRER_URL`. A refund has its payment's; a
   * refund's event has none.
   */
  accountId: accountIdSchema.optional(),
  merchantId: z.uuid(),
  kind: z.enum(["SALE", "CAPTURE", "REFUND"]),
  /**
   * `DONE`: the money moved, so the bank has to report it. `NOT_DONE`: it did not, and a report of it is wrong. `VOIDED`:
   * a sale that was voided. `OPEN`: not known yet, such as an authorization that can still be captured.
   */
  standing: z.enum(["DONE", "NOT_DONE", "VOIDED", "OPEN"]),
  /** The amount captured, sold or refunded; while it is open, the authorized amount. */
  amountMinor: amountMinorSchema,
  currency: z.string(),
  /** The time at which the standing was reached. */
  occurredAt: z.iso.datetime(),
  /** Rises with every change; of two facts about one id the higher is the later. */
  version: z.int().min(0),
  orderId: z.string(),
  maskedPan: z.string(),
  externalTransactionId: z.string().optional(),
  authCode: z.string().optional(),
  /** The commission of a payment, by the merchant's plan. */
  commissionMinor: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  /** Tells, by the merchant's plan, whether a payment's refunds give commission back; they do where it is absent. */
  refundsCommission: z.boolean().optional(),
});
export type MovementFact = z.infer<typeof movementFactSchema>;

/**
 * A payment's terms of settlement that are not in its merchant's record: known when it is claimed, and never changed.
 */
export const settlingTermsSchema = movementFactSchema
  .pick({ accountId: true, commissionMinor: true, refundsCommission: true })
  .required({ accountId: true, commissionMinor: true });
export type SettlingTerms = z.infer<typeof settlingTermsSchema>;

/** Ids in one question; an answer of so many facts is far below the bus's largest message. */
export const FACTS_MAX = 200;

const facts = {
  name: "movement-facts",
  work: "read",
  senders: ["settlement"],
  request: z.object({ ids: z.array(z.uuid()).min(1).max(FACTS_MAX) }),
  /** Ids that the service does not know are left out. */
  result: z.object({ facts: z.array(movementFactSchema) }),
} as const;

/** Captures have no event, and an event may be lost with the stream: the settlement service asks for what it lacks. */
export const readMovementFacts = {
  payments: defineServiceCommand({ service: "payments", ...facts }),
  refunds: defineServiceCommand({ service: "refunds", ...facts }),
} as const;

/** The parts of a fact that are compared. */
export const comparedFactSchema = movementFactSchema.pick({
  id: true,
  standing: true,
  amountMinor: true,
  currency: true,
});
export type ComparedFact = z.infer<typeof comparedFactSchema>;

/** Facts in one answer; far below the bus's largest message, since each has only the compared parts. */
export const COMPARED_FACTS_MAX = 1_000;

const compared = {
  name: "compared-facts",
  work: "read",
  senders: ["settlement"],
  /** Selects facts made in this time, in the order in which they were made. */
  request: z.object({
    from: z.iso.datetime(),
    before: z.iso.datetime(),
    after: listPlaceSchema.optional(),
  }),
  /** Those of test mode are left out. `next` is absent with the last answer. */
  result: z.object({
    facts: z.array(comparedFactSchema).max(COMPARED_FACTS_MAX),
    next: listPlaceSchema.optional(),
  }),
} as const;

/** All facts of an owner for some days; those that settlement lacks were lost on the way. */
export const readComparedFacts = {
  payments: defineServiceCommand({ service: "payments", ...compared }),
  refunds: defineServiceCommand({ service: "refunds", ...compared }),
} as const;

/** An account at a bank, for the comparison of its files with the payments sent to it. */
export const settlingAccountSchema = z.object({ accountId: z.uuid(), timeZone: z.string() });
export type SettlingAccount = z.infer<typeof settlingAccountSchema>;

/** Accounts in one answer; a full one is followed by another question. */
export const SETTLING_ACCOUNTS_MAX = 200;

/** The accounts that payments can have been sent to, by their ids: files of others are refused. */
export const readSettlingAccounts = defineServiceCommand({
  service: "payments",
  name: "settling-accounts",
  work: "read",
  senders: ["settlement"],
  request: z.object({ after: z.uuid().optional() }),
  result: z.object({ accounts: z.array(settlingAccountSchema).max(SETTLING_ACCOUNTS_MAX) }),
});

export const readSettlementAuditLog = defineOperatorCommand({
  service: "settlement",
  name: "audit-log",
  role: "viewer",
  work: "read",
  request: auditPageSchema,
  result: auditEntriesSchema,
});

const page = { limit: z.int(), cursor: z.string().optional(), accountId: z.string().optional() };
const oneDifference = { differenceId: z.uuid() };

export const listSettlementImports = defineOperatorCommand({
  service: "settlement",
  name: "list-imports",
  role: "viewer",
  work: "read",
  request: z.object(page),
  result: settlementImportPageSchema,
});

export const describeSettlementImport = defineOperatorCommand({
  service: "settlement",
  name: "describe-import",
  role: "viewer",
  work: "read",
  request: z.object({ importId: z.uuid() }),
  result: settlementImportDetailSchema,
});

/** Bytes of a file in one message, and how many messages bring a gibibyte. */
export const UPLOAD_PART_BYTES = 262_144;
export const UPLOAD_PARTS_MAX = 4_096;

const upload = { service: "settlement", role: "operations", work: "write" } as const;

/** A file comes in parts, each of which is kept before the next one is sent: the sender is never faster than the database. */
export const beginSettlementUpload = defineOperatorCommand({
  ...upload,
  name: "begin-upload",
  request: z.object({
    importId: z.uuid(),
    accountId: z.string(),
    mapping: z.string(),
    fileName: z.string().min(1).max(200),
  }),
  result: z.object({}),
});

export const addSettlementUploadPart = defineOperatorCommand({
  ...upload,
  name: "add-upload-part",
  request: z.object({
    importId: z.uuid(),
    part: z
      .int()
      .min(0)
      .max(UPLOAD_PARTS_MAX - 1),
    content: z
      .base64()
      .min(1)
      .max(Math.ceil(UPLOAD_PART_BYTES / 3) * 4),
  }),
  result: z.object({}),
});

/** Ends an upload: all parts were sent, and a lost one is noticed. */
export const endSettlementUpload = defineOperatorCommand({
  ...upload,
  name: "end-upload",
  request: z.object({
    importId: z.uuid(),
    parts: z.int().min(0).max(UPLOAD_PARTS_MAX),
    bytes: z.int().min(0),
    sha256: z.string().regex(/^[\da-f]{64}$/),
  }),
  result: settlementImportSchema,
});

export const listSettlementDifferences = defineOperatorCommand({
  service: "settlement",
  name: "list-differences",
  role: "viewer",
  work: "read",
  request: z.object({
    ...page,
    state: z.enum(DIFFERENCE_STATES),
    class: z.enum(DIFFERENCE_CLASSES).optional(),
  }),
  result: differencePageSchema,
});

/** Lines of banks' files about a payment and its refunds; an unknown payment has none. */
export const readPaymentSettlement = defineOperatorCommand({
  service: "settlement",
  name: "payment-settlement",
  role: "viewer",
  work: "read",
  request: z.object({ paymentId: z.uuid() }),
  result: paymentSettlementSchema,
});

export const noteSettlementDifference = defineOperatorCommand({
  service: "settlement",
  name: "note-difference",
  role: "operations",
  work: "write",
  request: z.object({ ...oneDifference, note: z.string(), assignee: z.string().optional() }),
  result: differenceSchema,
});

export const closeSettlementDifference = defineOperatorCommand({
  service: "settlement",
  name: "close-difference",
  role: "operations",
  recentSignIn: true,
  work: "write",
  request: z.object({ ...oneDifference, reason: z.string() }),
  result: differenceSchema,
});
