import type { AnyConnector } from "@holdfast/acquirer";
import { faultOfIssue, parseInOurWords, type FieldFault } from "@holdfast/contracts";
import type { z } from "zod";

/** Every fault of an account's settings, secrets and currencies, by field; a message never repeats a value. */
export function faultsOf(
  connector: AnyConnector,
  { settings, secrets, currencies }: { settings: unknown; secrets: unknown; currencies: readonly string[] },
): FieldFault[] {
  const cannot = currencies.filter(
    (code) => connector.currencies.length > 0 && !connector.currencies.includes(code),
  );
  return [
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
