import { expect, test } from "vitest";

import { readConfig } from "./config.ts";
import { defaultModes } from "./modes.ts";

test.each([
  ["LATE_AFTER", "3s", { lateAfterMs: 3_000 }, "3"],
  ["BINDS_UNSEEN", "false", { bindsUnseen: false }, "yes"],
  ["REPETITION", "none", { repetition: "none" }, "once"],
  ["CHALLENGE", "page", { challenge: "page" }, "html"],
  ["RETURNS", "proven", { returns: "proven" }, "signed"],
])("%s is set by its name: %s", (name, value, set, wrong) => {
  const read = (own: object) => readConfig({ SIMULATOR_LEDGER_FILE: "l", ...own });
  const defaults = { latenessMs: 1_000, lateAfterMs: 16_000, ...defaultModes };
  expect(read({})).toMatchObject(defaults);
  expect(read({ [`SIMULATOR_${name}`]: value })).toMatchObject({ ...defaults, ...set });
  expect(() => read({ [`SIMULATOR_${name}`]: wrong })).toThrow(`SIMULATOR_${name}`);
});
