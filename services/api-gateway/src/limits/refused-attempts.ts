import { appendAudit } from "@holdfast/audit";
import type { Endpoint, ProblemCode } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { write, type GatewayDatabase } from "../database.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import type { RoutedRequest } from "../http/routed-request.ts";
import { rateLimited } from "./rate-limited.ts";
import { createTokenBuckets } from "./token-buckets.ts";

/**
 * Attempts of people without the authority for them. Each is a line of an audit log: the gateway's if the
 * role does not allow it, the deciding service's if the person may not decide. Anybody who is signed in could
 * otherwise write any number of lines, so a person has a number of such attempts per minute. After that every
 * change of theirs is answered 429, and this process writes nothing.
 */
export type RefusedAttempts = {
  /** Why this person may change nothing for now. */
  locked(exchange: Exchange): Refusal | undefined;
  /** The answer to a request that the role does not allow, which it writes down. */
  forbid(exchange: Exchange, endpoint: Endpoint, request: RoutedRequest): Promise<Refusal>;
  /** Counts an answer by which a service has refused a person, and has written it down. */
  count(exchange: Exchange, code: ProblemCode): void;
};

export function createRefusedAttempts(db: Kysely<GatewayDatabase>, perMinute: number): RefusedAttempts {
  const attempts = createTokenBuckets({ size: perMinute, intervalMs: 60_000, keysMax: PEOPLE_MAX });
  return {
    locked(exchange) {
      const waitMs = attempts.waitMs(keyOf(exchange));
      return waitMs > 0 ? rateLimited(waitMs) : undefined;
    },
    async forbid(exchange, endpoint, request) {
      const { waitMs } = attempts.take(keyOf(exchange));
      if (waitMs > 0) return rateLimited(waitMs);
      try {
        await writeDown(db, exchange, endpoint, request);
      } catch (error) {
        // The attempt stays refused without its audit line; the request's log line has both.
        exchange.error = error;
      }
      return new Refusal("forbidden");
    },
    count(exchange, code) {
      if (WRITTEN_DOWN.has(code)) attempts.take(keyOf(exchange));
    },
  };
}

const keyOf = ({ person }: Exchange) => person?.person ?? "";

/** A person who is forgotten has been refused nothing for long. */
const PEOPLE_MAX = 10_000;

/** The refusals of decisions that are lines of an audit log. */
const WRITTEN_DOWN: ReadonlySet<ProblemCode> = new Set([
  "same_person",
  "already_approved_by_you",
  "approver_limit_reached",
  "refund_differs",
]);

/** Writes the route and its subject; the request itself was not read. */
async function writeDown(
  db: Kysely<GatewayDatabase>,
  exchange: Exchange,
  { method, path, role }: Endpoint,
  { params }: RoutedRequest,
): Promise<void> {
  const id = Object.values(params).find((value) => UUID.test(value));
  const { requestId, staff } = exchange;
  const staffOf = staff && { staffOf: staff.merchantId };
  await write(db, (trx) =>
    appendAudit(trx, {
      actor: exchange.person?.subject ?? "",
      action: "access.refused",
      subject: id?.toLowerCase() ?? path,
      detail: { requestId, code: "forbidden", method, route: path, needed: role, ...staffOf },
    }),
  );
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
