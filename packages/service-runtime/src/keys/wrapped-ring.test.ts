import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startKeyService } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { keyRingSetting } from "../settings/config.ts";
import { wrapRingCommand } from "../commands/wrap-ring-command.ts";
import { unwrapRings } from "./wrapped-ring.ts";

const key = () => randomBytes(32).toString("base64");
const RING = `k1:${key()},k0:${key()}`;
const shape = {
  CARD_SEALING_KEYS: keyRingSetting(),
  FILE_KEYS: keyRingSetting().optional(),
  NAME: z.string(),
};

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-kek-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** A file of a new key. @returns its path. */
function keyFile(content = key()): string {
  const path = join(dir, randomBytes(6).toString("hex"));
  writeFileSync(path, `${content}\n`);
  return path;
}

async function wrap(env: NodeJS.ProcessEnv, args: string[], ring = RING): Promise<string> {
  let printed = "";
  await wrapRingCommand(
    args,
    env,
    (text) => (printed += text),
    async () => ring,
  );
  return printed.trim();
}

const unwrapped = async (env: NodeJS.ProcessEnv) => (await unwrapRings(shape, env))["CARD_SEALING_KEYS"];

describe.each([
  ["one file", () => `file:${keyFile()}`],
  ["two custodians' files", () => `file:${keyFile()},${keyFile()}`],
])("a ring under a key in %s", (_case, provider) => {
  test("opens to the same text, and neither it nor its keys are in the wrapped one", async () => {
    const env = { KEY_PROVIDER: provider(), NAME: "x" };
    const wrapped = await wrap(env, ["CARD_SEALING_KEYS"]);
    expect(wrapped).toMatch(/^wrapped\.v1\.[\w-]+\.[\w-]+$/);
    expect(await unwrapRings(shape, { ...env, CARD_SEALING_KEYS: wrapped })).toEqual({
      ...env,
      CARD_SEALING_KEYS: RING,
    });
    const bytes = Buffer.concat(wrapped.split(".").map((part) => Buffer.from(part, "base64url")));
    expect(bytes.indexOf(Buffer.from(RING.slice(3, 47), "base64"))).toBe(-1);
    expect(bytes.indexOf("k1:")).toBe(-1);
  });

  test("does not open as another ring, under another key, or with any byte changed", async () => {
    const env = { KEY_PROVIDER: provider() };
    const wrapped = await wrap(env, ["CARD_SEALING_KEYS"]);
    await expect(unwrapRings(shape, { ...env, FILE_KEYS: wrapped })).rejects.toThrow(
      /^the configuration is not valid:\n {2}FILE_KEYS: is wrapped, and file:\S+ does not open it/,
    );
    await expect(unwrapped({ KEY_PROVIDER: provider(), CARD_SEALING_KEYS: wrapped })).rejects.toThrow(
      /CARD_SEALING_KEYS: is wrapped/,
    );
    const [, , wrappedKey = "", sealed = ""] = wrapped.split(".");
    for (const part of [wrappedKey, sealed]) {
      for (const index of Buffer.from(part, "base64url").keys()) {
        const bytes = Buffer.from(part, "base64url");
        bytes[index]! ^= 1;
        const CARD_SEALING_KEYS = wrapped.replace(part, bytes.toString("base64url"));
        const refusal = unwrapped({ ...env, CARD_SEALING_KEYS });
        await expect(refusal).rejects.toMatchObject({ code: "invalid_config" });
        await expect(refusal).rejects.not.toThrow(bytes.toString("base64url"));
      }
    }
  });

  test("does not open when cut short", async () => {
    const env = { KEY_PROVIDER: provider() };
    const wrapped = await wrap(env, ["CARD_SEALING_KEYS"]);
    for (const length of ["wrapped.v1.".length, 60, wrapped.length - 8])
      await expect(unwrapped({ ...env, CARD_SEALING_KEYS: wrapped.slice(0, length) })).rejects.toThrow(
        /CARD_SEALING_KEYS: is wrapped/,
      );
  });
});

