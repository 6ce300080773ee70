import { readAuditEntriesBefore, type AuditDatabase, type AuditPage } from "@holdfast/audit";
import {
  AUDITED_SERVICES,
  cutPage,
  INVALID_CURSOR_ERRORS,
  jsonCursor,
  operations,
  readAuditLog,
  type AuditLogEntry,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { Refusal } from "../http/refusal.ts";
import type { Call } from "../endpoint/route.ts";
import type { ListDeps } from "../lists/list-route.ts";
import { definePagedListRoute } from "../lists/paged-list-route.ts";

/** Reads one service's log, newest first; a Refusal if it cannot be read. */
export type AuditSource = {
  service: string;
  read: (call: Call<typeof operations.getAuditLog>, page: AuditPage) => Promise<AuditLogEntry[] | Refusal>;
};

/**
 * GET /operator/audit-log: the services' logs as one, newest first, filtered by the query. The cursor says
 * how far each log has been read, so new entries do not change pages.
 */
export function auditLogRoute({ sources, lists }: { sources: AuditSource[]; lists: ListDeps }) {
  return definePagedListRoute(operations.getAuditLog, lists, (call, { service: only, ...filter }) => ({
    name: "audit-log",
    audience: call.caller.subject,
    async read({ limit, cursor }) {
      const positions: Positions | undefined = cursor === undefined ? {} : positionsCursor.decode(cursor);
      if (positions === undefined) return INVALID_CURSOR;
      const pages = await Promise.all(
        sources
          .filter(({ service }) => only === undefined || service === only)
          .map(({ service, read }) =>
            read(call, { ...filter, limit: limit + 1, before: positions[service] }),
          ),
      );
      const refused = pages.find((page) => page instanceof Refusal);
      if (refused) return refused;
      const all = pages.flatMap((page) => page as AuditLogEntry[]).sort(newestFirst);
      const { page: items, next } = cutPage(all, limit, (last, page) =>
        positionsCursor.encode({ ...positionsBehind(last), ...positions, ...positionsAfter(page) }),
      );
      return { items, ...next };
    },
  }));
}

/** The gateway's own log. */
export function gatewayAuditSource(db: Kysely<AuditDatabase>): AuditSource {
  return {
    service: "api-gateway",
    read: async (_call, page) => await readAuditEntriesBefore(db, "api-gateway", page),
  };
}

/** The logs of the other services. */
export function serviceAuditSources(send: SendOperatorCommand): AuditSource[] {
  return [readAuditLog.payments, readAuditLog.refunds, readAuditLog.webhooks, readAuditLog.settlement].map(
    (command) => ({
      service: command.service,
      async read(call, page) {
        const reply = await send(command, call, page);
        return reply.outcome === "done" ? reply.result.entries : new Refusal("service_unavailable");
      },
    }),
  );
}

function newestFirst(a: AuditLogEntry, b: AuditLogEntry): number {
  return b.at.localeCompare(a.at) || a.service.localeCompare(b.service) || b.sequence - a.sequence;
}

/** The position up to which each service's log has been read. */
function positionsAfter(page: AuditLogEntry[]): Positions {
  return Object.fromEntries(page.map(({ service, at, sequence }) => [service, { at, sequence }]));
}

/**
 * Positions in services without any entry shown yet: their later entries are newer than the earlier pages.
 */
function positionsBehind({ at, service }: AuditLogEntry): Positions {
  // Entries of the same moment follow the order of services.
  const sequenceOf = (other: string) => (other.localeCompare(service) > 0 ? Number.MAX_SAFE_INTEGER : 0);
  return Object.fromEntries(AUDITED_SERVICES.map((each) => [each, { at, sequence: sequenceOf(each) }]));
}

const positionsSchema = z.record(z.string(), z.object({ at: z.iso.datetime(), sequence: z.int() }));
type Positions = z.infer<typeof positionsSchema>;
const positionsCursor = jsonCursor(positionsSchema);

const INVALID_CURSOR = new Refusal("validation_failed", { members: { errors: INVALID_CURSOR_ERRORS } });
