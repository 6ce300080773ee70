import { expect, test } from "vitest";
import { z } from "zod";
import {
  ConfigError,
  durationSetting,
  integerSetting,
  keyRingSetting,
  keySetting,
  parseConfig,
  portSetting,
  urlSetting,
} from "./config.ts";

const key = Buffer.alloc(32, 7).toString("base64");

const schema = z.object({
  PORT: portSetting(),
  WAIT: durationSetting().default(15_000),
  COUNT: integerSetting(1, 10).default(3),
  URL: urlSetting("http:"),
  KEY: keySetting(),
  KEYS: keyRingSetting(),
});

test("reads numbers, durations, URLs and keys, and fills in defaults", () => {
  const config = parseConfig(schema, {
    PORT: "8080",
    WAIT: "5m",
    URL: "http://a",
    KEY: key,
    KEYS: `b:${key},a:${key}`,
  });
  expect(config).toMatchObject({ PORT: 8080, WAIT: 300_000, COUNT: 3, URL: "http://a" });
  expect(config.KEYS.activeId).toBe("b");
  expect([...config.KEYS.keys.keys()]).toEqual(["b", "a"]);
});

test("an empty variable counts as not set", () => {
  const config = parseConfig(schema, { PORT: "1", WAIT: "", URL: "http://a", KEY: key, KEYS: `a:${key}` });
  expect(config.WAIT).toBe(15_000);
});

test.each(["999ms", "61m"])("a duration outside its bounds is refused: %s", (WAIT) => {
  const bounded = z.object({ WAIT: durationSetting({ min: "1s", max: "1h" }) });
  expect(parseConfig(bounded, { WAIT: "1h" })).toEqual({ WAIT: 3_600_000 });
  expect(faultOf(() => parseConfig(bounded, { WAIT })).faults).toEqual([
    "WAIT: must be a duration such as 250ms, 15s, 5m, 48h or 7d, from 1s to 1h",
  ]);
});

test("names every fault at once with the form it should have, and no value", () => {
  const env = {
    PORT: "70000",
    WAIT: "soon",
    COUNT: "11",
    URL: "ftp://x",
    KEY: "hunter2",
    KEYS: `a:${key},a:${key}`,
  };
  const error = faultOf(() => parseConfig(schema, env));
  expect(error.faults).toEqual([
    "PORT: must be a whole number from 0 to 65535",
    "WAIT: must be a duration such as 250ms, 15s, 5m, 48h or 7d",
    "COUNT: must be a whole number from 1 to 10",
    "URL: must be a URL with http://",
    "KEY: must be 32 bytes in base64",
    "KEYS: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
  ]);
  for (const value of ["hunter2", key, "70000"]) expect(error.message).not.toContain(value);
});

test("a missing variable is named", () => {
  expect(faultOf(() => parseConfig(schema, {})).faults).toContain(
    "PORT is missing: must be a whole number from 0 to 65535",
  );
});

function faultOf(run: () => unknown): ConfigError {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error("no ConfigError");
}