test("two custodians' files in either order are the key, and neither opens anything alone", async () => {
  const [one, two] = [keyFile(), keyFile()];
  const wrapped = await wrap({ KEY_PROVIDER: `file:${one},${two}` }, ["CARD_SEALING_KEYS"]);
  expect(await unwrapped({ KEY_PROVIDER: `file:${two},${one}`, CARD_SEALING_KEYS: wrapped })).toBe(RING);
  for (const alone of [one, two])
    await expect(unwrapped({ KEY_PROVIDER: `file:${alone}`, CARD_SEALING_KEYS: wrapped })).rejects.toThrow(
      /does not open it/,
    );
});

test.each([
  ["a missing file", () => `file:${join(dir, "none")}`, /KEY_PROVIDER: file:\S+ cannot be used: ENOENT/],
  ["a file of something else", () => `file:${keyFile("hunter2")}`, /has no 32 bytes in base64/],
  ["zeros", () => `file:${keyFile(Buffer.alloc(32).toString("base64"))}`, /not random/],
  [
    "one part twice",
    () => {
      const part = key();
      return `file:${keyFile(part)},${keyFile(part)}`;
    },
    /not random/,
  ],
])("%s stops the start with the provider's name and not its content", async (_case, provider, reason) => {
  const refusal = unwrapped({ KEY_PROVIDER: provider(), CARD_SEALING_KEYS: "wrapped.v1.AAAA.AAAA" });
  await expect(refusal).rejects.toThrow(reason);
  await expect(refusal).rejects.not.toThrow("hunter2");
});

test("a wrapped ring without a provider, and a provider of no known form, are refused", async () => {
  const CARD_SEALING_KEYS = "wrapped.v1.AAAA.AAAA";
  await expect(unwrapped({ CARD_SEALING_KEYS })).rejects.toThrow("KEY_PROVIDER is missing");
  for (const KEY_PROVIDER of [
    "/run/kek",
    "file:kek",
    "http://kms.example.com/kek",
    "https://u:p@kms/kek",
    "aws:x",
  ])
    await expect(unwrapped({ KEY_PROVIDER, CARD_SEALING_KEYS })).rejects.toThrow("KEY_PROVIDER: must be");
  await expect(unwrapped({ KEY_PROVIDER: "pkcs11:token=a", CARD_SEALING_KEYS })).rejects.toThrow("needs id=");
});

test("a program without a wrapped ring of its own asks no provider", async () => {
  const env = { KEY_PROVIDER: "file:/none", CARD_SEALING_KEYS: RING, FOREIGN_KEYS: "wrapped.v1.AAAA.AAAA" };
  expect(await unwrapRings(shape, env)).toBe(env);
});

describe("a key management service", () => {
  async function start() {
    const service = await startKeyService();
    onTestFinished(() => service.close());
    const env = { KEY_PROVIDER: service.keyUrl, KEY_PROVIDER_TOKEN_FILE: keyFile("a-token") };
    return { service, env, CARD_SEALING_KEYS: await wrap(env, ["CARD_SEALING_KEYS"]) };
  }

  test("wraps and opens with the ring's name and the token, and refuses another ring's", async () => {
    const { service, env, CARD_SEALING_KEYS } = await start();
    expect(await unwrapped({ ...env, CARD_SEALING_KEYS })).toBe(RING);
    expect(service.calls).toEqual([
      { url: "/v1/keys/kek:encrypt", authorization: "Bearer a-token", associated: "CARD_SEALING_KEYS" },
      { url: "/v1/keys/kek:decrypt", authorization: "Bearer a-token", associated: "CARD_SEALING_KEYS" },
    ]);
    await expect(unwrapRings(shape, { ...env, FILE_KEYS: CARD_SEALING_KEYS })).rejects.toThrow(
      "FILE_KEYS: is wrapped",
    );
  });

  test.each([
    ["503", { status: 503, text: "" }, "it answered 503"],
    ["403", { status: 403, text: "" }, "it answered 403"],
    ["no JSON", { status: 200, text: "hunter2" }, "its answer is not JSON"],
    ["no key", { status: 200, text: '{"plaintext":"hunter2!"}' }, "its answer has no plaintext"],
    ["too much", { status: 200, text: `"${"x".repeat(70_000)}"` }, "its answer is too long"],
  ])("is named when it answers %s, of which nothing is repeated", async (_case, answer, reason) => {
    const { service, env, CARD_SEALING_KEYS } = await start();
    service.answerWith(answer);
    const refusal = unwrapped({ ...env, CARD_SEALING_KEYS });
    await expect(refusal).rejects.toThrow(`KEY_PROVIDER: ${env.KEY_PROVIDER} cannot be used: ${reason}`);
    await expect(refusal).rejects.not.toThrow("hunter2");
  });

  test("is named when it is away", async () => {
    const { service, env, CARD_SEALING_KEYS } = await start();
    await service.close();
    await expect(unwrapped({ ...env, CARD_SEALING_KEYS })).rejects.toThrow(
      `KEY_PROVIDER: ${env.KEY_PROVIDER} cannot be used: connect ECONNREFUSED`,
    );
  });

  test("that gives a key of another length opens nothing", async () => {
    const { service, env, CARD_SEALING_KEYS } = await start();
    service.answerWith({ status: 200, text: '{"plaintext":"AAAA"}' });
    await expect(unwrapped({ ...env, CARD_SEALING_KEYS })).rejects.toThrow("CARD_SEALING_KEYS: is wrapped");
  });
});

