import type { Logger } from "@holdfast/service-runtime";
import { meterOf, startAtZero } from "@holdfast/telemetry";
import type { OperatorKeysOptions } from "./operator-keys.ts";

/**
 * Counts and logs the failures to read an identity provider's keys. @param people the kind of people that the
 * keys belong to.
 */
export function reportKeyFailures(
  people: "operators" | "staff",
  log: Pick<Logger, "warn">,
): OperatorKeysOptions["onFailure"] {
  const failures = meterOf("operator-token").createCounter("holdfast.identity_keys.failures", {
    description: "Times that an identity provider's keys could not be read, by the people who sign in there",
  });
  startAtZero(failures, { people });
  return (error, ageMs) => {
    failures.add(1, { people });
    const text = ageMs === undefined ? "and none are known" : "the known ones serve for a while";
    log.warn({ reason: people, error, ageMs }, `the identity provider's keys could not be read: ${text}`);
  };
}
