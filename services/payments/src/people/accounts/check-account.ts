import { addressesIn, type AnyConnector } from "@holdfast/acquirer";
import { faultOfIssue, parseInOurWords, type CommandReply, type FieldFault } from "@holdfast/contracts";
import type { z } from "zod";
import { isDeepStrictEqual } from "node:util";
import { faultsOfBounds, type AccountBounds } from "../../bank/account/account-bounds.ts";

type Problem = Extract<CommandReply<never>, { outcome: "problem" }>;

/**
 * Every fault of an account's settings, secrets and currencies, by field; a message never repeats a value.
 * Settings that the schema takes have to be within the installation's bounds, too.
 */
export function faultsOf(
  connector: AnyConnector,
  {
    accountId,
    settings,
    secrets,
    currencies,
  }: { accountId: string; settings: unknown; secrets: unknown; currencies: readonly string[] },
  bounds: AccountBounds,
): FieldFault[] {
  const { protocol } = connector;
  const read = connector.settings.safeParse(settings).data as object | undefined;
  const cannot = currencies.filter(
    (code) => connector.currencies.length > 0 && !connector.currencies.includes(code),
  );
  return [
    ...(read ? faultsOfBounds(bounds, { accountId, protocol, settings: read }) : []),
    ...faultsIn("settings", connector.settings, settings),
    ...faultsIn("secrets", connector.secrets, secrets),
    ...(cannot.length > 0
      ? [fault("currencies", `${connector.protocol} carries only ${connector.currencies.join(", ")}`)]
      : []),
  ];
}

function faultsIn(name: string, schema: z.ZodType, input: unknown): FieldFault[] {
  const issues = parseInOurWords(schema, input).error?.issues ?? [];
  return issues.map((issue) => ({
    field: [name, ...issue.path.map(String)].join("."),
    ...faultOfIssue(issue, input),
  }));
}

export function fault(field: string, message: string): FieldFault {
  return { field, code: "invalid_value", message };
}

/** The refusal of a request with these faults. */
export function refuse(errors: FieldFault[]): Problem {
  return { outcome: "problem", code: "validation_failed", extra: { errors } };
}

/** An account's version, as far as it says which terminal it is. */
type Given = { settings: unknown; secrets: unknown };

/** The fields that say which terminal it is, and that differ. @returns none where either is not the protocol's. */
export function otherTerminal(connector: AnyConnector, before: Given, after: Given): string[] {
  const differing = (part: "settings" | "secrets") => {
    const [one, other] = [before, after].map(
      (given) => connector[part].safeParse(given[part]).data as Record<string, unknown> | undefined,
    );
    if (!one || !other) return [];
    return connector.terminal[part]
      .map(String)
      .filter((name) => !isDeepStrictEqual(one[name], other[name]))
      .map((name) => `${part}.${name}`);
  };
  return [...differing("settings"), ...differing("secrets")];
}

/**
 * The fault of a change that would send the stored credentials to another address. Whoever changes the address has to know
 * them.
 */
export function secretsMissing(connector: AnyConnector, before: object, after: unknown): FieldFault[] {
  const [one, other] = [before, after].map((given) => {
    const { data } = connector.settings.safeParse(given);
    return data === undefined
      ? undefined
      : new Map(addressesIn(data).map(([name, { href }]) => [name, href]));
  });
  const changed = [...(other ?? [])].filter(([name, href]) => one?.get(name) !== href).map(([name]) => name);
  if (changed.length === 0) return [];
  const message = `must be sent again with another ${changed.map((name) => `settings.${name}`).join(" and ")}`;
  return [{ field: "secrets", code: "secrets_required", message }];
}

/** The refusal to change these fields, if any. */
export function terminalInUse(fields: readonly string[]): Problem | undefined {
  if (fields.length === 0) return undefined;
  const detail = `Payments were sent to this account's terminal, so ${fields.join(" and ")} cannot change: make another account, and set this one to NO_NEW_PAYMENTS.`;
  return { outcome: "problem", code: "terminal_in_use", detail };
}
