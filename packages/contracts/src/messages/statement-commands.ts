import { z } from "zod";
import { statementPageSchema } from "../http/statements.ts";
import { defineCommand, defineOperatorCommand } from "./message.ts";

const query = {
  from: z.iso.date(),
  to: z.iso.date(),
  currency: z.string().optional(),
  limit: z.int(),
  cursor: z.string().optional(),
};
const statementQuerySchema = z.object(query);
export type StatementQuery = z.infer<typeof statementQuerySchema>;

/** The statements of the merchant who asks. */
export const listMerchantStatements = defineCommand({
  service: "settlement",
  name: "list-merchant-statements",
  work: "read",
  request: statementQuerySchema,
  result: statementPageSchema,
});

export const listAllStatements = defineOperatorCommand({
  service: "settlement",
  name: "list-statements",
  role: "viewer",
  work: "read",
  request: z.object({ ...query, merchantId: z.uuid().optional() }),
  result: statementPageSchema,
});
