import { createServer, type RequestListener } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { AUDIENCE, createOperatorIdentity, ISSUER } from "@holdfast/tests/support";
import { operatorKeys, OperatorKeysUnavailableError } from "./operator-keys.ts";
import { verifyOperatorToken } from "./verify-operator-token.ts";

const rules = {
  issuer: ISSUER,
  audience: AUDIENCE,
  otherAudience: undefined,
  merchantClaim: "merchant_id",
  rolesClaim: "roles",
  ageMaxMs: 3_600_000,
  types: ["at+jwt", "JWT"],
  leewayMs: 5_000,
  requiredAcr: [],
  requiredAmr: [],
  recent: { signInAgeMaxMs: 900_000, issuedAgeMaxMs: 900_000 },
};
const options = { staleMaxMs: 3_600_000, onFailure: () => {} };
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
  const keys = operatorKeys(file, options);
  expect(await verifyOperatorToken(await first.token(), keys, rules)).toMatchObject({ subject: "olga" });
  expect(await verifyOperatorToken(await second.token(), keys, rules)).toBeUndefined();
  await writeFile(file, JSON.stringify({ keys: [...first.jwks.keys, ...second.jwks.keys] }));
  expect(await verifyOperatorToken(await second.token(), keys, rules)).toMatchObject({ subject: "olga" });
});

test("keys come from a URL, and are kept", async () => {
  const identity = await createOperatorIdentity();
  let requests = 0;
  const url = await serve((_request, response) => {
    requests++;
    response.end(JSON.stringify(identity.jwks));
  });
  const keys = operatorKeys(url, options);
  for (let count = 0; count < 3; count++) {
    expect(await verifyOperatorToken(await identity.token(), keys, rules)).toMatchObject({ subject: "olga" });
  }
  expect(requests).toBe(1);
});

test.each([
  ["a file that is missing", () => join(directory, "missing.json")],
  ["a file that is no JWKS", () => join(directory, "broken.json")],
  ["a URL where nobody listens", () => "http://127.0.0.1:1/jwks"],
])("with %s no token can be judged", async (_case, location) => {
  await writeFile(join(directory, "broken.json"), '{"keys": 1}');
  const token = await (await createOperatorIdentity()).token();
  await expect(verifyOperatorToken(token, operatorKeys(location(), options), rules)).rejects.toThrow(
    OperatorKeysUnavailableError,
  );
});

test("with a URL that answers anything but keys no token can be judged", async () => {
  const url = await serve((_request, response) => response.writeHead(500).end("down"));
  const token = await (await createOperatorIdentity()).token();
  await expect(verifyOperatorToken(token, operatorKeys(url, options), rules)).rejects.toThrow(
    OperatorKeysUnavailableError,
  );
});

type Failure = "500" | "html" | "another type" | "cut off";
const FAILURES: Record<Failure, RequestListener> = {
  "500": (_request, response) => void response.writeHead(500).end("down"),
  html: (_request, response) => void response.end("<h1>Down</h1>"),
  "another type": (_request, response) => void response.end('{"keys": 1}'),
  "cut off": (request) => request.socket.destroy(),
};
const MINUTE_MS = 60_000;

/** Keys at a URL or in a file that can fail, and a clock that a test moves. */
async function playSource(source: Failure | "file", { staleMaxMs = 60 * MINUTE_MS } = {}) {
  const identities = await Promise.all(["k1", "k2"].map((kid) => createOperatorIdentity("ES256", kid)));
  let served: string | undefined = JSON.stringify(identities[0]!.jwks);
  let readings = 0;
  const file = join(directory, `${source}-${staleMaxMs}.json`);
  const url = await serve((request, response) => {
    readings++;
    if (served === undefined) FAILURES[source as Failure](request, response);
    else response.end(served);
  });
  let nowMs = 0;
  const failures: (number | undefined)[] = [];
  const keys = operatorKeys(source === "file" ? file : url, {
    staleMaxMs,
    now: () => nowMs,
    onFailure: (_error, ageMs) => failures.push(ageMs),
  });
  const give = async (jwks: object | undefined) => {
    served = jwks && JSON.stringify(jwks);
    if (source === "file") await (served === undefined ? rm(file) : writeFile(file, served));
  };
  await give(identities[0]!.jwks);
  return {
    failures,
    readings: () => readings,
    later: (ms: number) => (nowMs += ms),
    fail: () => give(undefined),
    rotate: () => give(identities[1]!.jwks),
    heal: () => give(identities[0]!.jwks),
    first: async () => await verifyOperatorToken(await identities[0]!.token(), keys, rules),
    second: async () => await verifyOperatorToken(await identities[1]!.token(), keys, rules),
  };
}

describe.each(["500", "html", "another type", "cut off", "file"] as const)(
  "keys that cannot be read again (%s)",
  (failure) => {
    test("serve for the time that is set, and for no longer", async () => {
      const source = await playSource(failure);
      expect(await source.first()).toMatchObject({ subject: "olga" });
      await source.fail();
      for (const ms of [MINUTE_MS, MINUTE_MS, 58 * MINUTE_MS]) {
        source.later(ms);
        expect(await source.first()).toMatchObject({ subject: "olga" });
      }
      source.later(1);
      await expect(source.first()).rejects.toThrow(OperatorKeysUnavailableError);
      await expect(source.first()).rejects.toThrow(OperatorKeysUnavailableError);
      await source.heal();
      expect(await source.first()).toMatchObject({ subject: "olga" });
    });

    test("accept no token with a key that they do not have", async () => {
      const source = await playSource(failure);
      await source.first();
      await source.fail();
      for (const ms of [10_000, MINUTE_MS]) {
        source.later(ms);
        expect(await source.second()).toBeUndefined();
        expect(await source.first()).toMatchObject({ subject: "olga" });
      }
    });

    test("serve no longer at all where that is set", async () => {
      const source = await playSource(failure, { staleMaxMs: 0 });
      await source.first();
      await source.fail();
      source.later(MINUTE_MS);
      await expect(source.first()).rejects.toThrow(OperatorKeysUnavailableError);
    });

    test("are read once a minute, and each failure is reported with the age of the known ones", async () => {
      const source = await playSource(failure);
      await source.first();
      await source.fail();
      source.later(2 * MINUTE_MS);
      await Promise.all([source.first(), source.first(), source.first()]);
      source.later(MINUTE_MS - 1);
      await source.first();
      expect(source.failures).toEqual([2 * MINUTE_MS]);
      source.later(1);
      await source.first();
      expect(source.failures).toEqual([2 * MINUTE_MS, 3 * MINUTE_MS]);
    });
  },
);

test.each(["500", "file"] as const)(
  "a key that was withdrawn is refused within a minute (%s)",
  async (kind) => {
    const source = await playSource(kind);
    await source.first();
    await source.rotate();
    source.later(MINUTE_MS);
    expect(await source.first()).toBeUndefined();
    expect(await source.second()).toMatchObject({ subject: "olga" });
  },
);

test("tokens with unknown keys make a URL be read once a second at most", async () => {
  const source = await playSource("500");
  await source.first();
  for (let count = 0; count < 3; count++) expect(await source.second()).toBeUndefined();
  expect(source.readings()).toBe(1);
  source.later(1_000);
  await source.second();
  await source.second();
  expect(source.readings()).toBe(2);
});

/** @returns the address of keys. */
async function serve(onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
}
