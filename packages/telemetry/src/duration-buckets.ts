/**
 * Bounds of histograms in seconds. The SDK's own are for milliseconds: everything shorter than five would be one
 * bucket, and a quantile would always be near five.
 */

/**
 * Bounds for calls and requests: the HTTP conventions' bounds, and longer ones, since a command may take 18 s
 * and an acquirer call 15 s.
 */
export const CALL_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 15, 20,
];

/**
 * Bounds for work that waits for other parties and may take days; 30, 120 and 300 are bounds of objectives
 * (docs/slo.md).
 */
export const AGE_SECONDS = [
  0.1,
  0.5,
  1,
  2.5,
  5,
  10,
  30,
  60,
  120,
  300,
  900,
  3_600,
  6 * 3_600,
  24 * 3_600,
  3 * 24 * 3_600,
];
