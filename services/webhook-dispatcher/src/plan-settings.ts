/**
 * Settings of the dispatcher's connections. Every statement here follows an index from a few keys. The
 * planner knows that only after it has seen full tables; a cached plan from empty tables would read all rows.
 */
export const PLAN_SETTINGS = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
};
