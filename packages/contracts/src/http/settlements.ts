import { z } from "zod";
import { textSchema } from "../text.ts";
import { cursorParameter, defineEndpoint, limitParameter, only, pathId } from "./endpoint.ts";
import { exportQuery, pageOf, WITH_ROWS } from "./list-query.ts";

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
      description: "Who took it: the `sub` of an operator's token, or of a command the user of the machine",
    }),
    sha256: z
      .string()
      .optional()
      .meta({ description: "SHA-256 of its bytes, in hex; absent until it was read" }),
    state: z.enum(["READING", "TAKEN", "REFUSED"]).meta({
      description: "TAKEN: its lines count. REFUSED: none of them does, for `reason`",
    }),
    reason: z
      .string()
      .optional()
      .meta({ description: "Why it was refused, as a code; see docs/settlement.md" }),
    detail: z.string().optional().meta({ description: "What about it was refused, for people" }),
    lines: z.int().meta({ description: "Lines that could be read" }),
    faults: z.int().meta({ description: "Lines that could not" }),
    createdAt: z.iso.datetime().meta({ description: "When it was handed in (UTC)" }),
    comparedAt: z.iso.datetime().optional().meta({ description: "When its lines had been compared" }),
  })
  .meta({ id: "SettlementImport" });
export type SettlementImport = z.infer<typeof settlementImportSchema>;

const lineNoteSchema = z.object({
  line: z.int().meta({ description: "Number of the line in the file, from 1" }),
  reason: z.string().meta({ description: "What could not be read, and why" }),
});

export const settlementImportDetailSchema = settlementImportSchema
  .extend({
    verdicts: z
      .record(z.string(), z.int())
      .meta({ description: "How many of its lines the comparison calls what" }),
    faultyLines: z
      .array(lineNoteSchema)
      .meta({ description: "The first hundred lines that could not be read" }),
    notedLines: z
      .array(lineNoteSchema)
      .meta({ description: "The first hundred lines of which a cell could not be read and was left out" }),
  })
  .meta({ id: "SettlementImportDetail" });

export const settlementImportPageSchema = pageOf(settlementImportSchema, "newest first").meta({
  id: "SettlementImportPage",
});

const ofAccount = only("what is about this account at a bank", textSchema(1, 64));
const pageQuery = { limit: limitParameter, cursor: cursorParameter(100) };

export const listSettlements = defineEndpoint({
  operationId: "listSettlements",
  listener: "operator",
  method: "GET",
  path: "/operator/settlements",
  role: "viewer",
  summary: "List settlement files",
  description: `Returns the banks' files that were taken or refused, newest first. ${WITH_ROWS}`,
  queryParameters: z.object({ accountId: ofAccount, ...pageQuery, ...exportQuery }),
  responses: { 200: { description: "One page of files", body: settlementImportPageSchema, rows: true } },
  problems: ["validation_failed", "forbidden"],
});

export const uploadSettlement = defineEndpoint({
  operationId: "uploadSettlement",
  listener: "operator",
  method: "POST",
  path: "/operator/settlements",
  work: "write",
  role: "operations",
  summary: "Upload a settlement file",
  description:
    "Takes a bank's file of at most 1 GiB, which is read once all of it is there: the file is READING first, then TAKEN " +
    "or REFUSED, whole. A file that was taken for the account before is refused.",
  queryParameters: z.object({
    accountId: textSchema(1, 64).meta({
      description: "The account at the bank; `default` is that of `ACQUIRER_URL`",
    }),
    mapping: textSchema(1, 64).meta({ description: "How the file is read, such as `generic`" }),
  }),
  file: { part: "file", description: "The bank's file" },
  responses: { 202: { description: "The file is there and will be read", body: settlementImportSchema } },
  problems: [
    "validation_failed",
    "settlement_already_taken",
    "settlement_not_found",
    "outcome_unknown",
    "forbidden",
  ],
});

export const getSettlement = defineEndpoint({
  operationId: "getSettlement",
  listener: "operator",
  method: "GET",
  path: "/operator/settlements/{importId}",
  role: "viewer",
  summary: "Get a settlement file",
  description: "Returns what was taken of a bank's file, what was not and why, and what the comparison says.",
  pathParameters: z.object({ importId: pathId("Id of a settlement file") }),
  notFound: "settlement_not_found",
  responses: { 200: { description: "The file", body: settlementImportDetailSchema } },
  problems: ["settlement_not_found", "forbidden"],
});

export const SETTLEMENT_ENDPOINTS = [listSettlements, uploadSettlement, getSettlement] as const;
