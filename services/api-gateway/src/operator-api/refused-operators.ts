import {
  cutPage,
  INVALID_CURSOR_ERRORS,
  jsonCursor,
  operations,
  personOf,
  type PersonKind,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { Config } from "../config.ts";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import type { Operator } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import { actorOf } from "./actor-of.ts";
import { listRefused, readmit, refuse, toRefused } from "./refused-operator-queries.ts";

/** Locks people out although their tokens are valid. Nobody decides about themselves, so somebody is always left. */
export function refusedOperatorRoutes({
  db,
  config,
}: {
  db: Kysely<GatewayDatabase>;
  config: Pick<Config, "OPERATOR_JWT_ISSUER" | "STAFF_JWT_ISSUER">;
}): Route[] {
  const personIn = (subject: string, kind: PersonKind | undefined): string | undefined => {
    if (kind === undefined) return subject;
    // Without an issuer the installation has no people of this kind.
    const issuer = kind === "staff" ? config.STAFF_JWT_ISSUER : config.OPERATOR_JWT_ISSUER;
    return issuer === undefined ? undefined : personOf({ kind, issuer, subject });
  };
  return [
    defineRoute(operations.refuseOperator, async (call) => {
      const { subject, kind, reason } = call.body;
      const person = personIn(subject, kind);
      if (person === undefined) return NO_STAFF;
      if (isOwn(person, call.caller)) return OWN_ACCESS;
      const { isNew, refused } = await refuse(db, { person, reason }, actorOf(call));
      return { status: isNew ? 201 : 200, body: refused };
    }),
    defineRoute(operations.listRefusedOperators, async ({ query }) => {
      const limit = Number(query.limit ?? DEFAULT_LIMIT);
      const after = query.cursor === undefined ? undefined : personCursor.decode(query.cursor);
      if (query.cursor !== undefined && after === undefined) return INVALID_CURSOR;
      const rows = await listRefused(db, limit + 1, after);
      const { page, next } = cutPage(rows, limit, ({ person }) => personCursor.encode(person));
      return { status: 200, body: { items: page.map(toRefused), ...next } };
    }),
    defineRoute(operations.readmitOperator, async (call) => {
      const { subject } = call.path;
      const person = personIn(subject, call.query.kind);
      if (isOwn(person, call.caller)) return OWN_ACCESS;
      // PostgreSQL takes no NUL, and no subject has one.
      const isPerson = person !== undefined && !subject.includes("\0");
      const isReadmitted = isPerson && (await readmit(db, person, actorOf(call)));
      return isReadmitted ? { status: 204 } : new Refusal("refused_operator_not_found");
    }),
  ];
}

const isOwn = (person: string | undefined, caller: Operator) =>
  person === caller.person || person === caller.subject;

const DEFAULT_LIMIT = 50;
const personCursor = jsonCursor(
  z
    .string()
    .max(1_000)
    .refine((person) => !person.includes("\0")),
);
const INVALID_CURSOR = new Refusal("validation_failed", { members: { errors: INVALID_CURSOR_ERRORS } });
const NO_STAFF = new Refusal("validation_failed", {
  members: { errors: [{ field: "kind", code: "not_allowed", message: "this installation has no staff" }] },
});
const OWN_ACCESS = new Refusal("own_access");
