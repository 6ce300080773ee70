import { expect, test } from "vitest";
import { ConfigError } from "../../core/index.ts";

import { readConfig } from "./config.ts";

test("only the ledger's place has no default", () => {
  expect(readConfig({ SIMULATOR_LEDGER_FILE: "l" })).toEqual({
    host: "127.0.0.1",
    port: 0,
    ledgerFile: "l",
    connectionsMax: 10_000,
    hangMs: 120_000,
    latenessMs: 1_000,
    lateAfterMs: 16_000,
    bindsUnseen: true,
    repetition: "replay",
    challenge: "form",
    returns: "bare",
  });
});

test("durations carry their unit", () => {
  const environment = { SIMULATOR_LEDGER_FILE: "l", SIMULATOR_HANG: "2m", SIMULATOR_LATENESS: "250ms" };
  expect(readConfig({ ...environment, SIMULATOR_LATE_AFTER: "3s" })).toMatchObject({
    hangMs: 120_000,
    latenessMs: 250,
    lateAfterMs: 3_000,
  });
});

test("modes are switched by their names", () => {
  const environment = {
    SIMULATOR_LEDGER_FILE: "l",
    SIMULATOR_BINDS_UNSEEN: "false",
    SIMULATOR_REPETITION: "none",
    SIMULATOR_CHALLENGE: "page",
    SIMULATOR_RETURNS: "proven",
  };
  expect(readConfig(environment)).toMatchObject({
    bindsUnseen: false,
    repetition: "none",
    challenge: "page",
    returns: "proven",
  });
});

test("every fault is told at once", () => {
  const environment = {
    SIMULATOR_PORT: "70000",
    SIMULATOR_HANG: "120",
    SIMULATOR_CONNECTIONS_MAX: "0",
    SIMULATOR_LATENESS: "9999s",
    SIMULATOR_BINDS_UNSEEN: "yes",
    SIMULATOR_REPETITION: "once",
    SIMULATOR_CHALLENGE: "html",
    SIMULATOR_RETURNS: "signed",
  };
  const read = () => readConfig(environment);
  expect(read).toThrow(ConfigError);
  const broken = [...Object.keys(environment), "SIMULATOR_LEDGER_FILE"];
  for (const name of broken) expect(read).toThrow(name);
});
