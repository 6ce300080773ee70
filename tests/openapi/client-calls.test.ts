// The client's method for each operation, as the reference and the client's README name it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Holdfast } from "@holdfast/client";
import { ENDPOINTS } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { CLIENT_CALLS } from "../../services/api-gateway/src/merchant-docs/client-calls.ts";

const client = new Holdfast({ baseUrl: "http://127.0.0.1:1", apiKey: "hk_test_x", apiSecret: "x" });
const methods = new Set(
  Object.entries(client).flatMap(([group, calls]: [string, object]) =>
    Object.keys(calls).map((name) => `${group}.${name}`),
  ),
);
const operations = new Map(
  ENDPOINTS.filter(({ listener }) => listener === "merchant").map(
    ({ operationId, method, path }) => [operationId, `${method} ${path}`] as const,
  ),
);
const readme = readFileSync(join(import.meta.dirname, "..", "..", "packages", "client", "README.md"), "utf8");
const rows = readme.split("\n").filter((line) => line.startsWith("| `") && line.includes("/api/"));

test.each(Object.entries(CLIENT_CALLS))("%s is the client's, and a row of its README", (id, [method]) => {
  expect(methods).toContain(method);
  const own = rows.filter((row) => row.includes(`\`${method}\``));
  expect(own).toHaveLength(1);
  expect(own[0]).toContain(`| \`${operations.get(id)}\` | \`${id}\` |`);
});

test("the README names each method of the client", () => {
  for (const method of methods) expect(rows.join("\n")).toContain(`\`${method}\``);
});
