import { z } from "zod";
import { BODY_PROBLEMS, cursorParameter, limitParameter, only, pathId } from "../http/endpoint.ts";
import { exportQuery, pagePayload, WITH_ROWS } from "../http/list-query.ts";
import {
  settlementImportDetailSchema,
  settlementImportPageSchema,
  settlementImportSchema,
  settlementPreviewSchema,
} from "../http/settlements.ts";
import { PREVIEW_PARTS_MAX, sealedUploadSchema } from "../messages/settlement-commands.ts";
import { textSchema } from "../text.ts";
import { defineOperatorOperations } from "./define-operations.ts";

const oneFile = {
  pathParameters: z.object({ importId: pathId("Id of a settlement file") }),
  notFound: "settlement_not_found",
} as const;

const sent = {
  queryParameters: z.object({
    accountId: textSchema(1, 64).meta({ description: "The account at the bank" }),
    mapping: textSchema(1, 64).meta({ description: "How the file is read, such as `generic`" }),
  }),
  file: { part: "file", description: "The bank's file" },
};

/** The banks' files. */
export const settlementOperations = defineOperatorOperations({
  listSettlements: {
    subject: "settlement.list-imports",
    payload: z.object({ accountId: z.string().optional(), ...pagePayload }),
    method: "GET",
    path: "/operator/settlements",
    role: "viewer",
    summary: "List settlement files",
    description: `Returns the banks' files that were taken or refused, newest first. ${WITH_ROWS}`,
    queryParameters: z.object({
      accountId: only("what is about this account at a bank", textSchema(1, 64)),
      limit: limitParameter,
      cursor: cursorParameter(100),
      ...exportQuery,
    }),
    responses: { 200: { description: "One page of files", body: settlementImportPageSchema, rows: true } },
    problems: ["validation_failed", "forbidden"],
  },

  uploadSettlement: {
    subject: "settlement.end-upload",
    payload: sealedUploadSchema,
    method: "POST",
    path: "/operator/settlements",
    work: "write",
    role: "operations",
    summary: "Upload a settlement file",
    description:
      "Takes a bank's file of at most 1 GiB, which is read once all of it is there: the file is READING first, then PROPOSED " +
      "until another person confirms it (TAKEN immediately where one person is enough, unless `review` is `true`), or REFUSED, " +
      "whole. A file that was taken for the account before is refused.",
    ...sent,
    queryParameters: sent.queryParameters.extend({
      review: z.enum(["true", "false"], { error: "must be true or false" }).optional().meta({
        description:
          "`true`: where one person is enough, too, the file is PROPOSED first; its sender may confirm it then",
      }),
    }),
    responses: { 202: { description: "The file is there and will be read", body: settlementImportSchema } },
    problems: [
      "validation_failed",
      "settlement_already_taken",
      "settlement_not_found",
      "uploads_full",
      "outcome_unknown",
      "forbidden",
    ],
  },

  previewSettlement: {
    subject: "settlement.preview-upload",
    payload: sealedUploadSchema.extend({ parts: z.int().min(0).max(PREVIEW_PARTS_MAX) }),
    method: "POST",
    path: "/operator/settlements/preview",
    work: "write",
    role: "operations",
    summary: "Preview a settlement file",
    description:
      "Reads a bank's file of at most 4 MiB and compares its lines as if it were taken, and keeps nothing of it. " +
      "A larger file is previewed by the command `settle import --preview`.",
    ...sent,
    responses: { 200: { description: "What taking it would come to", body: settlementPreviewSchema } },
    problems: ["validation_failed", "settlement_not_found", "uploads_full", "outcome_unknown", "forbidden"],
  },

  getSettlement: {
    subject: "settlement.describe-import",
    method: "GET",
    path: "/operator/settlements/{importId}",
    role: "viewer",
    summary: "Get a settlement file",
    description:
      "Returns what was taken of a bank's file, what was not and why, and what the comparison says.",
    ...oneFile,
    responses: { 200: { description: "The file", body: settlementImportDetailSchema } },
    problems: ["settlement_not_found", "forbidden"],
  },

  confirmSettlement: {
    subject: "settlement.confirm-import",
    method: "POST",
    path: "/operator/settlements/{importId}/confirm",
    work: "write",
    role: "operations",
    recentSignIn: true,
    summary: "Confirm a settlement file that was read",
    description:
      "Makes the lines of a PROPOSED file count. They are the ones that its answer shows, and do not change. Whoever sent it " +
      "may do so only where one person is enough (`senderConfirms`).",
    ...oneFile,
    responses: { 200: { description: "The file, which is TAKEN", body: settlementImportSchema } },
    problems: [
      "settlement_not_found",
      "settlement_already_taken",
      "nothing_to_confirm",
      "same_person",
      "outcome_unknown",
      "forbidden",
    ],
  },

  refuseSettlement: {
    subject: "settlement.refuse-import",
    method: "POST",
    path: "/operator/settlements/{importId}/refuse",
    work: "write",
    role: "operations",
    summary: "Refuse a settlement file that waits for its confirmation",
    description:
      "Ends a PROPOSED file of which nothing may count. Its lines are removed, and its room is free for others. Whoever sent it may do so too.",
    ...oneFile,
    request: z.object({ reason: textSchema(1, 1_000) }).meta({ id: "RefuseSettlementRequest" }),
    responses: { 200: { description: "The file, which is REFUSED", body: settlementImportSchema } },
    problems: [
      ...BODY_PROBLEMS,
      "settlement_not_found",
      "nothing_to_confirm",
      "outcome_unknown",
      "forbidden",
    ],
  },
});
