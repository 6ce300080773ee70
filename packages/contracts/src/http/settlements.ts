import { z } from "zod";
import { pageOf } from "./list-query.ts";

/** A bank's file and the result of its import. */
export const settlementImportSchema = z
  .object({
    importId: z.uuid().meta({ description: "Id of the file here" }),
    accountId: z.string().meta({ description: "The account at the bank that the file is of" }),
    mapping: z.string().meta({ description: "Name of the mapping, which says how the file is read" }),
    mappingVersion: z
      .int()
      .optional()
      .meta({ description: "Version of the mapping; absent until the file was read" }),
    fileName: z.string().meta({ description: "Name that it was taken under" }),
    importedBy: z.string().meta({
      description: "Who sent it: the `sub` of an operator's token, or of a command the user of the machine",
    }),
    confirmedBy: z
      .string()
      .optional()
      .meta({ description: "Operator who confirmed it: the `sub` of the token" }),
    sha256: z
      .string()
      .optional()
      .meta({ description: "SHA-256 of its bytes, in hex; absent until it was read" }),
    state: z.enum(["READING", "PROPOSED", "TAKEN", "REFUSED"]).meta({
      description:
        "PROPOSED: its lines count once somebody confirms it, another person than its sender unless `senderConfirms`. TAKEN: they count. REFUSED: none of them does, for `reason`",
    }),
    reason: z
      .string()
      .optional()
      .meta({ description: "Why it was refused, as a code; see docs/settlement.md" }),
    detail: z.string().optional().meta({ description: "What about it was refused, for people" }),
    senderConfirms: z
      .boolean()
      .optional()
      .meta({ description: "While it is PROPOSED: whether the person who sent it may confirm it, too" }),
    lines: z.int().meta({ description: "Lines that could be read" }),
    faults: z.int().meta({ description: "Lines that could not" }),
    createdAt: z.iso.datetime().meta({ description: "When it was handed in (UTC)" }),
    comparedAt: z.iso.datetime().optional().meta({ description: "When its lines had been compared" }),
  })
  .meta({ id: "SettlementImport" });

export type SettlementImport = z.infer<typeof settlementImportSchema>;

const linesOfKind = z.object({
  kind: z.string().meta({ description: "Such as SALE, REFUND or PAYOUT" }),
  currency: z.string().meta({ description: "ISO 4217 code of the amounts" }),
  lines: z.int().meta({ description: "How many there are" }),
  grossAmount: z.number().meta({ description: "Their sum, seen from the merchant" }),
  feeAmount: z.number().meta({ description: "Sum of the bank's fees" }),
  netAmount: z.number().meta({ description: "Sum of what the bank pays of them" }),
});

const addedUp = {
  firstDay: z.iso.date().optional().meta({ description: "The first day on which the bank settles a line" }),
  lastDay: z.iso.date().optional().meta({ description: "The last one" }),
  kinds: z.array(linesOfKind).meta({ description: "Its lines by kind and currency" }),
};

const changesSchema = z.object({
  opens: z.record(z.string(), z.int()).meta({ description: "How many it would open, by their class" }),
  resolves: z.record(z.string(), z.int()).meta({ description: "How many it would end, by their class" }),
});

const lineNoteSchema = z.object({
  line: z.int().meta({ description: "Number of the line in the file, from 1" }),
  reason: z.string().meta({ description: "What could not be read, and why" }),
});

export const settlementImportDetailSchema = settlementImportSchema
  .extend({
    ...addedUp,
    kinds: addedUp.kinds
      .optional()
      .meta({ description: "While it is PROPOSED, its lines by kind and currency" }),
    verdicts: z.record(z.string(), z.int()).meta({
      description: "How many of its lines the comparison calls what, or would call while it is PROPOSED",
    }),
    differences: changesSchema.optional().meta({
      description:
        "The differences that its confirmation would change; while it is PROPOSED, of 10,000 lines at most",
    }),
    faultyLines: z
      .array(lineNoteSchema)
      .meta({ description: "The first hundred lines that could not be read" }),
    notedLines: z
      .array(lineNoteSchema)
      .meta({ description: "The first hundred lines of which a cell could not be read and was left out" }),
  })
  .meta({ id: "SettlementImportDetail" });

/** The result that importing a file would have. */
export const settlementPreviewSchema = z
  .object({
    accountId: z.string().meta({ description: "The account at the bank that the file is of" }),
    mapping: z.string().meta({ description: "Name of the mapping, which says how the file is read" }),
    fileName: z.string().meta({ description: "Name of the file" }),
    sha256: z.string().meta({ description: "SHA-256 of its bytes, in hex" }),
    refusal: z
      .object({
        reason: z.string().meta({ description: "Why it would be refused, as a code" }),
        detail: z.string().meta({ description: "What about it would be refused, for people" }),
      })
      .optional()
      .meta({ description: "Absent where it would be taken" }),
    lines: z.int().meta({ description: "Lines that can be read" }),
    faults: z.int().meta({ description: "Lines that cannot" }),
    ...addedUp,
    verdicts: z
      .record(z.string(), z.int())
      .meta({ description: "How many of its lines the comparison would call what" }),
    differences: changesSchema
      .optional()
      .meta({ description: "The differences that it would change; absent where it would be refused" }),
    faultyLines: z
      .array(
        z.object({
          line: z.int().meta({ description: "Number of the line in the file, from 1" }),
          reason: z.string().meta({ description: "Why it cannot be read, as a code" }),
        }),
      )
      .meta({ description: "The first hundred lines that cannot be read" }),
  })
  .meta({ id: "SettlementPreview" });

export type SettlementPreview = z.infer<typeof settlementPreviewSchema>;

export const settlementImportPageSchema = pageOf(settlementImportSchema, "newest first")
  .extend({
    mappings: z.array(z.string()).meta({ description: "The ways in which a file can be read, by name" }),
  })
  .meta({ id: "SettlementImportPage" });
