import type { CommandReply, FieldFault } from "@holdfast/contracts";
import { resolveTarget, type Lookup } from "../http-client/resolve-target.ts";
import { parseTarget, type TargetFault, type TargetRules } from "../http-client/webhook-target.ts";

export type UrlDeps = { rules: TargetRules; lookup: Lookup };

/**
 * The refusal of a URL that may not be called. A name that does not resolve yet is accepted: the attempts will show. One
 * that leads to a forbidden address is refused.
 */
export async function urlRefusal({ rules, lookup }: UrlDeps, url: string): Promise<Refused | undefined> {
  const target = parseTarget(url, rules);
  if (typeof target === "string") return invalidUrl(target);
  const isBlocked = (await resolveTarget(target, lookup, rules)) === "blocked";
  return isBlocked ? invalidUrl("address_not_allowed") : undefined;
}

function invalidUrl(code: TargetFault): Refused {
  return invalid({ field: "url", code, message: URL_FAULT_MESSAGES[code] });
}

type Refused = Extract<CommandReply<never>, { outcome: "problem" }>;

/** The refusal of a field. */
export function invalid(fault: FieldFault): Refused {
  return { outcome: "problem", code: "validation_failed", extra: { errors: [fault] } };
}

const URL_FAULT_MESSAGES: Record<TargetFault, string> = {
  invalid_url: "must be a URL without control characters",
  not_https: "must begin with https://",
  has_credentials: "must not have a user or password",
  has_fragment: "must not have a fragment",
  port_not_allowed: "must have one of the allowed ports",
  address_not_allowed: "must be at a public address",
  too_long: "must have at most 2048 characters",
};
