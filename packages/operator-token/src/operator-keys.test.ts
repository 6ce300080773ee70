import { createServer } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AUDIENCE, createOperatorIdentity, ISSUER } from "@holdfast/tests/support";
import { operatorKeys, OperatorKeysUnavailableError } from "./operator-keys.ts";
import { verifyOperatorToken } from "./verify-operator-token.ts";

const rules = {
  issuer: ISSUER,
  audience: AUDIENCE,
  rolesClaim: "roles",
  ageMaxMs: 3_600_000,
  requiredAcr: [],
  requiredAmr: [],
  recent: { signInAgeMaxMs: 900_000, issuedAgeMaxMs: 900_000 },
};
let directory: string;
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), "holdfast-jwks-"))));
afterAll(() => rm(directory, { recursive: true }));

test("a file's keys verify tokens, and those added to it later do too", async () => {
  const file = join(directory, "rotated.json");
  const [first, second] = [
    await createOperatorIdentity("ES256", "k1"),
    await createOperatorIdentity("ES256", "k2"),
  ];
  await writeFile(file, JSON.stringify(first.jwks));
  const keys = operatorKeys(file);
  expect(await verifyOperatorToken(await first.token(), keys, rules)).toMatchObject({ subject: "olga" });
  expect(await verifyOperatorToken(await second.token(), keys, rules)).toBeUndefined();
  await writeFile(file, JSON.stringify({ keys: [...first.jwks.keys, ...second.jwks.keys] }));
  expect(await verifyOperatorToken(await second.token(), keys, rules)).toMatchObject({ subject: "olga" });
});

test("keys come from a URL, and are kept", async () => {
  const identity = await createOperatorIdentity();
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    response.end(JSON.stringify(identity.jwks));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const keys = operatorKeys(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`);
  for (let count = 0; count < 3; count++) {
    expect(await verifyOperatorToken(await identity.token(), keys, rules)).toMatchObject({ subject: "olga" });
  }
  server.close();
  expect(requests).toBe(1);
});

test.each([
  ["a file that is missing", () => join(directory, "missing.json")],
  ["a file that is no JWKS", () => join(directory, "broken.json")],
  ["a URL where nobody listens", () => "http://127.0.0.1:1/jwks"],
])("with %s no token can be judged", async (_case, location) => {
  await writeFile(join(directory, "broken.json"), '{"keys": 1}');
  const token = await (await createOperatorIdentity()).token();
  await expect(verifyOperatorToken(token, operatorKeys(location()), rules)).rejects.toThrow(
    OperatorKeysUnavailableError,
  );
});

test("with a URL that answers anything but keys no token can be judged", async () => {
  const server = createServer((_request, response) => response.writeHead(500).end("down"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const keys = operatorKeys(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`);
  const token = await (await createOperatorIdentity()).token();
  await expect(verifyOperatorToken(token, keys, rules)).rejects.toThrow(OperatorKeysUnavailableError);
  server.close();
});
