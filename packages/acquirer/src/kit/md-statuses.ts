import type { Authentication, DeclineClass } from "../acquirer.ts";
import type { Proof, ReturnRead } from "./instrument.ts";

/** The terms of EMV 3-D Secure for each `mdStatus` of the banks of Turkey. */
const MD_STATUSES: ReadonlyMap<
  string,
  { transStatus: Authentication["transStatus"]; declineClass?: DeclineClass }
> = new Map([
  ["0", { transStatus: "N", declineClass: "soft" }],
  ["1", { transStatus: "Y" }],
  ["2", { transStatus: "U", declineClass: "hard" }],
  ["3", { transStatus: "U", declineClass: "hard" }],
  ["4", { transStatus: "A", declineClass: "soft" }],
  ["5", { transStatus: "U" }],
  ["6", { transStatus: "U" }],
  ["7", { transStatus: "U", declineClass: "technical" }],
  ["8", { transStatus: "U" }],
  ["9", { transStatus: "U", declineClass: "technical" }],
]);

/**
 * The result of a genuine return, by its `mdStatus`. An accepted status without its proof is declined.
 * @param accepted statuses after which the payment continues.
 * @param isWhole true if every part of the proof that the protocol needs is there.
 */
export function readMdStatus(
  status: string,
  { proof, isWhole, accepted }: { proof: Proof; isWhole: boolean; accepted: readonly string[] },
): ReturnRead {
  const known = MD_STATUSES.get(status);
  const { eci } = proof;
  const authentication = known && { transStatus: known.transStatus, ...(eci && { eci }) };
  const isAccepted = accepted.includes(status);
  if (isAccepted && authentication && isWhole) return { kind: "proven", proof, authentication };
  const declineClass = isAccepted ? "technical" : known?.declineClass;
  return {
    kind: "declined",
    ...(declineClass && { declineClass }),
    resultCode: `MD-${status}`,
    resultMessage: "",
    ...(authentication && { authentication }),
  };
}
