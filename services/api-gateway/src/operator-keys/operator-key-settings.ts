import { durationSetting } from "@holdfast/service-runtime";

export const operatorKeySettings = {
  IDEMPOTENCY_RETENTION: durationSetting()
    .default(604_800_000)
    .describe("How long an operator's Idempotency-Key is kept; services keep merchants'."),
};
