/** The programs of `tools/` that play the world around the product. */
export const SIMULATORS = ["bank-simulator", "identity-provider"] as const;
export type Simulator = (typeof SIMULATORS)[number];
