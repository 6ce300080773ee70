/**
 * Settings of the dispatcher's connections. Every statement here follows an index from a few keys. The planner knows
 * that only once it has seen full tables; a plan that it made for empty ones, and kept, would read all of them.
 */
export const PLAN_SETTINGS = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
};
