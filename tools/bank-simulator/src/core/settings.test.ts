import { expect, test } from "vitest";
import { z } from "zod";

import { bankSettings, ConfigError, duration, jsonSetting, kindness } from "./index.ts";

const settings = bankSettings(
  "KIOSK",
  { latenessMs: 1_000, lateness: "" },
  { WAIT: duration.default(5), MENU: jsonSetting(z.array(z.string())).default([]) },
  (common, own) => ({ ...common, own }),
);

test("only the ledger's place has no default", () => {
  expect(settings.readConfig({ KIOSK_LEDGER_FILE: "l" })).toEqual({
    host: "127.0.0.1",
    port: 0,
    ledgerFile: "l",
    connectionsMax: 10_000,
    hangMs: 120_000,
    latenessMs: 1_000,
    publicUrl: undefined,
    unkindness: kindness,
    own: { WAIT: 5, MENU: [] },
  });
});

test("durations carry their unit, and a public URL has no slash at its end", () => {
  const given = { HANG: "2m", LATENESS: "250ms", WAIT: "3s", MENU: '["a"]', PUBLIC_URL: "https://b.test/" };
  const named = Object.entries(given).map(([name, value]) => [`KIOSK_${name}`, value]);
  expect(settings.readConfig({ KIOSK_LEDGER_FILE: "l", ...Object.fromEntries(named) })).toMatchObject({
    hangMs: 120_000,
    latenessMs: 250,
    publicUrl: "https://b.test",
    own: { WAIT: 3_000, MENU: ["a"] },
  });
});

test("every fault is told at once, and none quotes JSON, which may have a secret", () => {
  const environment = {
    KIOSK_PORT: "70000",
    KIOSK_HANG: "120",
    KIOSK_CONNECTIONS_MAX: "0",
    KIOSK_LATENESS: "9999s",
    KIOSK_PUBLIC_URL: "ftp://b.test",
    KIOSK_MENU: '["secret"',
  };
  const read = () => settings.readConfig(environment);
  expect(read).toThrow(ConfigError);
  for (const name of [...Object.keys(environment), "KIOSK_LEDGER_FILE"]) expect(read).toThrow(name);
  expect(read).not.toThrow("secret");
});
