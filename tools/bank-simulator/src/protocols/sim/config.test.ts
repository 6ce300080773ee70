import { expect, test } from "vitest";

import { readConfig } from "./config.ts";
import { defaultModes } from "./modes.ts";

test.each([
  ["SIMULATOR_LATE_AFTER", "3s", { lateAfterMs: 3_000 }, "3"],
  ["SIMULATOR_CONNECTIONS_MAX", "7", { connectionsMax: 7 }, "0"],
  ["SIMULATOR_BINDS_UNSEEN", "false", { bindsUnseen: false }, "yes"],
  ["SIMULATOR_REPETITION", "none", { repetition: "none" }, "once"],
  ["SIMULATOR_CHALLENGE", "page", { challenge: "page" }, "html"],
  ["SIMULATOR_UNKINDNESS", '{"cells":"odd"}', { unkindness: { cells: "odd" } }, '{"cells":"even"}'],
  ["SIMULATOR_RETURNS", "proven", { returns: "proven" }, "signed"],
])("%s is set by its name: %s", (name, value, set, wrong) => {
  const read = (own: object) => readConfig({ SIMULATOR_LEDGER_FILE: "l", ...own });
  const defaults = { latenessMs: 1_000, lateAfterMs: 16_000, ...defaultModes };
  expect(read({})).toMatchObject(defaults);
  expect(read({ [name]: value })).toMatchObject({ ...defaults, ...set });
  expect(() => read({ [name]: wrong })).toThrow(name);
});
