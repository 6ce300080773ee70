import { z } from "zod";
import { AUDITED_SERVICES, auditFilterSchema, auditLogEntrySchema } from "../http/audit-log.ts";
import { BODY_PROBLEMS } from "../http/endpoint.ts";
import { exportQuery, pageOf, pageQuery, WITH_ROWS } from "../http/list-query.ts";
import { LOG_LEVEL_SECONDS_DEFAULT, serviceLogLevelSchema } from "../http/log-levels.ts";
import { personKindSchema, refusedOperatorSchema } from "../http/refused-operators.ts";
import { changedLogLevelSchema, LOG_LEVEL_SECONDS_MAX, loggingServiceSchema } from "../log-level.ts";
import { textSchema } from "../text.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { defineOperatorOperations } from "./define-operations.ts";

/** The installation itself: people who are refused, log levels, the audit log. */
export const installationOperations = defineOperatorOperations({
  refuseOperator: {
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
        kind: personKindSchema,
        reason: textSchema(1, 1_000),
      })
      .meta({ id: "RefuseOperatorRequest" }),
    responses: {
      200: { description: "The person was refused before", body: refusedOperatorSchema },
      201: { description: "The person is refused", body: refusedOperatorSchema },
    },
    problems: [...BODY_PROBLEMS, "own_access", "outcome_unknown", "forbidden"],
  },

  listRefusedOperators: {
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
        body: pageOf(refusedOperatorSchema, "by kind, issuer and subject").meta({
          id: "RefusedOperatorPage",
        }),
      },
    },
    problems: ["validation_failed", "forbidden"],
  },

  readmitOperator: {
    method: "DELETE",
    path: "/operator/refused-operators/{subject}",
    work: "write",
    role: "admin",
    summary: "Admit a refused operator again",
    description: "The person's tokens count again. Nobody can admit themselves (`own_access`).",
    queryParameters: z.object({ kind: personKindSchema }),
    pathParameters: z.object({
      subject: z.string().meta({ description: "The `sub` of the person's tokens" }),
    }),
    notFound: "refused_operator_not_found",
    responses: { 204: { description: "The person is no longer refused" } },
    problems: [
      "validation_failed",
      "refused_operator_not_found",
      "own_access",
      "outcome_unknown",
      "forbidden",
    ],
  },

  getLogLevels: {
    method: "GET",
    path: "/operator/log-level",
    role: "viewer",
    summary: "Show the log levels in force",
    description:
      "Asks every replica of every service for its log level. One that does not answer within a second is not listed. " +
      "The console is not on the bus and is not among the services.",
    responses: {
      200: {
        description: "Every service",
        body: z
          .object({
            items: z.array(serviceLogLevelSchema).meta({ description: "Every service that is on the bus" }),
          })
          .meta({ id: "ServiceLogLevelList" }),
      },
    },
    problems: ["forbidden"],
  },

  putLogLevel: {
    method: "PUT",
    path: "/operator/log-level",
    work: "write",
    role: "admin",
    summary: "Change the log level of a service for a time",
    description:
      "Every replica of the service logs more for at most an hour, one that starts meanwhile too (within 15 seconds), and " +
      "then what its `LOG_LEVEL` says. A change adds lines and never takes any away: a replica whose `LOG_LEVEL` logs " +
      "more than `level` stays as it is. The next change of the service replaces this one.",
    request: z
      .object({
        service: loggingServiceSchema,
        level: changedLogLevelSchema.nullable().meta({ description: "`null` ends a change before its time" }),
        seconds: wholeNumberSchema(
          1,
          LOG_LEVEL_SECONDS_MAX,
          `How long it lasts; defaults to ${LOG_LEVEL_SECONDS_DEFAULT}`,
        ).optional(),
      })
      .meta({ id: "PutLogLevelRequest" }),
    responses: {
      200: {
        description: "The change is written down and published; `replicas` says which follow it already",
        body: serviceLogLevelSchema,
      },
    },
    problems: [...BODY_PROBLEMS, "outcome_unknown", "forbidden"],
  },

  getAuditLog: {
    method: "GET",
    path: "/operator/audit-log",
    role: "viewer",
    summary: "List audit log entries",
    description: `Returns who did what in any service, newest first. ${WITH_ROWS}`,
    queryParameters: auditFilterSchema.extend({
      service: z.enum(AUDITED_SERVICES).optional().meta({ description: "Whose audit log" }),
      ...pageQuery,
      ...exportQuery,
    }),
    responses: {
      200: {
        description: "One page of entries",
        body: pageOf(auditLogEntrySchema, "newest first").meta({ id: "AuditLogPage" }),
        rows: true,
      },
    },
    problems: ["validation_failed", "forbidden"],
  },
});
