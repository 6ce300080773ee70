import { z } from "zod";
import { textSchema } from "../text.ts";
import { BODY_PROBLEMS, defineEndpoint } from "./endpoint.ts";
import { pageOf, pageQuery } from "./list-query.ts";

/** An operator and a person of a merchant's staff may have the same `sub`. */
const kindSchema = z.enum(["operator", "staff"]).optional().meta({
  description: "Whether an operator or a person of a merchant's staff is meant; both if absent",
});

/** A person whose tokens are refused although the identity provider issues them. */
export const refusedOperatorSchema = z
  .object({
    subject: z.string().meta({ description: "The `sub` of the person's tokens" }),
    kind: kindSchema,
    reason: z.string().meta({ description: "Why, in words of whoever refused the person" }),
    refusedBy: z.string().meta({ description: "Operator who refused the person: the `sub` of the token" }),
    refusedAt: z.iso.datetime().meta({ description: "When (UTC)" }),
  })
  .meta({ id: "RefusedOperator" });
export type RefusedOperator = z.infer<typeof refusedOperatorSchema>;

export const refuseOperator = defineEndpoint({
  operationId: "refuseOperator",
  listener: "operator",
  method: "POST",
  path: "/operator/refused-operators",
  work: "write",
  role: "admin",
  summary: "Refuse an operator",
  description:
    "Refuses every request of an operator, or of a person of a merchant's staff, from now on, although their tokens are valid. Nobody can " +
    "refuse themselves (`own_access`). Repeating the request changes nothing.",
  request: z
    .object({
      subject: textSchema(1, 200).meta({ description: "The `sub` of the person's tokens" }),
      kind: kindSchema,
      reason: textSchema(1, 1_000),
    })
    .meta({ id: "RefuseOperatorRequest" }),
  responses: {
    200: { description: "The person was refused before", body: refusedOperatorSchema },
    201: { description: "The person is refused", body: refusedOperatorSchema },
  },
  problems: [...BODY_PROBLEMS, "own_access", "outcome_unknown", "forbidden"],
});

export const listRefusedOperators = defineEndpoint({
  operationId: "listRefusedOperators",
  listener: "operator",
  method: "GET",
  path: "/operator/refused-operators",
  role: "viewer",
  summary: "List refused operators",
  description:
    "Returns the people whose requests are refused, in the order of their kind, issuer and subject.",
  queryParameters: z.object(pageQuery),
  responses: {
    200: {
      description: "One page of refused operators",
      body: pageOf(refusedOperatorSchema, "by kind, issuer and subject").meta({ id: "RefusedOperatorPage" }),
    },
  },
  problems: ["validation_failed", "forbidden"],
});

export const readmitOperator = defineEndpoint({
  operationId: "readmitOperator",
  listener: "operator",
  method: "DELETE",
  path: "/operator/refused-operators/{subject}",
  work: "write",
  role: "admin",
  summary: "Admit a refused operator again",
  description: "The person's tokens count again. Nobody can admit themselves (`own_access`).",
  queryParameters: z.object({ kind: kindSchema }),
  pathParameters: z.object({ subject: z.string().meta({ description: "The `sub` of the person's tokens" }) }),
  notFound: "refused_operator_not_found",
  responses: { 204: { description: "The person is no longer refused" } },
  problems: ["validation_failed", "refused_operator_not_found", "own_access", "outcome_unknown", "forbidden"],
});

export const REFUSED_OPERATOR_ENDPOINTS = [refuseOperator, listRefusedOperators, readmitOperator];
