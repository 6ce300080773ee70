import { PROBLEMS } from "@holdfast/contracts";
import { meterOf } from "@holdfast/telemetry";
import type { Exchange, ListenerState } from "./exchange.ts";

/**
 * The reason for a refused access: `unauthorized` (401), `locked` (429 without checking the credentials,
 * after too many failures), `forbidden` (403: authenticated, but not allowed).
 */
export type RefusedAccess = "unauthorized" | "locked" | "forbidden";

/** Counts what a listener with sign-ins has refused, for the alerts on attacks (PCI DSS 10.4.1.1). */
export function createRefusedAccess(name: ListenerState["name"]): (exchange: Exchange) => void {
  if (name === "public") return () => {};
  const counter = meterOf("api-gateway").createCounter("holdfast.access.refused", {
    description: "Requests refused for want of a sign-in or of authority, by listener and reason",
  });
  // Exported from the beginning, so that the first event is an increase.
  for (const reason of REASONS) counter.add(0, { listener: name, reason });
  return (exchange) => {
    const reason = refusedAccess(exchange);
    if (reason) counter.add(1, { listener: name, reason });
  };
}

const REASONS: RefusedAccess[] = ["unauthorized", "locked", "forbidden"];

/** @returns undefined for every other answer, another refusal included. */
export function refusedAccess({
  code,
  merchant,
  person,
}: Pick<Exchange, "code" | "merchant" | "person">): RefusedAccess | undefined {
  if (code === "unauthorized") return "unauthorized";
  if (code === "rate_limited" && !merchant && !person) return "locked";
  return code !== undefined && PROBLEMS[code].status === PROBLEMS.forbidden.status ? "forbidden" : undefined;
}
