import { z } from "zod";
import { cursorParameter, limitParameter, only, pathId } from "../http/endpoint.ts";
import { exportQuery, pagePayload } from "../http/list-query.ts";
import { listedStatementPageSchema, STATEMENT_DAYS_MAX, statementPageSchema } from "../http/statements.ts";
import { defineMerchantOperations, defineOperatorOperations } from "./define-operations.ts";

const days = {
  from: z.iso.date().meta({ description: "The first day" }),
  to: z.iso.date().meta({ description: `The last day, at most ${STATEMENT_DAYS_MAX} days from the first` }),
};
const others = {
  currency: only("this currency", z.string().regex(/^[A-Z]{3}$/, { error: "must be three capital letters" })),
  limit: limitParameter,
  cursor: cursorParameter(300),
  ...exportQuery,
};

/** The question to `settlement`. */
export const statementQuerySchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  currency: z.string().optional(),
  ...pagePayload,
});
export type StatementQuery = z.infer<typeof statementQuerySchema>;

const statements = {
  method: "GET",
  summary: "List statements",
} as const;
const page = { description: "One page of statements", rows: true, printed: true } as const;
const MADE_OF =
  "Made of the lines of banks' files that agree with our payments and refunds, of chargebacks, and of lines that differ and " +
  "whose amount the operator has accepted. With `Accept: text/csv` " +
  "or `application/x-ndjson` all of them come in one answer, whose last line has their number; with `Accept: text/html` as a page to be printed, with a " +
  "sum for each currency, in the language and number format of `Accept-Language`.";

/** The statements of the merchant who asks. */
export const ownStatementOperations = defineMerchantOperations({
  listStatements: {
    ...statements,
    subject: "settlement.list-merchant-statements",
    payload: statementQuerySchema,
    responses: { 200: { ...page, body: statementPageSchema } },
    path: "/api/statements",
    description: `Returns what is owed for each day and currency, oldest first. ${MADE_OF}`,
    queryParameters: z.object({ ...days, ...others }),
    problems: ["validation_failed"],
  },
});

/** The statements of all merchants. */
export const statementOperations = defineOperatorOperations({
  listStatementsOfMerchants: {
    ...statements,
    subject: "settlement.list-statements",
    payload: statementQuerySchema.extend({ merchantId: z.uuid().optional() }),
    responses: { 200: { ...page, body: listedStatementPageSchema } },
    role: "viewer",
    path: "/operator/statements",
    description: `Returns what is owed to each merchant for each day and currency, oldest first. ${MADE_OF}`,
    queryParameters: z.object({
      ...days,
      merchantId: only("of this merchant", pathId("Id of a merchant")),
      ...others,
    }),
    problems: ["validation_failed", "forbidden"],
  },
});
