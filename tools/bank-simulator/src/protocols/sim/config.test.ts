import { expect, test } from "vitest";
import { ConfigError } from "../../core/index.ts";

import { readConfig } from "./config.ts";

test("everything but the ledger's place has a default", () => {
  expect(readConfig({ SIMULATOR_LEDGER_FILE: "l" })).toMatchObject({
    latenessMs: 1_000,
    lateAfterMs: 16_000,
    bindsUnseen: true,
    repetition: "replay",
    challenge: "form",
    returns: "bare",
  });
});

test("modes are switched by their names", () => {
  const environment = {
    SIMULATOR_LEDGER_FILE: "l",
    SIMULATOR_LATE_AFTER: "3s",
    SIMULATOR_BINDS_UNSEEN: "false",
    SIMULATOR_REPETITION: "none",
    SIMULATOR_CHALLENGE: "page",
    SIMULATOR_RETURNS: "proven",
  };
  expect(readConfig(environment)).toMatchObject({
    lateAfterMs: 3_000,
    bindsUnseen: false,
    repetition: "none",
    challenge: "page",
    returns: "proven",
  });
});

test("a mode that is none is refused", () => {
  const environment = {
    SIMULATOR_BINDS_UNSEEN: "yes",
    SIMULATOR_REPETITION: "once",
    SIMULATOR_CHALLENGE: "html",
    SIMULATOR_RETURNS: "signed",
  };
  const read = () => readConfig(environment);
  expect(read).toThrow(ConfigError);
  for (const name of Object.keys(environment)) expect(read).toThrow(name);
});
