import type { Authentication, DeclineClass } from "../acquirer.ts";

/** The terms of EMV 3-D Secure for each `mdStatus` of the banks of Turkey. */
export const MD_STATUSES: ReadonlyMap<
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
