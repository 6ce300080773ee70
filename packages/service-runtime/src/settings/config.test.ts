import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  ConfigError,
  durationSetting,
  integerSetting,
  keyRingSetting,
  parseConfig,
  portSetting,
  urlSetting,
} from "./config.ts";

const key = randomBytes(32).toString("base64");
const other = randomBytes(32).toString("base64");

const schema = z.object({
  PORT: portSetting(),
  WAIT: durationSetting().default(15_000),
  COUNT: integerSetting(1, 10).default(3),
  URL: urlSetting("http:"),
  KEYS: keyRingSetting(),
});

test("reads numbers, durations, URLs and keys, and fills in defaults", () => {
  const config = parseConfig(schema, {
    PORT: "8080",
    WAIT: "5m",
    URL: "http://a",
    KEYS: `b:${key},a:${other}`,
  });
  expect(config).toMatchObject({ PORT: 8080, WAIT: 300_000, COUNT: 3, URL: "http://a" });
  expect(config.KEYS.activeId).toBe("b");
  expect([...config.KEYS.keys.keys()]).toEqual(["b", "a"]);
});

test("an empty variable counts as not set", () => {
  const config = parseConfig(schema, { PORT: "1", WAIT: "", URL: "http://a", KEYS: `a:${key}` });
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
    KEYS: `a:${key},a:${other},b:hunter2`,
  };
  const error = faultOf(() => parseConfig(schema, env));
  expect(error.faults).toEqual([
    "PORT: must be a whole number from 0 to 65535",
    "WAIT: must be a duration such as 250ms, 15s, 5m, 48h or 7d",
    "COUNT: must be a whole number from 1 to 10",
    "URL: must be a URL with http://",
    "KEYS: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
  ]);
  for (const value of ["hunter2", key, "70000"]) expect(error.message).not.toContain(value);
});

const rings = z.object({ SEALING: keyRingSetting(), PEPPERS: keyRingSetting().optional() });

test.each([
  ["zeros", Buffer.alloc(32)],
  ["one byte", Buffer.alloc(32, 7)],
  ["a repeated word", Buffer.alloc(32, "changeit")],
])("a key of %s is refused", (_case, weak) => {
  const SEALING = `k1:${key},k0:${weak.toString("base64")}`;
  expect(faultOf(() => parseConfig(rings, { SEALING })).faults).toEqual([
    "SEALING: has a key that is not random; generate each with openssl rand -base64 32",
  ]);
});

test("a key under two ids, or for two purposes, is refused", () => {
  expect(faultOf(() => parseConfig(rings, { SEALING: `k1:${key},k0:${key}` })).faults).toEqual([
    "SEALING: has one key under two ids",
  ]);
  const env = { SEALING: `k1:${key}`, PEPPERS: `p1:${other},p0:${key}` };
  expect(faultOf(() => parseConfig(rings, env)).faults).toEqual([
    "PEPPERS: has a key of SEALING; each needs keys of its own",
  ]);
});

test("a process that would accept any certificate is refused", () => {
  expect(faultOf(() => parseConfig(z.object({}), { NODE_TLS_REJECT_UNAUTHORIZED: "0" })).faults).toEqual([
    "NODE_TLS_REJECT_UNAUTHORIZED: may not be 0, since no peer would be verified",
  ]);
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

test("several hosts in a URL are refused, since the client would take them for one name", () => {
  const hosts = z.object({ URL: urlSetting("postgres:") });
  expect(() => parseConfig(hosts, { URL: "postgres://u@one,two/holdfast" })).toThrow(
    "URL: must name one host: for PostgreSQL the name that always leads to the primary",
  );
});
