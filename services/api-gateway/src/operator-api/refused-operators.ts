import {
  cutPage,
  INVALID_CURSOR_ERRORS,
  jsonCursor,
  listRefusedOperators,
  readmitOperator,
  refuseOperator,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import type { Exchange, Operator } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import type { Actor } from "../merchant/merchant-queries.ts";
import { listRefused, readmit, refuse } from "./refused-operator-queries.ts";

/** Locks people out although their tokens are valid. Nobody decides about themselves, so somebody is always left. */
export function refusedOperatorRoutes({ db }: { db: Kysely<GatewayDatabase> }): Route[] {
  return [
    defineRoute(refuseOperator, async (call) => {
      if (call.body.subject === call.caller.subject) return OWN_ACCESS;
      const { isNew, refused } = await refuse(db, call.body, actorOf(call));
      return { status: isNew ? 201 : 200, body: refused };
    }),
    defineRoute(listRefusedOperators, async ({ query }) => {
      const limit = Number(query.limit ?? DEFAULT_LIMIT);
      const after = query.cursor === undefined ? undefined : subjectCursor.decode(query.cursor);
      if (query.cursor !== undefined && after === undefined) return INVALID_CURSOR;
      const rows = await listRefused(db, limit + 1, after);
      const { page, next } = cutPage(rows, limit, ({ subject }) => subjectCursor.encode(subject));
      return { status: 200, body: { items: page, ...next } };
    }),
    defineRoute(readmitOperator, async (call) => {
      const { subject } = call.path;
      if (subject === call.caller.subject) return OWN_ACCESS;
      // PostgreSQL takes no NUL, and no subject has one.
      const isReadmitted = !subject.includes("\0") && (await readmit(db, subject, actorOf(call)));
      return isReadmitted ? { status: 204 } : new Refusal("refused_operator_not_found");
    }),
  ];
}

const DEFAULT_LIMIT = 50;
const subjectCursor = jsonCursor(
  z
    .string()
    .max(200)
    .refine((subject) => !subject.includes("\0")),
);
const INVALID_CURSOR = new Refusal("validation_failed", { members: { errors: INVALID_CURSOR_ERRORS } });
const OWN_ACCESS = new Refusal("own_access");

/** The person whom an audit entry names. */
function actorOf({ exchange, caller }: { exchange: Exchange; caller: Operator }): Actor {
  return { subject: caller.subject, requestId: exchange.requestId };
}
