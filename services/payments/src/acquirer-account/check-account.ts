import type { AnyConnector } from "@holdfast/acquirer";
import type { FieldFault } from "@holdfast/contracts";
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
    ...faultsIn("settings", connector.settings.safeParse(settings)),
    ...faultsIn("secrets", connector.secrets.safeParse(secrets)),
    ...(cannot.length > 0
      ? [fault("currencies", `${connector.protocol} carries only ${connector.currencies.join(", ")}`)]
      : []),
  ];
}

function faultsIn(name: string, parsed: z.ZodSafeParseResult<unknown>): FieldFault[] {
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, code, message }) => ({
        field: [name, ...path.map(String)].join("."),
        code,
        message,
      }));
}

export function fault(field: string, message: string): FieldFault {
  return { field, code: "invalid_value", message };
}