describe("wrap-ring", () => {
  const open = async (env: NodeJS.ProcessEnv, CARD_SEALING_KEYS: string) =>
    (await unwrapped({ ...env, CARD_SEALING_KEYS }))!.split(",");

  test("makes a ring, adds a key, moves it to the front and removes the old one, and prints none", async () => {
    const env = { KEY_PROVIDER: `file:${keyFile()}` };
    const made = await wrap(env, ["CARD_SEALING_KEYS", "--add", "k1"], "");
    const [old] = await open(env, made);
    expect(old).toMatch(/^k1:[A-Za-z0-9+/]{43}=$/);
    const added = await wrap(env, ["CARD_SEALING_KEYS", "--add", "k2"], made);
    const [, fresh] = await open(env, added);
    expect(await open(env, added)).toEqual([old, expect.stringMatching(/^k2:/)]);
    const active = await wrap(env, ["CARD_SEALING_KEYS", "--first", "k2"], added);
    expect(await open(env, active)).toEqual([fresh, old]);
    expect(await open(env, await wrap(env, ["CARD_SEALING_KEYS", "--remove", "k1"], active))).toEqual([
      fresh,
    ]);
  });

  test("moves a ring from one provider to another", async () => {
    const [before, after] = [`file:${keyFile()}`, `file:${keyFile()},${keyFile()}`];
    const wrapped = await wrap({ KEY_PROVIDER: before }, ["CARD_SEALING_KEYS"]);
    const moved = await wrap({ KEY_PROVIDER: after }, ["CARD_SEALING_KEYS", "--from", before], wrapped);
    expect((await open({ KEY_PROVIDER: after }, moved)).join(",")).toBe(RING);
  });

  test.each([
    [["DATABASE_URL"], RING, "name one setting that is a key ring"],
    [["CARD_SEALING_KEYS"], "", "the ring has no key: give it on standard input"],
    [["CARD_SEALING_KEYS"], "k1:hunter2", "CARD_SEALING_KEYS must be id:key pairs"],
    [["CARD_SEALING_KEYS"], `${RING},k1:${key()}`, "each id used once"],
    [["CARD_SEALING_KEYS", "--add", "k1"], RING, "--add k1: the ring already has this key"],
    [["CARD_SEALING_KEYS", "--first", "k7"], RING, "--first k7: the ring has no such key"],
    [["CARD_SEALING_KEYS", "--remove", "k7"], RING, "--remove k7: the ring has no such key"],
  ])("%j is refused without a word of the ring", async (args, ring, reason) => {
    const refusal = wrap({ KEY_PROVIDER: `file:${keyFile()}` }, args, ring);
    await expect(refusal).rejects.toThrow(reason);
    await expect(refusal).rejects.not.toThrow("hunter2");
  });
});
