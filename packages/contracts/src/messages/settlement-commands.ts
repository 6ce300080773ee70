import { z } from "zod";
import { fileNameSchema } from "../file-name.ts";
import { sealedPartSchema } from "../sealed-reply.ts";
import { amountMinorSchema, defineOperatorCommand, defineServiceCommand } from "./message.ts";

/**
 * A movement of money, or one that did not happen, as its owner knows it. A bank's settlement file is
 * compared with it. Of the card it has only the masked number.
 */
export const movementFactSchema = z.object({
  /** The id of the payment or the refund; our reference at the bank begins with it. */
  id: z.uuid(),
  /** The refunded payment, of a refund. */
  parentId: z.uuid().optional(),
  /** The account at the bank that it was sent to. A refund has its payment's. */
  accountId: z.uuid(),
  merchantId: z.uuid(),
  kind: z.enum(["SALE", "CAPTURE", "REFUND"]),
  /**
   * `DONE`: the money moved, so the bank has to report it. `NOT_DONE`: it did not, and a report of it is
   * wrong. `VOIDED`: a sale that was voided. `OPEN`: not known yet, such as an authorization that can still
   * be captured.
   */
  standing: z.enum(["DONE", "NOT_DONE", "VOIDED", "OPEN"]),
  /** A refund that was carried out by a void of its whole payment, which the bank reports instead. */
  voids: z.literal(true).optional(),
  /** The amount captured, sold or refunded; while it is open, the authorized amount. */
  amountMinor: amountMinorSchema,
  currency: z.string(),
  /** The time at which the standing was reached; of a voided sale, the time of the sale. */
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
 * A place in an owner's feed of movements. A reader without a place begins with all rows in the order of
 * their ids. Then the changes follow, in the order of the transactions that made them. A reader may also
 * begin at any row's id.
 */
export const feedPlaceSchema = z.object({
  /**
   * The database whose transactions are numbered. In another database, such as a restored one, the numbers
   * mean nothing.
   */
  feed: z.string().min(1).max(64),
  of: z.enum(["rows", "changes"]),
  /** All changes of the transactions before this one have been read, or, among the rows, need not be. */
  transaction: z.string().regex(/^\d{1,20}$/),
  /** The last row that was read, or the last one of this transaction. */
  id: z.uuid(),
});
export type FeedPlace = z.infer<typeof feedPlaceSchema>;

/** Rows of one answer, which is far below the bus's largest message. */
export const MOVEMENTS_MAX = 500;

const movements = {
  name: "movements",
  work: "read",
  senders: ["settlement"],
  request: z.object({ after: feedPlaceSchema.optional() }),
  result: z.union([
    z.object({
      /** Present facts of live merchants. A fact may come again, and a later version may come first. */
      facts: z.array(movementFactSchema).max(MOVEMENTS_MAX),
      next: feedPlaceSchema,
      /** True if nothing more can be read now: transactions from `next` on may not have ended yet. */
      isLast: z.boolean(),
      /** The first transaction that had not begun: once the feed is read up to it, all that was committed is known. */
      unbegun: feedPlaceSchema.shape.transaction,
    }),
    /** The place is of another database, or lies ahead of this one, which was restored to an earlier time. */
    z.object({ refused: z.enum(["another_feed", "ahead"]) }),
  ]),
} as const;

/** The movements of money after a place, from the rows that are written with each change of a payment or refund. */
export const readMovements = {
  payments: defineServiceCommand({ service: "payments", ...movements }),
  refunds: defineServiceCommand({ service: "refunds", ...movements }),
} as const;
export type MovementOwner = keyof typeof readMovements;
export type MovementPage = z.infer<(typeof movements)["result"]>;

/** An account at a bank, for the comparison of its files with the payments sent to it. */
export const settlingAccountSchema = z.object({ accountId: z.uuid(), timeZone: z.string() });
export type SettlingAccount = z.infer<typeof settlingAccountSchema>;

/** The most accounts in one answer; after a full answer the next page is requested. */
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

/** Bytes of a file in one message, and how many messages bring a gibibyte. */
export const UPLOAD_PART_BYTES = 262_144;
export const UPLOAD_PARTS_MAX = 4_096;

const upload = { service: "settlement", role: "operations", work: "write" } as const;

/**
 * Begins the upload of a file in parts. Each part is stored before the next one is sent, so the sender is
 * never faster than the database.
 */
export const beginSettlementUpload = defineOperatorCommand({
  ...upload,
  name: "begin-upload",
  request: z.object({
    importId: z.uuid(),
    accountId: z.string(),
    mapping: z.string(),
    fileName: fileNameSchema,
    /** The file counts only after a person has confirmed it, even if one person is enough. */
    review: z.enum(["true", "false"]).optional(),
  }),
  /** The public key that its parts are sealed to: they may have whole card numbers. */
  result: z.object({ sealTo: z.string() }),
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
    content: sealedPartSchema(UPLOAD_PART_BYTES),
  }),
  result: z.object({}),
});

/** The end of an upload: all parts were sent, and a lost one is noticed. */
export const sealedUploadSchema = z.object({
  importId: z.uuid(),
  parts: z.int().min(0).max(UPLOAD_PARTS_MAX),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[\da-f]{64}$/),
});

/** A file is previewed within one command, so it is small. */
export const PREVIEW_PARTS_MAX = 16;
